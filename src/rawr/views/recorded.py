"""The threads of a home, newest first, from its journal, even if no rawr is running there."""

import re
from collections.abc import Container, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.facts import Recorded, RunSubmitted
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.journal.rows import ThreadSpan
from rawr.runtime.recovery import Distrust, Recollection
from rawr.version import __version__
from rawr.views.threads import is_hidden

NEWEST = 64
"""How many threads are searched for the one that a person means."""
MANY = 2
"""Threads with the same name, of which one more makes no difference."""
_RUN = re.compile(r"r[1-9]\d{0,17}")


class RecordedThread(Struct, frozen=True):
    span: ThreadSpan
    state: ThreadState | None
    """The newest sound state."""
    why: Distrust | None
    """What is damaged after it."""
    until: int | None = None
    """The last fact that counts; only for a run after which another was ordered on its thread."""

    @property
    def hidden(self) -> bool:
        return self.state is not None and is_hidden(self.state)

    def is_called(self, name: str) -> bool:
        return self.span.thread.endswith(name) or (self.state is not None and is_called(self.state, name))


def is_called(state: ThreadState, name: str) -> bool:
    """By the end of its id, or by that of its run."""
    return state.id.endswith(name) or (state.run is not None and state.run.id == name)


def spans_of(reader: JournalReader) -> list[ThreadSpan]:
    return sorted((one for one in reader.threads() if one.thread), key=lambda one: -one.last_at)


def recall(reader: JournalReader, policy: Policy, *, most: int, known: Container[str] = ()) -> Iterator[RecordedThread]:
    """The newest threads, each folded from its facts when needed. Those that are ``known`` already are left out."""
    recollection = Recollection(reader, policy=policy, version=__version__)
    for span in reader.newest_threads(most):
        if span.thread not in known:
            yield _recalled(recollection, span)


def _recalled(recollection: Recollection, span: ThreadSpan) -> RecordedThread:
    state, why = recollection.last_sound(span.thread)
    return RecordedThread(span, state, why)


def called(reader: JournalReader, policy: Policy, name: str) -> list[RecordedThread]:
    """The threads that a person may mean: by a run's id, by a thread's, or by either end of that."""
    recollection = Recollection(reader, policy=policy, version=__version__)
    spans = spans_of(reader)
    if _RUN.fullmatch(name):
        found = _running(reader, name, spans=spans, recollection=recollection)
        if found is not None:
            return [found]
    exact = [span for span in spans if span.thread == name]
    ends = [span for span in spans if span.thread.endswith(name) or span.thread.startswith(name)]
    return [_recalled(recollection, span) for span in (exact or ends)[:MANY]]


def _running(
    reader: JournalReader, name: str, *, spans: list[ThreadSpan], recollection: Recollection
) -> RecordedThread | None:
    """The thread with this run. A run is named after the fact that ordered it, so that place is looked at first."""
    number = int(name.removeprefix("r"))
    ordered = {one.thread for one in reader.facts(after=number - 1, until=number)}
    for span in sorted(spans[:NEWEST], key=lambda one: one.thread not in ordered):
        one = _recalled(recollection, span)
        if one.state is not None and one.state.run is not None and one.state.run.id == name:
            return one
    return _earlier(reader, number, recollection=recollection)


def _earlier(reader: JournalReader, number: int, *, recollection: Recollection) -> RecordedThread | None:
    """A run after which another was ordered on its thread, as it was then."""
    ordered = reader.fact(number)
    if not isinstance(ordered, Recorded) or not isinstance(ordered.fact, RunSubmitted):
        return None
    last = ordered
    for one in reader.facts(ordered.thread, after=number):
        if isinstance(one, Recorded):
            if isinstance(one.fact, RunSubmitted):
                break
            last = one
    span = reader.span(ordered.thread)
    if span is None:
        return None
    state, why = recollection.last_sound(ordered.thread, until=last.seq)
    return RecordedThread(replace(span, last_seq=last.seq, last_at=last.at), state, why, last.seq)


class RecordedHome(Struct, frozen=True):
    """Answers about a home, by the names that people use."""

    home: Path
    policy: Policy

    def threads(self) -> Iterator[RecordedThread]:
        if is_recorded(self.home):
            with JournalReader.open(database(self.home)) as reader:
                yield from recall(reader, self.policy, most=NEWEST)

    def states(self) -> Iterator[ThreadState]:
        return (one.state for one in self.threads() if one.state is not None)

    def find_run(self, name: str) -> Run | None:
        """The run that a person means; None if the name matches nothing, or more than one thread."""
        runs = [state.run for state in self.states() if state.run is not None and is_called(state, name)]
        exact = [run for run in runs if run.id == name]
        found = exact or runs
        return found[0] if len(found) == 1 else None

    def newest_run(self, *, active: bool) -> Run | None:
        """The run in which something happened last: one that is under way, or one that can be continued."""
        runs = (state.run for state in self.states() if state.run is not None)
        return next((run for run in runs if (run.active if active else run.status != "done")), None)

    def newest(self, *, of_a_run: bool = False) -> RecordedThread | None:
        """The thread on which something happened last, apart from helpers and sub-agents."""
        threads = (one for one in self.threads() if not one.hidden)
        return next((one for one in threads if not of_a_run or (one.state and one.state.run)), None)

    def called(self, name: str) -> list[RecordedThread]:
        """See the function of that name; at most ``MANY``."""
        if not is_recorded(self.home):
            return []
        with JournalReader.open(database(self.home)) as reader:
            return called(reader, self.policy, name)

    def distrust_of(self, name: str) -> Distrust | None:
        """The damage in the record of the thread that a person means."""
        return next((one.why for one in self.threads() if one.why is not None and one.is_called(name)), None)
