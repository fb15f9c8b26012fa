"""The runtime put together as the supervisor does it: a real journal, a Codex of the test's own, virtual time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.journal.reader import JournalReader
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.ports.harness import Driver
from rawr.ports.memory import Memory
from rawr.ports.surface import Surface
from rawr.runtime.executor import Executor
from rawr.runtime.finding import Finder
from rawr.runtime.guarded import GuardedSurface
from rawr.runtime.loop import Loop
from rawr.runtime.recovery import Recollection, restore
from rawr.runtime.replaying import replay_journal
from rawr.runtime.timers import Timers
from rawr.testing import VirtualClock
from tests.core.samples import QUIET
from tests.journal.samples import bodies
from tests.runtime.codex import RememberingCodex

VERSION = "1"
BEGIN = 1_700_000_000_000
PATIENCE = 20.0
"""Seconds of real time after which a runtime that does not come to rest has failed the test."""
CONNECTED = facts.ServerConnected(epoch=1, user_agent="codex", codex_home="/c", transport="test")
LOST = facts.ServerLost(epoch=1, problem="it ended")
F = TypeVar("F", bound=facts.Fact)


class Screen:
    """A surface that remembers."""

    def __init__(self) -> None:
        self.seen: list[Taken] = []
        self.notices: list[tuple[str, facts.Level, str]] = []

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        self.notices.append((thread, level, text))

    def taken(self, taken: Taken) -> None:
        self.seen.append(taken)


class Rig:
    def __init__(self, kernel: Kernel, clock: VirtualClock, *, screen: Screen, redactor: Redactor) -> None:
        self.kernel = kernel
        self.clock = clock
        self.screen = screen
        self.redactor = redactor
        self.loop: Loop
        self.finder: Finder
        self.executor: Executor
        self.timers: Timers
        self.looping: asyncio.Task[None]

    def take(self, thread: str, fact: facts.AnyFact) -> None:
        self.loop.tell(thread, fact)

    def tell(self, fact: facts.AnyFact, thread: str = "t") -> None:
        self.loop.tell(thread, fact)

    async def rest(self) -> None:
        """Until nothing happens any more by itself, time and the test's own answers aside."""
        async with asyncio.timeout(PATIENCE):
            while True:
                await self.loop.drained()
                await self.clock.settle()
                if self.loop._idle.is_set():
                    return

    async def told(self, *story: facts.AnyFact, thread: str = "t") -> None:
        for fact in story:
            self.tell(fact, thread)
        await self.rest()

    async def opened(self, thread: str = "t") -> None:
        """Codex is there, and a thread of ours."""
        self.tell(CONNECTED, "")
        await self.told(facts.ThreadOpened(cwd="/project", ours=True), thread=thread)

    def state(self, thread: str = "t") -> ThreadState:
        """As it is in memory or, if it was left alone, in the journal."""
        return self.finder.state(thread)

    def facts(self, kind: type[F]) -> list[F]:
        return [one.recorded.fact for one in self.screen.seen if isinstance(one.recorded.fact, kind)]

    def reasons(self) -> list[str]:
        return [decision.record.reason.value for one in self.screen.seen for decision in one.decisions]


@asynccontextmanager
async def rawr(
    home: Path,
    codex: Driver,
    *,
    clock: VirtualClock | None = None,
    surface: Surface | None = None,
    policy: Policy | None = None,
    memory: Callable[[Journal], Memory] = lambda journal: journal,
    max_bytes: int | None = None,
    adopts: bool = False,
) -> AsyncIterator[Rig]:
    """rawr from its start to a sudden end: nothing is said at the end, and nothing that waits is answered.

    ``adopts``: it records the policy first, as the supervisor does.
    """
    kernel = Kernel(policy or QUIET)
    rig = Rig(kernel, clock or VirtualClock(BEGIN), screen=Screen(), redactor=Redactor())
    with Journal.open(home, max_bytes=max_bytes) as journal, JournalReader.open(journal.path) as reader:
        recollection = Recollection(reader, policy=kernel.policy, version=VERSION)
        told = restore(kernel, reader, recollection)
        rig.finder = Finder(kernel, recollection)
        shown: Surface = surface or rig.screen
        guarded = GuardedSurface(shown, rig.take)
        rig.loop = Loop(
            kernel,
            memory(journal),
            clock=rig.clock,
            redactor=rig.redactor,
            surface=guarded,
            recollection=recollection,
        )
        rig.timers = Timers(rig.clock, rig.loop.tell)
        rig.executor = Executor(codex, rig.timers, surface=guarded, tell=rig.loop.tell, redactor=rig.redactor)
        rig.loop.attach(rig.executor)
        if isinstance(codex, RememberingCodex):
            codex.tell = rig.loop.tell
        if adopts:
            rig.loop.tell("", facts.PolicyAdopted(policy=kernel.policy))
        for thread, fact in told:
            rig.loop.tell(thread, fact)
        rig.looping = asyncio.create_task(rig.loop.run())
        try:
            yield rig
        finally:
            await rig.executor.close()
            rig.looping.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await rig.looping
            await rig.timers.close()


def replayed(home: Path, *, policy: Policy | None = None) -> None:
    """What was decided live follows again from the journal (C17)."""
    with JournalReader.open(home) as reader:
        assert replay_journal(reader, policy=policy or QUIET).divergences == ()


def on_disk(home: Path, text: str) -> bool:
    """Whether any file of the home holds the text, as it is or packed."""
    return any(text.encode() in file.read_bytes() for file in home.iterdir()) or text in bodies(home)
