"""From the start to the end of a case: the first life, the kill, what happens meanwhile, and the lives after it."""

import asyncio
import shutil
import signal
import tempfile
import time
from pathlib import Path

from msgspec import Struct

from rawr.core.state import ThreadState
from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex
from tests.crash.case import Case
from tests.crash.evidence import gather
from tests.crash.invariants import Violation, check
from tests.crash.jobs import GOAL
from tests.crash.scene import Scene, scene, until

DEADLINE = 60.0
"""Seconds for a whole case. One that takes longer hangs."""
REST = 8.0
"""Seconds in which what was left behind must have ended by itself."""
MOST_LIVES = 6


class Result(Struct, frozen=True, kw_only=True):
    case: str
    job: str
    transport: str
    kill: str
    stage: str
    killed: bool
    """The point was reached."""
    inside: bool
    """And a compaction was under way then."""
    spoken: bool
    """The user said something while rawr was away."""
    violations: tuple[Violation, ...]
    seconds: float
    points: tuple[tuple[str, bool], ...] = ()
    """Of a case in which nothing is killed: the points that it passes, each with its passing, and whether inside."""


async def play(case: Case, *, keep: Path | None = None) -> Result:
    """Play a case and judge it. With ``keep`` its folder stays, under that name."""
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="rawr-crash-"))
    script = parse_scenario(case.what.script(delay=case.summary_seconds))
    try:
        with scripted_codex(script, folder, check=False, extra_config=case.what.config) as codex:
            return await _play(case, codex, folder, began=began)
    finally:
        if keep is not None:
            shutil.copytree(folder, keep, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        shutil.rmtree(folder, ignore_errors=True)


async def _play(case: Case, codex: ScriptedCodex, folder: Path, *, began: float) -> Result:
    violations: list[Violation] = []
    spoken: list[str] = []
    async with scene(case, codex, folder) as it:
        try:
            async with asyncio.timeout(DEADLINE):
                code = await _run(it, spoken)
                violations += check(case, gather(it, code=code, spoken=spoken))
        except TimeoutError:
            violations.append(Violation("hung", f"after {DEADLINE:g} s; life {it.lives}"))
        violations += await _nothing_left(it)
        trace = it.trace()
    killed = [one for one in trace if one.killed]
    return Result(
        case=case.name,
        job=case.job,
        transport=case.transport,
        kill=case.kill if case.point else "",
        stage=case.stage,
        killed=bool(killed),
        inside=any(one.inside for one in killed),
        spoken=bool(spoken),
        violations=tuple(violations),
        seconds=round(time.monotonic() - began, 2),
        points=() if case.point else tuple((f"{one.point}#{one.nth}", one.inside) for one in trace),
    )


async def _run(it: Scene, spoken: list[str]) -> int:
    """``rawr run`` to its end, through as many lives as it takes; gives the exit code of the last."""
    case = it.case
    order = ("run", GOAL, *case.what.flags)
    attach = ("--attach",) if case.transport == "socket" else ()
    where = ("--json", "--codex-bin", str(it.codex.binary), "--codex-home", str(it.codex.home.path))
    words: tuple[str, ...] = order
    point, delay = case.point, case.delay_ms
    while True:
        process = await it.start(*words, *attach, *where, point=point, delay_ms=delay)
        code = await process.wait()
        if code != -signal.SIGKILL or it.lives == MOST_LIVES:
            return code
        if it.lives == 1 and case.waits_for_the_end:
            await until(lambda: not it.left_running())
        run = _ordered(it)
        words = ("run", "--resume", run.run.id) if run is not None and run.run is not None else order
        point, delay = (case.again, 0) if it.lives == 1 else ("", 0)


def _ordered(it: Scene) -> ThreadState | None:
    return next((state for state in it.states() if state.run is not None), None)


async def _nothing_left(it: Scene) -> list[Violation]:
    try:
        async with asyncio.timeout(REST):
            await until(lambda: not it.left_running())
    except TimeoutError:
        return [Violation("left running", "; ".join(it.left_running().values())[:300])]
    return []
