"""How full the context is: the one definition of "percent remaining", and the tier that follows from it (A4)."""

from math import floor
from typing import Literal

from msgspec import Struct

BASELINE = 12_000
"""What Codex takes off both sides before it computes its own "% left": prompts and tools that are always there."""

Tier = Literal["roomy", "early", "ready", "asap", "emergency"]


class Thresholds(Struct, frozen=True):
    """A tier begins strictly below its percent."""

    early: int = 85
    ready: int = 75
    asap: int = 65
    emergency: int = 15


def percent_remaining(*, in_context: int, window: int | None) -> int | None:
    """Codex's own number, rounded as it rounds. ``None`` where the window is not known."""
    if window is None:
        return None
    room = window - BASELINE
    if room <= 0:
        return 0
    used = max(in_context - BASELINE, 0)
    percent = max(room - used, 0) / room * 100.0
    return floor(min(percent, 100.0) + 0.5)


def tier_of(percent: int, thresholds: Thresholds) -> Tier:
    if percent < thresholds.emergency:
        return "emergency"
    if percent < thresholds.asap:
        return "asap"
    if percent < thresholds.ready:
        return "ready"
    if percent < thresholds.early:
        return "early"
    return "roomy"
