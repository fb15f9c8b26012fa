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
from rawr.host.codexes import Client
from rawr.host.faults import kind_of
from rawr.host.frames import MAX_AGENT_CALL, MAX_CALL, BadFrame, read_shallow
from rawr.host.hosting import Hosting
from rawr.host.past import pages
from rawr.host.room import most
from rawr.local.peers import Peer
from rawr.runtime.door import came_from, origin_of
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

    def refusal(self, peer: Peer, order: object, *, thread: str = "", surface: str = "") -> errors.NotAPerson:
        """The error for one that is not a person, once the attempt is on record."""
        ...

    def is_full(self, *, person: bool) -> bool:
        """Return True if there is no room for another client of this kind."""
        ...

    def is_alone(self) -> bool:
        """Return True if there is one client, and nothing is under way."""
        ...

    def stop(self) -> None: ...


class Session:
    def __init__(
        self,
        number: int,
        host: Host,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        peer: Peer,
        shape: str,
    ) -> None:
        self._client = Client(number)
        self._host = host
        self._reader = reader
        self._listener = Listener(writer, person=peer.is_person)
        self._most = MAX_CALL if peer.is_person else MAX_AGENT_CALL
        self.peer = peer
        self.greeted = False
        self._surface = ""
        self._shape = shape
        self._calls: set[asyncio.Task[None]] = set()
        self._same = True

    @property
    def is_person(self) -> bool:
        return self.peer.is_person

    def abort(self) -> None:
        """It has said nothing, and others want to come in."""
        self._listener.abort()

    async def serve(self) -> None:
        """Until the client is gone."""
        try:
            async with asyncio.timeout(GREETING_DEADLINE):
                greeted = await self._greet()
            self.greeted = greeted
            while greeted and (frame := await read_shallow(self._reader, most=self._most)) is not None:
                self._take(frame)
                while len(self._calls) >= MAX_CALLS:
                    await asyncio.wait(self._calls, return_when=asyncio.FIRST_COMPLETED)
        except (TimeoutError, BadFrame, msgspec.MsgspecError, UnicodeDecodeError) as error:
            self._listener.say(encoded(m.Leaving(f"It was not understood: {error}.")))
        finally:
            self._host.hosting.left(self._client)
            self._host.audience.remove(self._listener)
            for call in self._calls:
                call.cancel()

    def leave(self, last: m.Leaving) -> None:
        """The last word to this client."""
        self._listener.say(encoded(last))
        self._listener.close()

    async def _greet(self) -> bool:
        frame = await read_shallow(self._reader, most=self._most)
        if frame is None:
            return False
        hello = _decode_hello(frame)
        self._surface = hello.surface
        if self._host.is_full(person=self.is_person):
            why = f"The host is busy: {most(person=self.is_person)} clients"
            self._listener.say(encoded(m.Leaving(why, busy=True)))
            return False
        self._same = (hello.protocol, hello.version, hello.shape) == (m.PROTOCOL, __version__, self._shape)
        self._listener.say(encoded(m.Welcome(m.PROTOCOL, __version__, os.getpid(), same=self._same)))
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
            if not self.peer.is_person and not isinstance(calling.call, m.READING):
                raise self._refusal(calling.call)
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

    def _refusal(self, call: m.AnyCall) -> errors.NotAPerson:
        thread = getattr(call, "thread", "")
        order = call.fact if isinstance(call, m.Submit) else call
        return self._host.refusal(self.peer, order, thread=thread, surface=self._surface)

    async def _result(self, call: m.OneAnswer) -> m.Result:
        host, client = self._host, self._client
        match call:
            case m.Ping():
                await host.rawr.shown()
            case m.AskStatus():
                return m.Shown(host.status())
            case m.Stop():
                host.stop()
            case m.Bring(environment=environment):
                environment.check()
                client.environment = environment
            case m.Reach():
                client.codex = call
                return m.Named(await host.hosting.reach(client))
            case m.Watch():
                return m.Named(await host.hosting.watch(call, client))
            case m.Unwatch():
                await host.hosting.unwatch(client)
            case m.UseRules(flags=flags):
                host.hosting.use_rules(flags, alone=host.is_alone())
            case m.BeginThread() | m.AdoptThread() | m.PutThread() | m.Submit():
                return await self._on_a_thread(call)
            case _ as never:
                assert_never(never)
        return m.Nothing()

    async def _on_a_thread(self, call: m.BeginThread | m.AdoptThread | m.PutThread | m.Submit) -> m.Result:
        hosting, client = self._host.hosting, self._client
        match call:
            case m.BeginThread():
                return m.Named(await hosting.begin(call, client))
            case m.AdoptThread():
                await hosting.adopt(call, client)
            case m.PutThread():
                await hosting.put(call, client)
            case m.Submit(thread=thread, fact=fact):
                return m.Recorded(await hosting.submit(thread, self._signed(fact), client))
            case _ as never:
                assert_never(never)
        return m.Nothing()

    def _signed(self, fact: m.Submission) -> m.Submission:
        """With where it came from, as the system says."""
        return came_from(fact, origin_of(self.peer, self._surface))

    async def _subscribe(self, number: int, call: m.Subscribe) -> None:
        """Nothing is missed: what happens from here on waits until the past has been told."""
        host, listener = self._host, self._listener
        rawr, until = host.rawr, host.rawr.seq
        listener.deltas = call.deltas
        states = tuple(rawr.threads.values())
        # What waits comes first: a client shows what the states ask as soon as it has them.
        for frame in host.audience.waits() if listener.person else ():
            listener.say(frame)
        listener.say(encoded(m.Returned(number, m.Subscribed(until, rawr.host, rawr.policy, states))))
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
