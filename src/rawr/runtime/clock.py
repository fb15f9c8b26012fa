"""The real clock. Dates come from the system's clock; waits follow it too, so a suspended machine catches up."""

import asyncio
import time

MAX_NAP = 60.0
"""The longest single sleep, in seconds: after a suspend or a jump of the clock a deadline is at most this late."""


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    async def sleep_until(self, at_ms: int) -> None:
        # A deadline may move under a long sleep: the machine was suspended, or its clock was set.
        while (left := (at_ms - self.now_ms()) / 1000) > 0:  # noqa: ASYNC110 - time is what is waited for
            await asyncio.sleep(min(left, MAX_NAP))
