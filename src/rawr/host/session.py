"""One client of a host: its greeting, and the calls that it makes."""

import asyncio
import os
from collections.abc import Iterator
from typing import Protocol, assert_never

import msgspec

from rawr import errors
from rawr.core.kernel import Taken
from rawr.host import messages as m
from rawr.host.audience import Audience, Listener, encoded
from rawr.host.faults import kind_of
from rawr.host.frames import MAX_CALL, FrameTooLong, read_frame
from rawr.host.hosting import Hosting
from rawr.host.past import pages
from rawr.runtime.supervisor import Supervisor
from rawr.version import __version__

GREETING_DEADLINE = 5.0
MAX_CALLS = 64
"""Calls of one client that may be under way at once."""

_decode_hello = msgspec.json.Decoder(m.Hello).decode
_decode_call = msgspec.json.Decoder(m.Calling).decode


class Host(Protocol):
    """What a session needs of the process that it is in."""

    rawr: Supervisor
    hosting: Hosting
    audience: Audience

    def status(self) -> m.HostStatus: ...

    def is_alone(self) -> bool:
        """Return True if there is one client, and nothing is under way."""
        ...

    def stop(self) -> None: ...


class Session:
    def __init__(
        self, number: int, host: Host, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, shape: str
    ) -> None:
        self._number = number
        self._host = host
        self._reader = reader
        self._listener = Listener(writer)
        self._shape = shape
        self._calls: set[asyncio.Task[None]] = set()
        self._same = True

    async def serve(self) -> None:
        """Until the client is gone."""
        try:
            async with asyncio.timeout(GREETING_DEADLINE):
                greeted = await self._greet()
            while greeted and (frame := await read_frame(self._reader, most=MAX_CALL)) is not None:
                self._take(frame)
                while len(self._calls) >= MAX_CALLS:
                    await asyncio.wait(self._calls, return_when=asyncio.FIRST_COMPLETED)
        except (TimeoutError, FrameTooLong, msgspec.MsgspecError, UnicodeDecodeError) as error:
            self._listener.say(encoded(m.Leaving(f"It was not understood: {error}.")))
        finally:
            self._host.audience.remove(self._listener)
            self._host.hosting.gone(self._number)
            for call in self._calls:
                call.cancel()

    def leave(self, why: str) -> None:
        """The last word to this client."""
        self._listener.say(encoded(m.Leaving(why)))
        self._listener.close()

    async def _greet(self) -> bool:
        frame = await read_frame(self._reader, most=MAX_CALL)
        if frame is None:
            return False
        hello = _decode_hello(frame)
        self._same = (hello.protocol, hello.version, hello.shape) == (m.PROTOCOL, __version__, self._shape)
        path = os.environ.get("PATH", "")
        welcome = m.Welcome(m.PROTOCOL, __version__, os.getpid(), same=self._same, path=path)
        self._listener.say(encoded(welcome))
        return True

    # -- calls --------------------------------------------------------------------------------------------------

    def _take(self, frame: bytes) -> None:
        """Each call in a task of its own: one that takes long holds up no other. They begin in order."""
        calling = _decode_call(frame)
        task = asyncio.create_task(self._answer(calling))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _answer(self, calling: m.Calling) -> None:
        try:
            if not self._same and not isinstance(calling.call, m.ACROSS_VERSIONS):
                raise errors.OutsideError(
                    f"The host of this home is rawr {__version__}, and this is another version.",
                    way_out="`rawr host stop` ends it; the next command starts one of this version.",
                )
            if isinstance(calling.call, m.Subscribe):
                await self._subscribe(calling.number, calling.call)
                return
            result = await self._result(calling.call)
            await self._host.audience.caught_up()
        except errors.RawrError as error:
            failed = m.Failed(calling.number, kind_of(error), error.message, error.way_out)
            self._listener.say(encoded(failed))
        except Exception as error:
            self._listener.say(encoded(m.Failed(calling.number, "bug", f"{type(error).__name__}: {error}")))
            raise
        else:
            self._listener.say(encoded(m.Returned(calling.number, result)))

    async def _result(self, call: m.OneAnswer) -> m.Result:
        host = self._host
        match call:
            case m.Ping():
                await host.rawr.shown()
            case m.AskStatus():
                return m.Shown(host.status())
            case m.Stop():
                host.stop()
            case m.Reach():
                return m.Named(await host.hosting.reach(call))
            case m.Watch():
                return m.Named(await host.hosting.watch(call, self._number))
            case m.Unwatch():
                await host.hosting.unwatch(self._number)
            case m.UseRules(flags=flags):
                host.hosting.use_rules(flags, alone=host.is_alone())
            case m.BeginThread():
                return m.Named(await host.hosting.begin(call))
            case m.AdoptThread():
                await host.hosting.adopt(call)
            case m.PutThread():
                host.hosting.put(call)
            case m.Submit(thread=thread, fact=fact):
                return m.Recorded(await host.rawr.record(thread, fact))
            case _ as never:
                assert_never(never)
        return m.Nothing()

    async def _subscribe(self, number: int, call: m.Subscribe) -> None:
        """Nothing is missed: what happens from here on waits until the past has been told."""
        host, listener = self._host, self._listener
        rawr, until = host.rawr, host.rawr.seq
        listener.deltas = call.deltas
        states = tuple(rawr.threads.values())
        listener.say(encoded(m.Returned(number, m.Subscribed(until, rawr.host, rawr.policy, states))))
        for frame in host.audience.waits():
            listener.say(frame)
        host.audience.add(listener)
        if call.after is None or call.after >= until:
            return
        listener.hold()
        try:
            await rawr.shown()  # what the states hold is in the journal
            past = pages(rawr.journal, after=call.after, until=until)
            while page := await asyncio.to_thread(_next, past):
                for taken in page:
                    await listener.say_first(encoded(m.Past(taken)))
        finally:
            listener.release()


def _next(past: Iterator[list[Taken]]) -> list[Taken]:
    return next(past, [])
