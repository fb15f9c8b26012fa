"""What all panels have in common."""

from textual.widget import Widget

from rawr.core.kernel import Taken
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.records import Decision
from rawr.tui.desk import Desk


class Panel(Widget):
    """Shows one side of a thread."""

    def look(self, desk: Desk, state: ThreadState | None) -> None:
        """Show this thread. Called when the panel is opened, and whenever the thread has changed."""
        raise NotImplementedError

    def take(self, taken: Taken) -> None:
        """A fact was taken, for panels that fold them."""

    def decided(self, decision: Decision) -> None:
        """A decision was made, for panels that list them."""
