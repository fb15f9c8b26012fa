"""C10: options and operands at random. What is approved of them is run, and may only have read the workspace.

For a soak, ``RAWR_SOAK=600 pytest tests/approvals/test_mixes.py`` goes on for so many seconds, each time with
other mixes.
"""

import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import world as worlds
from .mixes import BUILD, PROGRAMS, WRITERS, may_run, mix
from .tracing import Traced, available
from .world import World

pytestmark = pytest.mark.machine

SECONDS = 5
IN_A_ROUND = 4
"""Approved lines of each program that are run together."""
TRIES = 60


@pytest.fixture(scope="module")
def maze() -> Iterator[World]:
    """With links out of the workspace that are called as options and numbers are."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield World(Path(folder).resolve() / "world", build=worlds.BUILD + BUILD)


@pytest.fixture(scope="module")
def traced(maze: World) -> Traced:
    return Traced(maze, strace=available())


@pytest.mark.mission("C10")
@pytest.mark.timeout(0 if "RAWR_SOAK" in os.environ else 180)
def test_what_is_approved_only_reads(maze: World, traced: Traced) -> None:
    soak = float(os.environ.get("RAWR_SOAK", "0"))
    seed = time.time_ns() if soak else 10
    ends = time.monotonic() + (soak or SECONDS)
    rounds = run = 0
    while rounds == 0 or time.monotonic() < ends:
        chance = random.Random(f"{seed}-{rounds}")  # noqa: S311
        for program in PROGRAMS:
            lines = _approved(program, maze, chance)
            run += len(lines)
            env = {"POSIXLY_CORRECT": "1"} if rounds % 2 else {}
            _check(program, lines, traced, env)
            if rounds and time.monotonic() > ends:
                break
        rounds += 1
    assert run > 2 * len(PROGRAMS), "hardly anything was approved"


def _approved(program: str, maze: World, chance: random.Random) -> list[str]:
    found: list[str] = []
    for _ in range(TRIES):
        line = mix(program, chance)
        if line not in found and maze.judge(line).safe:
            found.append(line)
        if len(found) == IN_A_ROUND:
            break
    return found


def _check(program: str, lines: list[str], traced: Traced, env: dict[str, str]) -> None:
    if not lines:
        return
    writes = program in WRITERS
    harm = traced.harm(lines, may_run=may_run(program), may_write=writes, env=env)
    if harm:  # which of them was it?
        guilty = {}
        for line in lines:
            traced.world.restore()
            if found := traced.harm([line], may_run=may_run(program), may_write=writes, env=env):
                guilty[line] = found
        pytest.fail(f"approved, and not safe with {env}: {guilty or (lines, harm)}")
    if traced.world.touched:
        traced.world.restore()


@pytest.mark.skipif(not available(), reason="strace is not here")
@pytest.mark.parametrize(
    ("line", "harm"),
    [
        ("tar tf archive.tar -I ./evil.sh", "evil.sh"),
        ("rg --pre evil x", "evil"),
        ("cat ../outside/secret.txt", "secret.txt"),
        ("head -n 0 /etc/hostname", "/etc/hostname"),
        ("touch new; /bin/rm new", "rm"),
        ("uniq notes.txt keep.txt", "keep.txt"),
        ("file -p README.md", "utime"),
        ("git log -1 --format='%+GG'", "gpg"),
        ("tree -Io x keep.txt", "keep.txt"),
        ("unzip archive.zip -l '*'", "in.txt"),
        ("strings @opts", "secret.txt"),
    ],
)
def test_the_detectors_detect(line: str, harm: str, traced: Traced) -> None:
    """Otherwise the test above proves nothing."""
    if shutil.which(line.split()[0]) is None:
        pytest.skip("it is not here")
    try:
        found = traced.harm([line], may_run=(line.split()[0],))
        assert any(harm in one for one in found), found
    finally:
        traced.world.restore()
