"""The messages that wait to be sent, above the composer."""

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from rawr.tui.rendering.entries import flat
from rawr.views.queue import QueuedView

SHOWN = 3


class QueueBar(Static):
    class Pressed(Message):
        """A person wants to edit or remove one."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id, markup=False)

    def show(self, queued: tuple[QueuedView, ...], unread: tuple[str, ...] = ()) -> None:
        """``unread``: words that were sent into the running turn, and that the agent has not come to yet."""
        self.display = bool(queued or unread)
        lines = [
            Content.assemble(
                Content.styled("  sent  ", "$accent"), flat(text, 300), Content.styled("  not read yet", "$muted")
            )
            for text in unread[:SHOWN]
        ]
        lines += [
            Content.assemble(
                Content.styled("  queued  ", "$accent"),
                flat(one.text, 300),
                Content.styled(f"  waits for {one.waits_for}", "$muted"),
            )
            for one in queued[:SHOWN]
        ]
        more = len(queued) - SHOWN
        lines += [Content.styled(f"  and {more} more", "$muted")] if more > 0 else []
        self.update(Content("\n").join(lines))

    def on_click(self) -> None:
        self.post_message(self.Pressed())
