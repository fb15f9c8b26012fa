"""The host's socket: for its owner alone, checked on both sides; one session per client."""

import asyncio
import contextlib

from rawr.core.kernel import Taken
from rawr.errors import NotAPerson
from rawr.host import messages as m
from rawr.host.audience import Audience
from rawr.host.ending import Ending
from rawr.host.hosting import Hosting
from rawr.host.room import is_full, make_room
from rawr.host.session import Session
from rawr.local import sockets
from rawr.local.peers import Peer, same_user
from rawr.runtime.door import Door, peer_at
from rawr.runtime.sockets import HOST_SOCKET
from rawr.runtime.supervisor import Supervisor


class HostServer:
    """Serves one supervisor to many clients, until there is nothing left to do."""

    def __init__(self, rawr: Supervisor, hosting: Hosting, audience: Audience, *, ending: Ending) -> None:
        self.rawr = rawr
        self.hosting = hosting
        self.audience = audience
        self._ending = ending
        self._door = Door(rawr)
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
        made = sockets.bind(self.rawr.home, HOST_SOCKET)
        self._server = await asyncio.start_unix_server(self._serve, sock=made)

    async def close(self, last: m.Leaving) -> None:
        for session in tuple(self._sessions.values()):
            session.leave(last)
        if self._server is not None:
            self._server.close()
            sockets.unlink(self.rawr.home, HOST_SOCKET)
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
        """Those that keep it from exiting: an agent that looks on does not."""
        return sum(one.is_person for one in self._sessions.values())

    def status(self) -> m.HostStatus:
        greeted = sum(one.greeted for one in self._sessions.values())
        return self.hosting.status(clients=greeted, ends=self._ending.in_words(self))

    def is_alone(self) -> bool:
        others = sum(one.greeted and one.is_person for one in self._sessions.values())
        return others <= 1 and not self.hosting.runs and not self.hosting.watching

    def is_full(self, *, person: bool) -> bool:
        return is_full(list(self._sessions.values()), person=person)

    def refusal(self, peer: Peer, order: object, *, thread: str = "", surface: str = "") -> NotAPerson:
        return self._door.refusal(peer, order, thread=thread, surface=surface)

    def stop(self) -> None:
        self._ending.stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end = writer.get_extra_info("socket")
        if not same_user(end):
            writer.transport.abort()
            return
        peer = await peer_at(end)
        make_room(list(self._sessions.values()), person=peer.is_person)
        self._number += 1
        number = self._number
        session = self._sessions[number] = Session(number, self, reader, writer, peer=peer, shape=self._shape)
        self._ending.look()
        try:
            await session.serve()
        finally:
            self._sessions.pop(number, None)
            self._ending.look()
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
