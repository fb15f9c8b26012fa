"""Continues where the last run stopped: restores states from the journal, and settles effects that were under way."""

from collections.abc import Iterable, Iterator
from functools import cache

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
from rawr.runtime.rules import PastRules

LIVE_THREADS = 64
"""How many of the threads that a start concerns to load, and how many to search for one that a person means. rawr
recalls another thread when something happens on it."""


class Distrust(Struct, frozen=True):
    """Why rawr cannot trust a thread's record: its first damaged or unreadable row."""

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
    """rawr does nothing on a thread whose state it cannot restore, until a person says so."""

    def __init__(self, why: Distrust) -> None:
        super().__init__(f"{why.sentence} rawr leaves the thread alone.", way_out=why.way_out)


@cache
def thread_shape() -> str:
    return f"{shape_of(ThreadState)}/{LOGIC}"


@cache
def host_shape() -> str:
    return f"{shape_of(HostState)}/{LOGIC}"


class Recollection:
    """Reads states back: the newest snapshot, with the facts since then folded onto it.

    Folding past a damaged fact would give a state that the thread never had. rawr distrusts such a thread and leaves it
    as it is on disk; the others go on.
    """

    def __init__(self, reader: JournalReader, *, policy: Policy, version: str) -> None:
        self._reader = reader
        self._policy = policy
        self._version = version
        self._rules = PastRules(reader, otherwise=policy)
        self.distrusted: dict[str, Distrust] = {}
        self._last_at: int | None = None
        self.touched: list[str] = []
        """The threads that this start concerns, according to the journal."""
        self.since_snapshot: dict[str, int] = {}
        """Facts folded per thread: many short runs must reach a snapshot just as one long run does."""

    def return_of(self) -> facts.RuntimeStarted:
        """The first fact for a recalled thread: rawr was away, and what it knows of the connection is stale."""
        if self._last_at is None:
            self._last_at = self._reader.last_at()
        return facts.RuntimeStarted(version=self._version, policy=self._policy.hash, last_at=self._last_at)

    def thread(self, thread: str) -> ThreadState | None:
        """The state of a thread that was in the journal when it was opened, or that has left memory since.

        None if there is no state, or if rawr cannot trust it; then ``distrusted`` has the thread.
        """
        if thread in self.distrusted:
            return None
        state, why = self.last_sound(thread)
        if why is not None:
            self.distrusted[thread] = why
        return state if why is None else None

    def last_sound(self, thread: str, *, until: int | None = None) -> tuple[ThreadState | None, Distrust | None]:
        """The newest state that rawr can trust and, if it cannot use a later row, why. ``until``: as it was then."""
        kernel = Kernel(self._policy)
        why: Distrust | None = None
        try:
            snapshot = self._reader.latest_snapshot(thread, thread_shape())
            if snapshot is not None and until is not None and snapshot.seq > until:
                snapshot = None
            if snapshot is not None:
                kernel.threads[thread] = msgspec.json.decode(snapshot.body, type=ThreadState)
            why = self._fold(kernel, thread, after=snapshot.seq if snapshot is not None else 0, until=until)
        except JournalCorrupt as error:
            why = Distrust(thread, 0, "", error.problem)
        return kernel.threads.get(thread), why

    def newest(self) -> Iterator[ThreadState]:
        """The newest threads, as the journal has them, whether or not a start concerns them."""
        for span in self._reader.newest_threads(LIVE_THREADS):
            state, why = self.last_sound(span.thread)
            if state is not None and why is None:
                yield state

    def named(self, name: str) -> set[str]:
        """The threads in the journal with that name, or with a name that ends in it."""
        if self._reader.span(name) is not None:
            return {name}
        return {one.thread for one in self._reader.threads() if one.thread.endswith(name)}

    def host(self) -> HostState:
        """The host's state, without damaged rows: they are about no thread, and each start records most of it again."""
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
        # A missing row may have been a connection, whose number must not be reused.
        return replace(kernel.host, epoch=kernel.host.epoch + left_out) if left_out else kernel.host

    def note_unreadable(self) -> None:
        """Distrust every thread whose state depends on a row that the reader met and could not use.

        An effect under way may have been the last word on its thread. A fact that an index has under the wrong thread
        is missing from its own, and shows up only where it does not belong.
        """
        for row in self._reader.unreadable.values():
            if row.table in ("facts", "effects") and row.thread and row.seq > self._reader.mended(row.thread):
                self.distrusted.setdefault(row.thread, distrust(row))

    def _fold(self, kernel: Kernel, thread: str, *, after: int, until: int | None = None) -> Distrust | None:
        """Fold up to the first unusable fact; after a gap that a person accepted, continue from where they said."""
        mended = self._reader.mended(thread)
        first: Unreadable | None = None
        count = missed = 0
        gap = False
        for recorded in self._reader.facts(thread, after=after, until=until):
            unusable = self._unusable(recorded)
            if unusable is not None and recorded.seq > mended:
                first, missed = first or unusable, missed + 1
            gap = gap or unusable is not None
            if isinstance(recorded, Unreadable) or first is not None or (gap and recorded.seq <= mended):
                continue
            rules = self._rules.at(recorded.seq)
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
        if self._rules.at(recorded.seq) is None:
            problem = "the rules in force then cannot be read"
            return Unreadable("facts", "", recorded.seq, recorded.thread, "", "", problem=problem, damaged=True)
        return None


def distrust(row: Unreadable, *, rows: int = 1) -> Distrust:
    return Distrust(row.thread, row.seq, row.kind, row.problem, rows=rows, damaged=row.damaged)


def untrusted(reader: JournalReader, recollection: Recollection) -> dict[str, Distrust]:
    """All threads in a journal whose state rawr cannot restore."""
    for span in reader.threads():
        if span.thread:
            recollection.thread(span.thread)
    reader.unfinished_effects()
    recollection.note_unreadable()
    return recollection.distrusted


def not_needed(states: Iterable[ThreadState]) -> set[str]:
    """Placeholders found only in threads with nothing left to do: rawr will not need to resolve them."""
    finished: set[str] = set()
    needed: set[str] = set()
    for state in states:
        pinned = any(one.pinned for one in state.ledger.directives)
        waiting = state.queue or state.sent or (state.run is not None and state.run.status != "done")
        over = not waiting and not pinned
        (finished if over else needed).update(MARK.findall(msgspec.json.encode(state).decode()))
    return finished - needed


def restore(kernel: Kernel, reader: JournalReader, recollection: Recollection) -> list[tuple[str, facts.AnyFact]]:
    """Bring a kernel to the end of the journal. Return the facts to tell first.

    Only the threads that a start concerns are read: those that rawr was in touch with, and those with effects under
    way.

    Effects without an outcome get one now: lost. The core decides what that means; for a message, it first looks in
    Codex's own history.
    """
    recollection.touched = reader.touched(LIVE_THREADS)
    unfinished = [one for one in reader.unfinished_effects() if isinstance(one, StoredEffect)]
    names = dict.fromkeys([*recollection.touched, *(one.thread for one in unfinished)])
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
