"""Two things measured against each other on a machine that others use too.

They take turns, A B A B …, so that what disturbs one disturbs the other as well; each round gives a ratio of its own,
and the middle of those is the figure. How long something took is the middle as well, never the best.
"""

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import quantiles

from msgspec import Struct

Side = Callable[[], float]
"""One go at something. It gives the seconds that it took."""


class Ratio(Struct, frozen=True):
    """The middle of the rounds, and between which values the middle half of them lies."""

    middle: float
    low: float
    high: float


def processor_time(work: Callable[[], object]) -> float:
    """For work in one thread that waits for nothing: what others do on the machine counts least here."""
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began


class Ended(Struct, frozen=True):
    """A program that ran to its end: what it printed, its processor time, and the most memory it had, in bytes."""

    code: int
    printed: bytes
    seconds: float
    peak: int


_BETWEEN = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=sys.stderr)
"""


def ended(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> Ended:
    """Run a program by way of a small one. Linux counts what the process that starts another holds as the peak of the
    other, so that started from here every program would seem to need as much as the benchmark does."""
    done = subprocess.run([sys.executable, "-S", "-c", _BETWEEN, *command], env=env, capture_output=True, check=True)
    code, seconds, peak = done.stderr.splitlines()[-1].split()
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return Ended(int(code), done.stdout, float(seconds), int(peak) * unit)


def alternate(*sides: Side, rounds: int) -> tuple[list[float], ...]:
    """The seconds of each side, round by round, after one go of each that is thrown away."""
    for side in sides:
        side()
    taken = [[side() for side in sides] for _ in range(rounds)]
    return tuple(map(list, zip(*taken, strict=True)))


def spread(values: Sequence[float]) -> Ratio:
    if len(values) < 2:
        return Ratio(values[0], values[0], values[0])
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return Ratio(middle, low, high)


def ratio_of(above: Sequence[float], below: Sequence[float]) -> Ratio:
    """How many times ``above`` is ``below``, round by round."""
    return spread([one / other for one, other in zip(above, below, strict=True)])


def percentile(values: Sequence[float], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def ratio_at(above: Sequence[float], below: Sequence[float], *, percent: int, parts: int = 5) -> Ratio:
    """How many times a percentile of ``above`` is that of ``below``: in each of some parts of the run, one by one."""
    size = len(above) // parts
    starts = range(0, size * parts, size)
    return ratio_of(
        [percentile(above[start : start + size], percent) for start in starts],
        [percentile(below[start : start + size], percent) for start in starts],
    )
