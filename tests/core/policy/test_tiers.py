"""Percent remaining and tiers (A4). The numbers are Codex's own: a baseline off both sides, rounded half up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.tiers import BASELINE, TIERS, Tier, percent_remaining, tier_of, tokens_at

WINDOW = 258_400
ROOM = 200_000
"""With a window of ``BASELINE + ROOM``, 2 000 tokens are one percent and 1 000 are a half."""

DEFAULTS = AutoCompaction().thresholds


@pytest.mark.parametrize(
    ("in_context", "window", "percent"),
    [
        (0, WINDOW, 100),
        (BASELINE, WINDOW, 100),
        (BASELINE + 1, WINDOW, 100),
        (40_500, WINDOW, 88),
        (WINDOW, WINDOW, 0),
        (WINDOW + 1, WINDOW, 0),
        (10 * WINDOW, WINDOW, 0),
        (-5, WINDOW, 100),
        (BASELINE + 999, BASELINE + ROOM, 100),
        (BASELINE + 1_000, BASELINE + ROOM, 100),
        (BASELINE + 1_001, BASELINE + ROOM, 99),
        (BASELINE + 3_000, BASELINE + ROOM, 99),
        (BASELINE + 199_000, BASELINE + ROOM, 1),
        (BASELINE + 199_001, BASELINE + ROOM, 0),
        (0, BASELINE, 0),
        (0, BASELINE - 1, 0),
        (0, 0, 0),
        (0, -1, 0),
        (BASELINE, BASELINE + 1, 100),
        (BASELINE + 1, BASELINE + 1, 0),
        (0, None, None),
        (90_000, None, None),
    ],
)
def test_percent_remaining(in_context: int, window: int | None, percent: int | None) -> None:
    """A4: half a percent rounds up, as ``f64::round`` does; a window no larger than the baseline has no room at all."""
    assert percent_remaining(in_context=in_context, window=window) == percent


@given(in_context=st.integers(-(2**40), 2**40), window=st.integers(-(2**40), 2**40))
def test_percent_is_between_nothing_and_all(in_context: int, window: int) -> None:
    percent = percent_remaining(in_context=in_context, window=window)
    assert percent is not None
    assert 0 <= percent <= 100
    more = percent_remaining(in_context=in_context + 1, window=window)
    assert more is not None
    assert more <= percent


@pytest.mark.parametrize(
    ("percent", "tier"),
    [
        (100, "roomy"),
        (85, "roomy"),
        (84, "early"),
        (75, "early"),
        (74, "ready"),
        (65, "ready"),
        (64, "asap"),
        (15, "asap"),
        (14, "emergency"),
        (0, "emergency"),
    ],
)
def test_a_tier_begins_strictly_below_its_percent(percent: int, tier: Tier) -> None:
    """A4: early 85, ready 75, asap 65, emergency 15."""
    assert tier_of(percent, DEFAULTS) == tier


def test_thresholds_can_be_set() -> None:
    assert [tier_of(50, {**DEFAULTS, "early": early}) for early in (50, 51)] == ["asap", "asap"]
    thresholds = dict(zip(TIERS, (60, 40, 20, 10), strict=True))
    assert [tier_of(percent, thresholds) for percent in (60, 59, 39, 19, 9)] == [
        "roomy",
        "early",
        "ready",
        "asap",
        "emergency",
    ]


@given(st.integers(0, 100), st.integers(1, 2_000_000))
def test_where_a_tier_begins(percent: int, window: int) -> None:
    """A4: the last token with which it has not begun, and the first with which it has."""
    tokens = tokens_at(percent, window=window)
    left = percent_remaining(in_context=tokens, window=window)
    before = percent_remaining(in_context=tokens - 1, window=window)
    assert left is not None
    assert before is not None
    assert left < percent or tokens == window
    assert before >= percent or tokens == 0
