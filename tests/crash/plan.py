"""Which cases are played: every point that a job passes, for everything that can be killed, and random moments.

What a job passes is seen by playing it once with nothing killed; that must break no rule either. What a rawr passes
that comes back after a kill is seen by killing one at a telling moment.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from tests.crash.case import Case, victims
from tests.crash.jobs import CORE, JOBS, Transport
from tests.crash.playing import Result
from tests.crash.points import EFFECT_STAGES, PHASE_STAGES
from tests.crash.victim import Kill

NAMED = 0.6
"""The share of the cases at named points of the first life."""
STAGED = 0.15
"""Those among them in the stages of a compaction that a host is at, for everything that can be killed there."""
TWICE = 0.08
"""The share in which rawr is killed once more, when it is back."""
INSIDE = 0.65
"""The share of the random moments that fall into a compaction."""
EARLY = 0.15
"""The share that falls between the start of a thread and its first message: Codex has next to nothing on disk then."""
MESSAGE_UNDER_WAY = "sent:StartTurn#2"
"""Who comes back after a kill there has to look what became of it."""
LAST_WORDS = frozenset({"ServerLost", "RuntimeStopped"})
"""Facts of an orderly end. There is nothing left to do after them, and nothing to kill."""
ELSEWHERE = 3
"""A point of one of the core jobs is chosen so many times before it is chosen in another job as well."""


def rehearsals(only: str = "") -> list[Case]:
    """Every job over every transport, in the foreground and in a host, with nothing killed, and the core ones once
    more with one kill; with ``only`` those with this in their names."""
    plain = [
        Case(job=job.name, transport=transport, kill=victims(hosted=hosted)[0], point="", hosted=hosted)
        for hosted in (False, True)
        for job in JOBS.values()
        for transport in job.transports
    ]
    chosen = [case for case in plain if only in case.place]
    return chosen + [replace(case, point=MESSAGE_UNDER_WAY) for case in chosen if case.job in CORE]


def cases(rehearsed: Iterable[Result], *, kills: int, seed: int) -> list[Case]:
    """So many cases: at named points, each before one comes twice; at points of a second life; at random moments."""
    drawn = random.Random(seed)  # noqa: S311 - cases are repeated, not hidden
    first = [one for one in rehearsed if not one.kill and one.points]
    second = [one for one in rehearsed if one.kill and one.points]
    chosen = _spread(list(_staged(first)), round(kills * STAGED), drawn)
    chosen += _spread([*_telling(first, drawn), *_facts(first, drawn)], round(kills * NAMED) - len(chosen), drawn)
    chosen += _spread(list(_twice(second, drawn)), round(kills * TWICE), drawn)
    while len(chosen) < kills and first:
        chosen.append(_random(first, drawn))
    drawn.shuffle(chosen)
    return [replace(case, seed=seed * 100_000 + number) for number, case in enumerate(chosen)]


def stages(names: list[str]) -> list[str]:
    """The stages of a compaction, as the points of a job name them: the heads-up is sent; the packet is awaited; it
    runs; it is done, and the handoff not sent; the handoff is sent, and not shown."""
    over = "entering:HandoffPending>Idle#1"
    before = names[: names.index(over)] if over in names else []
    handoff = [point for point in before if point.startswith(("sent:StartTurn#", "sent:SteerTurn#"))]
    moves = (
        "phase:Idle>HeadsUpInjected#1",
        "phase:HeadsUpInjected>AwaitingPacket#1",
        "answered:StartCompaction#1",
        "phase:Compacting>HandoffPending#1",
    )
    return [point for point in (*moves, *handoff[-1:]) if point in names]


def _staged(rehearsed: list[Result]) -> Iterator[Case]:
    for result in rehearsed:
        if result.hosted and result.job in CORE:
            for point in stages([name for name, _ in result.points]):
                for kill in victims(hosted=True):
                    yield _case(result, kill, point)


def _passings(result: Result) -> dict[str, list[str]]:
    """The passings of each point."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for point, _ in result.points:
        name = point.partition("#")[0]
        if name.partition(":")[2] not in LAST_WORDS:
            found[name].append(point)
    return found


def _telling(rehearsed: list[Result], drawn: random.Random) -> Iterator[Case]:
    for result in rehearsed:
        for name, points in _passings(result).items():
            if name.partition(":")[0] in EFFECT_STAGES or name.partition(":")[0] in PHASE_STAGES:
                for kill in victims(hosted=result.hosted):
                    yield _case(result, kill, drawn.choice(points))


def _facts(rehearsed: list[Result], drawn: random.Random) -> Iterator[Case]:
    for result in rehearsed:
        for name, points in _passings(result).items():
            if name.startswith(("told:", "kept:")):
                yield _case(result, drawn.choice(victims(hosted=result.hosted)), drawn.choice(points))


def _twice(rehearsed: list[Result], drawn: random.Random) -> Iterator[Case]:
    """rawr is killed, comes back, and is killed again where it looks what became of things."""
    for result in rehearsed:
        for name, points in _passings(result).items():
            if name.partition(":")[0] in EFFECT_STAGES:
                first = victims(hosted=result.hosted)[0]
                yield replace(_case(result, first, MESSAGE_UNDER_WAY), again=drawn.choice(points))


def _random(rehearsed: list[Result], drawn: random.Random) -> Case:
    core = [one for one in rehearsed if one.job in CORE]
    result = drawn.choice(core or rehearsed)
    everywhere = list(range(1, len(result.points) + 1))
    inside = [number for number in everywhere if result.points[number - 1][1]]
    chance = drawn.random()
    where = inside if chance < INSIDE else _early(result) if chance < INSIDE + EARLY else everywhere
    return _case(result, drawn.choice(victims(hosted=result.hosted)), f"any#{drawn.choice(where or everywhere)}")


def _early(result: Result) -> list[int]:
    names = [point for point, _ in result.points]
    begins, ends = "sent:StartThread#1", "kept:ItemCompleted#1"
    return list(range(names.index(begins) + 1, names.index(ends) + 1)) if {begins, ends} <= set(names) else []


def _spread(pool: list[Case], count: int, drawn: random.Random) -> list[Case]:
    """So many of them at most, spread over the points, and over the places where the work is done."""
    drawn.shuffle(pool)
    seen: defaultdict[tuple[str, bool, bool], int] = defaultdict(int)
    ranked: list[tuple[int, Case]] = []
    for case in pool:
        core = case.job in CORE
        key = (case.again.partition("#")[0] or case.stage, core, case.hosted)
        ranked.append((seen[key] * (1 if core else ELSEWHERE), case))
        seen[key] += 1
    ranked.sort(key=lambda one: one[0])
    return [case for _, case in ranked[:count]]


def _case(result: Result, kill: Kill, point: str) -> Case:
    transport = msgspec.convert(result.transport, Transport)
    return Case(job=result.job, transport=transport, kill=kill, point=point, hosted=result.hosted)
