"""What the widgets ask about: threads in memory and on record, as views. It holds no policy and draws nothing."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator

from msgspec import Struct

from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary.records import Decision
from rawr.errors import RawrError
from rawr.journal.reader import JournalReader
from rawr.ports.surface import Rawr
from rawr.tui.feed import Feed
from rawr.views import decisions
from rawr.views.activity import Activity
from rawr.views.questions import open_requests
from rawr.views.rows import ThreadRow, thread_row
from rawr.views.threads import is_hidden

RECORDED = 40
"""Older threads that are listed."""


Given = dict[tuple[str, str], dict[str, tuple[str, ...]]]
"""By thread and request: what was answered to each part."""


class Waiting(Struct, frozen=True):
    """A question that a person must answer, as it is."""

    thread: str
    name: str
    real: Real[OpenRequest]
    until: int
    """When it is declined; 0 if nobody knows."""


class Past(Struct):
    """What the journal has of a thread that is not in memory, or of its newest decision."""

    states: dict[str, ThreadState]
    decided: dict[str, Decision]


class Desk:
    def __init__(self, rawr: Rawr, feed: Feed, *, now: Callable[[], int] | None = None) -> None:
        self.rawr = rawr
        self.feed = feed
        self.now = now or (lambda: int(time.time() * 1000))
        self.past = Past({}, {})
        self.given: Given = {}
        """Answers to the first of several questions."""

    async def remember(self) -> None:
        """Look into the journal for older threads, and the newest decision of each."""
        self.past = await asyncio.to_thread(self._read, frozenset(self.rawr.threads))

    def _read(self, known: frozenset[str]) -> Past:
        from rawr.views.recorded import recall  # folds threads, which nobody waits for

        found = Past({}, {})
        with contextlib.suppress(RawrError), JournalReader.open(self.rawr.journal) as reader:
            for span in reader.newest_threads(RECORDED):
                made = decisions.newest(reader, span)
                if made is not None:
                    found.decided[span.thread] = made
            for one in recall(reader, self.rawr.policy, most=RECORDED, known=known):
                if one.state is not None and not is_hidden(one.state):
                    found.states[one.span.thread] = one.state
        return found

    @property
    def policy(self) -> Policy:
        return self.rawr.policy

    def state(self, thread: str) -> ThreadState | None:
        return self.rawr.threads.get(thread) or self.past.states.get(thread)

    def is_live(self, thread: str) -> bool:
        return thread in self.rawr.threads

    def rows(self) -> list[ThreadRow]:
        """Threads in memory, the newest first, then older ones. The order does not change under a person's hand."""
        live = [one for one in self.rawr.threads.values() if not is_hidden(one)]
        older = [one for one in self.past.states.values() if one.id not in self.rawr.threads]
        return [*(self._row(one, live=True) for one in reversed(live)), *(self._row(one, live=False) for one in older)]

    def _row(self, state: ThreadState, *, live: bool) -> ThreadRow:
        made = self.feed.decided.get(state.id) or self.past.decided.get(state.id)
        return thread_row(state, self.policy, decision=made, live=live)

    def row(self, thread: str) -> ThreadRow | None:
        state = self.state(thread)
        return self._row(state, live=self.is_live(thread)) if state is not None else None

    def activity(self, thread: str) -> Activity | None:
        state = self.rawr.threads.get(thread)
        return self.feed.activities.of(state, self.rawr.waiting) if state is not None and state.online else None

    def waiting(self) -> Iterator[Waiting]:
        """The oldest first."""
        found: list[Waiting] = []
        for state in self.rawr.threads.values():
            if not open_requests(state):
                continue
            ends = {one.name.rpartition(":")[2]: one.at for one in state.deadlines}
            row = self._row(state, live=True)
            for real in self.rawr.waiting(state.id):
                asked = real.thing
                found.append(Waiting(state.id, row.name, real, ends.get(asked.request, 0)))
        yield from sorted(found, key=lambda one: one.real.thing.since)
