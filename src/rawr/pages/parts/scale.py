"""Where a moment is on the horizontal axis, in percent of its width.

Hours in which nothing happened would squeeze everything else: a long silence takes a small fixed share instead.
"""

import math
import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from rawr.views.numbers import clock_time

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
SILENCE = 10 * MINUTE
"""Shorter ones are never shortened."""
SHARE = 12
"""A silence is long if it is more than this part of all the time in which something happened."""
WIDTH = 2.5
"""What a long silence takes, in percent."""
MOST_SILENCES = 12
_STEPS = (
    *(SECOND * n for n in (1, 2, 5, 10, 15, 30)),
    *(MINUTE * n for n in (1, 2, 5, 10, 15, 30)),
    *(HOUR * n for n in (1, 2, 3, 6, 12)),
    *(DAY * n for n in (1, 2, 7, 14, 28, 91, 365)),
)
TICKS = 6
APART = 17.0
"""Percent between two labels, so that they fit on a phone."""


class Silence(Struct, frozen=True):
    began: int
    ended: int


class Tick(Struct, frozen=True):
    x: float
    label: str


class Scale:
    def __init__(self, times: Iterable[int]) -> None:
        known = sorted(set(times)) or [0]
        self.began, self.ended = known[0], max(known[-1], known[0] + SECOND)
        self.silences = _silences([*known, self.ended])
        self._knots = self._lay_out()
        self._times = [at for at, _ in self._knots]

    def _lay_out(self) -> list[tuple[int, float]]:
        silent = sum(one.ended - one.began for one in self.silences)
        share = (100.0 - WIDTH * len(self.silences)) / max(self.ended - self.began - silent, 1)
        knots, x, at = [(self.began, 0.0)], 0.0, self.began
        for one in self.silences:
            x += (one.began - at) * share
            knots += [(one.began, x), (one.ended, x + WIDTH)]
            x, at = x + WIDTH, one.ended
        return [*knots, (self.ended, 100.0)]

    def x(self, at: int) -> float:
        """In percent, with two digits: a hundredth of a percent is less than a pixel."""
        place = min(max(bisect_right(self._times, at), 1), len(self._knots) - 1)
        (t0, x0), (t1, x1) = self._knots[place - 1], self._knots[place]
        part = (min(max(at, t0), t1) - t0) / max(t1 - t0, 1)
        return round(x0 + part * (x1 - x0), 2)

    def ticks(self) -> list[Tick]:
        stretches = self._stretches()
        wanted = sum(end - begin for begin, end in stretches) / TICKS
        step = next((one for one in _STEPS if one >= wanted), math.ceil(wanted))
        offset = _offset(self.began)
        found: list[Tick] = []
        for begin, end in stretches:
            first = (begin + offset + step - 1) // step * step - offset
            for at in range(first, end + 1, step):
                x = self.x(at)
                if not found or x - found[-1].x >= APART:
                    found.append(Tick(x, self.label(at, step)))
        return found

    def _stretches(self) -> list[tuple[int, int]]:
        """The time between the silences. There may be years in one of those."""
        edges = [self.began, *(at for one in self.silences for at in (one.began, one.ended)), self.ended]
        return list(zip(edges[::2], edges[1::2], strict=True))

    def label(self, at: int, step: int = MINUTE) -> str:
        """The time of day as precise as needed, with its date if there are several."""
        if step >= DAY:
            return clock_time(at, "%m-%d")
        form = "%H:%M:%S" if step < MINUTE else "%H:%M"
        many = clock_time(self.began, "%m-%d") != clock_time(self.ended, "%m-%d")
        return clock_time(at, f"%m-%d {form}" if many else form)


def _silences(times: Sequence[int]) -> tuple[Silence, ...]:
    gaps = [Silence(one, other) for one, other in pairwise(times) if other - one > SILENCE]
    longest = sorted(gaps, key=lambda one: one.began - one.ended)[:MOST_SILENCES]
    whole = times[-1] - times[0]
    kept: list[Silence] = []
    for one in longest:
        # Judged by what is left without those that are longer; something has to be left.
        long = one.ended - one.began
        if long * SHARE <= whole or whole - long < SECOND:
            break
        kept.append(one)
        whole -= long
    return tuple(sorted(kept, key=lambda one: one.began))


def _offset(at: int) -> int:
    """Of local time, so that ticks fall on whole hours of the reader's day."""
    try:
        return time.localtime(at / 1000).tm_gmtoff * 1_000
    except (OverflowError, ValueError, OSError):
        return 0
