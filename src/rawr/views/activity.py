"""What a thread is doing at this moment, since when, and until when: for a line that ticks."""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from rawr.core.kernel import Taken
from rawr.core.real import Real
from rawr.core.requests.answering import DEADLINE
from rawr.core.run.ending import RETRY
from rawr.core.state.run import Waiting
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import RunCheck
from rawr.views.questions import in_short, open_requests

_DOING: dict[type[items.AnyItem], str] = {
    items.Reasoning: "thinking",
    items.AgentMessage: "writing",
    items.FileChange: "changing files",
    items.SubAgent: "a sub-agent works",
    items.Compaction: "compacting",
}
_OPEN = {
    "Command": "running a command",
    "ToolCall": "using a tool",
    "FileChange": "changing files",
    "SubAgent": "a sub-agent works",
    "AgentMessage": "writing",
}
"""By the kind of an item."""
_WAITING: dict[Waiting, str] = {
    "slot": "waiting for the other runs",
    "retry": "retrying",
    "limit": "waiting for the rate limit",
    "review": "reviewing",
    "model": "asking a model",
    "guidance": "asking a model",
}


Waits = Callable[[str], Iterable[Real[OpenRequest]]]
"""What waits for a person on a thread, as it really is."""


class Activity(Struct, frozen=True):
    what: str
    since: int
    """In ms, on the journal's clock."""
    until: int = 0
    """When it is over by itself; zero if nobody knows."""


class Activities:
    """Follows what begins and ends; everything else is in a thread's state."""

    def __init__(self) -> None:
        self._items: dict[str, dict[str, Activity]] = {}
        self._last: dict[str, int] = {}
        """When something last began or ended."""

    def take(self, taken: Taken) -> None:
        recorded = taken.recorded
        thread, at = recorded.thread, recorded.at
        match recorded.fact:
            case facts.ItemStarted(item=item):
                self._items.setdefault(thread, {})[item.id] = Activity(_doing(item), at)
            case facts.ItemCompleted(item=item):
                self._items.get(thread, {}).pop(item.id, None)
            case facts.TurnStarted() | facts.TurnCompleted() | facts.ServerLost() | facts.ThreadJoined():
                self._items.pop(thread, None)
            case _ if not any(isinstance(one.effect, RunCheck) for one in taken.effects):
                return
            case _:
                pass
        self._last[thread] = at

    def of(self, state: ThreadState, waiting: Waits) -> Activity | None:
        """None if it does nothing. ``waiting``: the real text of what waits for a person."""
        return next(self._found(state, waiting), None)

    def _found(self, state: ThreadState, waiting: Waits) -> Iterator[Activity]:
        """What a person has to know first."""
        ends = {one.name: one.at for one in state.deadlines}
        for asked in open_requests(state):
            if DEADLINE + asked.request in ends:
                real = (one.thing for one in waiting(state.id) if one.thing.request == asked.request)
                shown = next(real, None)
                what = f"{in_short(shown.question)} ({asked.request})" if shown is not None else asked.request
                yield Activity(f"{what} waits for you", asked.since, ends[DEADLINE + asked.request])
        run, since = state.run, self._last.get(state.id, 0)
        if run is not None and run.active and run.check:
            yield Activity(f"checking: {run.order.done}", since)
        if run is not None and run.active and run.waiting in _WAITING:
            yield Activity(_WAITING[run.waiting], since, ends.get(RETRY, 0) if run.waiting in ("retry", "limit") else 0)
        if state.compacting is not None:
            yield Activity("compacting", state.compacting.since)
        under_way = list(self._items.get(state.id, {}).values())
        yield from sorted(under_way, key=lambda one: (not one.what.startswith("$"), -one.since))
        if state.turn is not None and not under_way:
            # They began before anybody followed.
            known = (_OPEN[one.kind] for one in reversed(state.turn.open_items) if one.kind in _OPEN)
            yield from (Activity(what, max(since, state.turn.started_at)) for what in known)
        if state.turn is not None:
            yield Activity("thinking", max(since, state.turn.started_at))


def _doing(item: items.AnyItem) -> str:
    match item:
        case items.Command():
            return f"$ {' '.join(item.meant.split())}"
        case items.ToolCall(tool=tool):
            return f"tool {tool}"
        case _:
            return _DOING.get(type(item), "working")
