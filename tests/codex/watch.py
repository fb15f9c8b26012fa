"""A client under watch: what it tells is kept, and can be waited for."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from rawr.codex.client import CodexClient
from rawr.codex.transport import Dialer
from rawr.codex.wire import methods
from rawr.core.vocabulary import facts

DEADLINE = 20.0
F = TypeVar("F", bound=facts.AnyFact)


class Watch:
    def __init__(self) -> None:
        self.told: list[tuple[str, facts.AnyFact]] = []
        self._news = asyncio.Event()

    def __call__(self, thread: str, fact: facts.AnyFact) -> None:
        self.told.append((thread, fact))
        self._news.set()

    def all(self, kind: type[F]) -> list[F]:
        return [fact for _, fact in self.told if isinstance(fact, kind)]

    async def wait(self, kind: type[F], *, times: int = 1) -> F:
        """The last of them, once there are as many."""
        await self.until(lambda: len(self.all(kind)) >= times)
        return self.all(kind)[times - 1]

    async def until(self, condition: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(DEADLINE):
                while not condition():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"it did not come within {DEADLINE:g} s; told: {self.told[-20:]}") from None


@asynccontextmanager
async def running(client: CodexClient, *, reconnect: bool = False) -> AsyncIterator["asyncio.Task[None]"]:
    task = asyncio.create_task(client.run(reconnect=reconnect))
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def connected(dialer: Dialer, *, reconnect: bool = False) -> AsyncIterator[tuple[CodexClient, Watch]]:
    """A client that has been greeted. Reconnecting is quick here."""
    watch = Watch()
    client = CodexClient(dialer, version="0", on_told=watch, connect_deadline=DEADLINE, back_off=(0.01,))
    async with running(client, reconnect=reconnect):
        await watch.wait(facts.ServerConnected)
        yield client, watch


async def steer(client: CodexClient, word: str, *, deadline: float = DEADLINE) -> str:
    """A call whose answer, by the stand-ins, is the word that was sent along."""
    params = methods.TurnSteer(thread_id=word, expected_turn_id="u", input=[])
    return (await client.call(methods.TURN_STEER, params, deadline=deadline)).turn_id
