"""A socket in front of the user's app-server that holds one request of rawr's back, as a slow moment would."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.asyncio.server import ServerConnection, unix_serve
from websockets.exceptions import ConnectionClosed

from tests.e2e.rig import SocketServer


class HeldBack:
    def __init__(self, path: Path, text: bytes) -> None:
        self.path = path
        self._text = text
        self.here = asyncio.Event()
        """The request has come, and waits."""
        self.go = asyncio.Event()

    async def inward(self, client: ServerConnection, codex: ClientConnection) -> None:
        async for frame in client:
            raw = frame if isinstance(frame, bytes) else frame.encode()
            if self._text in raw and not self.here.is_set():
                self.here.set()
                await self.go.wait()
            await codex.send(frame)


async def _outward(codex: ClientConnection, client: ServerConnection) -> None:
    async for frame in codex:
        await client.send(frame)


@asynccontextmanager
async def held_back(server: SocketServer, text: str) -> AsyncIterator[HeldBack]:
    """``path`` is for rawr. Its first request with this text waits for ``go``."""
    with tempfile.TemporaryDirectory(prefix="rawr-") as folder:
        front = HeldBack(Path(folder) / "front.sock", text.encode())

        async def serve(client: ServerConnection) -> None:
            async with unix_connect(str(server.path), "ws://localhost/", compression=None, max_size=None) as codex:
                ways = [asyncio.create_task(front.inward(client, codex)), asyncio.create_task(_outward(codex, client))]
                with contextlib.suppress(ConnectionClosed):
                    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for one in ways:
                    one.cancel()

        async with unix_serve(serve, str(front.path), compression=None, max_size=None):
            yield front
