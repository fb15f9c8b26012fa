"""The host's socket: for its owner alone, checked on both sides; one session per client."""

import asyncio
import contextlib

from rawr.core.kernel import Taken
from rawr.host import messages as m
from rawr.host.audience import Audience
from rawr.host.ending import Ending
from rawr.host.hosting import Hosting
from rawr.host.session import Session
from rawr.runtime.sockets import host_address, is_same_user, own_folder
from rawr.runtime.supervisor import Supervisor

MAX_CLIENTS = 64


class HostServer:
    """Serves one supervisor to many clients, until there is nothing left to do."""

    def __init__(self, rawr: Supervisor, hosting: Hosting, audience: Audience, *, ending: Ending) -> None:
        self.rawr = rawr
        self.hosting = hosting
        self.audience = audience
        self._ending = ending
        self._path = host_address(rawr.home)
        self._sessions: dict[int, Session] = {}
        self._number = 0
        self._server: asyncio.Server | None = None
        self._shape = m.own_shape()
        audience.rawr = rawr
        self._under_way = len(hosting.runs)
        rawr.follow(self._look)
        rawr.follow_deltas(audience.written)

    async def start(self) -> None:
        # We hold the journal's lock, so a socket found here is left over from a dead host.
        if self._path.parent != self.rawr.home:
            own_folder(self._path.parent)
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, self._path)
        self._path.chmod(0o600)

    async def close(self, why: str) -> None:
        for session in tuple(self._sessions.values()):
            session.leave(why)
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
        await asyncio.sleep(0)

    def _look(self, taken: Taken) -> None:
        """Something was taken: perhaps a run is over. A host can live long, so secrets that it needed go then."""
        self._ending.look()
        self.hosting.look(taken)
        before, self._under_way = self._under_way, len(self.hosting.runs)
        if self._under_way < before:
            self.rawr.forget_secrets()
            self.hosting.forget()

    @property
    def clients(self) -> int:
        return len(self._sessions)

    def status(self) -> m.HostStatus:
        return self.hosting.status(clients=self.clients, ends=self._ending.in_words(self))

    def is_alone(self) -> bool:
        return self.clients <= 1 and not self.hosting.runs and not self.hosting.watching

    def stop(self) -> None:
        self._ending.stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not is_same_user(writer) or self.clients >= MAX_CLIENTS:
            writer.transport.abort()
            return
        self._number += 1
        number = self._number
        session = self._sessions[number] = Session(number, self, reader, writer, shape=self._shape)
        self._ending.look()
        try:
            await session.serve()
        finally:
            self._sessions.pop(number, None)
            self._ending.look()
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
