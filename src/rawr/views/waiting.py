"""What waits for a person, and what can no longer be answered, from the journal: without secrets.

The real question, for the person who decides, is in ``Supervisor.waiting``; a running rawr also returns it.
"""

from collections.abc import Iterator

from msgspec import Struct

from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.views.questions import grounds, named, open_requests
from rawr.views.runs import unanswered


class OpenView(Struct, frozen=True, tag_field="type"):
    """Base of the two kinds of open requests."""

    id: str
    thread: str
    run: str | None
    asked: str
    """The kind of question."""
    text: str
    grounds: tuple[str, ...]
    since: int


class WaitingView(OpenView, frozen=True, tag="waiting"):
    """It can be answered now."""


class CutOffView(OpenView, frozen=True, tag="cut_off"):
    """It was open when rawr exited; the agent may ask again when the run continues."""


class UnansweredView(Struct, frozen=True, tag_field="type", tag="unanswered"):
    """A run that is paused because nobody answered in time."""

    thread: str
    run: str
    text: str


AnyWaiting = WaitingView | CutOffView | UnansweredView


def waiting_on(state: ThreadState, *, live: bool) -> Iterator[AnyWaiting]:
    """``live``: a rawr is running on this home, and only it can pass an answer to Codex."""
    for opened in open_requests(state):
        yield open_view(state, opened, live=live)
    what = unanswered(state.run)
    if state.run is not None and what:
        yield UnansweredView(state.id, state.run.id, what)


def open_view(state: ThreadState, opened: OpenRequest, *, live: bool) -> WaitingView | CutOffView:
    kind = WaitingView if live else CutOffView
    return kind(
        id=opened.request,
        thread=state.id,
        run=state.run.id if state.run is not None else None,
        asked=type(opened.question).__name__,
        text=named(opened),
        grounds=grounds(opened),
        since=opened.since,
    )
