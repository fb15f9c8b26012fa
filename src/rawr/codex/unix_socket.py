"""The way to an app-server that is already running: a WebSocket over its unix socket.

Imported only when needed: the WebSocket library is large.
"""

import asyncio
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
from rawr.local.peers import note_codex
from rawr.local.sockets import NotPrivate, connect_shared


class UnixDialer(CodexDialer):
    """Joins an app-server that listens on a unix socket, such as the one behind the user's own Codex."""

    def __init__(self, socket: Path, *, open_timeout: float = 10.0) -> None:
        self.name = f"unix://{socket}"
        self.ours = False
        self._socket = socket
        self._timeout = open_timeout

    async def dial(self) -> "UnixLink":
        try:
            # Codex puts a link to its socket elsewhere: whoever can write there could listen in its place.
            end = await asyncio.to_thread(_connect, self._socket)
            connection = await unix_connect(
                None,
                "ws://localhost/",
                sock=end,
                open_timeout=self._timeout,
                max_size=MAX_FRAME,
                # Loopback: compressing costs more than it saves, and the server answers pings only between messages.
                compression=None,
                ping_interval=None,
                close_timeout=END_GRACE,
            )
        except NotPrivate as error:
            raise CodexUnreachable(f"rawr does not join this Codex: {error.message}", way_out=error.way_out) from error
        except (OSError, TimeoutError, InvalidHandshake, InvalidMessage, EOFError) as error:
            said = getattr(error, "strerror", "") or str(error) or type(error).__name__
            message = f"No app-server answers on {self._socket}: {said}."
            raise CodexUnreachable(message, way_out="Start Codex, or name its socket.") from error
        return UnixLink(connection)


def _connect(path: Path) -> socket.socket:
    """Its Codex may be a binary of any name, and what it starts is an agent's all the same: so it is noted before it
    hears of anything."""
    end = connect_shared(path)
    note_codex(end)
    return end


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
