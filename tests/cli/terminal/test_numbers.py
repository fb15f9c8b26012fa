"""Numbers look the same on every screen (C18)."""

import pytest

from rawr.cli.terminal.numbers import ago, clock, short
from rawr.cli.terminal.output import counted


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1 k"),
        (1_234, "1.2 k"),
        (152_000, "152 k"),
        (999_949, "999.9 k"),
        (999_950, "1 M"),
        (1_250_000, "1.2 M"),
        (12_000_000, "12 M"),
    ],
)
def test_an_amount_in_a_few_digits(count: int, shown: str) -> None:
    """C18."""
    assert short(count) == shown


def test_what_is_counted_is_written_like_any_amount() -> None:
    """C18."""
    assert [counted(count, "fact") for count in (0, 1, 2, 12_345)] == ["0 facts", "1 fact", "2 facts", "12.3 k facts"]


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (65, "1:05"), (3_725, "1:02:05")])
def test_a_duration(seconds: int, shown: str) -> None:
    assert clock(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-5, "0 s ago"), (59, "59 s ago"), (61, "1 min ago"), (7_300, "2 h ago"), (90_000, "1 d ago")],
)
def test_how_long_ago(seconds: int, shown: str) -> None:
    """A clock that was set back shows no time below nothing."""
    assert ago(1_000_000, now=1_000 + seconds) == shown
