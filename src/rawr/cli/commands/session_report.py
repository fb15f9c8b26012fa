"""A session file of Codex's own in a report: which names mean one, and what cannot be reported on."""

import os
import shlex
from pathlib import Path

from rawr.cli.places import Places
from rawr.cli.terminal.output import warn
from rawr.errors import OutsideError
from rawr.history import files
from rawr.views.timeline.retold import Retold
from rawr.views.timeline.retold import retold as retold_by


def is_session_file(name: str) -> bool:
    return name.endswith(files.ENDINGS)


def is_path(name: str) -> bool:
    """Threads and runs have no slash in their names; what is in this folder may be called like one of them."""
    return bool(name) and (os.sep in name or os.path.lexists(name))


def retold(path: Path) -> Retold:
    found = retold_by(str(_checked(path)), Places.find().loaded.policy)
    if found.result.problem and not found.result.lines:
        raise OutsideError(f"{path} cannot be read: {found.result.problem}.", way_out="Give a session file of Codex's.")
    if not found.result.turns:
        way_out = "Session files are in $CODEX_HOME/sessions, with names like rollout-….jsonl."
        raise OutsideError(f"{path} holds no turn of a Codex session.", way_out=way_out)
    if found.result.problem:
        warn(f"{path} could not be read to its end: {found.result.problem}")
    return found


def _checked(path: Path) -> Path:
    """Raise if it cannot be a session file: to open a pipe would wait forever."""
    try:
        place = path.expanduser()
        if place.is_dir():
            way_out = f"Give one session file; `rawr backtest {shlex.quote(str(path))}` takes all in a folder."
            raise OutsideError(f"{path} is a folder.", way_out=way_out)
        files.at(place)
    except (OSError, RuntimeError, ValueError) as error:
        problem = (error.strerror if isinstance(error, OSError) else None) or str(error).rstrip(".")
        raise OutsideError(f"{path} cannot be read: {problem}.", way_out="Give a session file of Codex's.") from error
    return place
