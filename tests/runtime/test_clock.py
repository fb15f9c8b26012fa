"""The real clock."""

import time

from rawr.runtime.clock import SystemClock


async def test_it_shows_the_time_and_waits_for_it() -> None:
    clock = SystemClock()
    before = time.time_ns() // 1_000_000
    assert before <= clock.now_ms() <= before + 5_000
    at = clock.now_ms() + 30
    await clock.sleep_until(at)
    assert clock.now_ms() >= at


async def test_a_time_that_has_passed_is_not_waited_for() -> None:
    clock = SystemClock()
    began = time.monotonic()
    await clock.sleep_until(clock.now_ms() - 60_000)
    await clock.sleep_until(0)
    assert time.monotonic() - began < 5


class Hands:
    """A date and a count of elapsed time that the test moves."""

    def __init__(self) -> None:
        self.date, self.elapsed = 1_700_000_000_000, 5_000

    def clock(self) -> SystemClock:
        return SystemClock(date=lambda: self.date, elapsed=lambda: self.elapsed)

    def passes(self, ms: int, *, set_by: int = 0) -> None:
        self.date += ms + set_by
        self.elapsed += ms


DAY = 86_400_000


def test_time_that_passes_is_no_jump() -> None:
    hands = Hands()
    clock, began = hands.clock(), hands.date
    for ms in (0, 1, 500, 60_000, 30 * DAY):
        hands.passes(ms)
        assert (clock.now_ms(), clock.jumped()) == (hands.date, 0)
    assert clock.now_ms() - began == 30 * DAY + 60_501


def test_a_clock_that_is_slewed_is_followed_and_never_steps_back() -> None:
    """C5: some milliseconds at a time, as a time service does it; over a day that adds up."""
    hands = Hands()
    clock = hands.clock()
    for by in (300, -300, 900, -900):
        before = clock.now_ms()
        hands.passes(100, set_by=by)
        assert clock.now_ms() >= before
        assert clock.jumped() == 0
    hands.passes(2_000)
    assert clock.now_ms() == hands.date


def test_a_clock_that_is_set_back_goes_on() -> None:
    """C5: 48 hours back, and five seconds later five seconds have passed."""
    hands = Hands()
    clock = hands.clock()
    began = clock.now_ms()
    hands.passes(5_000, set_by=-2 * DAY)
    assert (clock.now_ms() - began, clock.jumped(), clock.jumped()) == (5_000, -2 * DAY, 0)
    hands.passes(5_000)
    assert (clock.now_ms() - began, clock.jumped()) == (10_000, 0)
    # A date that a server gives is as far away as it is.
    assert clock.on_timeline(hands.date + 60_000) == clock.now_ms() + 60_000


def test_a_clock_that_is_set_forward_is_followed_and_told_of() -> None:
    """C5: also a machine that slept: the monotonic clock stood still meanwhile."""
    hands = Hands()
    clock = hands.clock()
    clock.now_ms()
    hands.passes(5_000, set_by=30 * DAY)
    assert (clock.now_ms(), clock.jumped()) == (hands.date, 30 * DAY)


def test_back_and_forth_is_where_it_was() -> None:
    hands = Hands()
    clock = hands.clock()
    began = clock.now_ms()
    hands.passes(0, set_by=-DAY)
    clock.now_ms()
    hands.passes(0, set_by=3 * DAY)
    assert (clock.now_ms() - began, clock.jumped()) == (2 * DAY, -DAY + 2 * DAY)
    assert clock.on_timeline(hands.date) == clock.now_ms()


def test_it_starts_no_earlier_than_what_is_on_record() -> None:
    """B10: the clock was set back between two runs."""
    hands = Hands()
    clock = hands.clock()
    clock.start_after(hands.date - DAY)
    assert (clock.now_ms(), clock.jumped()) == (hands.date, 0)
    clock.start_after(hands.date + DAY)
    assert (clock.now_ms(), clock.jumped()) == (hands.date + DAY, -DAY)
    hands.passes(1_000)
    assert clock.now_ms() == hands.date + DAY
