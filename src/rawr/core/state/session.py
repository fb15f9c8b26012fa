"""Codex's session file of a thread: how far it was read, and which calls are known since then."""

from msgspec import Struct

from rawr.core.vocabulary.session import SessionMark, SessionTrouble

MAX_TOLD = 2_000
MAX_FOUND = 256


class SessionFile(Struct, frozen=True, gc=False, omit_defaults=True):
    path: str
    mark: SessionMark | None = None
    """None: it was not read yet, and what is in it is from before rawr joined."""
    told: tuple[str, ...] = ()
    """The calls that Codex reported since the mark, by their ids."""
    overflow: bool = False
    """There were more of them."""
    found: tuple[str, ...] = ()
    """The newest calls that only the file had. If Codex reports one of them later, it is not another call."""
    reading: str = ""
    """The effect that reads it now."""
    again: bool = False
    """The last read was lost, and is being repeated."""
    read: str = ""
    """The turn after which it was last read."""
    owed: str = ""
    """The turn after which it is read when the next one has begun."""
    late: str = ""
    """The same, while that is under way."""
    asked: tuple[str, ...] = ()
    """The calls that were known when the turn's end was to be read: those of the turn. ``told`` has those of the next
    one by then."""
    trouble: SessionTrouble = ""
