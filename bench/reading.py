"""Reading: ``rawr status``, ``rawr log`` and a start on a journal with a long past, against one with next to none.

Measured: two homes (``history.py``), one with 125 000 turns in 1 250 runs, one with ten turns in one. ``rawr
status`` and ``rawr log`` are whole processes, from their start to their end, as a person waits for them, with their
output going nowhere. A start is what comes before rawr connects to Codex: the journal is opened, checked and locked,
and the states are restored. The sides take turns.

``replaying.py`` has its own rows on the same long journal.

Unfair would be: a long journal that is not in the file system's cache (both are read once before); a past that nobody
would come back to (every run ended because its turns were used up, and can be resumed). In favour of the short journal:
it has one thread and twenty decisions to show, the long one shows twenty threads and two hundred decisions.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from bench import history, replaying
from bench.measuring import Side, alternate, ratio_of
from bench.report import Goal, Result, Row, Size, megabytes, number, seconds
from rawr import __version__
from rawr.core.kernel import Kernel
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
from rawr.journal.vacuum import size_of
from rawr.runtime.recovery import Recollection, restore

SHORT = 10
FLAT = Goal(at_most=1.2)


def run(size: Size) -> Result:
    # A million facts, for replaying.
    turns = size.of(125_000, quick=3_000)
    short = history.make(size.folder / "short", turns=SHORT)
    long = history.make(size.folder / "long", turns=turns)
    rounds = size.of(25, quick=7)
    rows = [
        _row(f"rawr {name}", _command(name, long), _command(name, short), rounds, turns) for name in ("status", "log")
    ]
    rows.append(_row("start", _start(long), _start(short), 2 * rounds, turns))
    rows += replaying.rows(long, size)
    return Result(tuple(rows), (f"the long journal: {number(turns)} turns, {megabytes(size_of(long))}",))


def _row(figure: str, long: Side, short: Side, rounds: int, turns: int) -> Row:
    above, below = alternate(long, short, rounds=rounds)
    return Row(
        figure=f"{figure}, {number(turns)} turns on record",
        measured=ratio_of(above, below),
        ours=seconds(median(above)),
        against=f"{seconds(median(below))} ({SHORT} turns)",
        goal=FLAT,
    )


def _command(name: str, home: Path) -> Side:
    script = Path(sys.executable).with_name("rawr")

    env = {**os.environ, "RAWR_HOME": str(home)}
    shown = subprocess.run([str(script), name], env=env, capture_output=True, check=True).stdout
    assert shown.count(b"\n") > 1, f"`rawr {name}` had nothing to show: {shown!r}"

    def side() -> float:
        began = time.perf_counter()
        subprocess.run([str(script), name], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return time.perf_counter() - began

    return side


def _start(home: Path) -> Side:
    def side() -> float:
        began = time.perf_counter()
        with Journal.open(home) as journal, JournalReader.open(journal.path) as reader:
            kernel = Kernel()
            restore(kernel, reader, Recollection(reader, policy=kernel.policy, version=__version__))
            assert kernel.seq > 0, "there was nothing to start on"
            return time.perf_counter() - began

    return side
