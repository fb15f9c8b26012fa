"""An app-server that answers questions: one process, from its start to its end, and a thread for each question.

A separate task carries a question through to its end, whether or not anything still waits for it: the turn ends or is
interrupted, and Codex unloads the thread. If that fails, the process is not asked again.
"""

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from msgspec import Struct

from rawr.codex import plain_thread
from rawr.codex.client import CallLost, CallNotSent, CallRefused, CallTimedOut, CodexClient
from rawr.codex.rpc import UNREADABLE
from rawr.codex.transport import Dialer
from rawr.codex.wire import methods
from rawr.core.speech import say
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.requests import Refusal
from rawr.errors import CodexError
from rawr.ports.completion import Completion

OPEN_DEADLINE = 15.0
"""Seconds for Codex to begin a question; it is running by then, and asks nobody."""
LEAVE_DEADLINE = 5.0
"""Seconds for Codex to let go of a question."""
INTERRUPT_AGAIN = 0.5


class NotAsked(CodexError):
    """Codex was lost before it got the question, so another process may get it."""


class Outcome(Struct, frozen=True):
    """How the turn ended, and the last message in it."""

    ended: facts.TurnCompleted
    said: str
    model: str
    tokens: int
    output_tokens: int


class Question(Struct, eq=False):
    """Collects what Codex reports about a question's thread."""

    over: asyncio.Future[facts.TurnCompleted]
    given_up: asyncio.Future[None]
    """Done when nobody waits for the answer any more."""
    thread: str = ""
    turn: str = ""
    model: str = ""
    said: str = ""
    tokens: int = 0
    output_tokens: int = 0

    def take(self, fact: facts.AnyFact) -> None:
        match fact:
            case facts.ItemCompleted(item=items.AgentMessage(text=text)):
                self.said = text
            case facts.UsageUpdated(spent=spent, output=output) if spent > self.tokens:
                self.tokens = spent
                self.output_tokens += output
            case facts.TurnCompleted() if not self.over.done():
                self.over.set_result(fact)
            case _:
                pass

    def fail(self, error: Exception) -> None:
        if not self.over.done():
            self.over.set_exception(error)
            self.over.exception()  # No warning if the caller has stopped waiting.

    def give_up(self) -> None:
        self.given_up.set_result(None)

    def outcome(self, ended: facts.TurnCompleted) -> Outcome:
        return Outcome(ended, self.said, self.model, self.tokens, self.output_tokens)


class PlainServer:
    """An app-server from start to exit. Do not reuse it after that.

    It calls ``on_stuck`` if it becomes unusable while it still runs.
    """

    def __init__(
        self,
        dialer: Dialer,
        *,
        version: str,
        connect_deadline: float,
        on_stuck: Callable[[], None] = lambda: None,
        folder: Path | None = None,
    ) -> None:
        self.trouble = ""
        """Why Codex last had to retry."""
        self._client = CodexClient(dialer, version=version, on_told=self._told, connect_deadline=connect_deadline)
        self._folder = tempfile.TemporaryDirectory(prefix="rawr-question-", dir=folder, ignore_cleanup_errors=True)
        self._questions: dict[str, Question] = {}
        self._quieter = True
        self._stuck = False
        self._on_stuck = on_stuck
        self._work: set[asyncio.Task[None]] = set()
        self._connected = asyncio.Event()
        self._running = asyncio.create_task(self._client.run(reconnect=False))
        self._ready = self._do(self._begin())

    def _give_up(self) -> None:
        self._stuck = True
        self._on_stuck()

    @property
    def usable(self) -> bool:
        return not self._stuck and not self._running.done()

    async def ask(self, completion: Completion) -> Outcome:
        """Ask Codex a question. Raises ``NotAsked`` if Codex was lost before it got it, or the client's own errors."""
        # Others may wait for the same future; a caller that leaves must not cancel it.
        await asyncio.shield(self._ready)
        loop = asyncio.get_running_loop()
        question = Question(loop.create_future(), loop.create_future())
        self._do(self._carry_out(question, completion))
        try:
            return question.outcome(await asyncio.shield(question.over))
        finally:
            question.give_up()

    async def end(self) -> None:
        """Stop the process after the open questions."""
        await self._quiet()
        self.drop()
        await asyncio.wait({self._running})
        await self._quiet()
        self._folder.cleanup()

    def drop(self) -> None:
        """Stop the process now. Open questions fail."""
        self._running.cancel()

    async def _quiet(self) -> None:
        while self._work:
            await asyncio.wait(self._work)

    def _do(self, work: Coroutine[object, object, None]) -> "asyncio.Task[None]":
        """Start something that runs to its end, whether or not anything waits for it."""
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._work.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, CodexError):
            raise error  # Do not hide a bug of ours.

    # -- the connection -----------------------------------------------------------------------------------------

    async def _begin(self) -> None:
        connected = asyncio.create_task(self._connected.wait())
        await asyncio.wait({connected, self._running}, return_when=asyncio.FIRST_COMPLETED)
        connected.cancel()
        if self._running.cancelled():
            raise NotAsked("Codex was not started: rawr is exiting.")
        if not self._connected.is_set():
            self._running.result()

    def _told(self, thread: str, fact: facts.AnyFact) -> None:
        match fact:
            case facts.ServerConnected():
                self._connected.set()
            case facts.ServerLost(problem=problem, by_us=by_us):
                lost = "The question was dropped: rawr is exiting." if by_us else f"Codex was lost: {problem}."
                for question in self._questions.values():
                    question.fail(CallLost(lost))
            case facts.RequestReceived(request=request):
                self._do(self._refuse(request))
            case facts.ErrorReported(problem=error, will_retry=True):
                self.trouble = error.message
            case facts.TurnCompleted(status="completed"):
                self.trouble = ""
        if thread in self._questions:
            self._questions[thread].take(fact)

    async def _refuse(self, request: str) -> None:
        with contextlib.suppress(CodexError):
            await self._client.answer(request, Refusal(reason=say("nobody is there to decide; answer without it")))

    # -- a question ---------------------------------------------------------------------------------------------

    async def _carry_out(self, question: Question, completion: Completion) -> None:
        try:
            await self._open(question, completion)
            ends: set[asyncio.Future[Any]] = {question.over, question.given_up}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except CallTimedOut as error:
            question.fail(error)
            self._give_up()
        except Exception as error:
            question.fail(error)
            if not isinstance(error, CodexError):
                raise
        finally:
            await self._leave(question)

    async def _open(self, question: Question, completion: Completion) -> None:
        try:
            given = await self._start_thread(completion)
        except (CallLost, CallNotSent) as error:
            raise NotAsked(error.message) from error
        question.thread, question.model = given.thread.id, given.model
        if question.given_up.done():
            return
        self._questions[question.thread] = question
        turn = plain_thread.turn_start(completion, question.thread)
        question.turn = (await self._client.call(methods.TURN_START, turn, deadline=OPEN_DEADLINE)).turn.id

    async def _start_thread(self, completion: Completion) -> methods.ThreadGiven:
        folder, servers = self._folder.name, await self._mcp_servers()
        start = plain_thread.thread_start(completion, folder=folder, mcp_servers=servers, quieter=self._quieter)
        try:
            return await self._client.call(methods.THREAD_START, start, deadline=OPEN_DEADLINE)
        except CallRefused:
            if not self._quieter:
                raise
        start = plain_thread.thread_start(completion, folder=folder, mcp_servers=servers, quieter=False)
        given = await self._client.call(methods.THREAD_START, start, deadline=OPEN_DEADLINE)
        self._quieter = False
        return given

    async def _mcp_servers(self) -> tuple[str, ...]:
        """The servers in the config as it is now: Codex rereads it for each thread, and refuses to switch off a server
        that is no longer in it. If Codex does not list them, they start but are not used."""
        here = methods.ConfigRead(cwd=self._folder.name)
        with contextlib.suppress(CallRefused, *UNREADABLE):
            found = await self._client.call(methods.CONFIG_READ, here, deadline=OPEN_DEADLINE)
            return plain_thread.mcp_servers(found)
        return ()

    async def _leave(self, question: Question) -> None:
        """Have Codex end the turn, if it runs, and forget the thread."""
        try:
            async with asyncio.timeout(LEAVE_DEADLINE):
                if question.turn:
                    await self._interrupt(question)
                if question.thread:
                    thread = methods.ThreadOnly(thread_id=question.thread)
                    await self._client.call(methods.THREAD_UNSUBSCRIBE, thread)
        except (CallLost, CallNotSent):
            pass  # The process is gone, and everything with it.
        except (CallRefused, TimeoutError):
            self._give_up()
        finally:
            self._questions.pop(question.thread, None)

    async def _interrupt(self, question: Question) -> None:
        turn = methods.TurnInterrupt(thread_id=question.thread, turn_id=question.turn)
        while not question.over.done():
            # Refused: it has just ended, or has not quite begun.
            with contextlib.suppress(CallRefused):
                await self._client.call(methods.TURN_INTERRUPT, turn)
            await asyncio.wait({question.over}, timeout=INTERRUPT_AGAIN)
