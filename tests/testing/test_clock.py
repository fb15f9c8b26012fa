"""Virtual time: order, settling, cancelling."""

import asyncio

import pytest

from rawr.errors import Bug
from rawr.testing import VirtualClock


async def test_sleepers_wake_in_order_and_see_their_own_time() -> None:
    clock = VirtualClock(start_ms=1_000)
    woken: list[tuple[str, int]] = []

    async def sleeper(name: str, at_ms: int) -> None:
        await clock.sleep_until(at_ms)
        woken.append((name, clock.now_ms()))

    async with asyncio.TaskGroup() as group:
        for name, at_ms in (("late", 5_000), ("early", 2_000), ("early too", 2_000), ("past", 10)):
            group.create_task(sleeper(name, at_ms))
        await clock.advance(999)
        assert (woken, clock.now_ms(), clock.next_at_ms) == ([("past", 1_000)], 1_999, 2_000)
        await clock.advance_to(10_000)
    assert woken == [("past", 1_000), ("early", 2_000), ("early too", 2_000), ("late", 5_000)]
    assert (clock.now_ms(), clock.next_at_ms) == (10_000, None)


async def test_what_a_sleeper_sets_off_runs_before_the_next_wakes() -> None:
    clock = VirtualClock()
    log: list[str] = []
    parcels: asyncio.Queue[str] = asyncio.Queue()

    async def every_second() -> None:
        for at_ms in (1_000, 2_000, 3_000):
            await clock.sleep_until(at_ms)
            await parcels.put(f"tick {at_ms}")

    async def courier(hops: int) -> None:
        for _ in range(3):
            parcel = await parcels.get()
            for _ in range(hops):
                await asyncio.sleep(0)
            log.append(f"{parcel} delivered at {clock.now_ms()}")

    async with asyncio.TaskGroup() as group:
        group.create_task(every_second())
        group.create_task(courier(hops=500))
        await clock.advance(3_000)
        assert log == [f"tick {at} delivered at {at}" for at in (1_000, 2_000, 3_000)]


async def test_a_cancelled_sleeper_is_forgotten() -> None:
    clock = VirtualClock()
    task = asyncio.create_task(clock.sleep_until(1_000))
    await clock.settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert clock.next_at_ms is None
    await clock.advance(2_000)
    assert clock.now_ms() == 2_000


async def test_time_does_not_run_backwards() -> None:
    clock = VirtualClock(start_ms=5)
    with pytest.raises(Bug, match="shows 5 ms, not 4"):
        await clock.advance_to(4)


async def test_a_task_that_never_waits_is_found_out() -> None:
    async def spin() -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(0)

    spinning = asyncio.create_task(spin())
    with pytest.raises(Bug, match="did not come to rest"):
        await VirtualClock().advance(1)
    spinning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await spinning
