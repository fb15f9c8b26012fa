"""A bounded share of the matrix: every job over every transport, rehearsed, and killed at a few points (D5, A13).

``make test`` plays the core jobs, in a host once each, ``make soak`` the others, and ``make crash`` has the rest.
"""

import pytest
from msgspec.structs import replace

from tests.crash import plan
from tests.crash.case import Case
from tests.crash.jobs import CORE
from tests.crash.nursery import Nursery
from tests.crash.playing import Result, play
from tests.crash.victim import Kill

SEED = 1
CORE_KILLS = 3
KILLS = 1
IN_HOST: dict[str, tuple[tuple[Kill, int], ...]] = {
    "run@host/stdio": (("terminal", -1), ("host", -2)),
    "watch@host/socket": (("client", 1), ("both", 2)),
}
"""Who is killed in which stage of a compaction; the others are in ``make soak``."""
REHEARSALS = {one.place: one for one in plan.rehearsals() if not one.point}
OFTEN = {name for name, one in REHEARSALS.items() if name in IN_HOST or (one.job in CORE and not one.hosted)}
NAMES = [pytest.param(name, marks=() if name in OFTEN else pytest.mark.soak, id=name) for name in REHEARSALS]


@pytest.mark.parametrize("name", NAMES)
async def test_killed_at_some_points(name: str) -> None:
    """D5: whoever is killed, every compaction is handed over, nothing is lost or doubled, and every limit holds."""
    rehearsal = REHEARSALS[name]
    nursery = await Nursery.open()
    try:
        rehearsed = await play(rehearsal, nursery=nursery, rehearsal=True)
        share = _share(rehearsed, rehearsal)
        results = [rehearsed, *[await play(case, nursery=nursery) for case in share]]
    finally:
        await nursery.close()
    broken = {one.case: one.violations for one in results if one.violations}
    assert not broken, "\n".join(f"make crash CASE='{name}'\n  {found}" for name, found in broken.items())
    assert any(one.kills for one in results)


ONCE_BROKEN = (
    "goal/socket/codex/told:ThreadAdopted#1/200294",
    "native/stdio/rawr/writing:SteerTurn#1/200360",
    "run/socket/both/before:Notify#1/200198",
    "run@host/socket/host/sent:StartTurn#2/1",
    "run@host/socket/host/sent:StartTurn#2/8",
    "stalled/stdio/both/before:InjectPacket#1/200098",
)


@pytest.mark.parametrize("name", ONCE_BROKEN)
async def test_killed_where_a_rule_was_broken_once(name: str) -> None:
    """D5: found by the matrix; each has a cause of its own."""
    result = await play(Case.named(name))
    assert (result.kills, result.violations) == (1, ())


def _share(rehearsed: Result, rehearsal: Case) -> list[Case]:
    """Some of its cases; of a core job one in the middle of a compaction at least."""
    if rehearsal.place in IN_HOST:
        stages = plan.stages([name for name, _ in rehearsed.points])
        assert len(stages) == 5
        return [replace(rehearsal, kill=kill, point=stages[at], seed=SEED) for kill, at in IN_HOST[rehearsal.place]]
    core = rehearsal.job in CORE
    chosen = plan.cases([rehearsed], kills=CORE_KILLS if core else KILLS, seed=SEED)
    sent = next((point for point, _ in rehearsed.points if point.startswith("sent:StartCompaction")), "")
    if core and sent:
        chosen[0] = replace(chosen[0], kill=rehearsal.kill, point=sent, again="")
    return chosen
