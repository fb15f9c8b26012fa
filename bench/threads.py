"""Threads: 1, 10 and 100 in one rawr, each with a run in Full Auto, under the cap on turns at once as shipped.

Measured, through the real loop on a real journal (``crowd.py``), with a server that plays a turn at once:

- Cost: processor time of the whole process for a turn, the loop's thread, the journal's and the observer's together,
  less what it took to make up the turn. All threads begin with the same record, as full as it gets, because a full one
  makes a turn dearer and one thread alone would fill it sooner. Sizes take turns, round by round.
- Fairness: Jain's index over the turns that each thread has had, (Σx)² / (n · Σx²), when one stops at an arbitrary
  moment. Turns take 2 to 20 ms by chance; or those of one thread in five always take ten times as long, which has no
  goal: a thread has one turn at a time, and where slots are free nobody is made to wait for it. The worst of twenty
  moments counts. None is earlier than eight turns a thread: with fewer, the remainder of a round, which some have had
  and others not yet, is all that one sees (after half a round, nobody being ahead, the index is 0.5).
- Memory: resident, for a thread in which nothing runs. Two processes take in the same number of facts, one for one
  thread and one for many; the difference by the number of threads. Threads that were only opened; threads whose run of
  twelve turns has ended; and states as full as they get, decoded one by one as a restart does it.

Unfair would be: one thread with a longer story than a hundred have (see above); copies of one state that share their
memory (they are built or decoded each for itself); facts told one at a time, each with a commit of its own, which would
bury what grows with the number of threads under what does not. They are told turn by turn, so the ratio is the harsher
one. One thread never has more than one turn under way and shares no commit with another; ten and a hundred have four at
once, which is in their favour. Between 10 and 100 that is alike, so that ratio is given as well, with the same goal.

Left out: Codex, the wire, and waiting for the disk, which is no processor time.
"""

import asyncio
import gc
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec
from msgspec.structs import replace

from bench.crowd import Crowd, Length, crowd, thread_id
from bench.measuring import ratio_of, spread
from bench.memory import Footprint, footprint
from bench.report import Goal, Result, Row, Size, number, seconds
from rawr.core.state.thread import ThreadState

SIZES = (1, 10, 100)
IDLE_BESIDE = 1_000
FLAT = Goal(at_most=1.3)
FAIR = Goal(at_least=0.99)
FULL_AFTER = 220
"""Turns after which every bounded collection of the state is full."""
SHORT, LONG = 0.002, 0.020
FROM, TO, MOMENTS = 8, 16, 20
STORY = 12
"""Turns of an idle thread's run."""


def run(size: Size) -> Result:
    return asyncio.run(_run(size))


async def _run(size: Size) -> Result:
    async with crowd(size.folder / "full") as first:
        state = await _full(first)
    rows = await _cost(size, state)
    for threads in SIZES[1:]:
        rows.append(await _fairness(size, threads, "by chance"))
    rows.append(await _fairness(size, SIZES[1], "by thread"))
    return Result((*rows, *_memory(size, state)))


async def _full(first: Crowd) -> ThreadState:
    """A thread whose record is as full as it gets, with nothing under way."""
    await first.open(1)
    await first.order(1, turns=FULL_AFTER)
    await first.over()
    state = first.kernel.threads[thread_id(0)]
    assert state.run is not None
    assert state.run.stop is not None
    assert state.run.stop.reason == "run.stopped.turns", state.run
    assert not state.busy, state
    return state


# -- cost -------------------------------------------------------------------------------------------------------------


async def _cost(size: Size, state: ThreadState) -> list[Row]:
    turns, rounds = size.of(400, quick=120), size.of(9, quick=3)
    columns = [(threads, 0) for threads in SIZES] + [(SIZES[1], IDLE_BESIDE)]
    taken: dict[tuple[int, int], list[float]] = {column: [] for column in columns}
    for n in range(rounds + 1):
        for threads, idle in columns:
            home = size.folder / f"cost-{n}-{threads}-{idle}"
            cost = await _per_turn(home, state, turns, threads=threads, idle=idle)
            if n > 0:  # The first was for warming up.
                taken[threads, idle].append(cost)

    def row(figure: str, above: tuple[int, int], below: tuple[int, int], goal: Goal | None) -> Row:
        words = f"{below[0]} thread{'s' if below[0] > 1 else ''}"
        return Row(
            figure=f"processor time a turn, {figure}",
            measured=ratio_of(taken[above], taken[below]),
            ours=seconds(median(taken[above])),
            against=f"{seconds(median(taken[below]))} ({words})",
            goal=goal,
        )

    one, ten, hundred, beside = columns
    return [
        row("10 threads", ten, one, FLAT),
        row("100 threads", hundred, one, FLAT),
        row("100 threads", hundred, ten, FLAT),
        row(f"10, {number(IDLE_BESIDE)} idle beside", beside, ten, None),
    ]


async def _per_turn(home: Path, state: ThreadState, turns: int, *, threads: int, idle: int) -> float:
    async with crowd(home) as made:
        made.resemble(state, threads + idle)
        await made.order(threads)
        await made.server.turns(max(20, threads))
        gc.collect()
        taken = await made.processor_time(turns)
        runs = [made.kernel.threads[thread_id(number)].run for number in range(threads)]
        assert all(one is not None and one.active for one in runs), "a run was stopped"
        return taken / turns


# -- fairness ---------------------------------------------------------------------------------------------------------


async def _fairness(size: Size, threads: int, how: str) -> Row:
    words = random.Random(threads)  # noqa: S311 - the same moments in every run
    turns = sorted(words.randint(FROM * threads, TO * threads) for _ in range(MOMENTS))
    found = []
    async with crowd(size.folder / f"fair-{threads}-{how}", length=_lengths(how)) as made:
        await made.open(threads)
        await made.order(threads)
        for moment in turns:
            await made.server.turns(moment)
            found.append(jain([made.server.ended[thread_id(number)] for number in range(threads)]))
        ended = made.server.ended
    return Row(
        figure=f"Jain's index, {threads} threads, turns longer {how}",
        measured=spread([min(found)]),
        unit="",
        ours=f"{min(ended.values())} to {max(ended.values())} turns a thread",
        against=f"worst of {MOMENTS} moments",
        goal=FAIR if how == "by chance" else None,
    )


def _lengths(how: str) -> Length:
    words = random.Random(1)  # noqa: S311 - the same lengths in every run
    if how == "by chance":
        return lambda _: words.uniform(SHORT, LONG)
    return lambda thread: LONG if int(thread[-12:], 16) % 5 == 0 else SHORT


def jain(turns: Sequence[int]) -> float:
    """1 where all have had the same, 1/n where one has had everything."""
    return float(sum(turns) ** 2 / (len(turns) * sum(one * one for one in turns)))


# -- memory -----------------------------------------------------------------------------------------------------------


def _memory(size: Size, state: ThreadState) -> list[Row]:
    many, worked = size.of(2_000, quick=500), size.of(300, quick=60)
    full = size.folder / "full.json"
    full.write_bytes(msgspec.json.encode(state))
    one = _child("worked", 1, worked * STORY, size.folder / "one")
    several = _child("worked", worked, STORY, size.folder / "several")
    return [
        _bytes("opened", many, _child("opened", 1, 0, size.folder), _child("opened", many, 0, size.folder)),
        _bytes(f"a run of {STORY} turns is over", worked, one, several),
        _bytes("as full as it gets", many, _child("full", 1, 0, full), _child("full", many, 0, full)),
    ]


def _bytes(figure: str, threads: int, one: Footprint, many: Footprint) -> Row:
    each = (many.resident - one.resident) / (threads - 1)
    return Row(
        figure=f"memory of an idle thread, {figure}",
        measured=spread([each / 1_000]),
        unit=" kB",
        ours=f"{number(many.resident / 1e6)} MB with {number(threads)} threads",
        against=f"{number(one.resident / 1e6)} MB with 1; a state has {number(many.state / 1_000)} kB encoded",
    )


def _child(what: str, threads: int, turns: int, path: Path) -> Footprint:
    command = [sys.executable, "-m", "bench.threads", what, str(threads), str(turns), str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=Path(__file__).parent.parent)
    return msgspec.json.decode(done.stdout, type=Footprint)


async def _worked(threads: int, turns: int, home: Path) -> Footprint:
    """Each of so many threads has had a run of so many turns."""
    async with crowd(home) as made:
        await made.open(threads)
        await made.order(threads, turns=turns)
        await made.over()
        await made.quiet()
        return footprint(made.kernel.threads[thread_id(0)])


async def _opened(threads: int, home: Path) -> Footprint:
    async with crowd(home) as made:
        await made.open(threads)
        await made.quiet()
        return footprint(made.kernel.threads[thread_id(0)])


def _decoded(threads: int, file: Path) -> Footprint:
    body = file.read_bytes()
    states = {
        name: replace(msgspec.json.decode(body, type=ThreadState), id=name) for name in map(thread_id, range(threads))
    }
    return footprint(states[thread_id(0)])


def _main(what: str, threads: str, turns: str, path: str) -> None:
    match what:
        case "worked":
            found = asyncio.run(_worked(int(threads), int(turns), Path(path)))
        case "opened":
            found = asyncio.run(_opened(int(threads), Path(path) / f"opened-{threads}"))
        case _:
            found = _decoded(int(threads), Path(path))
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    _main(*sys.argv[1:])
