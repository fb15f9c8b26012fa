"""A supervisor beside a harness that is not Codex (the row "another harness" in ARCHITECTURE.md)."""

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from rawr.codex.stdio import StdioDialer
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.vocabulary import facts
from rawr.journal.reader import JournalReader
from rawr.ports.harness import Connection, Done, Harness, HarnessEffect, Listener, Undone
from rawr.runtime.replaying import replay_journal
from rawr.runtime.supervisor import Supervisor
from tests.runtime.codex import THREAD, RememberingCodex

DEADLINE = 10.0


class Loopback:
    """A connection within this process, to an agent that takes every message at once."""

    def __init__(self, listener: Listener, epoch: int) -> None:
        self.agent = RememberingCodex()
        self.agent.tell = listener.tell
        self.problem = "the agent was sent away"
        self.tell = listener.tell
        self._epoch = epoch
        self._up = asyncio.Event()
        self._sent_away = asyncio.Event()

    async def run(self, *, reconnect: bool = True) -> None:
        while True:
            self._sent_away.clear()
            self.tell("", facts.ServerConnected(self._epoch, "loopback/1", codex_home="", transport="none"))
            self._up.set()
            try:
                await self._sent_away.wait()
            finally:
                # Also when it is cancelled: nobody is connected any more.
                self._up.clear()
                by_us = not self._sent_away.is_set()
                self.tell("", facts.ServerLost(epoch=self._epoch, problem=self.problem, by_us=by_us))
            self._epoch += 1
            if not reconnect:
                return

    async def wait_connected(self, deadline: float) -> None:
        async with asyncio.timeout(deadline):
            await self._up.wait()

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done | Undone:
        return await self.agent.carry_out(name, thread, real)

    def send_away(self) -> None:
        self._sent_away.set()


class LoopbackHarness:
    def __init__(self) -> None:
        self.opened: list[Loopback] = []

    def connection(
        self, listener: Listener, *, home: Path, epochs: Iterator[int], patient: bool, name: str
    ) -> Loopback:
        self.opened.append(Loopback(listener, next(epochs)))
        return self.opened[-1]


def ends(taken: Taken) -> bool:
    return isinstance(taken.recorded.fact, facts.TurnCompleted)


def joins(taken: Taken) -> bool:
    return isinstance(taken.recorded.fact, facts.ThreadJoined)


async def test_a_supervisor_drives_a_harness_that_is_not_codex(tmp_path: Path) -> None:
    """Threads, turns, a lost connection and the journal are the same; nothing of rawr is told which harness it is."""
    harness = LoopbackHarness()
    async with Supervisor(harness, tmp_path / "home") as rawr:
        thread = await rawr.start_thread(tmp_path, sandbox="read-only")
        ended = rawr.expect(ends, deadline=DEADLINE)
        rawr.submit(thread, "Say it.")
        await ended
        joined = rawr.expect(joins, deadline=DEADLINE)
        harness.opened[0].send_away()
        await joined
        again = rawr.expect(ends, deadline=DEADLINE)
        rawr.submit(thread, "And again.")
        await again
        state = rawr.state(thread)
    assert (thread, state.online, state.turns) == (THREAD, True, 2)
    assert state.limits is not None
    assert state.limits.sandbox.mode == "read-only"
    assert harness.opened[0].agent.texts == ["Say it.", "And again."]
    with JournalReader.open(tmp_path / "home") as reader:
        assert replay_journal(reader, policy=Policy()).divergences == ()


async def test_the_next_rawr_numbers_its_connections_on(tmp_path: Path) -> None:
    """An epoch is never used twice, so that what belongs to an old connection is known by its number."""
    harness = LoopbackHarness()
    for _ in range(2):
        async with Supervisor(harness, tmp_path / "home") as rawr:
            await rawr.shown()
            epoch = rawr.host.epoch
    assert epoch == 2


def test_a_dialer_is_a_harness() -> None:
    """To the type checker; there is no more to it."""
    harness: Harness = StdioDialer(Path("codex"), env={})
    connection: Connection = harness.connection(
        Listener(lambda _thread, _fact: None, lambda _way, _method, _frame: None),
        home=Path("home"),
        epochs=count(1),
        name="",
        patient=False,
    )
    assert connection.problem == "the reason is not known"
