"""``python -m bench``: run the benchmarks, show the table, write it down.

A missed goal is shown and is no error, unless ``--strict`` makes it one. A benchmark that breaks is: exit code 2.
"""

import argparse
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from rich.console import Console

from bench.report import Report, Result, Size, show, write

NAMES = (
    "ingest",
    "journal",
    "memory",
    "startup",
    "loop",
    "turnaround",
    "threads",
    "retention",
    "judging",
    "keeping",
    "reading",
    "backtesting",
    "hosting",
    "screen",
)
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    chosen = _arguments()
    console = Console(width=None if sys.stdout.isatty() else 160)
    results: dict[str, Result] = {}
    broken: dict[str, str] = {}
    RESULTS.mkdir(exist_ok=True)
    for name in [chosen.only] if chosen.only else NAMES:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            results[name] = _run(name, quick=chosen.quick)
        except Exception as error:
            traceback.print_exception(error)
            broken[name] = f"{type(error).__name__}: {error}"
    show(console, results)
    write(Report(platform.python_version(), os.cpu_count() or 1, chosen.quick, results, broken), chosen.json)
    missed = [row for result in results.values() for row in result.rows if row.met is False]
    if broken:
        print(f"broken: {', '.join(broken)}", file=sys.stderr)
        return 2
    return 1 if chosen.strict and missed else 0


def _run(name: str, *, quick: bool) -> Result:
    # Each is loaded when its turn comes: the SDK alone takes most of a second.
    run: Callable[[Size], Result] = import_module(f"bench.{name}").run
    with tempfile.TemporaryDirectory(dir=RESULTS, prefix=f"{name}-") as folder:
        result = run(Size(quick=quick, folder=Path(folder)))
    result.check()
    return result


class _Arguments(argparse.Namespace):
    quick: bool
    only: str | None
    json: Path
    strict: bool


def _arguments() -> _Arguments:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Speed, memory and retention, in one run.")
    parser.add_argument("--quick", action="store_true", help="less work and a wider spread, in a few seconds")
    parser.add_argument("--only", choices=NAMES, help="one benchmark")
    parser.add_argument("--json", type=Path, default=RESULTS / "latest.json", metavar="FILE", help="where to write it")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a goal is missed")
    return parser.parse_args(namespace=_Arguments())


if __name__ == "__main__":
    sys.exit(main())
