"""How far Codex's session file of a thread was read, and where in a turn something was that only the file has."""

from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import Struct

SessionTrouble = Literal["", "missing", "unreadable", "truncated", "replaced", "skipped", "garbled"]


class SessionMark(Struct, frozen=True, gc=False, omit_defaults=True):
    """A place in the file. ``check`` is a digest of the bytes before it: in another file the place means nothing."""

    offset: int = 0
    check: str = ""
    turn: str = ""
    """The turn in the middle of which it is; older versions of Codex do not write it on every line."""


class Found(Struct, frozen=True, gc=False, omit_defaults=True):
    """Codex did not report this; it is in the session file (C2). Says where in its turn."""

    source: Literal["session_file"] = "session_file"
    at: int = 0
    """In ms since the epoch, by Codex's clock; 0 if the file does not say."""
    after: str = ""
    """The call before it in the turn, reported or not."""
    overtaken: bool = False
    """The same command succeeded later in the turn."""
    behind: int = 0
    """How many other commands failed after it in the turn."""


def plan_digest(steps: tuple[Struct, ...]) -> str:
    """To tell without its words if a plan is known."""
    return sha256(msgspec.json.encode(steps)).hexdigest()[:16] if steps else ""
