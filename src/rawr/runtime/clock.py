"""The real clock: a timeline that never runs backwards, and that knows a jump of the system's clock for what it is.

Facts are stamped with the date, as the system has it. How long something took is another matter: the date can be set,
and a machine can sleep. So each reading compares the steps of two clocks. Where they agree, up to a second, the date is
taken as it is. Where they do not, the date jumped, and everything that counts time learns by how much (``jumped``):

- forward, because it was set, or because the machine slept: the timeline follows, and what was used up does not;
- back: the timeline goes on from where it was, ahead of the date, and catches up when the date does.

The second clock is the monotonic one, which stands still while a machine sleeps: nobody works then, so a budget of
minutes is not used up by it. Seconds that a limit of the account still lasts are the server's, and go by the date.
"""

import asyncio
import time
from collections.abc import Callable

MAX_NAP = 60.0
"""The longest single sleep, in seconds: after a suspend or a jump of the clock a deadline is at most this late."""
TOLERANCE = 1_000
"""Milliseconds by which the two may differ between two readings: a clock that is being slewed is not set."""


def _date() -> int:
    return time.time_ns() // 1_000_000


def _elapsed() -> int:
    return time.monotonic_ns() // 1_000_000


class SystemClock:
    def __init__(self, *, date: Callable[[], int] = _date, elapsed: Callable[[], int] = _elapsed) -> None:
        self._date = date
        self._elapsed = elapsed
        self._last_date = date()
        self._last_elapsed = elapsed()
        self._now = self._last_date
        self._ahead = 0
        """By how much the timeline is ahead of the date."""
        self._jumped = 0

    def start_after(self, at_ms: int) -> None:
        """Facts up to this time are on record: the timeline goes on from there, should the date be behind it."""
        behind = at_ms - self.now_ms()
        if behind > TOLERANCE:
            self._ahead += behind
            self._jumped -= behind
        self._now = max(self._now, at_ms)

    def now_ms(self) -> int:
        date, elapsed = self._date(), self._elapsed()
        jump = (date - self._last_date) - (elapsed - self._last_elapsed)
        self._last_date, self._last_elapsed = date, elapsed
        if jump > TOLERANCE:
            caught_up = min(jump, self._ahead)
            self._ahead -= caught_up
            self._jumped += jump - caught_up
        elif jump < -TOLERANCE:
            self._ahead -= jump
            self._jumped += jump
        self._now = max(self._now, date + self._ahead)
        return self._now

    def jumped(self) -> int:
        """By how many milliseconds the date jumped since this was last asked; back is less than nothing."""
        jumped, self._jumped = self._jumped, 0
        return jumped

    def on_timeline(self, date_ms: int) -> int:
        """A date of somebody else's, such as a server's, in the time that facts are stamped with."""
        return date_ms + self._ahead

    async def sleep_until(self, at_ms: int) -> None:
        # A deadline may move under a long sleep: the machine was suspended, or its clock was set.
        while (left := (at_ms - self.now_ms()) / 1000) > 0:  # noqa: ASYNC110 - time is what is waited for
            await asyncio.sleep(min(left, MAX_NAP))
