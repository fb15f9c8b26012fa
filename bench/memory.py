"""Memory: one thread after 10 000 events and after 1 000 000 of the same kind. It must be flat.

Measured: each size in a process of its own, which works through its events and then reports its resident memory now,
its peak, and the length of the encoded state. First the kernel alone; then the whole loop with a real journal, 10 000
against 100 000 events: the file grows, the memory must not. The rules are those that are shipped and the arbiter is on:
a golden path is walked every eight turns, messages of the user wait for a turn's end or for the handoff, repositories
are looked at, questions answered, and now and then Codex compacts by itself in the middle of a turn (``peer.py``).

Left out: the connection to Codex and what is streamed over it; the frames that the journal keeps, of which it drops
the old ones.

Unfair would be: repeating the same events (ids and texts are new in every turn); a smaller size at which the bounded
collections of the state are not full yet (at 10 000 all of them are); stopping in the middle of something (both stop
at the end of a day, with one message on its way); a large process in which a leak is lost (this one holds little
besides Python).
"""

import asyncio
import gc
import os
import resource
import subprocess
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.measuring import Ratio, spread
from bench.peer import WORK
from bench.report import Goal, Result, Row, Size, megabytes, number
from rawr.core.state.thread import ThreadState

FEW = 10_000
STATE = Goal(at_most=1.05)
RESIDENT = Goal(at_most=1.1)


class Footprint(Struct, frozen=True):
    """In bytes."""

    resident: int
    peak: int
    state: int


def run(size: Size) -> Result:
    rounds = size.of(2, quick=1)
    many, journaled = size.of(1_000_000, quick=100_000), size.of(100_000, quick=30_000)
    alone = [(_child("kernel", FEW), _child("kernel", many)) for _ in range(rounds)]
    looped = []
    for n in range(rounds):
        home = size.folder / f"memory-{n}"
        looped.append((_child("loop", FEW, home / "few"), _child("loop", journaled, home / "many")))
    return Result(
        (
            _row("encoded state", many, [(few.state, lot.state) for few, lot in alone], STATE),
            _row("resident, kernel", many, [(few.resident, lot.resident) for few, lot in alone], RESIDENT),
            _row("peak, kernel", many, [(few.peak, lot.peak) for few, lot in alone], RESIDENT),
            _row(
                "resident, loop and journal", journaled, [(few.resident, lot.resident) for few, lot in looped], RESIDENT
            ),
            _row("peak, loop and journal", journaled, [(few.peak, lot.peak) for few, lot in looped], RESIDENT),
        )
    )


def _row(figure: str, many: int, pairs: list[tuple[int, int]], goal: Goal) -> Row:
    middle: Ratio = spread([lot / few for few, lot in pairs])
    few, lot = pairs[len(pairs) // 2]
    shown = megabytes if few > 1_000_000 else lambda value: f"{value:,} bytes".replace(",", " ")
    return Row(
        figure=f"{figure}, {number(many)} events",
        measured=middle,
        ours=shown(lot),
        against=f"{shown(few)} ({number(FEW)} events)",
        goal=goal,
    )


def _child(what: str, events: int, home: Path | None = None) -> Footprint:
    command = [sys.executable, "-m", "bench.memory", what, str(events), *([str(home)] if home else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=Path(__file__).parent.parent)
    return msgspec.json.decode(done.stdout, type=Footprint)


# -- the child --------------------------------------------------------------------------------------------------


def _kernel(events: int) -> ThreadState:
    from bench import work
    from bench.peer import drive
    from rawr.config.load import load_policy
    from rawr.core.kernel import Kernel

    kernel = Kernel(load_policy(Path(os.devnull)).policy)
    drive(kernel, events)
    return _checked(kernel.threads[work.THREAD])


async def _loop(events: int, home: Path) -> ThreadState:
    from bench import work
    from bench.assembly import assembled

    async with assembled(home) as assembly:
        await assembly.fill(events)
        return _checked(assembly.kernel.threads[work.THREAD])


def _checked(state: ThreadState) -> ThreadState:
    """Golden paths were walked, and nothing is left lying about."""
    last = state.last_compaction
    assert last is not None, "rawr never compacted"
    assert state.work_turns - last.work_turns < WORK, "rawr stopped compacting"
    assert len(state.sent) == 1, state.sent
    assert state.sequence is None, state.sequence
    left = (*state.queue, *state.observing, *state.requests, *state.deadlines)
    assert left == (), left
    return state


def footprint(state: ThreadState) -> Footprint:
    encoded = len(msgspec.json.encode(state))
    gc.collect()
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines())
        resident, peak = (int(lines[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))
    else:  # Without /proc there is only the peak; macOS gives it in bytes.
        resident = peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Footprint(resident, peak, encoded)


def _main(what: str, events: str, *home: str) -> None:
    state = _kernel(int(events)) if what == "kernel" else asyncio.run(_loop(int(events), Path(home[0])))
    sys.stdout.buffer.write(msgspec.json.encode(footprint(state)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
