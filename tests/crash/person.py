"""The user in their own Codex: another client on the same app-server, whatever happens to rawr or to the server."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rawr.codex.client import CallRefused, CodexClient
from rawr.codex.unix_socket import UnixDialer
from rawr.codex.wire import methods
from rawr.codex.wire.items import TextInput
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.items import UserMessage
from rawr.errors import CodexError
from tests.codex.watch import Watch, running
from tests.crash.scene import POLL, until

PATIENCE = 20.0
NEVER = 2**60


class Person:
    def __init__(self, client: CodexClient, heard: Watch) -> None:
        self._client = client
        self._heard = heard
        self.thread = ""
        self._said: dict[str, str] = {}
        """What Codex took, and in which turn."""
        self._ends: dict[str, int] = {}
        self._joined = 0
        """The connection on which the thread's events reach us."""
        self.came_back = False
        """They opened the thread again, on another connection than the one it began on."""

    async def begin(self, cwd: Path) -> str:
        """A thread of their own."""
        started = await self._client.call(methods.THREAD_START, methods.ThreadStart(cwd=str(cwd)))
        self.thread = started.thread.id
        self._joined = self._connections
        return self.thread

    async def say(self, text: str) -> str:
        """Say it as soon as Codex takes it; gives the turn that it is in. It is said once only."""
        while True:
            with contextlib.suppress(CodexError):
                await self._join()
                start = methods.TurnStart(thread_id=self.thread, input=[TextInput(text=text)])
                turn = (await self._client.call(methods.TURN_START, start)).turn.id
                self._said[text] = turn
                return turn
            # Codex is down, or compacts.
            await asyncio.sleep(POLL)

    @property
    def heard(self) -> list[str]:
        """What they said and Codex took."""
        return list(self._said)

    @property
    def completed(self) -> list[str]:
        """What stands in turns that came to their end: a Codex that dies may forget the others."""
        ends = {text: self._end_of(turn) for text, turn in self._said.items()}
        return [text for text, end in ends.items() if end is not None and end.status == "completed"]

    @property
    def is_out(self) -> bool:
        """Their Codex was started anew, and they have not gone back into the thread."""
        return self._joined != self._connections

    async def interrupts(self, words: str) -> None:
        """Interrupt the first turn in which something with these words is said to the agent."""

        def turns() -> list[str]:
            told = self._heard.all(facts.ItemCompleted)
            return [one.turn for one in told if isinstance(one.item, UserMessage) and words in one.item.text]

        await until(turns)
        with contextlib.suppress(CodexError):
            interrupt = methods.TurnInterrupt(thread_id=self.thread, turn_id=turns()[0])
            await self._client.call(methods.TURN_INTERRUPT, interrupt)

    async def sets_goal(self, objective: str) -> None:
        """Give the thread a goal of Codex's own."""
        await self._client.call(methods.GOAL_SET, methods.GoalSet(thread_id=self.thread, objective=objective))

    async def ended(self, turn: str) -> bool:
        """Wait for the end of a turn; whether it was completed. One whose Codex died has ended too."""
        connection = self._connections
        await until(lambda: self._end_of(turn) or self._connections > connection or not self._client.connected)
        self._ends[turn] = time.time_ns() // 1_000_000
        end = self._end_of(turn)
        return end is not None and end.status == "completed"

    def end_ms(self, turn: str) -> int:
        """When they were told that a turn is over; in a far future as long as they were not."""
        return self._ends.get(turn, NEVER)

    def _end_of(self, turn: str) -> facts.TurnCompleted | None:
        return next((one for one in self._heard.all(facts.TurnCompleted) if one.turn == turn), None)

    async def can_join(self) -> bool:
        """Whether Codex has the thread at all; without a turn it has nothing to show."""
        while True:
            try:
                await self._join()
            except CallRefused:
                return False
            except CodexError:
                await asyncio.sleep(POLL)
            else:
                return True

    async def at_rest(self) -> None:
        """Wait until no turn runs there, or the one that does waits for somebody's answer."""

        async def resting() -> bool:
            if self.thread in self._asked_in():
                return True
            with contextlib.suppress(CodexError):
                found = await self._client.call(methods.THREAD_READ, methods.ThreadRead(thread_id=self.thread))
                return b'"active"' not in bytes(found.thread.status)
            return False

        await until(resting)

    def _asked_in(self) -> set[str]:
        """The threads in which a question of the server is open."""
        asked = {fact.request: thread for thread, fact in self._heard.told if isinstance(fact, facts.RequestReceived)}
        for fact in self._heard.all(facts.RequestResolved):
            asked.pop(fact.request, None)
        return set(asked.values())

    @property
    def _connections(self) -> int:
        return len(self._heard.all(facts.ServerConnected))

    async def _join(self) -> None:
        await self._client.wait_connected(PATIENCE)
        if self._joined != self._connections:
            resume = methods.ThreadResume(thread_id=self.thread, exclude_turns=True)
            await self._client.call(methods.THREAD_RESUME, resume)
            self._joined = self._connections
            self.came_back = True


@asynccontextmanager
async def person(socket: Path, *, thread: str = "") -> AsyncIterator[Person]:
    heard = Watch()
    client = CodexClient(UnixDialer(socket), version="0", on_told=heard, back_off=(0.02,))
    async with running(client, reconnect=True):
        await client.wait_connected(PATIENCE)
        made = Person(client, heard)
        made.thread = thread
        yield made
