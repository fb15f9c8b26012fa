"""A session file of Codex's own in a report: which names mean one, and what cannot be reported on."""

from pathlib import Path

from rawr.cli.places import Places
from rawr.cli.terminal.output import warn
from rawr.errors import OutsideError
from rawr.history.files import ENDINGS
from rawr.views.timeline.retold import Retold
from rawr.views.timeline.retold import retold as retold_by


def is_session_file(name: str) -> bool:
    return name.endswith(ENDINGS)


def retold(path: Path) -> Retold:
    found = retold_by(str(path.expanduser()), Places.find().loaded.policy)
    if found.result.problem and not found.result.lines:
        raise OutsideError(f"{path} cannot be read: {found.result.problem}.", way_out="Give a session file of Codex's.")
    if not found.result.turns:
        way_out = "Session files are in $CODEX_HOME/sessions, with names like rollout-….jsonl."
        raise OutsideError(f"{path} holds no turn of a Codex session.", way_out=way_out)
    if found.result.problem:
        warn(f"{path} could not be read to its end: {found.result.problem}")
    return found
