"""rawr's own loop on a real journal, with nobody at the other end: effects are noted and succeed at once."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench import work
from rawr import __version__
from rawr.codex.driver import CodexEffect, Done
from rawr.core import effects, facts
from rawr.core.kernel import Kernel
from rawr.journal.reader import JournalReader
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.runtime.clock import SystemClock
from rawr.runtime.executor import Executor
from rawr.runtime.loop import Loop
from rawr.runtime.recovery import Recollection, restore
from rawr.runtime.supervisor import Silent
from rawr.runtime.timers import Timers

BURST = 16
"""Turns that are told before anybody waits: what comes in while a commit is under way shares the next one."""


class Stopwatch:
    """In Codex's place: it notes when an effect reached it."""

    def __init__(self) -> None:
        self.turn = 0
        self.started: asyncio.Queue[float] = asyncio.Queue()

    async def carry_out(self, name: str, thread: str, effect: CodexEffect) -> Done:
        if not isinstance(effect, effects.StartTurn):
            return Done()
        self.started.put_nowait(time.perf_counter())
        return Done(work.turn_id(self.turn))


class Assembly:
    def __init__(self, loop: Loop, kernel: Kernel, codex: Stopwatch) -> None:
        self.kernel = kernel
        self._loop = loop
        self._codex = codex
        self._turn = 0

    async def decide(self) -> float:
        """Seconds from a person's message to the effect that carries it, with the commit in between."""
        self._turn += 1
        self._codex.turn = self._turn
        began = time.perf_counter()
        self._loop.tell(work.THREAD, facts.UserSubmitted(text=f"Go on with part {self._turn:012}, please."))
        return await self._codex.started.get() - began

    async def finish_turn(self) -> None:
        """The turn that was decided on begins and ends; the thread is idle again."""
        name = work.turn_id(self._turn)
        self._loop.tell(work.THREAD, facts.TurnStarted(turn=name))
        self._loop.tell(work.THREAD, facts.TurnCompleted(turn=name, status="completed"))
        await self._loop.drained()

    async def grow_log(self) -> None:
        """Write frames until the log has been folded into the file once: from then on it is written over, not on."""
        frame = b'"' + b"x" * 60_000 + b'"'
        for _ in range(6):
            for _ in range(60):
                self._loop.keep_frame("in", "bench", frame)
            await self._loop.drained()

    async def fill(self, facts_in_all: int) -> None:
        """Work until the journal holds at least so many facts."""
        while self.kernel.seq < facts_in_all:
            await self.decide()
            self._tell_turn()
            for _ in range(BURST - 1 if facts_in_all - self.kernel.seq > 1_000 else 0):
                self._turn += 1
                self._tell_turn()
            await self._loop.drained()

    def _tell_turn(self) -> None:
        for fact in work.turn(self._turn):
            self._loop.tell(work.THREAD, fact)


@asynccontextmanager
async def assembled(home: Path) -> AsyncIterator[Assembly]:
    with Journal.open(home) as journal, JournalReader.open(journal.path) as reader:
        kernel, redactor, codex = Kernel(work.ALONE), Redactor(), Stopwatch()
        recollection = Recollection(reader, policy=kernel.policy, version=__version__)
        loop = Loop(
            kernel, journal, clock=SystemClock(), redactor=redactor, surface=Silent(), recollection=recollection
        )
        timers = Timers(SystemClock(), loop.tell)
        executor = Executor(codex, timers, surface=Silent(), tell=loop.tell, redactor=redactor)
        loop.attach(executor)
        for thread, fact in restore(kernel, reader, recollection):
            loop.tell(thread, fact)
        loop.tell(work.THREAD, work.OPENED)
        running = asyncio.create_task(loop.run())
        try:
            await loop.drained()
            yield Assembly(loop, kernel, codex)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await executor.close()
            await timers.close()
