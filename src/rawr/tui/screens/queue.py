"""The messages that wait to be sent: edit one, or remove it."""

from typing import ClassVar, Literal

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from rawr.tui.rendering.entries import flat
from rawr.tui.screens.dialog import Dialog
from rawr.views.queue import QueuedView


class Picked(Struct, frozen=True):
    message: QueuedView
    what: Literal["edit", "remove"]


class Queue(Dialog[Picked]):
    title_words = "Queued messages"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,e", "pick('edit')", "Edit", show=False, priority=True),
        Binding("d,delete,backspace", "pick('remove')", "Remove", show=False),
        Binding("escape", "close", "Close", show=False),
    ]

    def __init__(self, queued: tuple[QueuedView, ...]) -> None:
        super().__init__()
        self._queued = queued

    def inside(self) -> ComposeResult:
        yield OptionList(*(Option(_prompt(one), id=str(one.message)) for one in self._queued), markup=False)
        yield Label("Enter edits: it comes back into the composer · d removes · Esc closes", classes="words")

    def action_pick(self, what: Literal["edit", "remove"]) -> None:
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self.leave(Picked(self._queued[at], what))


def _prompt(one: QueuedView) -> Content:
    return Content.assemble(flat(one.text, 300), Content.styled(f"\n  waits for {one.waits_for}", "$muted"))
