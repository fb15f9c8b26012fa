"""The plan spreads the kills over the points, and enough of them fall into compactions."""

from collections import Counter

from msgspec.structs import replace

from tests.crash import plan
from tests.crash.playing import Result
from tests.crash.victim import IN_FOREGROUND, IN_HOST

POINTS = (
    *(("told:TurnStarted#1", False), ("kept:TurnStarted#1", False)),
    *((f"{stage}:StartTurn#{nth}", nth == 3) for nth in (1, 2, 3) for stage in ("writing", "before", "sent")),
    ("entering:AwaitingPacket>Compacting#1", True),
    ("phase:AwaitingPacket>Compacting#1", True),
    ("told:RuntimeStopped#1", False),
)


def rehearsed(job: str, transport: str = "stdio", *, kill: str = "", hosted: bool = False) -> Result:
    return Result(
        case="",
        job=job,
        transport=transport,
        kill=kill,
        stage="",
        kills=int(bool(kill)),
        inside=False,
        spoken=False,
        violations=(),
        seconds=1.0,
        hosted=hosted,
        points=POINTS,
    )


ALL = [rehearsed("run"), rehearsed("watch", "socket"), rehearsed("failing"), rehearsed("run", kill="rawr")]


def test_as_many_as_asked_for_and_each_by_a_name_of_its_own() -> None:
    cases = plan.cases(ALL, kills=100, seed=5)
    assert len(cases) == 100
    assert len({one.name for one in cases}) == 100
    assert plan.cases(ALL, kills=100, seed=5) == cases
    assert plan.cases(ALL, kills=100, seed=6) != cases


def test_every_point_is_in_before_one_is_in_often() -> None:
    stages = Counter(one.stage for one in plan.cases(ALL, kills=30, seed=1) if not one.again)
    named = {point.partition("#")[0] for point, _ in POINTS} - {"told:RuntimeStopped"}
    assert set(stages) == named | {"random moment"}


def test_everything_is_killed_and_rawr_also_twice() -> None:
    cases = plan.cases(ALL, kills=100, seed=1)
    assert {one.kill for one in cases} == {"rawr", "codex", "both"}
    assert any(one.again for one in cases)


def test_the_core_jobs_come_first() -> None:
    jobs = Counter(one.job for one in plan.cases(ALL, kills=60, seed=1))
    assert jobs["run"] + jobs["watch"] > 3 * jobs["failing"]


def test_a_good_part_is_inside_compactions() -> None:
    inside = {point for point, is_inside in POINTS if is_inside}
    numbers = {f"any#{number}" for number, (_, is_inside) in enumerate(POINTS, 1) if is_inside}
    cases = plan.cases(ALL, kills=400, seed=1)
    assert sum(one.point in inside | numbers for one in cases) >= 100


COMPACTION = (
    "phase:Idle>HeadsUpInjected#1",
    "sent:StartTurn#2",
    "phase:HeadsUpInjected>AwaitingPacket#1",
    "answered:StartCompaction#1",
    "phase:Compacting>HandoffPending#1",
    "sent:StartTurn#3",
    "entering:HandoffPending>Idle#1",
    "sent:StartTurn#4",
)
STAGES = [COMPACTION[place] for place in (0, 2, 3, 4, 5)]


def test_the_stages_of_a_compaction() -> None:
    """The heads-up is sent, the packet awaited, it runs, it is done, the handoff is sent."""
    assert plan.stages(list(COMPACTION)) == STAGES
    assert plan.stages(["told:TurnStarted#1"]) == []


def test_in_a_host_everybody_is_killed_in_every_stage_of_a_compaction() -> None:
    walked = replace(rehearsed("run", hosted=True), points=tuple((point, True) for point in COMPACTION))
    cases = plan.cases([walked, rehearsed("run")], kills=400, seed=1)
    staged = {(one.kill, one.point) for one in cases if one.hosted and one.point in STAGES}
    assert staged == {(kill, point) for kill in IN_HOST for point in STAGES}
    assert {one.kill for one in cases if not one.hosted} == set(IN_FOREGROUND)
    assert {one.kill for one in cases if one.hosted} == set(IN_HOST)


def test_rehearsals_in_both_places() -> None:
    assert {one.hosted for one in plan.rehearsals()} == {True, False}
    assert {one.place for one in plan.rehearsals("run@host/")} == {"run@host/stdio", "run@host/socket"}
    assert {one.place for one in plan.rehearsals("run/stdio")} == {"run/stdio"}
