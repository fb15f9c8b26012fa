"""The threads of a home, newest first, from its journal, even if no rawr is running there."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.journal.home import database, is_recorded
from rawr.journal.reader import JournalReader
from rawr.journal.rows import ThreadSpan
from rawr.runtime.recovery import Distrust, Recollection
from rawr.version import __version__

NEWEST = 64
"""How many threads are searched for the one that a person means."""


class RecordedThread(Struct, frozen=True):
    span: ThreadSpan
    state: ThreadState | None
    """The newest sound state."""
    why: Distrust | None
    """What is damaged after it."""

    def is_called(self, name: str) -> bool:
        return self.span.thread.endswith(name) or (self.state is not None and is_called(self.state, name))


def is_called(state: ThreadState, name: str) -> bool:
    """By the end of its id, or by that of its run."""
    return state.id.endswith(name) or (state.run is not None and state.run.id == name)


def recall(reader: JournalReader, policy: Policy, *, most: int) -> Iterator[RecordedThread]:
    """The newest threads, each folded from its facts when needed."""
    recollection = Recollection(reader, policy=policy, version=__version__)
    for span in reader.newest_threads(most):
        state, why = recollection.last_sound(span.thread)
        yield RecordedThread(span, state, why)


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

    def distrust_of(self, name: str) -> Distrust | None:
        """The damage in the record of the thread that a person means."""
        return next((one.why for one in self.threads() if one.why is not None and one.is_called(name)), None)
