"""Loop: how long a decision takes, with a short and with a long journal behind it, under the rules as shipped.

Measured: the clock runs from the moment at which the loop is told that a turn has ended until the effect that follows
from it reaches what stands in Codex's place. In between the settings are looked at, the fact is redacted, the arbiter
decides, and fact, decision and effect are committed durably. Auto-compaction is on, and every decision of the golden
path is in it as often as it comes in a day of the peer's (``peer.py``): the next message, heads-up, a packet that goes
back, compaction, handoff. The figure is the middle of the ratios, decision by decision.

Two sides differ only in the journal: one has 100 000 facts behind it, the other begins each day with the same state on
a new journal of 10. A third begins each day with a new journal and an empty state: against that one sees what a record
costs that is as full as it gets (200 files, 60 commits, 60 directives and so on). All take turns, decision by
decision, in one process and on one disk.

Left out: Codex and its model, which answer at once here; the look at the repository after a command, which is back
before the turn ends (in life a turn that ends sooner waits for it); streaming, which is never recorded.

Unfair would be: a short journal that becomes a long one while it is measured (a day adds some 130 facts to it, then it
is thrown away); a log file that still has to grow, which makes a commit dearer and would flatter the long journal (all
are grown first). The state is saved every 500 facts and the log folded into the file every 16 MB; a day is too short
for either, so only the long journal pays for them. That shows at p99.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import get_args

from msgspec import Struct

from bench.assembly import Assembly, Decision, assembled
from bench.measuring import percentile, ratio_at, ratio_of
from bench.peer import DAY, Decided
from bench.report import Goal, Result, Row, Size, number, seconds

SHORT = 10
COMMANDS = 1
"""Of a turn of work: the fewer facts a day has, the longer a short journal stays short."""
FLAT = Goal(at_most=1.2)


class Side(Struct):
    name: str
    decisions: list[Decision] = []

    @property
    def taken(self) -> list[float]:
        return [decision.seconds for decision in self.decisions]

    def by_kind(self) -> str:
        kinds: defaultdict[str, list[float]] = defaultdict(list)
        for decision in self.decisions:
            kinds[decision.what].append(decision.seconds)
        return ", ".join(f"{what} {seconds(median(taken))}" for what, taken in kinds.items())


def run(size: Size) -> Result:
    return asyncio.run(_run(size))


async def _run(size: Size) -> Result:
    facts = size.of(100_000, quick=10_000)
    long, short, empty = sides = (
        Side(f"{number(facts)} facts"),
        Side(f"{SHORT} facts"),
        Side(f"{SHORT} facts, empty record"),
    )
    async with assembled(size.folder / "long", commands=COMMANDS) as first:
        await first.fill(facts)
        await first.grow_log()
        for day in range(size.of(61, quick=12)):
            async with _fresh(size.folder / f"short-{day}") as second, _fresh(size.folder / f"empty-{day}") as third:
                second.go_on_from(first)
                await _day(day, [(long, first), (short, second), (empty, third)])
            if day == 0:  # It was for warming up.
                for side in sides:
                    side.decisions.clear()
    return Result(
        (
            _row("turn's end to effect, p50", long, short, percent=50, goal=FLAT),
            _row("turn's end to effect, p99", long, short, percent=99),
            _row("full record, p50", short, empty, percent=50),
        ),
        tuple(f"p50 by what was decided, {side.name}: {side.by_kind()}" for side in sides),
    )


@asynccontextmanager
async def _fresh(home: Path) -> AsyncIterator[Assembly]:
    async with assembled(home, commands=COMMANDS) as assembly:
        await assembly.grow_log()
        assert assembly.kernel.seq <= SHORT, f"{assembly.kernel.seq} facts are not a short journal"
        yield assembly


async def _day(day: int, pairs: list[tuple[Side, Assembly]]) -> None:
    """Decision by decision, each time with another side first."""
    for turn in range(DAY):
        first = (day + turn) % len(pairs)
        for side, assembly in pairs[first:] + pairs[:first]:
            side.decisions.append(await assembly.decide())
    kinds = {tuple(decision.what for decision in side.decisions[-DAY:]) for side, _ in pairs}
    assert len(kinds) == 1, f"they did not decide the same: {kinds}"
    assert set(*kinds) == set(get_args(Decided)), f"a day without a golden path: {kinds}"


def _row(figure: str, above: Side, below: Side, *, percent: int, goal: Goal | None = None) -> Row:
    ours, against = above.taken, below.taken
    return Row(
        figure=figure,
        measured=ratio_of(ours, against) if percent == 50 else ratio_at(ours, against, percent=percent),
        ours=f"{seconds(percentile(ours, percent))} ({above.name})",
        against=f"{seconds(percentile(against, percent))} ({below.name})",
        goal=goal,
    )
