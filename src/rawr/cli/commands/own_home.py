"""RAWR_HOME, ready to write to; if others have access to it, ask the person at the terminal."""

import sys
from pathlib import Path
from typing import TextIO

import typer

from rawr.cli.terminal.output import warn
from rawr.journal.errors import HomeOpen
from rawr.journal.home import prepare_home, shut_others_out


def own_home(home: Path) -> Path:
    """Make it if it is missing. If nobody can be asked, one that is too open is refused with the way out."""
    try:
        return prepare_home(home)
    except HomeOpen as error:
        if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
            raise
        warn(error.message)
        if not typer.confirm("Remove their access now?", default=False, err=True):
            raise
        shut_others_out(error.places)
    return prepare_home(home)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()
