"""Turnaround: from ``turn/completed`` on the wire to the next ``turn/start``, against a plain loop on the official SDK.

Measured: the real Codex on the scripted model, with a tap between it and whoever drives it (``wire.py``). rawr drives
it in Full Auto as ``rawr run`` does, with the rules as shipped: it looks at the settings, redacts, sums the turn up,
asks every guard, weighs a compaction, grants the slot, and has fact, decision and message on the disk (synced) before
the message goes out. The repository is a real one and is looked at after each command. The SDK's loop calls
``thread.run("Go on.")`` again as soon as the last call has returned, on the synchronous client (the asynchronous one
is about as fast). A third side does nothing but compare bytes: what the wire itself costs, and so what of the other two
is their own. The work is the same for all: each turn runs one command that writes a file, and says one sentence.

Each side is a process of its own in each round, with a Codex, a home and a workspace of its own; the model is in this
process. Rounds alternate, each time with another side first. The first gaps of each process are left out: they are paid
once and not per turn. Between the sides only the driver differs, the environment is the same to the letter.

Unfair would be: a model in the driver's process, with which only the asynchronous side would share its interpreter;
turns that only rawr has to think about (they are the same); an SDK that prepares its next message (it is a constant);
a folder in memory, where a synced commit costs nothing (it is on the project's disk). In rawr's disfavour: the SDK
writes nothing down, and its message is shorter.

Left out: what Codex and the model take for the turn; a terminal to show it in, on either side; streaming of long
answers, which keeps a client busy before the turn's end and not after it; a look at the repository that is still under
way at the turn's end, for which rawr would wait (here the model's last sentence comes in between, as it does in life).

A last row has rawr's own part in appends: how long one fact takes to be safe on the same disk, in the same journal, and
in the same run, measured after each of the processes: a disk has better and worse minutes. A turn's end needs one such
commit, with a decision, two effects and their indexes in it.

The goal in milliseconds is for a machine with a core to spare; it is about rawr's whole gap, wire included.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import get_args

from bench.journal import append_time
from bench.measuring import percentile, ratio_of, spread
from bench.report import Goal, Result, Row, Size, seconds
from bench.turnaround_sides import DEADLINE, Which
from bench.wire import gaps, tapped
from rawr.testing import Run, Say, Scenario, scripted_codex

WARM_UP = 5
SIDES: tuple[Which, ...] = get_args(Which)
NO_SLOWER = Goal(at_most=1)
MILLISECONDS = Goal(at_most=5)
APPENDS = Goal(at_most=3)
Gaps = dict[Which, list[list[float]]]


def run(size: Size) -> Result:
    turns, rounds = size.of(66, quick=26), size.of(4, quick=2)
    taken: Gaps = {side: [] for side in SIDES}
    appends: list[float] = []
    for n in range(rounds):
        first = n % len(SIDES)
        for side in SIDES[first:] + SIDES[:first]:
            taken[side].append(_go(side, size.folder / f"{side}-{n}", turns))
            appends.append(append_time(size.folder / f"appends-{side}-{n}", samples=size.of(100, quick=50)))
    return Result((*_rows(taken), _own(taken), _in_appends(taken, median(appends))), (_note(taken),))


def _go(side: Which, folder: Path, turns: int) -> list[float]:
    """One process, turn after turn, to the end of its last turn."""
    folder.mkdir(parents=True)
    notes = folder / "wire.txt"
    with scripted_codex(_scenario(turns), folder) as codex:
        workspace = codex.home.workspace
        subprocess.run(["git", "init", "-q", str(workspace)], check=True, env=codex.env())
        program = tapped(codex.binary, folder / "codex-tapped", notes)
        arguments = [side, str(program), str(workspace), str(folder / "rawr"), str(turns)]
        path = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        done = subprocess.run(
            [sys.executable, "-m", "bench.turnaround_sides", *arguments],
            check=False,
            timeout=DEADLINE,
            cwd=Path(__file__).parent.parent,
            env={**codex.env(), **path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        codex.model.check(all_used=True)
    found = gaps(notes)
    assert len(found) == turns - 1, f"{side}: {len(found)} gaps between {turns} turns"
    return found[WARM_UP:]


def _scenario(turns: int) -> Scenario:
    """Every turn does something that was not done before, or the guards would stop the run."""
    parts = [(Run(cmd=f"echo part {n} > part-{n}.txt"), Say(f"Part {n} is written.")) for n in range(turns)]
    return Scenario.of("part by part", [step for part in parts for step in part], window=272_000)


def _rows(taken: Gaps) -> list[Row]:
    rows = []
    for percent in (50, 99):
        ours, theirs = (percentile(_all(taken[side]), percent) for side in ("rawr", "sdk"))
        by_round = ratio_of(*([percentile(gap, percent) for gap in taken[side]] for side in ("rawr", "sdk")))
        rows.append(
            Row(
                figure=f"end of turn to next turn, p{percent}",
                measured=by_round if percent == 50 else spread([ours / theirs]),
                ours=seconds(ours),
                against=f"{seconds(theirs)} (SDK)",
                goal=NO_SLOWER,
            )
        )
    middles = [1_000 * percentile(gap, 50) for gap in taken["rawr"]]
    rows.append(
        Row(
            figure="rawr's own gap, p50",
            measured=spread(middles),
            unit=" ms",
            ours=seconds(percentile(_all(taken["rawr"]), 50)),
            against="",
            goal=MILLISECONDS,
        )
    )
    return rows


def _own(taken: Gaps) -> Row:
    """What is left when the wire is taken off both."""
    wire = percentile(_all(taken["bare"]), 50)
    ours, theirs = (percentile(_all(taken[side]), 50) - wire for side in ("rawr", "sdk"))
    return Row(
        figure="the same without the wire, p50",
        measured=spread([ours / theirs]),
        ours=seconds(ours),
        against=f"{seconds(theirs)} (SDK)",
    )


def _in_appends(taken: Gaps, append: float) -> Row:
    """What is rawr's own, counted in what it cannot do without: one fact, safe on the disk."""
    ours = percentile(_all(taken["rawr"]), 50) - percentile(_all(taken["bare"]), 50)
    return Row(
        figure="the same against one durable append, p50",
        measured=spread([ours / append]),
        ours=seconds(ours),
        against=f"{seconds(append)} (an append)",
        goal=APPENDS,
    )


def _note(taken: Gaps) -> str:
    def figures(side: Which) -> str:
        values = _all(taken[side])
        shown = ", ".join(f"p{percent} {seconds(percentile(values, percent))}" for percent in (50, 90, 99))
        return f"{side} {shown}, most {seconds(max(values))}"

    return f"{len(_all(taken['rawr']))} gaps a side: " + "; ".join(map(figures, SIDES))


def _all(rounds: Sequence[list[float]]) -> list[float]:
    return [gap for one in rounds for gap in one]
