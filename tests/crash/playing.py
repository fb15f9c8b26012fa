"""From the start to the end of a case: the first life, the kill, what happens meanwhile, and the lives after it."""

import asyncio
import shutil
import tempfile
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex
from tests.crash.case import Case
from tests.crash.evidence import gather
from tests.crash.invariants import Violation, check
from tests.crash.jobs import ASIDE
from tests.crash.lives import EndedByItself, runs, watches
from tests.crash.nursery import Nursery
from tests.crash.reached import SECOND_LIFE, promised
from tests.crash.scene import Scene, scene, until

DEADLINE = 60.0
"""Seconds for a whole case. One that takes longer hangs."""
REST = 8.0
"""Seconds in which what was left behind must have ended by itself."""


class Result(Struct, frozen=True, kw_only=True):
    case: str
    job: str
    transport: str
    kill: str
    stage: str
    kills: int
    """None, if the point was not reached; two, where rawr is killed again when it is back."""
    inside: bool
    """And a compaction was under way then."""
    spoken: bool
    """The user said something while rawr was away."""
    violations: tuple[Violation, ...]
    seconds: float
    hosted: bool = False
    points: tuple[tuple[str, bool], ...] = ()
    """Of a rehearsal: the points that it passes, or those of its second life, each with its passing, and whether
    inside."""


async def play(
    case: Case, *, keep: Path | None = None, nursery: Nursery | None = None, rehearsal: bool = False
) -> Result:
    """Play a case and judge it. With ``keep`` its folder stays, under that name."""
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="rawr-crash-", dir="/var/tmp"))  # rawr refuses a home in /tmp
    script = parse_scenario(case.what.script(delay=case.summary_seconds))
    try:
        with scripted_codex(script, folder, check=False, extra_config=case.what.config) as codex:
            return await _play(case, codex, folder, began=began, nursery=nursery, rehearsal=rehearsal)
    finally:
        if keep is not None:
            shutil.copytree(folder, keep, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock"))
        shutil.rmtree(folder, ignore_errors=True)


async def _play(
    case: Case, codex: ScriptedCodex, folder: Path, *, began: float, nursery: Nursery | None, rehearsal: bool
) -> Result:
    violations: list[Violation] = []
    spoken: list[str] = []
    async with scene(case, codex, folder, nursery=nursery) as it:
        try:
            async with asyncio.timeout(DEADLINE):
                code, thread = await (runs if case.what.command == "run" else watches)(it, spoken)
                violations += check(case, gather(it, code=code, spoken=spoken, thread=thread))
        except TimeoutError:
            violations.append(Violation("hung", f"waits for {it.waits_for}, life {it.lives}: {_standing(it)}"))
        except EndedByItself as error:
            violations.append(Violation("end", str(error)))
        except Exception as error:
            # A fault of the instrument, or evidence that it cannot read. Either way the case proves nothing.
            violations.append(Violation("instrument", f"{type(error).__name__}: {error}"))
        if not any(one.rule == "hung" for one in violations):
            violations += await _nothing_left(it)
        (folder / "requests.json").write_bytes(msgspec.json.encode([one.body for one in codex.model.requests]))
        lives = [it.trace(life) for life in range(1, it.lives + 1)]
    rehearsed = lives[1 if case.point and len(lives) > 1 else 0] if rehearsal else []
    if rehearsal:
        missing = promised(SECOND_LIFE if case.point else case.job) - {one.point for one in rehearsed}
        violations += [Violation("rehearsal", f"it does not pass {point}") for point in sorted(missing)]
    killed = [one for life in lives for one in life if one.killed]
    return Result(
        case=case.name,
        job=case.job,
        transport=case.transport,
        hosted=case.hosted,
        kill=case.kill if case.point else "",
        stage=case.stage,
        kills=len(killed),
        inside=any(one.inside for one in killed),
        spoken=any(text.startswith(ASIDE) for text in spoken),
        violations=tuple(violations),
        seconds=round(time.monotonic() - began, 2),
        points=tuple((f"{one.point}#{one.nth}", one.inside) for one in rehearsed),
    )


def _standing(it: Scene) -> str:
    """Where a case hangs, as far as rawr knows."""
    told = []
    for state in it.states():
        waits = state.run.waiting if state.run is not None else ""
        phase = state.sequence.phase.value if state.sequence is not None else "Idle"
        turn = state.turn.id[-4:] if state.turn is not None else "none"
        told.append(
            f"{phase}, turn {turn}, run waits for {waits or 'nothing'}, online {state.online}, "
            f"{len(state.queue)} queued, {len(state.sent)} sent, {len(state.requests)} questions, "
            f"{len(state.observing)} looks, unweighed {state.unweighed}"
        )
    return "; ".join(told) or "no thread"


async def _nothing_left(it: Scene) -> list[Violation]:
    """Whatever still runs now must end by itself."""
    try:
        async with asyncio.timeout(REST):
            await until(lambda: not it.left_running())
    except TimeoutError:
        return [Violation("left running", "; ".join(it.left_running().values())[:300])]
    return []
