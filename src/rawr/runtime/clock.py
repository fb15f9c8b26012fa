"""The real clock: a timeline that never runs backwards, and that recognises jumps of the system's clock.

Facts carry the system's date. Durations are another matter: the date can be set, and a machine can sleep. So each
reading compares the steps of two clocks. If they agree, to within a second, the date counts as it is. If not, the date
jumped, and everything that counts time learns by how much (``jumped``):

- forward, because it was set, or because the machine slept: the timeline follows, and the time used up does not;
- back: the timeline goes on from where it was, ahead of the date, until the date catches up.

The second clock is the monotonic one, which stops while a machine sleeps: nobody works then, so sleep uses up no budget
of minutes. The time left on an account's limit is the server's, and follows the date.
"""

import asyncio
import time
from collections.abc import Callable

MAX_NAP = 60.0
"""The longest single sleep, in seconds: after a suspend or a jump of the clock a deadline is at most this late."""
TOLERANCE = 1_000
"""Milliseconds by which the two may differ between two readings: slewing a clock is not setting it."""


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
        """Milliseconds by which the timeline is ahead of the date."""
        self._jumped = 0

    def start_after(self, at_ms: int) -> None:
        """Continue the timeline from this time, up to which facts are on record, if the date is behind it."""
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
        """Milliseconds by which the date jumped since the last call; negative if it went back."""
        jumped, self._jumped = self._jumped, 0
        return jumped

    def on_timeline(self, date_ms: int) -> int:
        """Convert an outside date, such as a server's, to the timeline of the facts."""
        return date_ms + self._ahead

    async def sleep_until(self, at_ms: int) -> None:
        # A deadline may move during a long sleep: the machine was suspended, or its clock was set.
        while (left := (at_ms - self.now_ms()) / 1000) > 0:  # noqa: ASYNC110 - time is what is waited for
            await asyncio.sleep(min(left, MAX_NAP))
