"""rawr as a surface sees it, at the other end of the host's socket.

The client keeps a replica: the states as they were, and then every fact, folded by the same kernel. So a surface reads
states here as it would in the process that owns them, and the host sends each fact once.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar

import msgspec

from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.state.host import HostState
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import Answer
from rawr.errors import Bug, HostBusy, JournalError, OutsideError, RawrError
from rawr.host import messages as m
from rawr.host.environment import Environment
from rawr.host.faults import gone, raised
from rawr.host.frames import MAX_TOLD, framed, read_frame
from rawr.host.replica import Replica
from rawr.journal.errors import JournalLost, JournalMissing
from rawr.journal.home import journal_at
from rawr.journal.reader import JournalReader
from rawr.local import sockets
from rawr.ports.surface import Delta, Surface
from rawr.runtime.finding import Finder
from rawr.runtime.recovery import Recollection
from rawr.runtime.sockets import HOST_SOCKET
from rawr.version import __version__

CALL_DEADLINE = 90.0
"""Seconds for a call: the longest wait is for a Codex that starts."""
GREETING_DEADLINE = 5.0
PROBE_DEADLINE = 2.0
LAST_WORD_DEADLINE = 2.0
"""Seconds for a host to say what became of its journal, where a client cannot read it."""

_decode = msgspec.json.Decoder(m.ToClient).decode
_encode = msgspec.json.Encoder().encode
R = TypeVar("R", bound=m.Result)


class NoHost(OutsideError):
    """No host serves this home."""


class HostGone(OutsideError):
    """The host has exited, or cut this client off."""


class HostClient:
    """A connection to a host. ``open`` greets it; ``subscribe`` makes the replica."""

    def __init__(self, home: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.home = home
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Future[m.Result]] = {}
        self._replica = Replica()
        self._reading: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._last = m.Leaving("the host has exited")
        self._stack = contextlib.ExitStack()
        self.link = ""
        """The connection on which this client watches."""
        self.notify = ""
        """The command that calls a person back to them."""
        self.notice = ""
        """What the person who started the host should know."""
        self.welcome: m.Welcome

    # -- life ---------------------------------------------------------------------------------------------------

    @classmethod
    async def open(cls, home: Path, *, shape: bool = True, surface: str = "cli") -> "HostClient":
        """Greet the host of this home; ``NoHost`` if there is none. Without ``shape`` it is only asked what every
        version answers, which is quicker."""
        try:
            reader, writer = await asyncio.open_unix_connection(sock=sockets.connect(home, HOST_SOCKET))
        except OSError as error:
            raise NoHost(f"No host is running on {home}.", way_out="`rawr run` and `rawr watch` start one.") from error
        client = cls(home, reader, writer)
        try:
            hello = m.Hello(m.PROTOCOL, __version__, m.own_shape() if shape else "", surface)
            writer.write(framed(_encode(hello)))
            async with asyncio.timeout(GREETING_DEADLINE):
                frame = await read_frame(reader, most=MAX_TOLD)
            welcome = _decode(frame) if frame is not None else None
        except (TimeoutError, ConnectionError, msgspec.MsgspecError) as error:
            writer.close()
            raise NoHost(f"The host of {home} did not answer.", way_out="`rawr host status`.") from error
        if not isinstance(welcome, m.Welcome):
            writer.close()
            if isinstance(welcome, m.Leaving) and welcome.busy:
                raise HostBusy(f"{welcome.why}.", way_out="Close some of them, or try again later.")
            raise NoHost(f"The host of {home} exited.")
        client.welcome = welcome
        client._reading = asyncio.create_task(client._read())
        return client

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        self._writer.close()
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
        self._stack.close()

    async def subscribe(
        self, surface: Surface | None = None, *, after: int | None = None, past: Surface | None = None
    ) -> None:
        """Follow everything from here on. ``surface`` also gets notices; ``past`` first gets what came after a fact."""
        self._replica.surface = surface
        self._replica.past = past
        subscribed = await self._call(m.Subscribe(after=after, deltas=True), m.Subscribed)
        try:
            reader = self._stack.enter_context(JournalReader.open(self.home))
        except JournalError as error:
            raise await self._cause(error) from error
        recollection = Recollection(reader, policy=subscribed.policy, version=__version__)
        self._finder = Finder(self._replica.kernel, recollection)

    # -- in -----------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            while (frame := await read_frame(self._reader, most=MAX_TOLD)) is not None:
                self._take(_decode(frame))
        finally:
            self._over.set()
            for call in self._calls.values():
                if not call.done():
                    call.set_exception(self._gone())
                    call.exception()  # no warning if nobody waits

    def _gone(self) -> RawrError:
        """Why there is no host any more: what ended it, if it failed."""
        return gone(self._last) or HostGone(
            f"The host is gone: {self._last.why}.", way_out="`rawr status` shows what it was doing."
        )

    async def _cause(self, error: JournalError) -> RawrError:
        """Why the journal cannot be read that the host has open: the host says it as soon as it writes again."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORD_DEADLINE):
                await self._over.wait()
            return self._gone()
        return (
            JournalLost(journal_at(self.home), "was deleted or moved") if isinstance(error, JournalMissing) else error
        )

    def _take(self, message: m.ToClient) -> None:
        match message:
            case m.Returned(number=number, result=result):
                if isinstance(result, m.Subscribed):
                    self._replica.begin(result)
                self._answered(number, lambda call: call.set_result(result))
            case m.Failed(number=number):
                self._answered(number, lambda call: call.set_exception(raised(message)))
            case m.Leaving():
                self._last = message
            case m.Welcome():
                pass
            case _:
                self._replica.take(message)

    def _answered(self, number: int, settle: Callable[["asyncio.Future[m.Result]"], None]) -> None:
        call = self._calls.pop(number, None)
        if call is not None and not call.done():
            settle(call)

    # -- calls --------------------------------------------------------------------------------------------------

    def _calling(self, call: m.AnyCall) -> "asyncio.Future[m.Result]":
        """Send a call at once: calls reach the host in the order in which they are made."""
        future: asyncio.Future[m.Result] = asyncio.get_running_loop().create_future()
        if self._over.is_set():
            future.set_exception(self._gone())
            future.exception()
            return future
        number = next(self._numbers)
        self._calls[number] = future
        self._writer.write(framed(_encode(m.Calling(number, call))))
        return future

    async def _call(self, call: m.AnyCall, kind: type[R]) -> R:
        try:
            async with asyncio.timeout(CALL_DEADLINE):
                result = await self._calling(call)
        except TimeoutError as error:
            raise HostGone(f"The host did not answer within {CALL_DEADLINE:g} seconds.") from error
        if not isinstance(result, kind):
            raise Bug(f"The host answered {type(call).__name__} with {type(result).__name__}.")
        return result

    async def status(self) -> m.HostStatus:
        return (await self._call(m.AskStatus(), m.Shown)).status

    async def stop_host(self) -> None:
        """Ask it to stop, and wait until it is gone."""
        await self._call(m.Stop(), m.Nothing)
        await self._over.wait()

    async def bring(self, variables: Mapping[str, str]) -> None:
        """The environment for everything that this client has done. The home is named as the host knows it."""
        environment = Environment.of({**variables, "RAWR_HOME": str(self.home)})
        await self._call(m.Bring(environment), m.Nothing)

    async def reach(self, wanted: m.Reach) -> None:
        await self._call(wanted, m.Named)

    async def watch(self, wanted: m.Watch) -> None:
        self.link = (await self._call(wanted, m.Named)).name

    async def unwatch(self) -> None:
        await self._call(m.Unwatch(), m.Nothing)

    async def use_rules(self, flags: dict[str, object]) -> None:
        await self._call(m.UseRules(flags), m.Nothing)

    # -- rawr, as a surface sees it -----------------------------------------------------------------------------

    @property
    def journal(self) -> Path:
        return self.home

    @property
    def host(self) -> HostState:
        return self._replica.kernel.host

    @property
    def threads(self) -> dict[str, ThreadState]:
        return self._replica.kernel.threads

    @property
    def policy(self) -> Policy:
        return self._replica.kernel.policy

    def state(self, thread: str) -> ThreadState:
        return self._finder.state(thread)

    def find_thread(self, name: str) -> str:
        return self._finder.find(name)

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        """As the host's redactor revealed them."""
        return tuple(Real(one) for one in self._replica.asked.get(thread, ()))

    def follow(self, follower: Callable[[Taken], None]) -> None:
        self._replica.followers.append(follower)

    def follow_deltas(self, follower: Callable[[Delta], None]) -> None:
        self._replica.readers.append(follower)

    def record(self, thread: str, fact: facts.AnyFact) -> "asyncio.Future[Taken]":
        """Submit what a person said; the future resolves when it is in the journal."""
        if not isinstance(fact, m.Submission):
            raise Bug(f"{type(fact).__name__} is not a person's to submit.")
        answered = self._calling(m.Submit(thread, fact))
        recorded: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()

        def settle(call: "asyncio.Future[m.Result]") -> None:
            if recorded.done():
                return
            if call.cancelled():
                recorded.cancel()
            elif (error := call.exception()) is not None:
                recorded.set_exception(error)
                recorded.exception()  # no warning if nobody waits
            elif isinstance(result := call.result(), m.Recorded):
                recorded.set_result(result.taken)

        answered.add_done_callback(settle)
        return recorded

    def tell(self, thread: str, fact: facts.AnyFact) -> None:
        self.record(thread, fact)

    def answer(self, thread: str, request: str, answer: Answer) -> None:
        self.record(thread, facts.AnswerSubmitted(request=request, answer=answer))

    async def start_thread(
        self,
        cwd: Path,
        *,
        model: str = "",
        approvals: facts.AskPolicy = "on-request",
        sandbox: facts.Sandbox = "workspace-write",
        unattended: bool = False,
    ) -> str:
        begin = m.BeginThread(
            str(cwd),
            model=model,
            approvals=approvals,
            sandbox=sandbox,
            unattended=unattended,
            notify=self.notify,
        )
        return (await self._call(begin, m.Named)).name

    async def adopt(
        self,
        thread: str,
        *,
        sandbox: facts.Sandbox | Literal[""] = "",
        approvals: facts.AskPolicy | Literal[""] = "",
        take_goal: bool = False,
    ) -> None:
        adopt = m.AdoptThread(thread, approvals=approvals, sandbox=sandbox, take_goal=take_goal, notify=self.notify)
        await self._call(adopt, m.Nothing)

    async def take_up(self, thread: str) -> None:
        await self._call(m.PutThread(thread, notify=self.notify), m.Nothing)

    async def shown(self) -> None:
        with contextlib.suppress(OutsideError):
            await self._call(m.Ping(), m.Nothing)

    async def ended(self) -> None:
        await self._over.wait()
        raise self._gone()
