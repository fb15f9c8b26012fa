"""The user's own Codex as a plain model: one typed question in, one answer out.

It has its own app-server, which starts with the first question and stops when nobody has asked for a while, so that its
threads never mix with the supervised ones and never reach the journal. Each question is a thread that Codex keeps in
memory only and drops after the answer. This module does not know what a question is about, or what becomes of the
answer.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from rawr.codex.client import CONNECT_DEADLINE
from rawr.codex.plain_server import NotAsked, Outcome, PlainServer
from rawr.codex.transport import Dialer
from rawr.core.text import head
from rawr.errors import CodexError
from rawr.ports.completion import Completed, Completion, CompletionFailed

AT_ONCE = 4
IDLE_SECONDS = 300.0
SHOWN = 500
"""Characters of Codex's words that an error quotes."""


class CodexCompleter:
    """Answers questions, ``at_once`` at a time. Use it in one event loop only."""

    def __init__(
        self,
        dialer_factory: Callable[[], Dialer],
        *,
        version: str,
        at_once: int = AT_ONCE,
        idle_seconds: float = IDLE_SECONDS,
        connect_deadline: float = CONNECT_DEADLINE,
        folder: Path | None = None,
    ) -> None:
        """``folder``: an existing one, in which each Codex gets an empty one of its own to work in; None: the system's
        temporary folder, where the agent of another thread may write."""
        self._folder = folder
        self._dialer_factory = dialer_factory
        self._version = version
        self._idle_seconds = idle_seconds
        self._connect_deadline = connect_deadline
        self._room = asyncio.Semaphore(at_once)
        self._server: PlainServer | None = None
        self._asking = 0
        self._rest: asyncio.TimerHandle | None = None
        self._ending: dict[asyncio.Task[None], PlainServer] = {}
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def complete(self, completion: Completion, /) -> Completed:
        """Ask, and wait at most ``completion.seconds`` for the answer, including the wait for room and the start of
        Codex. Raises ``CompletionFailed``. A failed, late or cancelled question leaves nothing running."""
        self._asking += 1
        self._stay()
        try:
            async with asyncio.timeout(completion.seconds), self._room:
                return answer_of(await self._ask(completion))
        except TimeoutError as error:
            raise CompletionFailed(self._late(completion.seconds)) from error
        except CompletionFailed:
            raise
        except CodexError as error:
            raise CompletionFailed(error.message, way_out=error.way_out) from error
        finally:
            self._asking -= 1
            self._settle()

    async def close(self) -> None:
        """Stop the process. Open questions fail, and it takes no more."""
        self._closed = True
        self._stay()
        if self._server is not None:
            self._end(self._server)
        for server in self._ending.values():
            server.drop()
        while self._ending:
            await asyncio.wait(self._ending)

    async def _ask(self, completion: Completion) -> Outcome:
        server = self._serving()
        try:
            return await server.ask(completion)
        except NotAsked:
            # Codex died between two questions, and this one was the first to notice.
            return await self._serving(instead_of=server).ask(completion)

    def _serving(self, *, instead_of: PlainServer | None = None) -> PlainServer:
        if self._closed:
            raise CompletionFailed("The question was not asked: rawr is exiting.")
        server = self._server
        if server is not None and (server is instead_of or not server.usable):
            self._end(server)
        if self._server is None:
            self._server = PlainServer(
                self._dialer_factory(),
                version=self._version,
                connect_deadline=self._connect_deadline,
                on_stuck=self._settle,
                folder=self._folder,
            )
        return self._server

    def _late(self, seconds: float) -> str:
        trouble = self._server.trouble if self._server is not None else ""
        return f"Codex did not answer the question within {seconds:g} seconds." + (
            f' It last said: "{head(trouble, SHOWN)}"' if trouble else ""
        )

    # -- coming and going ---------------------------------------------------------------------------------------

    def _stay(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    def _settle(self) -> None:
        """If nobody is asking, stop the process: now if it is unusable, else after a while."""
        self._stay()
        server = self._server
        if server is None or self._asking:
            return
        if server.usable:
            self._rest = asyncio.get_running_loop().call_later(self._idle_seconds, self._end, server)
        else:
            self._end(server)

    def _end(self, server: PlainServer) -> None:
        self._server = None
        task = asyncio.create_task(server.end())
        self._ending[task] = server
        task.add_done_callback(self._ending.pop)


def answer_of(outcome: Outcome) -> Completed:
    """The answer, or ``CompletionFailed`` with the reason why there is none."""
    ended, problem = outcome.ended, outcome.ended.problem
    if ended.status == "completed" and outcome.said.strip():
        return Completed(
            text=outcome.said,
            model=outcome.model,
            tokens=outcome.tokens,
            output_tokens=outcome.output_tokens,
        )
    if ended.status == "completed":
        # Codex drops the words of a refusal; nothing else is left of one (measured).
        raise CompletionFailed("The model finished without an answer.", refused=True, tokens=outcome.tokens)
    if problem is None:
        raise CompletionFailed("The question was interrupted.", tokens=outcome.tokens)
    # For a question that is too long, Codex reports that it took the whole window (measured).
    tokens = 0 if problem.code == "contextWindowExceeded" else outcome.tokens
    message = f"Codex got no answer from the model: {head(problem.message, SHOWN)}"
    raise CompletionFailed(message, refused="policy" in problem.code.lower(), tokens=tokens)
