"""The connections of a host, by name: to the Codex behind a socket, and to those that it starts itself.

A Codex has the environment that it was started with, so there is one for each environment that clients work in. Its
name goes to the journal. It says nothing of the environment, to nobody who has not the host's salt: otherwise guesses
at a key could be tried on it. So a Codex has another name in each host, and threads are put on the new one.
"""

import asyncio
from collections.abc import Callable
from hashlib import blake2b, sha256
from pathlib import Path
from secrets import token_bytes

from msgspec import Struct

from rawr.core.state.host import link_of
from rawr.errors import CodexError
from rawr.host import messages as m
from rawr.host.environment import Environment, Environments
from rawr.ports.harness import Harness
from rawr.runtime.obeyed import Place
from rawr.runtime.supervisor import Supervisor

Dial = Callable[[m.Reach, Environment | None], Harness]
"""How a Codex is reached, or started in an environment; None: in the host's own."""
SHARED = "shared-"
SPARE = 60.0
"""Seconds for which a Codex that nobody needs is kept: the next command may come at once."""


class Client(Struct, eq=False):
    """What a host knows of one of its clients."""

    number: int
    environment: Environment | None = None
    """That of its terminal."""
    codex: m.Reach | None = None
    """The Codex that it works with."""


class Codexes:
    def __init__(
        self,
        rawr: Supervisor,
        dial: Dial,
        environments: Environments,
        *,
        at_work: Callable[[str], bool],
    ) -> None:
        """``at_work``: if something is under way on the connection of this name."""
        self._rawr = rawr
        self._dial = dial
        self._environments = environments
        self._at_work = at_work
        self._salt = token_bytes(32)
        self._reached: dict[str, m.Reach] = {}
        self._users: dict[int, str] = {}
        """The connection of each client."""
        self._spare: dict[str, asyncio.TimerHandle] = {}
        self._dropping: set[asyncio.Future[None]] = set()
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._first: dict[str, asyncio.Lock] = {}
        """By Codex's home: the first Codex there sets it up, and a second one at the same time would fail."""

    async def reach(self, client: Client) -> str:
        """The name of an open connection to this client's Codex, in this client's environment."""
        if client.codex is None:
            raise CodexError("No Codex is set up for this.", way_out="`rawr doctor` says what is missing.")
        name = self._name(client.codex, client.environment)
        self._users[client.number] = name
        self.look()
        if name in self._rawr.links and link_of(self._rawr.host, name) is not None:
            return name
        async with self._first.setdefault(client.codex.codex_home, asyncio.Lock()):
            await self.open(name, client.codex, client.environment)
            await self._rawr.connected(name)
        return name

    async def open(self, name: str, codex: m.Reach, environment: Environment | None, *, patient: bool = False) -> None:
        """Have the connection; one that was given up is made again."""
        links = self._rawr.links
        if name in self._closing:
            await asyncio.wait((self._closing[name],))
        if name in links and links.serving(name).done():
            await links.drop(name)
        if name not in links:
            harness = self._dial(codex, environment)
            self._reached[name] = codex
            if codex.codex_home:
                self._rawr.protect(Path(codex.codex_home))
            if codex.program:
                self._rawr.obeyed.add(Place("Codex", Path(codex.program), "Name another with --codex-bin."))
            if not codex.socket:
                self._environments.opened(name, environment)
            links.add(name, harness, patient=patient)

    def reached(self, name: str) -> m.Reach:
        return self._reached.get(name, m.Reach())

    def is_own(self, name: str) -> bool:
        """Return True if this host has started the Codex at the other end."""
        return name in self._rawr.links and not self.reached(name).socket

    async def close(self, name: str) -> None:
        """Until somebody needs it again. Its threads are free for another Codex then."""
        if name not in self._closing:
            self._closing[name] = asyncio.create_task(self._rawr.links.drop(name))
            self._closing[name].add_done_callback(lambda _: self._closing.pop(name, None))
            self._environments.closed(name)
        await asyncio.wait((self._closing[name],))

    def forget(self, client: Client) -> None:
        """The client has gone."""
        self._users.pop(client.number, None)
        self.look()

    # -- those that nobody needs --------------------------------------------------------------------------------

    def look(self) -> None:
        """Something changed: a Codex may be needed no more, or again."""
        for name in filter(self.is_own, self._rawr.links.names):
            if self._needed(name):
                if (timer := self._spare.pop(name, None)) is not None:
                    timer.cancel()
            elif name not in self._spare:
                self._spare[name] = asyncio.get_running_loop().call_later(SPARE, self._drop, name)

    def _needed(self, name: str) -> bool:
        return name in self._users.values() or self._at_work(name)

    def _drop(self, name: str) -> None:
        self._spare.pop(name, None)
        if not self._needed(name):
            closing = asyncio.ensure_future(self.close(name))
            self._dropping.add(closing)
            closing.add_done_callback(self._dropping.discard)

    # -- names --------------------------------------------------------------------------------------------------

    def _name(self, codex: m.Reach, environment: Environment | None) -> str:
        if codex.socket:
            return shared_name(codex.socket)
        counted = environment.counted if environment is not None else ()
        key = repr((codex.program, codex.codex_home, counted)).encode()
        return f"own-{blake2b(key, key=self._salt, digest_size=8).hexdigest()}"


def shared_name(socket: str) -> str:
    """The same name for the same Codex, in every host on this home."""
    return f"{SHARED}{sha256(socket.encode()).hexdigest()[:8]}"


def is_shared(name: str) -> bool:
    """Return True if a connection of this name is to a Codex that a person is using."""
    return name.startswith(SHARED)
