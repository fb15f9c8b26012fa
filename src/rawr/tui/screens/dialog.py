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
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("question_mark,f1", "app.help", "Keys", show=False),
    ]
    AUTO_FOCUS = "*"
    title_words = ""
    _done_with = False

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content(self.title_words)
            box.border_subtitle = Content("Esc closes")
            yield from self.inside()

    def inside(self) -> ComposeResult:
        raise NotImplementedError

    def leave(self, result: Result | None = None) -> None:
        """Once: keys that were typed quickly may ask for it again."""
        if not self._done_with:
            self._done_with = True
            self.dismiss(result)

    def action_close(self) -> None:
        self.leave()
