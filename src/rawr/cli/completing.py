"""What a shell offers after Tab: the names of runs and threads, newest first, from the journal.

It is imported with the options, so it imports nothing itself until somebody presses Tab. Whatever goes wrong then, the
shell must offer nothing, quickly and without a word (``answer``): the person is in the middle of a line.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, suppress
from pathlib import Path
from typing import Any, NoReturn

import typer

VARIABLE = "_RAWR_COMPLETE"
"""Set by the script that `rawr completion` prints."""
SECONDS = 0.5
MOST = 30
_NOT_PLAIN = re.compile(r"[^\w .,-]")
"""A shell may read what is offered as a part of its own language."""

Offered = list[tuple[str, str]]


def runs(ctx: typer.Context, incomplete: str) -> Offered:
    """Runs to which the command can be applied."""
    return list(_recorded(incomplete, ctx.info_name or "", threads=False))


def names(ctx: typer.Context, incomplete: str) -> Offered:
    """Runs, and threads without one."""
    return list(_recorded(incomplete, ctx.info_name or "", threads=True))


def _recorded(incomplete: str, command: str, *, threads: bool) -> Iterator[tuple[str, str]]:
    from rawr.core.policy.policy import Policy
    from rawr.journal.home import resolve_home
    from rawr.views.recorded import RecordedHome

    fitting = _FITTING.get(command, _EVERY)
    until, left = time.monotonic() + SECONDS, MOST
    for one in RecordedHome(resolve_home(), Policy()).threads():
        run = one.state.run if one.state is not None else None
        if run is not None and run.status in fitting:
            offer = run.id, f"{run.status}: {run.order.goal}"
        elif run is None and threads and not one.hidden:
            offer = one.span.thread, one.state.cwd if one.state is not None else ""
        else:
            offer = "", ""
        if offer[0] and offer[0].startswith(incomplete):
            yield offer[0], _plain(offer[1])
            left -= 1
        if not left or time.monotonic() > until:
            return


def _plain(text: str) -> str:
    return _NOT_PLAIN.sub("", " ".join(text.split()))[:60]


_EVERY = ("running", "paused", "stopped", "failed", "done")
_FITTING = {"resume": _EVERY[:-1], "pause": _EVERY[:1], "stop": _EVERY[:1]}
"""By command: the runs that it can be about."""


def script(shell: str) -> str:
    """The lines for a shell's own start-up file."""
    from typer._completion_shared import get_completion_script

    return get_completion_script(prog_name="rawr", complete_var=VARIABLE, shell=shell)


def answer(app: Callable[..., Any]) -> NoReturn:
    """The shell asks what fits: print it on stdout, whatever happens."""
    from typer._completion_classes import completion_init

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stderr(nowhere), suppress(BaseException):
        completion_init()
        app(prog_name="rawr", complete_var=VARIABLE, standalone_mode=False)
    sys.exit(0)
