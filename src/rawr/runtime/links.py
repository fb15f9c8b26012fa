"""rawr's connections, by name: each reaches one harness, and each thread is on one of them.

A rawr that serves one Codex has a single connection, without a name. A host has several: one to the Codex that it
starts for runs, one to the Codex that a person is using.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.real import Real
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import effects, facts
from rawr.errors import RawrError
from rawr.ports.harness import Connection, Done, Harness, HarnessEffect, Listener, Told, Undone
from rawr.ports.surface import Tell

NOBODY = "rawr has no connection to the Codex that has this thread"


class _Open(Struct, eq=False):
    connection: Connection
    serving: asyncio.Task[None]
    patient: bool


class Links:
    """Routes effects to the connection that reaches their thread, and keeps facts apart by where they come from."""

    def __init__(
        self,
        listener: Listener,
        threads: Callable[[], Mapping[str, ThreadState]],
        *,
        home: Path,
        last_epoch: int,
    ) -> None:
        self._listener = listener
        self._threads = threads
        self._home = home
        self._epochs: Iterator[int] = count(last_epoch + 1)
        self._open: dict[str, _Open] = {}
        self._told: dict[str, str] = {}
        """On which connection each thread was last reported to be."""

    def __contains__(self, name: str) -> bool:
        return name in self._open

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._open)

    def connection(self, name: str = "") -> Connection:
        return self._open[name].connection

    def serving(self, name: str = "") -> "asyncio.Task[None]":
        """The task that ends only if the connection is given up."""
        return self._open[name].serving

    def add(self, name: str, harness: Harness, *, patient: bool, reconnect: bool = True) -> Connection:
        connection = harness.connection(
            replace(self._listener, tell=self._hearing(name)) if name else self._listener,
            home=self._home,
            epochs=self._epochs,
            patient=patient,
            name=name,
        )
        serving = asyncio.create_task(connection.run(reconnect=reconnect))
        # Whoever waits for this connection is told why it was given up; where nobody does, the next to ask is.
        serving.add_done_callback(lambda task: task.cancelled() or task.exception())
        self._open[name] = _Open(connection, serving, patient)
        return connection

    async def drop(self, name: str) -> None:
        """Close a connection. Its threads are told."""
        left = self._open.pop(name, None)
        if left is not None:
            left.serving.cancel()
            with contextlib.suppress(asyncio.CancelledError, RawrError):
                await left.serving

    async def close(self) -> None:
        await asyncio.gather(*(self.drop(name) for name in self.names))

    def put(self, thread: str, name: str) -> facts.ThreadReached | None:
        """What to tell a thread that is to be driven on this connection; None if it is there, or in use elsewhere."""
        known = self._threads().get(thread)
        if known is not None and (known.link == name or (known.online and known.link in self._open)):
            return None
        self._told[thread] = name
        return facts.ThreadReached(link=name, moved=True)

    # -- in and out ---------------------------------------------------------------------------------------------

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done | Undone:
        link = self._link_of(thread, real.thing)
        opened = self._open.get(link)
        if opened is None:
            return Undone(NOBODY, "unsent")
        done = await opened.connection.carry_out(name, thread, real)
        if not link or isinstance(done, Undone) or not done.told:
            return done
        return replace(done, told=tuple(self._located(link, done.told)))

    def _link_of(self, thread: str, effect: HarnessEffect) -> str:
        if isinstance(effect, effects.StartThread | effects.ListThreads):
            return effect.link
        known = self._threads().get(thread)
        return known.link if known is not None else ""

    def _hearing(self, name: str) -> Tell:
        """How a named connection tells what happens: what it is about is said to be here."""

        def tell(thread: str, fact: facts.AnyFact) -> None:
            if isinstance(fact, facts.ServerConnected | facts.ServerLost):
                fact = replace(fact, link=name)
            for one, told in self._located(name, ((thread, fact),)):
                self._listener.tell(one, told)

        return tell

    def _located(self, name: str, told: Iterable[Told]) -> Iterator[Told]:
        """The same facts, each thread's first one after the news that this connection reaches it. A thread that works
        on another connection is left to that one."""
        for thread, fact in told:
            if thread and self._told.get(thread) != name:
                known = self._threads().get(thread)
                if known is not None and known.link != name and known.online and known.link in self._open:
                    continue
                self._told[thread] = name
                if known is None or known.link != name:
                    yield thread, facts.ThreadReached(link=name)
            yield thread, fact
