"""Where one writes to the agent: several lines, the messages sent before, and plainly what Enter will do."""

from typing import ClassVar, Literal

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea

from rawr.tui.widgets.in_order import InOrder

How = Literal["send", "steer", "queue"]
MOST_HISTORY = 200


class Composer(InOrder, TextArea):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Send: as the line above says", show=False),
        Binding("tab", "queue", "Queue for the next turn", show=False),
        Binding("ctrl+j,shift+enter,alt+enter", "newline", "New line", show=False),
        Binding("up", "older", "The message before, on the first line", show=False),
        Binding("down", "newer", "The message after, on the last line", show=False),
        Binding("escape", "away", "Back to the conversation; the draft stays", show=False),
    ]

    class Submitted(Message):
        def __init__(self, text: str, how: How) -> None:
            super().__init__()
            self.text = text
            self.how: How = how

    class Away(Message):
        """Back to the conversation."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, soft_wrap=True, show_line_numbers=False, compact=True, highlight_cursor_line=False)
        self._how: How = "send"
        self._history: list[str] = []
        self._at: int | None = None
        self._draft = ""

    def show(self, *, how: How, waits_for: str, queued: int, closed: bool) -> None:
        """``how``: what Enter does. ``waits_for``: what a sequence is waiting for; empty if there is none."""
        self._how = how
        words = {
            "send": "Enter sends",
            "steer": "Enter steers into the running turn · Tab queues",
            "queue": "Enter queues",
        }[how]
        if waits_for:
            words = f"Enter queues · rawr is compacting and waits for {waits_for}"
        if closed:
            words = "The thread is closed"
        self.border_title = Content(words)
        also = f"{queued} queued · e edits · " if queued else ""
        self.border_subtitle = Content(f"{also}Ctrl+J new line")

    def begins(self, folder: str) -> None:
        """There is no thread."""
        self._how = "send"
        self.border_title = Content(f"Enter starts a thread in {folder}/")
        self.border_subtitle = Content("Ctrl+J new line")

    def remember(self, texts: list[str]) -> None:
        """Messages of the thread, the newest last."""
        self._history = texts[-MOST_HISTORY:]
        self._at = None

    def put(self, text: str) -> None:
        """A draft, or a message to edit; what is being written is not lost."""
        before = self.text.strip()
        self.text = f"{text}\n{before}" if before and before != text.strip() else text
        self.move_cursor(self.document.end)

    def action_submit(self) -> None:
        self._submit(self._how)

    def action_queue(self) -> None:
        if self.text.strip():
            self._submit("queue")
        else:
            self.screen.focus_next()

    def _submit(self, how: How) -> None:
        """It leaves the composer at once, so that a second Enter does not send it twice; if it does not get into the
        journal, it comes back (``put``)."""
        text = self.text.strip("\n")
        if text.strip():
            self._history = [*self._history, text][-MOST_HISTORY:]
            self._at = None
            self.text = ""
            self.post_message(self.Submitted(text, how))

    def taken(self, text: str) -> None:
        """What stood here has become something else: a goal."""
        if self.text.strip() == text:
            self.text = ""

    def action_newline(self) -> None:
        self.insert("\n")

    def action_away(self) -> None:
        self.post_message(self.Away())

    def action_older(self) -> None:
        if self.cursor_location[0] > 0 or not self._history:
            self.action_cursor_up()
            return
        if self._at is None:
            self._draft, self._at = self.text, len(self._history)
        if self._at > 0:
            self._at -= 1
            self._recall(self._history[self._at])

    def action_newer(self) -> None:
        if self._at is None or self.cursor_location[0] < self.document.line_count - 1:
            self.action_cursor_down()
            return
        self._at += 1
        if self._at >= len(self._history):
            self._at = None
            self._recall(self._draft)
        else:
            self._recall(self._history[self._at])

    def _recall(self, text: str) -> None:
        self.text = text
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "question_mark" and not self.text:
            event.prevent_default()
            event.stop()
            await self.app.run_action("help")
            return
        await super()._on_key(event)
