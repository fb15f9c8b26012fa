"""What every way to an app-server must do (``stdio.py``, ``unix_socket.py``).

A ``Link`` is one open connection: it yields whole frames and says at the end why it ended. A ``Dialer`` opens a new
one on each call, which is all that reconnecting needs. Neither knows what a frame means.
"""

from collections.abc import AsyncIterator
from typing import Protocol

from msgspec import Struct

from rawr.codex.rpc import Fault, Oversize
from rawr.errors import CodexError

END_GRACE = 2.0
"""Seconds for the other side to exit when asked to."""


class Ended(Struct, frozen=True):
    """Why a connection ended, for a person to read."""

    problem: str
    exit_code: int | None = None
    stderr_tail: tuple[str, ...] = ()
    killed: bool = False
    """By a signal that rawr did not send."""


class CodexUnreachable(CodexError):
    """No connection could be made."""


class Link(Protocol):
    @property
    def server(self) -> str:
        """The process at the other end: a restarted one has another name. Empty if unknown."""
        ...

    def frames(self) -> AsyncIterator[bytes | Oversize | Fault]:
        """Yield frames until the connection ends; ``close`` then says why."""
        ...

    async def send(self, frame: bytes) -> None:
        """Hand a frame over. Raises ``CodexUnreachable`` once the connection is over."""
        ...

    async def close(self) -> Ended:
        """Close the connection, if it is still open, and return why it ended."""
        ...

    def kill(self) -> None:
        """Cut the connection at once, without waiting for the other end."""
        ...


class Dialer(Protocol):
    name: str
    ours: bool
    """True if the server starts and exits with the connection."""

    async def dial(self) -> Link: ...
