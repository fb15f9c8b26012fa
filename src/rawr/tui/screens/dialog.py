"""What all dialogs have in common: a box with a title, and Esc."""

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

Result = TypeVar("Result")


class Looking:
    """A dialog that shows what changes under it."""

    def look(self) -> None: ...


class Dialog(ModalScreen[Result | None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]
    title_words = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content(self.title_words)
            yield from self.inside()

    def inside(self) -> ComposeResult:
        raise NotImplementedError

    def action_close(self) -> None:
        self.dismiss(None)
