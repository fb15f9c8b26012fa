"""A way to an app-server, whatever it is made of (``stdio.py``, ``unix_socket.py``).

A ``Link`` is one standing connection: it gives out whole frames and says at the end why it ended. A ``Dialer`` makes a
new one each time it is asked, which is all that reconnecting needs. Neither knows what a frame means.
"""

from collections.abc import AsyncIterator
from typing import Protocol

from msgspec import Struct

from rawr.codex.rpc import Fault, Oversize
from rawr.errors import CodexError

END_GRACE = 2.0
"""Seconds for the other side to end after it was told to."""


class Ended(Struct, frozen=True):
    """Why a connection is over, for a person to read."""

    problem: str
    exit_code: int | None = None
    stderr_tail: tuple[str, ...] = ()
    killed: bool = False
    """By a signal, and not by one of ours."""


class CodexUnreachable(CodexError):
    """No connection could be made."""


class Link(Protocol):
    @property
    def server(self) -> str:
        """Which process is at the other end: a restarted one has another name. Empty if that is not known."""
        ...

    def frames(self) -> AsyncIterator[bytes | Oversize | Fault]:
        """Frames until the connection ends; ``ended`` then says why."""
        ...

    async def send(self, frame: bytes) -> None:
        """Hand a frame over. Raises ``CodexUnreachable`` once the connection is over."""
        ...

    async def close(self) -> Ended:
        """End the connection, if it has not ended, and say how it did."""
        ...

    def kill(self) -> None:
        """End it at once, without waiting for the other end."""
        ...


class Dialer(Protocol):
    name: str
    ours: bool
    """What is dialled is started with the connection and ended with it."""

    async def dial(self) -> Link: ...
