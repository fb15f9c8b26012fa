"""Many threads in one rawr: its own loop on a real journal under the rules as shipped, each thread with a run in Full
Auto, and in Codex's place something that plays a turn whenever one is started.

A turn is that of ``work.py``: plan, command, changed file, commit, now and then a question; never the same twice, so no
guard stops the run, and with so much room in the context that nothing is compacted.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from bench import work
from bench.assembly import Observer
from rawr import __version__
from rawr.config.load import PolicySource
from rawr.core.kernel import Kernel
from rawr.core.real import Real
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import effects, facts
from rawr.core.vocabulary.order import Budgets, Order
from rawr.journal.reader import JournalReader
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.ports.harness import Done, HarnessEffect
from rawr.ports.surface import Tell
from rawr.runtime.clock import SystemClock
from rawr.runtime.executor import Executor
from rawr.runtime.loop import Loop
from rawr.runtime.recovery import Recollection, restore
from rawr.runtime.supervisor import Silent
from rawr.runtime.timers import Timers

DEADLINE = 60.0
IN_CONTEXT = 20_000
ENDLESS = 100_000
GOAL = "Write the parts one by one. Never push."
NUMBERS = count(1)
"""Of turns. No thread may see one again that it, or the one it resembles, has had."""
Length = Callable[[str], float]
"""How long the next turn of a thread takes, in seconds."""


def thread_id(number: int) -> str:
    return f"0198c0de-0000-7000-9000-{number:012x}"


class Server:
    """Counts the turns that have ended, by thread, and the processor time that playing them took."""

    def __init__(self, length: Length) -> None:
        self.ended: Counter[str] = Counter()
        self.spent = 0.0
        self.tell: Tell
        self._length = length
        self._playing: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done:
        effect = real.thing
        if not isinstance(effect, effects.StartTurn):
            return Done()
        number = next(NUMBERS)
        playing = asyncio.create_task(self._play(number, thread, name, effect.text))
        self._playing.add(playing)
        playing.add_done_callback(self._playing.discard)
        return Done(work.turn_id(number))

    async def _play(self, number: int, thread: str, name: str, text: str) -> None:
        began = time.thread_time()
        *told, end = work.turn(number, text=text, client_id=name, in_context=IN_CONTEXT, commands=1, left=1)
        self.spent += time.thread_time() - began
        for fact in told:
            self.tell(thread, fact)
        await asyncio.sleep(self._length(thread))
        self.ended[thread] += 1
        self._changed.set()
        self.tell(thread, end)

    async def turns(self, in_all: int) -> None:
        """Wait until so many have ended."""
        async with asyncio.timeout(DEADLINE):
            while self.ended.total() < in_all:
                self._changed.clear()
                await self._changed.wait()

    async def close(self) -> None:
        for playing in self._playing:
            playing.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)


class Crowd:
    def __init__(self, kernel: Kernel, loop: Loop, server: Server) -> None:
        self.kernel = kernel
        self.server = server
        self._loop = loop

    async def open(self, threads: int) -> None:
        """Threads that nobody has said anything in, one after the other: a burst would leave its own mark in memory."""
        for number in range(threads):
            self._loop.tell(thread_id(number), work.OPENED)
            await self._loop.drained()

    def resemble(self, state: ThreadState, threads: int) -> None:
        """Threads with all that this one has on record."""
        for number in range(threads):
            name = thread_id(number)
            self.kernel.threads[name] = replace(state, id=name)

    async def order(self, threads: int, *, turns: int = ENDLESS) -> None:
        """A run for each of the first so many."""
        order = Order(goal=GOAL, budgets=Budgets(turns=turns))
        fact = facts.RunSubmitted(order=order)
        # Not until the loop is idle: with turns that take no time it never is again.
        await asyncio.gather(*(self._loop.record(thread_id(number), fact) for number in range(threads)))

    async def over(self) -> None:
        """Wait until no run runs any more."""
        async with asyncio.timeout(DEADLINE):
            while any(state.run is not None and state.run.active for state in self.kernel.threads.values()):
                await asyncio.sleep(0.01)
                await self._loop.drained()

    async def quiet(self) -> None:
        """Wait until nothing comes any more: a look at a repository is a task of its own while it lasts."""
        seq = -1
        while seq != self.kernel.seq:
            seq = self.kernel.seq
            await asyncio.sleep(0.2)
            await self._loop.drained()

    async def processor_time(self, turns: int) -> float:
        """Seconds of all of rawr's threads for so many turns, what playing them took left out."""
        began, played = time.process_time(), self.server.spent
        await self.server.turns(self.server.ended.total() + turns)
        return time.process_time() - began - (self.server.spent - played)


@asynccontextmanager
async def crowd(home: Path, *, length: Length = lambda _: 0.0) -> AsyncIterator[Crowd]:
    source = PolicySource(home)
    with Journal.open(home) as journal, JournalReader.open(journal.path) as reader:
        kernel, redactor, server, clock = Kernel(source.current().policy), Redactor(), Server(length), SystemClock()
        recollection = Recollection(reader, policy=kernel.policy, version=__version__)
        loop = Loop(
            kernel,
            journal,
            clock=clock,
            redactor=redactor,
            surface=Silent(),
            recollection=recollection,
            policy=lambda: source.current().policy,
        )
        server.tell = loop.tell
        timers = Timers(clock, loop.tell)
        executor = Executor(server, timers, surface=Silent(), tell=loop.tell, redactor=redactor, observer=Observer())
        loop.attach(executor)
        loop.tell("", facts.PolicyAdopted(policy=kernel.policy))
        for thread, fact in restore(kernel, reader, recollection):
            loop.tell(thread, fact)
        running = asyncio.create_task(loop.run())
        await loop.drained()
        try:
            yield Crowd(kernel, loop, server)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await server.close()
            await executor.close()
            await timers.close()
