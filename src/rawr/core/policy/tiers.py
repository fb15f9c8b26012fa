"""How full the context is: the one definition of "percent remaining", and the tier that follows from it (A4)."""

from bisect import bisect_left
from collections.abc import Mapping
from math import floor
from typing import Literal, get_args

BASELINE = 12_000
"""What Codex subtracts from both sides before it computes its own "% left": prompts and tools that are always there."""

Tier = Literal["roomy", "early", "ready", "asap", "emergency"]


TIERS: tuple[Tier, ...] = get_args(Tier)[1:]
"""Tiers in which rawr may act, the roomiest first. Each begins strictly below its percent."""
_TIGHTEST_FIRST = TIERS[::-1]


def percent_remaining(*, in_context: int, window: int | None) -> int | None:
    """Codex's own number, rounded as Codex rounds. ``None`` if the window is not known."""
    if window is None:
        return None
    room = window - BASELINE
    if room <= 0:
        return 0
    used = max(in_context - BASELINE, 0)
    percent = max(room - used, 0) / room * 100.0
    return floor(min(percent, 100.0) + 0.5)


def tokens_at(percent: int, *, window: int) -> int:
    """The fewest tokens in the context with which less than this percent is left: where a tier begins. If it never
    does, the whole window."""

    def is_below(held: int) -> bool:
        return (percent_remaining(in_context=held, window=window) or 0) < percent

    return bisect_left(range(window), 1, key=is_below)


def tier_of(percent: int, thresholds: Mapping[Tier, int]) -> Tier:
    """The tightest tier whose percent is not reached."""
    for tier in _TIGHTEST_FIRST:
        if percent < thresholds[tier]:
            return tier
    return "roomy"
