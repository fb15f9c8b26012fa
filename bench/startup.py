"""Startup: ``import rawr`` and ``rawr --help``, against a Python that does nothing.

Measured: whole processes, from their start to their end, by the clock on the wall, taking turns; and what they load.
The goals in seconds are for an idle core. ``import rawr`` says little by itself, because it loads next to nothing; the
import of the whole supervisor is shown for comparison, without a goal.

Unfair would be: a first run, which compiles (thrown away); output to a terminal (it goes nowhere).
"""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from bench.measuring import Ratio, Side, alternate, ratio_of, spread
from bench.report import Goal, Result, Row, Size, seconds

UNWANTED = frozenset({"asyncio", "dspy", "litellm", "openai", "pydantic", "rich", "sqlite3", "websockets", "yaml"})
"""Nothing that only some commands need may be paid for by all of them."""

_BARE = "pass"
_IMPORT = "import rawr"
_ALL = "import rawr.runtime.supervisor"
_HELP = "import sys; sys.argv = ['rawr', '--help']; from rawr.cli.main import main; main()"
_LOADED = """
import atexit, os, sys
def tell():
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
atexit.register(tell)
"""


def run(size: Size) -> Result:
    script = Path(sys.executable).with_name("rawr")
    bare, imported, helped, whole = alternate(
        _process(sys.executable, "-c", _BARE),
        _process(sys.executable, "-c", _IMPORT),
        _process(str(script), "--help"),
        _process(sys.executable, "-c", _ALL),
        rounds=size.of(40, quick=8),
    )
    rows = [
        *_rows("import rawr", imported, bare, Goal(at_most=0.1)),
        *_rows("rawr --help", helped, bare, Goal(at_most=0.2)),
        *_rows("import rawr.runtime.supervisor", whole, bare, None),
    ]
    notes = []
    for figure, code in (("import rawr", _IMPORT), ("rawr --help", _HELP)):
        loaded = _loaded(code) - _loaded(_BARE)
        assert "rawr" in loaded, f"`{figure}` did not load rawr"
        unwanted = sorted(loaded & UNWANTED)
        rows.append(
            Row(
                figure=f"{figure}, unwanted modules",
                measured=spread([float(len(unwanted))]),
                unit="",
                ours=", ".join(unwanted) or "none",
                against=f"{len(UNWANTED)} that it must not load",
                goal=Goal(at_most=0),
            )
        )
        others = sorted(loaded - sys.stdlib_module_names - {"rawr"})
        notes.append(f"`{figure}` loads from other packages: {', '.join(others) or 'nothing'}")
    return Result(tuple(rows), tuple(notes))


def _rows(figure: str, taken: list[float], bare: list[float], goal: Goal | None) -> list[Row]:
    ours, against = seconds(median(taken)), f"{seconds(median(bare))} (bare Python)"
    ratio: Ratio = ratio_of(taken, bare)
    rows = [Row(figure=figure, measured=ratio, ours=ours, against=against)]
    if goal is not None:
        rows.append(
            Row(figure=f"{figure}, by itself", measured=spread(taken), unit=" s", ours=ours, against="", goal=goal)
        )
    return rows


def _process(*command: str) -> Side:
    def side() -> float:
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return time.perf_counter() - began

    return side


def _loaded(code: str) -> frozenset[str]:
    """The top-level modules that are there when the code has run."""
    command = (sys.executable, "-c", _LOADED + code)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, encoding="utf-8")
    return frozenset(done.stderr.split())
