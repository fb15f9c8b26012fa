"""The way to an app-server that is already running: a WebSocket over its unix socket.

Imported only when needed: the WebSocket library is large.
"""

import os
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path

from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from rawr.codex import leftover
from rawr.codex.harness import CodexDialer
from rawr.codex.rpc import MAX_FRAME, Fault, Oversize
from rawr.codex.transport import END_GRACE, CodexUnreachable, Ended

MAX_ADDRESS = 100
"""Bytes in a unix socket's path that every system accepts."""


class UnixDialer(CodexDialer):
    """Joins an app-server that listens on a unix socket, such as the one behind the user's own Codex."""

    def __init__(self, socket: Path, *, open_timeout: float = 10.0) -> None:
        self.name = f"unix://{socket}"
        self.ours = False
        self._socket = socket
        self._timeout = open_timeout

    async def dial(self) -> "UnixLink":
        try:
            connection = await unix_connect(
                _address(self._socket),
                "ws://localhost/",
                open_timeout=self._timeout,
                max_size=MAX_FRAME,
                # Loopback: compressing costs more than it saves, and the server answers pings only between messages.
                compression=None,
                ping_interval=None,
                close_timeout=END_GRACE,
            )
        except (OSError, TimeoutError, InvalidHandshake, InvalidMessage, EOFError) as error:
            message = f"No app-server answers on {self._socket}: {str(error) or type(error).__name__}."
            raise CodexUnreachable(message, way_out="Start Codex, or name its socket.") from error
        return UnixLink(connection)


def _address(socket: Path) -> str:
    """The path to connect to. An address has room for about a hundred bytes, so in a deep home Codex creates a link to
    a shorter path. Follow it at every call, because a restarted Codex may have moved."""
    path = str(socket)
    return os.path.realpath(path) if len(os.fsencode(path)) > MAX_ADDRESS else path


class UnixLink:
    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    @property
    def server(self) -> str:
        peer = self._connection.transport.get_extra_info("socket")
        if peer is None or not hasattr(socket, "SO_PEERCRED"):
            return ""
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        pid, _, _ = struct.unpack("3i", credentials)
        return leftover.name_of(pid)

    async def frames(self) -> AsyncIterator[bytes | Oversize | Fault]:
        while True:
            try:
                message = await self._connection.recv(decode=False)
            except ConnectionClosed as closed:
                if closed.sent is not None and closed.sent.code == 1009:
                    yield Fault(f"a message over the limit of {MAX_FRAME} bytes; rawr closed the connection")
                return
            yield message

    async def send(self, frame: bytes) -> None:
        try:
            await self._connection.send(frame, text=True)
        except ConnectionClosed as closed:
            raise CodexUnreachable("The connection to the app-server is closed.") from closed

    def kill(self) -> None:
        self._connection.transport.abort()

    async def close(self) -> Ended:
        await self._connection.close()
        code, reason = self._connection.close_code, self._connection.close_reason
        said = f" ({code}{': ' + reason if reason else ''})" if code else ""
        return Ended(f"the connection was closed{said}")
