"""Policies to try: what can be varied about when rawr compacts, one thing at a time.

Thresholds, boundaries of each tier, and cooldowns. Everything else in a policy stays as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import assert_never

from msgspec.structs import replace

from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.policy.compaction import ASAP, EARLY, READY, AutoCompaction, TierPolicy
from rawr.core.policy.tiers import TIERS, Tier

Variants = Callable[[AutoCompaction], Iterator[AutoCompaction]]

_TOGETHER = ((95, 88, 80), (85, 75, 65), (75, 65, 55), (65, 55, 45), (55, 45, 35), (45, 35, 25), (35, 30, 25))
"""Percents of early, ready and asap, from the most eager to the calmest."""
_STEPS = (-15, -10, -5, 5, 10)
_EMERGENCIES = (8, 12, 15, 20, 25)
_TURNS = (0, 1, 2, 3, 5, 8)
_SECONDS = (0, 60, 120, 300, 900, 1_800)
_WORDS: tuple[BoundaryKind, ...] = ("agent_done", "concluding")
_SETS: dict[Tier, tuple[tuple[BoundaryKind, ...], ...]] = {
    "early": ((), EARLY, READY, ("commit", "pr_checkpoint", "phase_boundary")),
    "ready": (EARLY, READY, (*READY, *_WORDS), ("commit", "pr_checkpoint", "phase_boundary")),
    "asap": (READY, (*READY, *_WORDS), ASAP, (*ASAP, "turn_complete")),
}


def axes() -> Sequence[Variants]:
    """What is varied, in order: the coarse before the fine."""
    return (
        _shipped,
        _together,
        _boundaries("asap"),
        _boundaries("ready"),
        _boundaries("early"),
        _cooldown_turns,
        _cooldown_seconds,
        _percents("asap"),
        _percents("ready"),
        _percents("early"),
        _emergency,
    )


def _shipped(now: AutoCompaction) -> Iterator[AutoCompaction]:
    """With the boundaries that rawr comes with: a percent alone may change nothing, and neither may a boundary."""
    shipped = {"early": EARLY, "ready": READY, "asap": ASAP}
    for tier in TIERS:
        if tier in shipped:
            now = _listed(now, tier, shipped[tier])
    yield from _together(now)


def _together(now: AutoCompaction) -> Iterator[AutoCompaction]:
    for early, ready, asap in _TOGETHER:
        yield _with(_with(_with(now, "early", early), "ready", ready), "asap", asap)


def _percents(tier: Tier) -> Variants:
    def variants(now: AutoCompaction) -> Iterator[AutoCompaction]:
        for step in _STEPS:
            yield _with(now, tier, min(max(now.acting(tier).percent_remaining_lt + step, 0), 100))

    return variants


def _emergency(now: AutoCompaction) -> Iterator[AutoCompaction]:
    for percent in _EMERGENCIES:
        yield _with(now, "emergency", percent)


def _boundaries(tier: Tier) -> Variants:
    def variants(now: AutoCompaction) -> Iterator[AutoCompaction]:
        for kinds in _SETS[tier]:
            yield _listed(now, tier, kinds)

    return variants


def _cooldown_turns(now: AutoCompaction) -> Iterator[AutoCompaction]:
    for turns in _TURNS:
        yield replace(now, cooldown_turns=turns)


def _cooldown_seconds(now: AutoCompaction) -> Iterator[AutoCompaction]:
    for seconds in _SECONDS:
        yield replace(now, cooldown_seconds=seconds)


def _with(now: AutoCompaction, tier: Tier, percent: int) -> AutoCompaction:
    return _put(now, tier, replace(now.acting(tier), percent_remaining_lt=percent))


def _listed(now: AutoCompaction, tier: Tier, kinds: tuple[BoundaryKind, ...]) -> AutoCompaction:
    """A list in somebody's settings is law: the end of any turn is no last resort beside it."""
    acting = now.acting(tier)
    if kinds == acting.requires_any_boundary:
        return now
    return _put(now, tier, replace(acting, requires_any_boundary=kinds, last_resort=False))


def _put(now: AutoCompaction, tier: Tier, rules: TierPolicy) -> AutoCompaction:
    match tier:
        case "early":
            return replace(now, early=rules)
        case "ready":
            return replace(now, ready=rules)
        case "asap":
            return replace(now, asap=rules)
        case "emergency":
            return replace(now, emergency=rules)
        case "roomy":
            return now
        case _:
            assert_never(tier)


def usable(one: AutoCompaction) -> bool:
    """Percents fall from tier to tier, as the settings demand."""
    percents = [one.acting(tier).percent_remaining_lt for tier in TIERS]
    return all(before > after for before, after in pairwise(percents))


def anything(now: AutoCompaction) -> AutoCompaction:
    """Marks every moment at which some candidate may compact: a session without one is the same under all of them."""
    every: tuple[BoundaryKind, ...] = (*ASAP, "turn_complete")
    early = replace(now.early, percent_remaining_lt=100, requires_any_boundary=every)
    early = replace(early, plan_boundaries_require_semantic_break=False)
    ready, asap = (replace(one, requires_any_boundary=every) for one in (now.ready, now.asap))
    now = replace(now, early=early, ready=ready, asap=asap)
    return replace(now, enabled=True, mode="tag", cooldown_turns=0, cooldown_seconds=0, need_turns=0)
