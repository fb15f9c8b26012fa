"""Keeping: bytes of the journal for a turn, against the bytes of command output that came in.

Measured: the real Codex on the scripted model, driven in Full Auto as ``rawr run`` does. Every turn runs a command that
prints 32 kB of ordinary text, other text each time: half of it source code of this project, half of it lines of a test
run. The journal is what lies on the disk when rawr has stopped, log and all.

The raw frames of the last twenty-five turns or so are part of it, and weigh most in a short run: a longer one has more
turns to share them. The month is 22 days of 200 such turns.

Unfair would be: the same output again and again, or output of one letter, which packs to nothing; counting what came in
more than once (it is the output's own size, before JSON).
"""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bench import turnaround_sides
from bench.measuring import spread
from bench.report import Goal, Result, Row, Size, megabytes, number
from rawr.journal.vacuum import size_of
from rawr.testing import Run, Say, Scenario, scripted_codex

OUTPUT = 32_000
HALF = Goal(at_most=0.5)
A_MONTH = 22 * 200
ROOT = Path(__file__).parent.parent


def run(size: Size) -> Result:
    turns = size.of(190, quick=40)
    with scripted_codex(_scenario(turns), size.folder) as codex:
        workspace = codex.home.workspace
        subprocess.run(["git", "init", "-q", str(workspace)], check=True, env=codex.env())
        for number_, text in zip(range(turns), _outputs(), strict=False):
            (workspace / f"output-{number_}.txt").write_bytes(text)
        came = sum(one.stat().st_size for one in workspace.glob("output-*.txt"))
        home = size.folder / "rawr"
        before = dict(os.environ)
        os.environ.update(codex.env())
        try:
            asyncio.run(turnaround_sides.drive(codex.binary, workspace, home, turns))
        finally:
            os.environ.clear()
            os.environ.update(before)
        codex.model.check(all_used=True)
    total = size_of(home)
    frames = _frames(home)
    lasting = (total - frames) / turns
    return Result(
        (
            Row(
                figure=f"journal bytes per byte of output, {turns} turns",
                measured=spread([total / came]),
                ours=f"{number(total / turns / 1000)} kB per turn",
                against=f"{number(came / turns / 1000)} kB per turn came in",
                goal=HALF,
            ),
            Row(
                figure="the same without raw frames",
                measured=spread([lasting * turns / came]),
                ours=f"{number(lasting / 1000)} kB per turn",
                against=f"{number(came / turns / 1000)} kB per turn came in",
            ),
        ),
        (f"a month, 22 days of 200 such turns: {megabytes(lasting * A_MONTH + frames)}",),
    )


def _frames(home: Path) -> int:
    """About how many bytes the raw frames take."""
    with closing(sqlite3.connect(home / "journal.db")) as db:
        return int(db.execute("SELECT coalesce(sum(length(body)), 0) FROM frames").fetchone()[0])


def _scenario(turns: int) -> Scenario:
    parts = [
        (Run(cmd=f"cat output-{n}.txt; echo {n} > part-{n}.txt"), Say(f"Part {n} is written.")) for n in range(turns)
    ]
    return Scenario.of("part by part", [step for part in parts for step in part], window=272_000)


def _outputs() -> Iterator[bytes]:
    """Pieces of source code, each with the lines of a test run behind it."""
    files = sorted(file for folder in ("src", "tests") for file in (ROOT / folder).rglob("*.py"))
    source = b"".join(one.read_bytes() for one in files)
    half = OUTPUT // 2
    for n in range(len(source) // half):
        cases = (f"test_case_{case}[{case * 37 % 101}-{n}] PASSED [{case // 3:3}%]" for case in range(300))
        tests = "".join(f"tests/part_{n}/test_rows.py::{case} {len(case) * 7 % 13} ms\n" for case in cases)
        yield source[n * half : (n + 1) * half] + tests.encode()[:half]
