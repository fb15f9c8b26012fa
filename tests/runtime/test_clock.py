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
