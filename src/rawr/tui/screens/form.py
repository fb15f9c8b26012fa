"""A form: a few named fields, sent with Ctrl+S, or with Enter from a field of one line."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Input, Label, TextArea

from rawr.tui.screens.dialog import Dialog
from rawr.tui.screens.fields import Field


class Form(Dialog[dict[str, str]]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Send", show=False, priority=True),
        Binding("escape", "close", "Close", show=False),
    ]

    def __init__(self, title: str, words: str, fields: tuple[Field, ...], *, send: str) -> None:
        super().__init__()
        self.title_words = title
        self._words, self._fields, self._send = words, fields, send

    def inside(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Label(self._words, markup=False, classes="words")
            for field in self._fields:
                if field.several_lines:
                    yield Label(field.label, markup=False, classes="label")
                    yield TextArea(field.value, id=field.name, soft_wrap=True, compact=True, tab_behavior="focus")
                else:
                    with Horizontal(classes="field"):
                        yield Label(field.label, markup=False, classes="label")
                        yield Input(field.value, placeholder=field.hint, id=field.name, compact=True)
        with Horizontal(classes="buttons"):
            yield Button(f"{self._send}  Ctrl+S", variant="primary", id="send", compact=True)
            yield Button("Cancel  Esc", id="cancel", compact=True)

    def on_input_submitted(self) -> None:
        self.action_send()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "send":
            self.action_send()
        else:
            self.action_close()

    def action_send(self) -> None:
        self.leave({field.name: self._value(field) for field in self._fields})

    def _value(self, field: Field) -> str:
        if field.several_lines:
            return self.query_one(f"#{field.name}", TextArea).text.strip()
        return self.query_one(f"#{field.name}", Input).value.strip()
