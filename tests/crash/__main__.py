"""``python -m tests.crash``: kill things at every point, start again, and see whether every rule holds.

Exit code 1 if one does not. ``--case NAME`` repeats one case and keeps what it left.
"""

import argparse
import asyncio
import platform
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec
from rich.console import Console

from rawr.codex import binary
from rawr.testing import find_codex
from tests.crash import plan, report
from tests.crash.case import Case
from tests.crash.nursery import Nursery
from tests.crash.playing import Result, play

KILLS = 640
WORKERS = 2


def main() -> int:
    chosen = _arguments()
    console = Console(width=None if sys.stdout.isatty() else 140)
    if chosen.case:
        return _one(Case.named(chosen.case), console)
    began = time.monotonic()
    results: list[Result] = []
    interrupted = False
    try:
        asyncio.run(_matrix(chosen, results))
    except (KeyboardInterrupt, asyncio.CancelledError):
        # Every case has put its processes away by now. What was seen so far is told.
        interrupted = True
    made = report.Report(
        seed=chosen.seed,
        seconds=round(time.monotonic() - began, 1),
        python=platform.python_version(),
        codex=f"Codex {binary.find(find_codex()).version}",
        results=tuple(results),
    )
    if chosen.json:
        report.write_json(made, chosen.json)
    report.show(console, made, every_point=chosen.every_point)
    if interrupted:
        return 130
    if chosen.write_docs:
        report.write_docs(made)
    return 1 if made.broken else 0


def _one(case: Case, console: Console) -> int:
    keep = Path(tempfile.mkdtemp(prefix="rawr-crash-kept-"))
    result = asyncio.run(play(case, keep=keep))
    console.print_json(msgspec.json.encode(msgspec.structs.replace(result, points=())).decode())
    console.print(f"What it left: {keep}", highlight=False)
    return 1 if result.violations else 0


async def _matrix(chosen: "_Arguments", results: list[Result]) -> None:
    whole = asyncio.current_task()
    assert whole is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, whole.cancel)
    nursery = await Nursery.open()
    try:
        if chosen.cases:
            named = [Case.named(line) for line in chosen.cases.read_text().split()]
            await _all(named, nursery, results, keep=chosen.keep)
            return
        await _all(plan.rehearsals(chosen.only), nursery, results, keep=chosen.keep, rehearsal=True)
        cases = plan.cases(results, kills=chosen.kills, seed=chosen.seed)
        await _all(cases, nursery, results, keep=chosen.keep)
    finally:
        await nursery.close()


async def _all(
    cases: Iterable[Case], nursery: Nursery, results: list[Result], *, keep: Path | None, rehearsal: bool = False
) -> None:
    """Play them, two at a time, and say how it goes."""
    waiting = list(cases)
    total, before = len(waiting), len(results)

    async def work() -> None:
        while waiting:
            case = waiting.pop(0)
            kept = keep / case.name.replace("/", "-") if keep is not None else None
            result = await play(case, nursery=nursery, keep=kept, rehearsal=rehearsal)
            if kept is not None and not result.violations:
                shutil.rmtree(kept, ignore_errors=True)
            results.append(result)
            print(f"{len(results) - before:4}/{total} {_line(result)}", file=sys.stderr, flush=True)

    await asyncio.gather(*(work() for _ in range(WORKERS)))


def _line(result: Result) -> str:
    broken = "; ".join(f"{one.rule}: {one.what}" for one in result.violations)
    sign = "✗" if broken else ("·" if result.kills or not result.kill else "–")
    return f"{sign} {result.seconds:5.1f} s {result.case} {broken}"


class _Arguments(argparse.Namespace):
    kills: int
    seed: int
    case: str
    cases: Path | None
    only: str
    json: Path | None
    keep: Path | None
    every_point: bool
    write_docs: bool


def _arguments() -> _Arguments:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description="A crash matrix on the real Codex.")
    parser.add_argument("--kills", type=int, default=KILLS, help=f"how many cases; default {KILLS}")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other cases")
    parser.add_argument("--case", default="", metavar="NAME", help="repeat this one, and keep what it left")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="play the cases named in a file, one a line")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="jobs and transports with this in their names: run/stdio, @host"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep there what cases with violations left")
    parser.add_argument("--every-point", action="store_true", help="a row for each job and point")
    parser.add_argument("--write-docs", action="store_true", help="put the figures into docs/reliability.md")
    return parser.parse_args(namespace=_Arguments())


if __name__ == "__main__":
    sys.exit(main())
