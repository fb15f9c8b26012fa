"""Loop: from a person's message to the effect that carries it, with a short and with a long journal behind it.

Measured: the clock runs from ``Loop.tell`` until the effect reaches what stands in Codex's place. In between the fact
is redacted and decided upon, and fact, decision and effect are committed durably. One loop begins with a journal of 10
facts, the other with one of 100 000; they take turns, message by message, in one process and on one disk. Every message
gets a turn, which ends before the next.

Auto-compaction and the watching of repositories are off, because nobody is at the other end to answer: a golden path
that was begun would never end, and a user's messages would pile up behind it. So this does not measure them.

Unfair would be: long turns in between, which would make the short journal a long one (each is two facts); a log file
that still has to grow, which makes a commit dearer and would flatter the long journal (both are grown first).
"""

import asyncio

from bench.assembly import Assembly, assembled
from bench.measuring import percentile, ratio_at
from bench.report import Goal, Result, Row, Size, number, seconds

SHORT = 10
MIDDLE = Goal(at_most=1.2)


def run(size: Size) -> Result:
    return asyncio.run(_run(size))


async def _run(size: Size) -> Result:
    long = size.of(100_000, quick=20_000)
    async with assembled(size.folder / "short") as few, assembled(size.folder / "long") as many:
        while few.kernel.seq < SHORT:
            await few.decide()
            await few.finish_turn()
        await many.fill(long)
        for assembly in (few, many):
            await assembly.grow_log()
        await _samples(few, many, 20)
        short_times, long_times = await _samples(few, many, size.of(1_500, quick=250))
    return Result(
        tuple(
            Row(
                figure=f"message to effect, p{percent}",
                measured=ratio_at(long_times, short_times, percent=percent),
                ours=f"{seconds(percentile(long_times, percent))} ({number(long)} facts)",
                against=f"{seconds(percentile(short_times, percent))} ({SHORT} facts)",
                goal=goal,
            )
            for percent, goal in ((50, MIDDLE), (99, None))
        )
    )


async def _samples(few: Assembly, many: Assembly, count: int) -> tuple[list[float], list[float]]:
    short_times: list[float] = []
    long_times: list[float] = []
    for _ in range(count):
        for assembly, times in ((few, short_times), (many, long_times)):
            times.append(await assembly.decide())
            await assembly.finish_turn()
    return short_times, long_times
