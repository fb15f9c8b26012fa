"""Everything that happens, to every client that wants to see it. Nothing here waits for anybody.

A client that does not read is cut off once too much is waiting for it; streaming text is dropped long before that,
because all of it comes again with its item.
"""

import asyncio
import contextlib
from typing import Protocol

import msgspec

from rawr.core.kernel import Taken
from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary.facts import Level
from rawr.host import messages as m
from rawr.host.frames import framed
from rawr.ports.surface import Delta

MAX_WAITING = 32 * 1024 * 1024
"""Bytes that may wait for a client to read them."""
MAX_DELTAS_WAITING = 256 * 1024
CAUGHT_UP_DEADLINE = 5.0

_encode = msgspec.json.Encoder().encode


class Seen(Protocol):
    """What the audience needs to know of rawr."""

    @property
    def seq(self) -> int: ...

    @property
    def threads(self) -> dict[str, ThreadState]: ...

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]: ...


def encoded(message: m.ToClient) -> bytes:
    return framed(_encode(message))


class Listener:
    """One client's end of the socket, for writing."""

    def __init__(self, writer: asyncio.StreamWriter, *, person: bool = True) -> None:
        """``person``: a person's; any other sees what is on record, and no more."""
        self._writer = writer
        self.person = person
        self._held: list[bytes] | None = None
        """What waits until the past has been told; None: nothing does."""
        self._held_size = 0
        self.known: set[str] = set()
        """Threads whose states the client has."""
        self.deltas = False
        self.cut_off = False

    @property
    def backlog(self) -> int:
        return self._writer.transport.get_write_buffer_size() + self._held_size

    def say(self, frame: bytes) -> None:
        """In order, after what is held."""
        if self.cut_off or self._writer.is_closing():
            return
        if self.backlog + len(frame) > MAX_WAITING:
            self.abort()
        elif self._held is not None:
            self._held.append(frame)
            self._held_size += len(frame)
        else:
            self._writer.write(frame)

    def close(self) -> None:
        """After what was said so far."""
        self._writer.close()

    def abort(self) -> None:
        self.cut_off = True
        self._writer.transport.abort()

    def hold(self) -> None:
        """Hold what happens from here on: the past comes first."""
        self._held = []

    async def say_first(self, frame: bytes) -> None:
        """Of the past: as fast as the client reads it."""
        self._writer.write(frame)
        await self._writer.drain()

    def release(self) -> None:
        held, self._held, self._held_size = self._held or [], None, 0
        for frame in held:
            self.say(frame)


class Audience:
    """A surface for the loop, shared by all clients."""

    rawr: Seen

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._asked: dict[str, tuple[OpenRequest, ...]] = {}
        """The open requests of each thread, as last told."""
        self._seq = 0
        """The newest fact that was told."""
        self._behind: list[tuple[int, asyncio.Future[None]]] = []

    def add(self, listener: Listener) -> None:
        """From here on this client sees everything."""
        listener.known.update(self.rawr.threads)
        self._listeners.add(listener)

    def remove(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    def waits(self) -> list[bytes]:
        """What waits for a person, on all threads."""
        threads = [name for name, state in self.rawr.threads.items() if state.requests]
        return [self._waits(thread) for thread in threads]

    async def caught_up(self) -> None:
        """Wait briefly until everything that the states hold was told. So an answer to a client comes after the facts
        that it rests on, and the client's own states hold them too."""
        if self._seq >= self.rawr.seq:
            return
        told = asyncio.get_running_loop().create_future()
        self._behind.append((self.rawr.seq, told))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CAUGHT_UP_DEADLINE):
                await told

    # -- the surface --------------------------------------------------------------------------------------------

    def notify(self, thread: str, level: Level, text: str) -> None:
        if self._listeners:
            self._say(encoded(m.Noticed(thread, level, text)))

    def taken(self, taken: Taken) -> None:
        if self._listeners:
            self._tell(taken)
        self._seq = taken.recorded.seq
        if self._behind and self._seq >= self._behind[0][0]:
            for seq, told in self._behind:
                if seq <= self._seq and not told.done():
                    told.set_result(None)
            self._behind = [one for one in self._behind if not one[1].done()]

    def _tell(self, taken: Taken) -> None:
        thread = taken.recorded.thread
        state = self.rawr.threads.get(thread)
        if state is not None and state.requests is not self._asked.get(thread, ()):
            # First: whoever is put a question with this fact must be able to show it.
            self._asked[thread] = state.requests
            self._say(self._waits(thread), persons=True)
        frame = encoded(m.Happened(taken))
        for listener in tuple(self._listeners):
            if state is not None and thread not in listener.known:
                listener.known.add(thread)
                listener.say(encoded(m.Appeared(state, self.rawr.seq)))
            listener.say(frame)

    def written(self, delta: Delta) -> None:
        frame = b""
        for listener in self._listeners:
            if listener.deltas and listener.person and listener.backlog < MAX_DELTAS_WAITING:
                frame = frame or encoded(m.Written(delta))
                listener.say(frame)

    def _waits(self, thread: str) -> bytes:
        return encoded(m.Waits(thread, tuple(one.thing for one in self.rawr.waiting(thread))))

    def _say(self, frame: bytes, *, persons: bool = False) -> None:
        for listener in tuple(self._listeners):
            if listener.person or not persons:
                listener.say(frame)
