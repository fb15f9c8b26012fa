"""Replaying: ``rawr replay --verify`` of a million facts, against one of ten thousand. Part of ``reading.py``, whose
long journal it uses.

Measured: the command as a whole process, from its start to its end. Its processor time per fact must not grow with the
journal (it waits for nothing, and what others do on the machine counts least that way), and the memory must not grow at
all: the peak of the process is compared. Facts, decisions, effects, boundary events and kept states are read, checked
against their checksums, folded and compared; nothing differs.

Unfair would be: a long journal in one short thread (it has a thread for every hundred turns, and a policy adopted for
each of them); a short one that leaves out the start of Python (it is in both, and weighs more there).
"""

import os
import sys
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from bench import history
from bench.measuring import ended, ratio_of
from bench.report import Goal, Row, Size, megabytes, number, rate

SHORT = 1_250
"""Turns: about ten thousand facts."""
TIME = Goal(at_most=1.1)
MEMORY = Goal(at_most=1.1)


class Replayed(Struct, frozen=True):
    seconds: float
    """Of the processor."""
    taken: float
    """By the clock."""
    peak: int
    facts: int


class _Summary(Struct, frozen=True):
    facts: int
    same: bool


def rows(long: Path, size: Size) -> tuple[Row, ...]:
    short = history.make(size.folder / "ten-thousand", turns=SHORT)
    many, few = _replayed(long), _replayed(short)
    facts = f"{number(many.facts)} facts"
    above, below = (one.seconds / one.facts for one in (many, few))
    return (
        Row(
            figure=f"rawr replay --verify, {facts}: time per fact",
            measured=ratio_of([above], [below]),
            ours=f"{rate(1 / above, 'facts')}, {number(many.taken)} s by the clock",
            against=f"{rate(1 / below, 'facts')} ({number(few.facts)} facts)",
            goal=TIME,
        ),
        Row(
            figure=f"rawr replay --verify, {facts}: peak memory",
            measured=ratio_of([many.peak], [few.peak]),
            ours=megabytes(many.peak),
            against=f"{megabytes(few.peak)} ({number(few.facts)} facts)",
            goal=MEMORY,
        ),
    )


def _replayed(home: Path) -> Replayed:
    command = [str(Path(sys.executable).with_name("rawr")), "replay", "--verify", "--json"]
    began = time.perf_counter()
    done = ended(command, env={**os.environ, "RAWR_HOME": str(home)})
    taken = time.perf_counter() - began
    lines = done.printed.splitlines()
    summary = msgspec.json.decode(lines[-1], type=_Summary)
    assert (done.code, summary.same, len(lines)) == (0, True, 1), lines[:3]
    return Replayed(done.seconds, taken, done.peak, summary.facts)
