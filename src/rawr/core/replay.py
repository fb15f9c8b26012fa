"""Fold a journal's facts again and compare the result with the record (C17)."""

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.host import HostState
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import Intended, Notify
from rawr.core.vocabulary.facts import Recorded
from rawr.core.vocabulary.reasons import LOGIC
from rawr.core.vocabulary.records import Decision

What = Literal["decisions", "effects", "boundaries", "state"]
Followed = tuple[Decision, ...] | tuple[Intended, ...] | tuple[BoundaryEvent, ...] | tuple[ThreadState | HostState, ...]


class Divergence(Struct, frozen=True):
    """At fact ``seq``, the replay came to a result other than the journal's, or there is nothing to compare."""

    seq: int
    what: str
    """What differs; or ``unreadable facts`` and the like, with the ``problem``."""
    recorded: Followed = ()
    replayed: Followed = ()
    problem: str = ""
    logic: int = LOGIC
    """The rules it was decided under then. Other rules may decide otherwise, and are not wrong."""

    @property
    def count(self) -> int:
        """How many decisions, effects or boundaries differ."""
        return sum(then != now for then, now in zip_longest(self.recorded, self.replayed)) or 1


class Replay(Struct, frozen=True):
    facts: int
    divergences: tuple[Divergence, ...]
    outdated: tuple[Divergence, ...] = ()
    """What other rules (``LOGIC``) decided then, and today's would not."""

    @property
    def same(self) -> bool:
        return not self.divergences


class Told(Struct, frozen=True, gc=False):
    """A fact, and what followed from it according to the journal."""

    recorded: Recorded
    decisions: tuple[Decision, ...] = ()
    effects: tuple[Intended, ...] = ()
    boundaries: tuple[BoundaryEvent, ...] | None = None
    """None if they are not compared."""
    logic: int = LOGIC
    """The rules in force then."""


def replay(
    facts: Iterable[Recorded],
    *,
    decisions: Mapping[int, tuple[Decision, ...]],
    effects: Mapping[int, tuple[Intended, ...]],
    policy: Policy,
) -> Replay:
    """Run every fact through a fresh kernel; decisions and effects are keyed by the number of their fact.

    The facts may be those of one thread or of all.
    """
    kernel = Kernel(policy)
    found: list[Divergence] = []
    count = 0
    for recorded in facts:
        taken = take_again(kernel, recorded)
        count += 1
        told = Told(recorded, decisions.get(recorded.seq, ()), effects.get(recorded.seq, ()))
        found += compared(told, taken)
    return Replay(count, tuple(found))


def take_again(kernel: Kernel, recorded: Recorded) -> Taken:
    kernel.seq = recorded.seq - 1
    return kernel.take(recorded.thread, recorded.fact, at=recorded.at)


def compared(told: Told, taken: Taken, *, under_same_policy: bool = True) -> list[Divergence]:
    """Where the two differ. Under other rules, or by another policy, a decision is its reason with its evidence."""
    seq, logic = told.recorded.seq, told.logic
    found: list[Divergence] = []
    strict = logic == LOGIC and under_same_policy
    if told.decisions != taken.decisions and (strict or _reasons(told.decisions) != _reasons(taken.decisions)):
        found.append(Divergence(seq, "decisions", told.decisions, taken.decisions, logic=logic))
    then, now = told.effects, taken.effects
    if then != now and _without_wording(then) != _without_wording(now):
        found.append(Divergence(seq, "effects", then, now, logic=logic))
    if told.boundaries is not None and told.boundaries != _as_told(taken.boundaries, told.boundaries):
        found.append(Divergence(seq, "boundaries", told.boundaries, taken.boundaries, logic=logic))
    return found


def _as_told(now: tuple[BoundaryEvent, ...], then: tuple[BoundaryEvent, ...]) -> tuple[BoundaryEvent, ...]:
    """Journals had only words of a boundary at first."""
    bare = frozenset(one.id for one in then if one.payload is None)
    return tuple(replace(one, payload=None) if one.id in bare else one for one in now)


def _reasons(decisions: tuple[Decision, ...]) -> tuple[tuple[object, ...], ...]:
    return tuple((one.id, one.at, one.thread, one.record) for one in decisions)


def _without_wording(effects: tuple[Intended, ...]) -> tuple[Intended, ...]:
    """The wording of a notice to a person may improve between releases; its existence and its level may not change.
    Messages to an agent are compared word for word."""
    return tuple(
        replace(one, effect=replace(one.effect, text="")) if isinstance(one.effect, Notify) else one for one in effects
    )
