"""The client: keeps a connection to an app-server, matches answers to calls, and passes everything else on at once.

The reader never waits. It passes notifications and questions to ``on_told`` as facts, synchronously; answers to
questions come back through ``answer`` whenever they are ready. Calls have deadlines. A server that dies is a fact, and
so is one that comes back.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator, Sequence
from itertools import count
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct

from rawr.codex import native, rpc, translate
from rawr.codex.persistence import BACK_OFF, EndedEarly, Persistence, given_up
from rawr.codex.questions import RpcRefusal, answer_for, pose
from rawr.codex.transport import CodexUnreachable, Dialer, Ended, Link
from rawr.codex.versions import greeted_by, refuse_too_old
from rawr.codex.wire import methods
from rawr.codex.wire.base import Wire
from rawr.codex.wire.notifications import DELTAS
from rawr.core.text import head
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.bounds import MAX_NAME
from rawr.core.vocabulary.native import Native
from rawr.core.vocabulary.requests import Answer
from rawr.errors import CodexError

P = TypeVar("P", bound=Wire)
R = TypeVar("R", bound=Wire)

CALL_DEADLINE = 30.0
CONNECT_DEADLINE = 20.0
SHOWN = 300
"""Characters of Codex's words that an error quotes."""
UPDATE = "Run `rawr doctor` to check this Codex; its version may be too far from what rawr supports."
SETTLED_AFTER = 30.0
"""A connection that lasted this long resets the back-off when it is lost."""

OnTold = Callable[[str, facts.AnyFact], None]
OnFrame = Callable[[Literal["in", "out"], str, bytes], None]
"""Called with the direction (``in`` or ``out``), the method and the frame, for the journal's record of raw frames."""
OnDelta = Callable[[rpc.Notification], None]


class CallRefused(CodexError):
    """The server answered with an error."""

    def __init__(self, method: str, code: int, message: str, *, way_out: str = "") -> None:
        super().__init__(f"{method} was refused: {message.rstrip('.')}.", way_out=way_out)
        self.method = method
        self.code = code
        self.server_message = message


class CallTimedOut(CodexError):
    pass


class CallLost(CodexError):
    """The connection went down before the answer came. The server may have acted on the call."""


class CallNotSent(CodexError):
    """There is no connection, so nothing was sent."""


_Greeted = tuple[methods.Initialized, Native | None]


class _Standing(Struct, eq=False):
    """The state of one connection."""

    link: Link
    peer: rpc.Peer
    epoch: int
    calls: dict[rpc.RequestId, asyncio.Future[msgspec.Raw]]
    questions: dict[str, rpc.ServerRequest]
    unkept: set[rpc.RequestId]
    """Calls whose answers no record keeps: the whole of the user's configuration."""
    faults: int = 0
    first_fault: rpc.Fault | None = None


class CodexClient:
    def __init__(
        self,
        dialer: Dialer,
        *,
        version: str,
        on_told: OnTold,
        on_frame: OnFrame | None = None,
        on_delta: OnDelta | None = None,
        epochs: Iterator[int] | None = None,
        connect_deadline: float = CONNECT_DEADLINE,
        back_off: Sequence[float] = BACK_OFF,
        tries: int | None = None,
        asks_config: bool = False,
    ) -> None:
        """``tries``: attempts in a row to reach a Codex that does not come up; without it, forever. ``asks_config``: a
        connection is told together with what the Codex there is configured to do by itself."""
        self._dialer = dialer
        self._version = version
        self._on_told = on_told
        self._on_frame = on_frame
        self._on_delta = on_delta
        self._epochs = epochs if epochs is not None else count(1)
        self._connect_deadline = connect_deadline
        self._asks_config = asks_config
        self._persistence = Persistence(back_off, tries, dialer.ours)
        self._standing: _Standing | None = None
        self._up = asyncio.Event()
        self._sends: set[asyncio.Task[None]] = set()
        self._running: dict[str, str] = {}
        self.last_end: Ended | None = None

    # -- the connection -----------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        return self._standing is not None

    @property
    def server(self) -> str:
        """The process that serves us, across connections; empty if unknown."""
        return self._standing.link.server if self._standing is not None else ""

    @property
    def owns_server(self) -> bool:
        """True if each connection has its own server, which starts and exits with it."""
        return self._dialer.ours

    @property
    def link(self) -> Link | None:
        return self._standing.link if self._standing is not None else None

    def runs(self, thread: str) -> bool:
        """Return True if Codex has told on this connection that a turn began there, and not that it ended."""
        return thread in self._running

    async def wait_connected(self, deadline: float) -> None:
        async with asyncio.timeout(deadline):
            await self._up.wait()

    async def run(self, *, reconnect: bool = True) -> None:
        """Connect, serve, and connect again when the connection is lost, until cancelled.

        With ``reconnect`` off, raise if the first connection fails, and return when it is lost. A failure that is not
        worth another try always raises.
        """
        clock, persistence = asyncio.get_running_loop().time, self._persistence
        attempts = 0
        while True:
            began, problem = clock(), None
            try:
                await self._serve_once()
            except CodexError as error:
                if not reconnect:
                    raise
                if not persistence.failed(error):
                    raise given_up(error, persistence.failures) from error
                problem = error
            if not reconnect:
                return
            attempts = 1 if clock() - began > SETTLED_AFTER else attempts + 1
            pause = persistence.pause(attempts)
            if problem is not None and (said := persistence.said(problem, pause)) is not None:
                self._on_told("", facts.FaultRecorded(where=_where(problem, self._dialer), problem=said))
            await asyncio.sleep(pause)

    async def _serve_once(self) -> None:
        link = await self._dialer.dial()
        standing = _Standing(link, rpc.Peer(), next(self._epochs), {}, {}, set())
        reader = asyncio.create_task(self._read(standing))
        was_up, by_us = False, True
        try:
            greeting, asked = await self._initialize(standing, reader)
            self._standing = standing
            self._persistence.succeeded()
            was_up = True
            self._on_told(
                "",
                facts.ServerConnected(
                    epoch=standing.epoch,
                    user_agent=greeting.user_agent,
                    codex_home=greeting.codex_home,
                    transport=self._dialer.name,
                    native=asked,
                ),
            )
            self._up.set()
            await reader
            by_us = False
        finally:
            self._standing = None
            self._running.clear()
            self._up.clear()
            ended, cancelled = await _shielded(_put_away(reader, link), hurry=link.kill)
            self.last_end = ended
            for call in standing.calls.values():
                if not call.done():
                    call.set_exception(CallLost(f"The connection was lost: {ended.problem}."))
                    call.exception()  # No warning if the caller has stopped waiting.
            if was_up:
                self._on_told(
                    "",
                    facts.ServerLost(
                        epoch=standing.epoch,
                        problem=ended.problem,
                        exit_code=ended.exit_code,
                        stderr_tail=ended.stderr_tail,
                        by_us=by_us,
                    ),
                )
            if cancelled:
                raise asyncio.CancelledError

    async def _initialize(self, standing: _Standing, reader: "asyncio.Task[None]") -> _Greeted:
        greeting = asyncio.create_task(self._greet(standing))
        try:
            await asyncio.wait({greeting, reader}, return_when=asyncio.FIRST_COMPLETED)
            if greeting.done():
                return await greeting
        except (CallLost, CodexUnreachable):
            pass  # How it exited says more than a failed write.
        except CallRefused as error:
            raise CallRefused(error.method, error.code, error.server_message, way_out=UPDATE) from error
        except CallTimedOut as error:
            reader.cancel()
            await asyncio.wait({reader})
            ended = await standing.link.close()
            message = f"{error.message}{_heard(standing)}{_last_words(ended)}"
            raise CallTimedOut(message, way_out="Run `rawr doctor` to check this Codex.") from error
        finally:
            greeting.cancel()
            await asyncio.wait({greeting})
        if reader.done():
            reader.result()  # Do not hide a bug of ours.
        ended = await standing.link.close()
        message = f"Codex exited before the conversation began: {ended.problem}.{_last_words(ended)}"
        raise EndedEarly(message, ended, way_out="Run `rawr doctor` to check this Codex.")

    async def _greet(self, standing: _Standing) -> _Greeted:
        params = methods.Initialize(
            client_info=methods.ClientInfo(name="rawr", title="rawr", version=self._version),
            capabilities=methods.Capabilities(experimental_api=True),
        )
        greeting = await self._call(standing, methods.INITIALIZE, params, deadline=self._connect_deadline)
        await self._send(standing, standing.peer.notify("initialized"), "initialized")
        refuse_too_old(greeted_by(greeting.user_agent))
        return greeting, (await self._own_compaction(standing)).native if self._asks_config else None

    async def own_compaction(self, cwd: str = "") -> native.Asked:
        """When Codex compacts by itself, as it is configured there. Not to know is no reason to stop."""
        if self._standing is None:
            raise CallNotSent("There is no connection to Codex, so it was not asked for its configuration.")
        return await self._own_compaction(self._standing, cwd)

    async def _own_compaction(self, standing: _Standing, cwd: str = "") -> native.Asked:
        wanted = methods.ConfigRead(cwd=cwd or UNSET)
        try:
            return native.understood(await self._call(standing, methods.CONFIG_READ, wanted, deadline=native.DEADLINE))
        except CallRefused as error:
            return native.unknown(error.server_message)
        except CallTimedOut as error:
            return native.unknown(error.message)

    # -- the reader ---------------------------------------------------------------------------------------------

    async def _read(self, standing: _Standing) -> None:
        peer = standing.peer
        async for frame in standing.link.frames():
            if isinstance(frame, bytes):
                inbound = peer.receive(frame)
                if self._on_frame is not None and not self._is_private(standing, inbound):
                    self._keep(inbound, frame)
            else:
                inbound = peer.oversized(frame.head, frame.size) if isinstance(frame, rpc.Oversize) else frame
            self._take(standing, inbound)

    def _keep(self, inbound: rpc.Inbound, frame: bytes) -> None:
        """Keep raw frames, except for streaming deltas: their text comes again whole, and rawr could not recognise and
        redact a secret split across several of them."""
        assert self._on_frame is not None  # noqa: S101 - the caller checked
        method = inbound.method if isinstance(inbound, rpc.Notification | rpc.ServerRequest) else ""
        if method not in DELTAS:
            self._on_frame("in", method, frame)

    def _is_private(self, standing: _Standing, inbound: rpc.Inbound) -> bool:
        return isinstance(inbound, rpc.Response) and inbound.id in standing.unkept

    def _take(self, standing: _Standing, inbound: rpc.Inbound) -> None:
        match inbound:
            case rpc.Notification() if inbound.method in DELTAS:
                # All of their text comes again whole with their item.
                if self._on_delta is not None:
                    self._on_delta(inbound)
            case rpc.Notification():
                for thread, fact in translate.facts_of(inbound, epoch=standing.epoch):
                    if isinstance(fact, facts.RequestResolved):
                        standing.questions.pop(fact.request, None)
                    self._follow(thread, fact)
                    self._on_told(thread, fact)
            case rpc.Response():
                call = standing.calls.pop(inbound.id, None)
                if call is not None and not call.done():
                    call.set_result(inbound.result)
            case rpc.Failure():
                self._fail(standing, inbound.id, CallRefused("The call", inbound.code, inbound.message))
            case rpc.ServerRequest():
                self._question(standing, inbound)
            case rpc.Fault():
                self._fault(standing, inbound)

    def _follow(self, thread: str, fact: facts.AnyFact) -> None:
        match fact:
            case facts.TurnStarted(turn=turn) | facts.ItemStarted(turn=turn, item=items.ReviewEntered()):
                # The beginning of a review's turn is not told.
                self._running[thread] = turn
            case facts.TurnCompleted(turn=turn) if self._running.get(thread) == turn:
                del self._running[thread]
            case facts.ThreadClosed():
                self._running.pop(thread, None)
            case _:
                pass

    def _question(self, standing: _Standing, request: rpc.ServerRequest) -> None:
        name = translate.request_name(standing.epoch, request.id)
        posed = pose(request)
        if isinstance(posed, RpcRefusal):
            self._refuse(standing, request.id, posed)
            self._on_told("", facts.RequestRefused(request=name, method=head(request.method, MAX_NAME)))
            return
        standing.questions[name] = request
        self._on_told(
            posed.thread,
            facts.RequestReceived(request=name, question=posed.question, turn=posed.turn, item=posed.item),
        )

    def _fault(self, standing: _Standing, fault: rpc.Fault) -> None:
        standing.faults += 1
        standing.first_fault = standing.first_fault or fault
        self._on_told(
            "", facts.FaultRecorded(where="wire", problem=fault.problem, sample=fault.sample, size=fault.size)
        )
        if fault.id is None:
            return
        if fault.is_request:
            self._refuse(standing, fault.id, RpcRefusal(rpc.INTERNAL_ERROR, fault.problem))
        else:
            self._fail(standing, fault.id, CallLost(f"The answer could not be used: {fault.problem}."))

    def _fail(self, standing: _Standing, number: rpc.RequestId, error: CodexError) -> None:
        call = standing.calls.pop(number, None)
        if call is not None and not call.done():
            call.set_exception(error)

    async def restart(self) -> str:
        """Reconnect, with a new Codex if it is ours. Return ``restarted`` or ``reconnected``.

        rawr kills a process that does not exit in time, so this returns within seconds.
        """
        standing = self._standing
        if standing is None:
            raise CallNotSent("There is no connection to Codex, so there is nothing to restart.")
        await standing.link.close()
        return "restarted" if self._dialer.ours else "reconnected"

    # -- calls and answers --------------------------------------------------------------------------------------

    async def call(self, what: methods.Call[P, R], params: P, *, deadline: float = CALL_DEADLINE) -> R:
        """Make a call and wait at most ``deadline`` seconds for its answer. Calls may overlap."""
        standing = self._standing
        if standing is None:
            message = f"{what.method} was not sent: there is no connection to Codex."
            raise CallNotSent(message)
        return await self._call(standing, what, params, deadline=deadline)

    async def _call(self, standing: _Standing, what: methods.Call[P, R], params: P, *, deadline: float) -> R:
        number, frame = standing.peer.call(what.method, params)
        answer: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        standing.calls[number] = answer
        if what is methods.CONFIG_READ:
            standing.unkept.add(number)
        try:
            async with asyncio.timeout(deadline):
                await self._send(standing, frame, what.method)
                result = await answer
        except TimeoutError as error:
            message = f"Codex did not answer {what.method} within {deadline:g} seconds."
            raise CallTimedOut(message) from error
        except CallRefused as refused:
            raise CallRefused(what.method, refused.code, refused.server_message) from None
        except CodexUnreachable as error:
            raise CallLost(f"{what.method}: {error.message}") from error
        finally:
            standing.calls.pop(number, None)
            standing.unkept.discard(number)
            standing.peer.forget(number)
        try:
            return msgspec.json.decode(result, type=what.result)
        except rpc.UNREADABLE as error:
            message = f"The answer to {what.method} does not have the shape rawr expects: {error}."
            raise CallRefused(what.method, rpc.INTERNAL_ERROR, message) from error

    async def answer(self, request: str, answer: Answer) -> None:
        """Answer a question from the server. Raises ``CallNotSent`` if it is no longer open on this connection."""
        standing = self._standing
        asked = standing.questions.pop(request, None) if standing is not None else None
        if standing is None or asked is None:
            message = f"The question {request} is no longer open."
            raise CallNotSent(message)
        reply = answer_for(asked, answer)
        if isinstance(reply, RpcRefusal):
            frame = standing.peer.refuse(asked.id, reply.code, message=reply.message)
        else:
            frame = standing.peer.respond(asked.id, reply)
        try:
            await self._send(standing, frame, asked.method)
        except CodexUnreachable as error:
            raise CallLost(f"The answer to {request} was not sent: {error.message}") from error

    def _refuse(self, standing: _Standing, number: rpc.RequestId, refusal: RpcRefusal) -> None:
        """Refuse without making the reader wait for the write."""
        frame = standing.peer.refuse(number, refusal.code, message=refusal.message)
        task = asyncio.create_task(self._send_quietly(standing, frame))
        self._sends.add(task)
        task.add_done_callback(self._sends.discard)

    async def _send_quietly(self, standing: _Standing, frame: bytes) -> None:
        with contextlib.suppress(CodexUnreachable):
            await self._send(standing, frame, "")

    async def _send(self, standing: _Standing, frame: bytes, method: str) -> None:
        if self._on_frame is not None:
            self._on_frame("out", method, frame)
        await standing.link.send(frame)


def _where(error: CodexError, dialer: Dialer) -> str:
    """Where it failed: ``connect`` if nothing listens yet, which is no news to a caller that waits for it."""
    nobody = isinstance(error, CodexUnreachable) and not isinstance(error, EndedEarly) and not dialer.ours
    return "connect" if nobody else "greeting"


def _heard(standing: _Standing) -> str:
    """Quote what came instead of an answer, so that users recognise what they started."""
    fault = standing.first_fault
    if fault is None:
        return ""
    lines = "a line" if standing.faults == 1 else f"{standing.faults} lines, the first"
    return f' It sent {lines} of {fault.size} bytes that rawr cannot read: "{head(fault.sample, SHOWN)}".'


def _last_words(ended: Ended) -> str:
    """The line that says what went wrong, if one does: a backtrace may come after it."""
    said = ended.stderr_tail
    line = next((one for one in reversed(said) if one.lower().startswith(("error", "panic"))), said[-1] if said else "")
    return f' Its last words: "{head(line, SHOWN)}"' if line else ""


async def _put_away(reader: "asyncio.Task[None]", link: Link) -> Ended:
    reader.cancel()
    await asyncio.wait({reader})
    return await link.close()


async def _shielded(closing: Coroutine[Any, Any, Ended], *, hurry: Callable[[], None]) -> tuple[Ended, bool]:
    """Close in order even while being cancelled, and return True with the result if that happened: a child must not
    outlive its connection. A cancellation calls ``hurry``, which stops the child at once."""
    task = asyncio.ensure_future(closing)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
            hurry()
    return task.result(), cancelled
