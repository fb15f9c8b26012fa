"""Time that moves only when a test says so."""

import asyncio
import heapq
import itertools
from collections.abc import Sized
from typing import cast

from rawr.errors import Bug

_MOST_PASSES = 100_000


class VirtualClock:
    """A clock for one event loop. Sleepers wake in the order of their times; at equal times, in order of arrival.

    ::

        clock = VirtualClock()
        task = asyncio.create_task(clock.sleep_until(1_000))
        await clock.advance(1_000)      # the task has run as far as it can
    """

    def __init__(self, start_ms: int = 0) -> None:
        self._now = start_ms
        self._ahead = 0
        self._jumped = 0
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now_ms(self) -> int:
        return self._now

    def start_after(self, at_ms: int) -> None:
        if at_ms > self._now:
            self._ahead += at_ms - self._now
            self._jumped -= at_ms - self._now
            self._now = at_ms

    def jumped(self) -> int:
        jumped, self._jumped = self._jumped, 0
        return jumped

    def on_timeline(self, date_ms: int) -> int:
        return date_ms + self._ahead

    async def set_date(self, by_ms: int) -> None:
        """Set the clock, or let the machine sleep: forward, every sleeper whose time has passed wakes at once; back,
        time continues from where it is."""
        await self.settle()
        self._jumped += by_ms
        if by_ms < 0:
            self._ahead -= by_ms
            return
        self._now += by_ms
        while self._sleepers and self._sleepers[0][0] <= self._now:
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)
        await self.settle()

    @property
    def next_at_ms(self) -> int | None:
        """When the next sleeper wakes; None if nobody sleeps."""
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None

    async def sleep_until(self, at_ms: int) -> None:
        """Return when the clock shows ``at_ms``; for a time in the past, give the loop one turn and return."""
        if at_ms <= self._now:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (at_ms, next(self._order), future))
        await future

    async def advance(self, ms: int) -> None:
        """Let that many milliseconds pass."""
        await self.advance_to(self._now + ms)

    async def advance_to(self, at_ms: int) -> None:
        """Move to that time, stopping at each sleeper on the way until everything it triggers has run."""
        if at_ms < self._now:
            raise Bug(f"a virtual clock does not run backwards: it shows {self._now} ms, not {at_ms}.")
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= at_ms:
            at, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                self._now = at
                future.set_result(None)
                await self.settle()
        self._now = at_ms

    async def settle(self) -> None:
        """Run the loop until every task waits for something: time, input or another thread."""
        loop = asyncio.get_running_loop()
        # asyncio has no public way to ask "is anything ready?"; all of its own loops keep this queue.
        ready = cast("Sized", vars(loop)["_ready"])
        for _ in range(_MOST_PASSES):
            await asyncio.sleep(0)
            if not ready:
                return
        raise Bug(f"the event loop did not come to rest in {_MOST_PASSES} passes: some task never waits.")
