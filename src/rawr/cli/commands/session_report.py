"""A session file of Codex's own as a timeline: what happened, and what rawr would have done."""

from pathlib import Path

from msgspec import Struct

from rawr.errors import OutsideError
from rawr.views.timeline import Counterfactual, Timeline

ENDINGS = (".jsonl", ".jsonl.zst")


class Retold(Struct, frozen=True):
    timeline: Timeline
    instead: Counterfactual | None = None
    """The same session with rawr beside it."""


def is_session_file(name: str) -> bool:
    return name.endswith(ENDINGS)


def retold(path: Path) -> Retold:
    raise OutsideError(
        f"{path} is a session file of Codex's own; rawr cannot report on those yet.",
        way_out="Name a run or a thread; `rawr status` lists them.",
    )
