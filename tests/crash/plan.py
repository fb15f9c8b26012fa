"""Which cases are played: every point that a job passes, for everything that can be killed, and random moments.

What a job passes is seen by playing it once with nothing killed; that must break no rule either.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import get_args

from tests.crash.case import Case
from tests.crash.jobs import JOBS
from tests.crash.playing import Result
from tests.crash.points import EFFECT_STAGES, PHASE_STAGES
from tests.crash.victim import Kill

INSIDE = 0.4
"""The share of random moments that fall into a compaction."""
LAST_WORDS = frozenset({"ServerLost", "RuntimeStopped"})
"""Facts of an orderly end. There is nothing left to do after them, and nothing to kill."""


def rehearsals(only: str = "") -> list[Case]:
    """Every job over every transport, with nothing killed; with ``only`` those whose names begin so."""
    return [
        Case(job=job.name, transport=transport, kill="rawr", point="")
        for job in JOBS.values()
        for transport in job.transports
        if f"{job.name}/{transport}".startswith(only)
    ]


def cases(rehearsed: Iterable[Result], *, kills: int, seed: int) -> list[Case]:
    """So many cases, the most telling first: each point of an effect or a phase with each kill, then each fact, then
    random moments."""
    drawn = random.Random(seed)  # noqa: S311 - cases are repeated, not hidden
    passed = [(one, _passings(one)) for one in rehearsed]
    chosen = [*_telling(passed, drawn), *_facts(passed, drawn)]
    if len(chosen) > kills:
        chosen = _thinned(chosen, kills, drawn)
    while len(chosen) < kills and passed:
        chosen.append(_random(passed, drawn))
    return [_seeded(case, seed * 100_000 + number) for number, case in enumerate(chosen)]


_Passings = dict[str, list[tuple[str, bool]]]


def _passings(result: Result) -> _Passings:
    """The passings of each point, and whether each was inside a compaction."""
    found: _Passings = defaultdict(list)
    for point, inside in result.points:
        name = point.partition("#")[0]
        if name.partition(":")[2] not in LAST_WORDS:
            found[name].append((point, inside))
    return found


def _telling(passed: list[tuple[Result, _Passings]], drawn: random.Random) -> Iterator[Case]:
    for result, passings in passed:
        for name, points in passings.items():
            if name.partition(":")[0] in EFFECT_STAGES or name.partition(":")[0] in PHASE_STAGES:
                for kill in get_args(Kill):
                    yield _case(result, kill, drawn.choice(points)[0])


def _facts(passed: list[tuple[Result, _Passings]], drawn: random.Random) -> Iterator[Case]:
    for result, passings in passed:
        for name, points in passings.items():
            if name.startswith(("told:", "kept:")):
                yield _case(result, drawn.choice(get_args(Kill)), drawn.choice(points)[0])


def _random(passed: list[tuple[Result, _Passings]], drawn: random.Random) -> Case:
    result, _ = drawn.choice(passed)
    numbers = range(1, len(result.points) + 1)
    inside = [number for number in numbers if result.points[number - 1][1]]
    where = inside if inside and drawn.random() < INSIDE else numbers
    return _case(result, drawn.choice(get_args(Kill)), f"any#{drawn.choice(where)}")


def _thinned(chosen: list[Case], kills: int, drawn: random.Random) -> list[Case]:
    """Fewer of them, spread over the points: each point is in before one is in twice."""
    drawn.shuffle(chosen)
    seen: defaultdict[str, int] = defaultdict(int)
    ranked: list[tuple[int, Case]] = []
    for case in chosen:
        ranked.append((seen[case.stage], case))
        seen[case.stage] += 1
    ranked.sort(key=lambda one: one[0])
    return [case for _, case in ranked[:kills]]


def _case(result: Result, kill: Kill, point: str) -> Case:
    return Case(job=result.job, transport=result.transport, kill=kill, point=point)  # type: ignore[arg-type]


def _seeded(case: Case, seed: int) -> Case:
    return Case(job=case.job, transport=case.transport, kill=case.kill, point=case.point, again=case.again, seed=seed)
