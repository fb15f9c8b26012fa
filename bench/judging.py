"""How long a judgment takes (C10): over the corpora of the tests, and over lines made to keep a judge busy.

One thread watches everything, and judges too, so the worst line counts. The corpora are judged in the world of the
tests: a small repository, links, a few programs. The hostile lines are as long as may be, in a folder with many files,
long names and chains of links. Nothing is run. Time of the processor, so that what others do on the machine counts
least; a judgment has a bound on wall-clock time of its own. Left out: the first judgment of a process, which loads the
grammar.
"""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.approvals.corpus import DANGEROUS, HARMLESS
from tests.approvals.hostile import LINES
from tests.approvals.world import World

from bench.measuring import percentile, spread
from bench.report import Goal, Result, Row, Size, seconds
from rawr.approvals import Judgment, Surroundings, judge_command
from rawr.approvals.commands import MAX_LENGTH

Judge = Callable[[str], Judgment]
FILES = 1_500


def run(size: Size) -> Result:
    rounds = size.of(3, quick=1)
    world = World(size.folder.resolve() / "world")
    corpora = [*HARMLESS, *DANGEROUS]
    hostile = [make(MAX_LENGTH - 100) for make in LINES.values()]
    judge_hostile = _in(_maze(size.folder.resolve() / "maze"))
    world.judge("ls")
    ordinary = [_taken(world.judge, corpora) for _ in range(rounds)]
    worst = [_taken(judge_hostile, hostile) for _ in range(rounds)]
    approved = sum(world.judge(line).safe for line in HARMLESS)
    assert approved > len(HARMLESS) // 2, f"{approved} of {len(HARMLESS)} harmless lines approved: nothing was judged"
    return Result(
        (
            _row("the corpora, p50", ordinary, lambda times: percentile(times, 50)),
            _row("the corpora, p99", ordinary, lambda times: percentile(times, 99), most=50),
            _row("the corpora, worst", ordinary, max, most=1_000),
            _row("hostile lines, p50", worst, lambda times: percentile(times, 50)),
            _row("hostile lines, worst", worst, max, most=1_000),
        ),
        (
            f"{len(corpora)} lines, {len(hostile)} hostile ones; {approved} of {len(HARMLESS)} harmless lines approved",
            f"the slowest hostile line: {_slowest(worst)}",
        ),
    )


def _row(figure: str, rounds: list[list[float]], of: Callable[[list[float]], float], most: float | None = None) -> Row:
    figures = [of(times) * 1000 for times in rounds]
    goal = None if most is None else Goal(at_most=most)
    ours = seconds(sum(figures) / len(figures) / 1000)
    return Row(figure=figure, measured=spread(figures), unit=" ms", ours=ours, against="", goal=goal)


def _taken(judge: Judge, lines: Iterable[str]) -> list[float]:
    found: list[float] = []
    for line in lines:
        began = time.process_time()
        judge(line)
        found.append(time.process_time() - began)
    return found


def _slowest(rounds: list[list[float]]) -> str:
    times = max(rounds, key=max)
    return list(LINES)[times.index(max(times))]


def _maze(folder: Path) -> Path:
    (folder / "a").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "L0").symlink_to("src")
    for number in range(1, 40):
        (folder / f"L{number}").symlink_to(f"L{number - 1}")
    for number in range(FILES):
        (folder / "src" / f"{'a' * 200}{number}").touch()
        (folder / f"{'a' * 200}{number}").touch()
    return folder


def _in(folder: Path) -> Judge:
    around = Surroundings(home=folder.parent / "home", path=("/usr/bin", "/bin"))
    return lambda line: judge_command(line, cwd=folder, workspace=folder, around=around)
