"""Going on where the last run stopped: states from the journal, and what became of effects that were under way."""

from collections.abc import Iterable
from functools import cache
from typing import get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rawr.core.kernel import Kernel, worth_keeping
from rawr.core.policy.policy import Policy
from rawr.core.state.host import HostState
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.reasons import LOGIC
from rawr.errors import JournalError
from rawr.journal.errors import JournalCorrupt
from rawr.journal.placeholders import MARK
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect, Unreadable
from rawr.journal.shape import shape_of

LIVE_THREADS = 64
"""So many of the newest threads are in memory from the start; older ones are recalled when something happens there."""

KINDS = frozenset(kind.__name__ for kind in get_args(facts.AnyFact))


class Distrust(Struct, frozen=True):
    """Why the record of a thread cannot be trusted: the first of its rows that is damaged or cannot be read."""

    thread: str
    seq: int
    kind: str
    problem: str
    rows: int = 1
    damaged: bool = True

    @property
    def sentence(self) -> str:
        more = f", and {self.rows - 1} more" if self.rows > 1 else ""
        how = "is damaged" if self.damaged else "cannot be read"
        where = f"fact {self.seq}{f' ({self.kind})' if self.kind else ''} {how}{more}" if self.seq else "it"
        return f"The record of thread {self.thread} is not intact: {where}: {self.problem}."

    @property
    def way_out(self) -> str:
        before = "" if self.damaged else "Use the rawr that wrote it; or "
        return f"{before}`rawr mend {self.thread}` continues from its last sound state."


class ThreadDistrusted(JournalError):
    """Nothing is done on a thread whose state cannot be restored, until a person says so."""

    def __init__(self, why: Distrust) -> None:
        super().__init__(f"{why.sentence} rawr leaves the thread alone.", way_out=why.way_out)


@cache
def thread_shape() -> str:
    return f"{shape_of(ThreadState)}/{LOGIC}"


@cache
def host_shape() -> str:
    return f"{shape_of(HostState)}/{LOGIC}"


class Recollection:
    """Reads states back: the newest snapshot, and the facts since then folded onto it.

    Where a fact in between is damaged, the state that comes out would be none that the thread ever had. Such a thread
    is distrusted and stays as it is, on disk; the others go on.
    """

    def __init__(self, reader: JournalReader, *, policy: Policy, version: str) -> None:
        self._reader = reader
        self._policy = policy
        self._version = version
        self._rules: list[tuple[int, Policy | None]] = []
        self._rules_until = 0
        self.distrusted: dict[str, Distrust] = {}
        self._last_at: int | None = None
        self.since_snapshot: dict[str, int] = {}
        """Facts of each thread that had to be folded: many short runs must come to a snapshot as one long run does."""

    def return_of(self) -> facts.RuntimeStarted:
        """The first fact for a recalled thread: rawr was away, and what it knows of the connection is stale."""
        if self._last_at is None:
            self._last_at = self._reader.last_at()
        return facts.RuntimeStarted(version=self._version, policy=self._policy.hash, last_at=self._last_at)

    def thread(self, thread: str) -> ThreadState | None:
        """The state of a thread that the journal knew when it was opened, or that has left memory since.

        None if there is none, and if it cannot be trusted; ``distrusted`` has it then.
        """
        if thread in self.distrusted:
            return None
        state, why = self.last_sound(thread)
        if why is not None:
            self.distrusted[thread] = why
        return state if why is None else None

    def last_sound(self, thread: str) -> tuple[ThreadState | None, Distrust | None]:
        """The newest state that can be trusted, and what came after it that cannot."""
        kernel = Kernel(self._policy)
        why: Distrust | None = None
        try:
            snapshot = self._reader.latest_snapshot(thread, thread_shape())
            if snapshot is not None:
                kernel.threads[thread] = msgspec.json.decode(snapshot.body, type=ThreadState)
            why = self._fold(kernel, thread, after=snapshot.seq if snapshot is not None else 0)
        except JournalCorrupt as error:
            why = Distrust(thread, 0, "", error.problem)
        return kernel.threads.get(thread), why

    def host(self) -> HostState:
        """Damaged rows are left out here: they are about no thread, and most of it is recorded again at every start."""
        kernel = Kernel(self._policy)
        snapshot = self._reader.latest_snapshot("", host_shape())
        if snapshot is not None:
            kernel.host = msgspec.json.decode(snapshot.body, type=HostState)
        count = left_out = 0
        for recorded in self._reader.facts("", after=snapshot.seq if snapshot is not None else 0):
            if isinstance(recorded, Unreadable):
                left_out += 1
            else:
                kernel.seq = recorded.seq - 1
                kernel.take("", recorded.fact, at=recorded.at)
                count += 1
        self.since_snapshot[""] = count
        # One of them may have been a connection, and its number must not be used again.
        return replace(kernel.host, epoch=kernel.host.epoch + left_out) if left_out else kernel.host

    def note_unreadable(self) -> None:
        """Distrust every thread of which some row that its state depends on was met and could not be used.

        An effect that was under way may have been the last word on its thread; a fact that an index has under the wrong
        thread is missing in its own, and shows only where it does not belong.
        """
        for row in self._reader.unreadable.values():
            if row.table in ("facts", "effects") and row.thread and row.seq > self._reader.mended(row.thread):
                self.distrusted.setdefault(row.thread, distrust(row))

    def _read_rules(self) -> None:
        """Which rules held from which fact on, where None is that nobody can tell."""
        for recorded in self._reader.facts("", after=self._rules_until):
            self._rules_until = max(self._rules_until, recorded.seq)
            if isinstance(recorded, Unreadable):
                if recorded.kind == "PolicyAdopted" or recorded.kind not in KINDS:
                    self._rules.append((recorded.seq, None))
            elif isinstance(recorded.fact, facts.PolicyAdopted):
                self._rules.append((recorded.seq, recorded.fact.policy))

    def _rules_at(self, seq: int) -> Policy | None:
        """A thread is folded under the rules of its day."""
        held = [policy for start, policy in self._rules if start < seq]
        return held[-1] if held else self._policy

    def _fold(self, kernel: Kernel, thread: str, *, after: int) -> Distrust | None:
        """Up to the first fact that cannot be used; and from where a person said that it may go on without."""
        self._read_rules()
        mended = self._reader.mended(thread)
        first: Unreadable | None = None
        count = missed = 0
        gap = False
        for recorded in self._reader.facts(thread, after=after):
            unusable = self._unusable(recorded)
            if unusable is not None and recorded.seq > mended:
                first, missed = first or unusable, missed + 1
            gap = gap or unusable is not None
            if isinstance(recorded, Unreadable) or first is not None or (gap and recorded.seq <= mended):
                continue
            rules = self._rules_at(recorded.seq)
            if rules is not None and kernel.policy is not rules:
                kernel.use(rules)
            kernel.seq = recorded.seq - 1
            kernel.take(recorded.thread, recorded.fact, at=recorded.at)
            count += 1
        self.since_snapshot[thread] = count
        return distrust(first, rows=missed) if first is not None else None

    def _unusable(self, recorded: facts.Recorded | Unreadable) -> Unreadable | None:
        if isinstance(recorded, Unreadable):
            return recorded
        if self._rules_at(recorded.seq) is None:
            problem = "the rules in force then cannot be read"
            return Unreadable("facts", "", recorded.seq, recorded.thread, "", "", problem=problem, damaged=True)
        return None


def distrust(row: Unreadable, *, rows: int = 1) -> Distrust:
    return Distrust(row.thread, row.seq, row.kind, row.problem, rows=rows, damaged=row.damaged)


def untrusted(reader: JournalReader, recollection: Recollection) -> dict[str, Distrust]:
    """All threads of a journal whose state cannot be restored."""
    for span in reader.threads():
        if span.thread:
            recollection.thread(span.thread)
    reader.unfinished_effects()
    recollection.note_unreadable()
    return recollection.distrusted


def not_needed(states: Iterable[ThreadState]) -> set[str]:
    """Placeholders only in threads where nothing is left to do: nobody will ask what they stand for."""
    finished: set[str] = set()
    needed: set[str] = set()
    for state in states:
        pinned = any(one.pinned for one in state.ledger.directives)
        waiting = state.queue or state.sent or (state.run is not None and state.run.status != "done")
        over = not waiting and not pinned
        (finished if over else needed).update(MARK.findall(msgspec.json.encode(state).decode()))
    return finished - needed


def restore(kernel: Kernel, reader: JournalReader, recollection: Recollection) -> list[tuple[str, facts.AnyFact]]:
    """Bring a kernel to where the journal ends; what comes back is to be told first.

    Effects without an outcome get one now: lost. What that means is the core's to decide; for a message it means to
    look for it in Codex's own history before anything else.
    """
    spans = sorted((span for span in reader.threads() if span.thread), key=lambda span: -span.last_seq)
    unfinished = [one for one in reader.unfinished_effects() if isinstance(one, StoredEffect)]
    names = dict.fromkeys([*(span.thread for span in spans[:LIVE_THREADS]), *(one.thread for one in unfinished)])
    states = [recollection.thread(name) for name in names if name]
    host = recollection.host()
    recollection.note_unreadable()
    untold = recollection.distrusted
    trusted = (state for state in states if state is not None and worth_keeping(state) and state.id not in untold)
    kernel.restore(trusted, host)
    kernel.seq = reader.last_seq()
    told: list[tuple[str, facts.AnyFact]] = [("", recollection.return_of())]
    problem = "rawr ended before the outcome was known"
    told += [
        (one.thread, facts.EffectFailed(effect=one.id, problem=problem, code="lost"))
        for one in unfinished
        if one.thread not in untold
    ]
    return told
