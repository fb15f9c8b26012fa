"""Going on where the last run stopped: states from the journal, and what became of effects that were under way."""

from collections.abc import Iterable
from functools import cache

import msgspec

from rawr.core import facts
from rawr.core.kernel import Kernel
from rawr.core.policy import Policy
from rawr.core.reasons import LOGIC
from rawr.core.state import HostState, ThreadState
from rawr.errors import JournalError
from rawr.journal.placeholders import MARK
from rawr.journal.reader import JournalReader
from rawr.journal.rows import Unreadable
from rawr.journal.shape import shape_of

LIVE_THREADS = 64
"""So many of the newest threads are in memory from the start; older ones are recalled when something happens there."""


class JournalUnreadable(JournalError):
    """A state cannot be restored, because a fact that led to it cannot be read."""

    def __init__(self, row: Unreadable) -> None:
        super().__init__(
            f"Fact {row.seq} of the journal ({row.kind}) cannot be read: {row.problem}.",
            way_out="Use the rawr that wrote it, or move the journal aside to start a new one.",
        )


@cache
def thread_shape() -> str:
    return f"{shape_of(ThreadState)}/{LOGIC}"


@cache
def host_shape() -> str:
    return f"{shape_of(HostState)}/{LOGIC}"


class Recollection:
    """Reads states back: the newest snapshot, and the facts since then folded onto it."""

    def __init__(self, reader: JournalReader, *, policy: Policy, version: str) -> None:
        self._reader = reader
        self._policy = policy
        self._version = version
        self.since_snapshot: dict[str, int] = {}
        """Facts of each thread that had to be folded: many short runs must come to a snapshot as one long run does."""

    def return_of(self) -> facts.RuntimeStarted:
        """What a recalled thread is told first: rawr was away, and whatever it thinks of the connection is stale."""
        return facts.RuntimeStarted(version=self._version, policy=self._policy.hash)

    def thread(self, thread: str) -> ThreadState | None:
        """The state of a thread that the journal knew when it was opened, or that has left memory since."""
        kernel = Kernel(self._policy)
        snapshot = self._reader.latest_snapshot(thread, thread_shape())
        if snapshot is not None:
            kernel.threads[thread] = msgspec.json.decode(snapshot.body, type=ThreadState)
        self._fold(kernel, thread, after=snapshot.seq if snapshot is not None else 0)
        return kernel.threads.get(thread)

    def host(self) -> HostState:
        kernel = Kernel(self._policy)
        snapshot = self._reader.latest_snapshot("", host_shape())
        if snapshot is not None:
            kernel.host = msgspec.json.decode(snapshot.body, type=HostState)
        self._fold(kernel, "", after=snapshot.seq if snapshot is not None else 0)
        return kernel.host

    def _adopted(self) -> list[tuple[int, Policy]]:
        """Which rules held from which fact on: a thread is folded under the rules of its day."""
        return [
            (recorded.seq, recorded.fact.policy)
            for recorded in self._reader.facts("")
            if isinstance(recorded, facts.Recorded) and isinstance(recorded.fact, facts.PolicyAdopted)
        ]

    def _fold(self, kernel: Kernel, thread: str, *, after: int) -> None:
        count = 0
        adopted = self._adopted()
        for recorded in self._reader.facts(thread, after=after):
            if isinstance(recorded, Unreadable):
                raise JournalUnreadable(recorded)
            held = [policy for seq, policy in adopted if seq < recorded.seq]
            if held and kernel.policy is not held[-1]:
                kernel.use(held[-1])
            kernel.seq = recorded.seq - 1
            kernel.take(recorded.thread, recorded.fact, at=recorded.at)
            count += 1
        self.since_snapshot[thread] = count


def not_needed(states: Iterable[ThreadState]) -> set[str]:
    """Placeholders that stand only in threads where nothing is left to do: nobody will ask what they stand for."""
    finished: set[str] = set()
    needed: set[str] = set()
    for state in states:
        over = not state.queue and not state.sent and (state.run is None or state.run.status == "done")
        (finished if over else needed).update(MARK.findall(msgspec.json.encode(state).decode()))
    return finished - needed


def restore(kernel: Kernel, reader: JournalReader, recollection: Recollection) -> list[tuple[str, facts.AnyFact]]:
    """Bring a kernel to where the journal ends; what comes back is to be told first.

    Effects without an outcome get one now: lost. What that means is the core's to decide; for a message it means to
    look for it in Codex's own history before anything else.
    """
    spans = sorted((span for span in reader.threads() if span.thread), key=lambda span: -span.last_seq)
    unfinished = [effect for effect in reader.unfinished_effects() if not isinstance(effect, Unreadable)]
    names = dict.fromkeys([*(span.thread for span in spans[:LIVE_THREADS]), *(one.thread for one in unfinished)])
    states = [recollection.thread(name) for name in names if name]
    kernel.restore((state for state in states if state is not None and not state.closed), recollection.host())
    kernel.seq = reader.last_seq()
    told: list[tuple[str, facts.AnyFact]] = [("", recollection.return_of())]
    problem = "rawr ended before the outcome was known"
    told += [(one.thread, facts.EffectFailed(effect=one.id, problem=problem, code="lost")) for one in unfinished]
    return told
