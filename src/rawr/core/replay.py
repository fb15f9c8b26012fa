"""Fold a journal's facts again and compare the result with the record (C17)."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.kernel import Kernel
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.effects import Intended, Notify
from rawr.core.vocabulary.facts import Recorded
from rawr.core.vocabulary.records import Decision


class Divergence(Struct, frozen=True):
    """At fact ``seq``, the replay came to a result other than the journal's."""

    seq: int
    what: str
    recorded: str
    replayed: str


class Replay(Struct, frozen=True):
    facts: int
    divergences: tuple[Divergence, ...]

    @property
    def same(self) -> bool:
        return not self.divergences


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
        kernel.seq = recorded.seq - 1
        taken = kernel.take(recorded.thread, recorded.fact, at=recorded.at)
        count += 1
        decided = decisions.get(recorded.seq, ())
        if _plain(decided) != _plain(taken.decisions):
            found += _compare(recorded.seq, "decisions", decided, taken.decisions)
        then, now = effects.get(recorded.seq, ()), taken.effects
        if then != now and _without_wording(then) != _without_wording(now):
            found += _compare(recorded.seq, "effects", then, now)
    return Replay(count, tuple(found))


def _plain(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """Without the version of the logic: the same decision by newer rules is the same."""
    return tuple(replace(one, logic=0) for one in decisions)


def _without_wording(effects: tuple[Intended, ...]) -> tuple[Intended, ...]:
    """The wording of a notice to a person may improve between releases; its existence and its level may not change.
    Messages to an agent are compared word for word."""
    return tuple(
        replace(one, effect=replace(one.effect, text="")) if isinstance(one.effect, Notify) else one for one in effects
    )


def _compare(seq: int, what: str, recorded: tuple[Struct, ...], replayed: tuple[Struct, ...]) -> Iterable[Divergence]:
    if recorded != replayed:
        yield Divergence(seq, what, repr(recorded), repr(replayed))
