"""Replays a journal: compares what the facts led to then with what they lead to now.

One pass, in the order of the facts, with decisions, effects and boundaries read beside them: a long journal needs no
more memory than a short one. A thread is folded up to the first fact that cannot be used, as after a restart: beyond
it, every state would be one that the thread never had.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from rawr.core.kernel import Kernel
from rawr.core.policy.policy import Policy
from rawr.core.replay import Divergence, Replay, Told, compared, take_again
from rawr.core.state.host import HostState
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.facts import PolicyAdopted, Recorded, RuntimeStarted
from rawr.core.vocabulary.reasons import LOGIC
from rawr.core.vocabulary.records import Decision
from rawr.journal.migrations import BOUNDARIES
from rawr.journal.reader import JournalReader
from rawr.journal.rows import Unreadable
from rawr.runtime.beside import Beside
from rawr.runtime.rules import PastRules
from rawr.runtime.snapshots import Snapshots

Instead = Callable[[Policy], Policy]
"""From the rules of the day to those to decide under."""
Pace = Callable[[int, int], object]
"""Called with the number of the fact, and of the last one."""
_STRIDE = 256
"""Facts between two calls of the pace."""


class Difference(Struct, frozen=True):
    """A divergence in its place."""

    divergence: Divergence
    thread: str
    fact: Recorded | None = None
    """None if it cannot be read, or is not on record."""
    before: ThreadState | HostState | None = None
    """The state before the fact; None if the thread begins with it."""


class Tally(Struct):
    """What was compared so far."""

    facts: int = 0
    decisions: int = 0
    effects: int = 0
    boundaries: int = 0
    states: int = 0
    skipped: int = 0
    """Facts that were not folded, because one before them cannot be used."""
    rules: dict[int, int] = {}
    """How many decisions were made under which version of the rules."""


def replay_journal(reader: JournalReader, *, policy: Policy) -> Replay:
    """Replay every fact in the journal. An unreadable row is a divergence, not a reason to stop."""
    replaying = Replaying(reader, policy=policy)
    found = [one.divergence for one in replaying.differences()]
    return Replay(
        replaying.tally.facts,
        tuple(one for one in found if one.logic == LOGIC),
        tuple(one for one in found if one.logic != LOGIC),
    )


class Replaying:
    """A journal, or one thread of it, told again."""

    def __init__(
        self,
        reader: JournalReader,
        *,
        policy: Policy,
        thread: str | None = None,
        until: int | None = None,
        instead: Instead | None = None,
        everything: bool = False,
        pace: Pace | None = None,
    ) -> None:
        """``policy`` is in force as long as none was adopted; ``everything`` also compares boundaries and snapshots."""
        self.tally = Tally()
        # What a running rawr adds meanwhile is left for the next time.
        self.until = reader.last_seq() if until is None else until
        self._reader = reader
        self._thread = thread
        self._instead = instead
        self._pace = pace
        self._kernel = Kernel(policy if instead is None else instead(policy))
        self._past = PastRules(reader, otherwise=policy) if thread is not None else None
        self._rules: Policy | None = policy
        self._ends = {one.thread: one.last_seq for one in reader.threads()} if thread is None else {}
        self._aside: dict[str, int | None] = {}
        """Threads that cannot be folded on: up to which fact a person has accepted that, if they have."""
        self._void: set[int] = set()
        """Facts that cannot be read: nothing can be said about what followed from them."""
        self._logic = 0
        self._snapshots = Snapshots(reader, until=self.until) if everything and instead is None else None
        self._decisions = Beside("decisions", _decisions(reader, thread, self.until))
        self._effects = Beside("effects", _effects(reader, thread, self.until))
        bounded = everything and reader.schema_version >= BOUNDARIES
        self._boundaries = Beside("boundaries", _boundaries(reader, thread, self.until)) if bounded else None

    @property
    def logic(self) -> int:
        """The rules in force at the last fact."""
        return self._logic or LOGIC

    @property
    def policy(self) -> Policy:
        """The policy in force at the last fact."""
        return self._kernel.policy

    def state(self, thread: str) -> ThreadState | HostState | None:
        return self._kernel.threads.get(thread) if thread else self._kernel.host

    def is_sound(self, thread: str) -> bool:
        """Return True if the thread's state is that of its last fact, and not of one before it."""
        return thread not in self._aside

    def differences(self) -> Iterator[Difference]:
        """Fold everything, and yield what differs on the way."""
        for count, row in enumerate(self._reader.facts(self._thread, until=self.until), 1):
            if isinstance(row, Unreadable):
                yield from self._unreadable(row)
            elif self._is_usable(row):
                yield from self._fold(row)
            else:
                self._pass_over(row)
            if self._pace is not None and count % _STRIDE == 0:
                self._pace(row.seq, self.until)
        for stream in self._streams():
            stream.rest()
            yield from self._left_over(stream)
        if self._thread:
            yield from self._kept(self._thread, self.until + 1)

    # -- one fact ----------------------------------------------------------------------------------------------------

    def _fold(self, recorded: Recorded) -> Iterator[Difference]:
        seq, thread = recorded.seq, recorded.thread
        yield from self._kept(thread, seq)
        before = self.state(thread)
        told = self._told(recorded)
        taken = take_again(self._kernel, recorded)
        if isinstance(recorded.fact, PolicyAdopted) and not thread:
            self._adopt(recorded.fact.policy)
        if self._rules is not None:
            for one in compared(told, taken, under_same_policy=self._instead is None):
                yield Difference(one, thread, recorded, before)
        for stream in self._streams():
            if stream.left:
                yield from self._left_over(stream)
        if thread and self._ends.get(thread) == seq:
            # Nothing more will come, and a state takes room.
            yield from self._kept(thread, self.until + 1)
            self._kernel.threads.pop(thread, None)
            if self._snapshots is not None:
                self._snapshots.forget(thread)

    def _told(self, recorded: Recorded) -> Told:
        seq, tally = recorded.seq, self.tally
        decisions, effects = self._decisions.of(seq), self._effects.of(seq)
        # Facts from before the first may be older than the table.
        listed = self._boundaries is not None and (self.tally.boundaries or self._boundaries.is_at(seq))
        boundaries = self._boundaries.of(seq) if self._boundaries is not None and listed else None
        tally.facts += 1
        tally.decisions += len(decisions)
        tally.effects += len(effects)
        tally.boundaries += len(boundaries or ())
        if decisions:
            self._logic = decisions[-1].logic
            tally.rules[self._logic] = tally.rules.get(self._logic, 0) + len(decisions)
        elif not self._logic or isinstance(recorded.fact, RuntimeStarted):
            # Another rawr begins here, perhaps with other rules. Its next decision says which.
            following = self._decisions.next
            self._logic = following.logic if following is not None else self._logic
        return Told(recorded, decisions, effects, boundaries, self.logic)

    def _adopt(self, policy: Policy | None) -> None:
        self._rules = policy
        if policy is not None:
            self._kernel.use(policy if self._instead is None else self._instead(policy))

    def _kept(self, thread: str, seq: int) -> Iterator[Difference]:
        """Compare the state before a fact with the one that the journal keeps, if it keeps one."""
        if self._snapshots is None or not thread or thread in self._aside:
            return
        kept = self._snapshots.passed(thread, seq)
        if kept is None:
            return
        self.tally.states += 1
        state = self._kernel.threads.get(thread)
        if kept.state != state:
            recorded = () if kept.state is None else (kept.state,)
            yield Difference(Divergence(kept.seq, "state", recorded, () if state is None else (state,)), thread)

    # -- what cannot be used -----------------------------------------------------------------------------------------

    def _is_usable(self, recorded: Recorded) -> bool:
        thread, seq = recorded.thread, recorded.seq
        if self._past is not None:
            rules = self._past.at(seq)
            if rules is not self._rules:
                self._adopt(rules)
        if not thread:
            return True
        if self._rules is None:
            self._set_aside(thread, seq)
        if thread not in self._aside:
            return True
        accepted = self._aside[thread]
        if accepted is None or seq <= accepted:
            return False
        # It continues from its last sound state, as a person said.
        del self._aside[thread]
        return True

    def _set_aside(self, thread: str, seq: int) -> None:
        mended = self._reader.mended(thread)
        self._aside[thread] = mended if seq <= mended else None

    def _pass_over(self, recorded: Recorded) -> None:
        self.tally.skipped += 1
        for stream in self._streams():
            stream.of(recorded.seq)
        if self._ends.get(recorded.thread) == recorded.seq:
            self._kernel.threads.pop(recorded.thread, None)

    def _unreadable(self, row: Unreadable) -> Iterator[Difference]:
        self._void.add(row.seq)
        if row.thread:
            self._set_aside(row.thread, row.seq)
            if self._aside[row.thread] is not None:
                return
        elif row.kind == PolicyAdopted.__name__ and self._past is None:
            self._adopt(None)
        yield _not_read(row)

    def _left_over(self, stream: Beside[Any]) -> Iterator[Difference]:
        """Rows that belong to no fact on record, or that cannot be read."""
        for one in stream.take_left():
            if isinstance(one, Unreadable):
                yield _not_read(one)
            elif one.seq not in self._void and one.thread not in self._aside:
                problem = "its fact is not on record"
                yield Difference(Divergence(one.seq, stream.what, (one.row,), (), problem=problem), one.thread)

    def _streams(self) -> tuple[Beside[Any], ...]:
        streams = (self._decisions, self._effects)
        return streams if self._boundaries is None else (*streams, self._boundaries)


def _not_read(row: Unreadable) -> Difference:
    problem = f"{row.kind} {row.key}: {row.problem}".strip()
    return Difference(Divergence(row.seq, f"unreadable {row.table}", problem=problem), row.thread)


def _decisions(
    reader: JournalReader, thread: str | None, until: int
) -> Iterator[tuple[int, str, Decision] | Unreadable]:
    for row in reader.decisions(thread, until=until):
        yield row if isinstance(row, Unreadable) else (row.seq, row.thread, row)


def _effects(reader: JournalReader, thread: str | None, until: int) -> Iterator[tuple[int, str, Intended] | Unreadable]:
    for row in reader.effects(thread, until=until):
        yield row if isinstance(row, Unreadable) else (row.seq, row.thread, Intended(row.id, row.thread, row.effect))


def _boundaries(
    reader: JournalReader, thread: str | None, until: int
) -> Iterator[tuple[int, str, BoundaryEvent] | Unreadable]:
    for row in reader.boundary_rows(thread, until=until):
        yield row if isinstance(row, Unreadable) else (row[0], row[1].thread, row[1])
