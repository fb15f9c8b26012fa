"""A form: a few named fields, sent with Ctrl+S, or with Enter from a field of one line."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Input, Label, TextArea

from rawr.tui.screens.dialog import Dialog
from rawr.tui.screens.fields import Field
from rawr.tui.widgets.in_order import InOrder


class Line(InOrder, Input):
    """A field of one line."""


class Area(InOrder, TextArea):
    """A field of several lines."""


class Form(Dialog[dict[str, str]]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Send", show=False, priority=True),
        Binding("escape", "close", "Close", show=False),
    ]

    def __init__(
        self,
        title: str,
        words: str,
        fields: tuple[Field, ...],
        *,
        send: str,
        check: Callable[[dict[str, str]], str] = lambda _: "",
    ) -> None:
        """``check``: what is wrong with the values; the form stays open until it is empty."""
        super().__init__()
        self._check = check
        self.title_words = title
        self._words, self._fields, self._send = words, fields, send

    def inside(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Label(self._words, markup=False, classes="words")
            for field in self._fields:
                if field.several_lines:
                    yield Label(field.label, markup=False, classes="label")
                    yield Area(field.value, id=field.name, soft_wrap=True, compact=True, tab_behavior="focus")
                else:
                    with Horizontal(classes="field"):
                        yield Label(field.label, markup=False, classes="label")
                        yield Line(field.value, placeholder=field.hint, id=field.name, compact=True)
        with Horizontal(classes="buttons"):
            yield Button(f"{self._send}  Ctrl+S", variant="primary", id="send", compact=True)
            yield Button("Cancel  Esc", id="cancel", compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter goes to the next field, and sends from the last one."""
        if event.input is self.query(Input).last():
            self.action_send()
        else:
            self.focus_next(Input)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "send":
            self.action_send()
        else:
            self.action_close()

    def action_send(self) -> None:
        given = {field.name: self._value(field) for field in self._fields}
        if problem := self._check(given):
            self.notify(problem, severity="warning", markup=False)
        else:
            self.leave(given)

    def _value(self, field: Field) -> str:
        if field.several_lines:
            return self.query_one(f"#{field.name}", TextArea).text.strip()
        return self.query_one(f"#{field.name}", Input).value.strip()
