"""Looking back: ``rawr backtest`` over a history, against reading the same bytes with ``json.loads`` line by line.

Measured: a generated history (``past.py``; 48 MB, or as many as ``RAWR_BENCH_MEGABYTES`` says), and the sessions in the
folder that ``RAWR_BENCH_SESSIONS`` names, if there is one. On one core: the processor time of both, in turns, in this
process. On two: half the processor time of all processes, with their start, against one reader on one core: that is
what the clock says where nobody else is at work, and both have as much to do. The ratio is how many times as fast rawr
is. Memory: the peak of a process that backtests one long session, and of one that backtests all of
the generated ones, against one that backtests a session just long enough to have everything in it.

Unfair would be: files that are not in the file system's cache (both read them once before); a reader that keeps what it
has read (it drops each line). In favour of rawr: it does not decode every line. In favour of the reader: it decides
nothing.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median

from bench import past
from bench.measuring import alternate, ended, processor_time, ratio_of
from bench.report import Goal, Result, Row, Size, megabytes, number
from rawr.backtest import pool
from rawr.backtest.summary import Summary, Tally
from rawr.config.load import load_policy
from rawr.history import files
from rawr.history.files import SessionFile

MEGABYTES = "RAWR_BENCH_MEGABYTES"
SESSIONS = "RAWR_BENCH_SESSIONS"
SPEED = Goal(at_least=2.0)
FLAT = Goal(at_most=1.2)
LARGE = 200
"""Megabytes from which on a round is long enough that a few will do."""
SHORT, LONG = 100, 2_000
"""Turns."""
_ALONE = (
    "import sys; from pathlib import Path; from rawr.backtest.pool import over; from rawr.history import files; "
    "from rawr.config.load import load_policy; "
    "[None for _ in over(files.at(Path(sys.argv[1])), [load_policy(Path('/nonexistent')).policy], workers=1)]"
)


def run(size: Size) -> Result:
    wanted = int(os.environ.get(MEGABYTES, size.of(48, quick=12)))
    made = past.make(size.folder / "past", megabytes=wanted)
    rounds = size.of(7 if wanted < LARGE else 3, quick=3)
    rows = [*_speed("generated", files.at(made), rounds)]
    named = os.environ.get(SESSIONS)
    if named:
        rows += _speed("yours", files.at(Path(named)), size.of(3, quick=1))
    rows += _memory(size.folder, made)
    return Result(tuple(rows))


def _speed(whose: str, sessions: Sequence[SessionFile], rounds: int) -> tuple[Row, Row]:
    policy = load_policy(Path("/nonexistent")).policy
    size = sum(one.size for one in sessions)

    def decided(workers: int) -> None:
        tally = Tally(policy.full_auto)
        for (one,) in pool.over(sessions, [policy], workers=workers):
            tally.add(one)
        _check(tally.total(), of=len(sessions))

    def read() -> None:
        for one in sessions:
            _loads(one.path)

    alone = alternate(lambda: processor_time(read), lambda: processor_time(lambda: decided(1)), rounds=rounds)
    both = alternate(lambda: processor_time(read), lambda: _halved(lambda: decided(2)), rounds=max(rounds // 2, 1))
    what = f"{whose}: {number(len(sessions))} sessions, {megabytes(size)}"
    return _row(f"{what}, one core", alone, size, len(sessions)), _row(f"{what}, two cores", both, size, len(sessions))


def _check(total: Summary, *, of: int) -> None:
    """Sessions were read, boundaries seen in them, and compactions decided on."""
    assert total.sessions + total.sub_agents == of, f"{total.sessions} of {of} sessions"
    counts = (total.turns, sum(total.boundaries.values()), total.native, total.would_compact)
    assert all(counts), f"turns, boundaries, compactions on record, and with rawr: {counts}"


def _row(figure: str, taken: Sequence[Sequence[float]], size: int, sessions: int) -> Row:
    theirs, ours = taken
    per_second = sessions / median(ours)
    return Row(
        figure=f"{figure}: speed",
        measured=ratio_of(theirs, ours),
        ours=f"{size / median(ours) / 1e6:.0f} MB/s, {number(per_second)} sessions/s",
        against=f"{size / median(theirs) / 1e6:.0f} MB/s with json.loads",
        goal=SPEED,
    )


def _loads(path: str) -> None:
    with Path(path).open("rb") as file:
        for line in file:
            try:
                json.loads(line)
            except ValueError:
                continue


def _halved(work: Callable[[], None]) -> float:
    """Processor time of this process and of those that it started and that have ended, on two cores."""
    before = os.times()
    work()
    return sum(now - then for now, then in zip(os.times()[:4], before[:4], strict=True)) / 2


def _memory(folder: Path, past_of: Path) -> tuple[Row, Row]:
    short, long = folder / "rollout-short.jsonl", folder / "rollout-long.jsonl"
    words = Random(2)  # noqa: S311 - the same sessions in every run
    sizes = [past.session(path, words, turns=turns) for path, turns in ((short, SHORT), (long, LONG))]
    below, above, after_all = (_peak(path) for path in (short, long, past_of))
    against = f"{megabytes(below)} ({megabytes(sizes[0])})"

    def row(of: str, peak: int) -> Row:
        figure, measured = f"{of}: peak memory of one process", ratio_of([peak], [below])
        return Row(figure=figure, measured=measured, ours=megabytes(peak), against=against, goal=FLAT)

    return row(f"one session of {megabytes(sizes[1])}", above), row("the generated history", after_all)


def _peak(path: Path) -> int:
    return ended([sys.executable, "-c", _ALONE, str(path)]).peak
