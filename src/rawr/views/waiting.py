"""What waits for a person, and what can no longer be answered.

The journal has it without secrets. The person who decides must see the real text, which a running rawr has in memory
(``Supervisor.waiting``); a text from the journal says that it is only the record.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.views.questions import grounds, named, open_requests
from rawr.views.runs import unanswered

ONLY_RECORD = "this is the record, in which placeholders stand for secrets: it cannot be approved from here"


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
    redacted: bool = False
    """The text is from the journal, and what would run is not known here: it cannot be approved."""


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


class Shown(Struct, frozen=True):
    """An open request as a person sees it."""

    opened: OpenRequest
    real: bool
    """As it is, from the memory of the rawr that received it; otherwise only its record."""

    @property
    def text(self) -> str:
        return named(self.opened)

    @property
    def grounds(self) -> tuple[str, ...]:
        return grounds(self.opened) if self.real else (*grounds(self.opened), ONLY_RECORD)


def shown(opened: OpenRequest, real: Iterable[OpenRequest]) -> Shown:
    """``real``: what the running rawr says is waiting."""
    known = next((one for one in real if one.request == opened.request), None)
    return Shown(known or opened, known is not None)


def waiting_on(state: ThreadState, *, live: bool, real: Iterable[OpenRequest] = ()) -> Iterator[AnyWaiting]:
    """``live``: a rawr is running on this home, and only it can pass an answer to Codex. ``real``: what it says is
    waiting, with its secrets."""
    for opened in open_requests(state):
        yield open_view(state, shown(opened, real), live=live)
    what = unanswered(state.run)
    if state.run is not None and what:
        yield UnansweredView(state.id, state.run.id, what)


def open_view(state: ThreadState, one: Shown, *, live: bool) -> WaitingView | CutOffView:
    kind, opened = WaitingView if live else CutOffView, one.opened
    return kind(
        id=opened.request,
        thread=state.id,
        run=state.run.id if state.run is not None else None,
        asked=type(opened.question).__name__,
        text=one.text,
        grounds=one.grounds,
        since=opened.since,
        redacted=not one.real,
    )
