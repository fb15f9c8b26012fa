"""rawr's own loop on a real journal under the rules as shipped, with the peer in the place of Codex and repositories.

The clock is the peer's too: it stands during a turn and goes on a minute with the next, so that cooldowns pass.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from bench import work
from bench.peer import DAY, Begun, Decided, Peer, check_days, observed, steered
from rawr import __version__
from rawr.config.load import PolicySource
from rawr.core.kernel import Kernel
from rawr.core.real import Real
from rawr.core.vocabulary import effects, facts
from rawr.journal.reader import JournalReader
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.ports.harness import Done, HarnessEffect
from rawr.runtime.executor import Executor
from rawr.runtime.loop import Loop
from rawr.runtime.recovery import Recollection, restore
from rawr.runtime.supervisor import Silent
from rawr.runtime.timers import Timers

DEADLINE = 30.0


class Decision(Struct, frozen=True):
    what: Decided
    seconds: float


class _Codex:
    """Notes when an effect that begins a turn reached it, and says yes to everything."""

    def __init__(self, peer: Peer) -> None:
        self.begun: asyncio.Queue[tuple[float, Begun]] = asyncio.Queue()
        self._peer = peer

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done:
        arrived = time.perf_counter()
        effect = real.thing
        match effect:
            case effects.StartTurn() | effects.StartCompaction():
                begun = self._peer.begin(name, effect)
                self.begun.put_nowait((arrived, begun))
                return Done(work.turn_id(begun.number))
            case effects.SteerTurn():
                return Done(effect.turn, tuple((thread, fact) for fact in steered(name, effect)))
            case _:
                return Done()


class Observer:
    def look(
        self, effect: Real[effects.WatchRepository | effects.ObserveCommand | effects.ObserveTree], /, *, thread: str
    ) -> tuple[facts.CommandObserved, ...]:
        ended = effect.thing
        return (observed(ended.turn, ended.item),) if isinstance(ended, effects.ObserveCommand) else ()


class _Clock:
    """No deadline is ever missed here, so nobody has to be woken."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    def now_ms(self) -> int:
        return self._peer.now

    def start_after(self, at_ms: int) -> None:
        pass

    def jumped(self) -> int:
        return 0

    def on_timeline(self, date_ms: int) -> int:
        return date_ms

    async def sleep_until(self, at_ms: int) -> None:
        await asyncio.Event().wait()


class Assembly:
    def __init__(self, loop: Loop, kernel: Kernel, peer: Peer, codex: _Codex) -> None:
        self.kernel = kernel
        self._loop = loop
        self.peer = peer
        self._codex = codex
        self.begun: Begun

    async def decide(self) -> Decision:
        """One turn to its end: what rawr decided then, and the seconds until the effect was out, commit included.

        Looks at the repository are back before the turn ends, so that nothing but the decision is waited for.
        """
        told, end = self.peer.turn(self.begun)
        self._tell(*told)
        await self._settled()
        began = time.perf_counter()
        self._tell(end)
        arrived = await self._next_turn()
        return Decision(self.begun.decided, arrived - began)

    async def fill(self, facts_in_all: int) -> None:
        """Work until the journal holds at least so many facts, up to the end of a day."""
        while self.kernel.seq < facts_in_all or self.peer.turns % DAY != 1:
            told, end = self.peer.turn(self.begun)
            self._tell(*told)
            await self._settled()
            self._tell(end)
            await self._next_turn()
        await self._settled()
        check_days(self.peer)

    async def grow_log(self) -> None:
        """Write frames until the log has been folded into the file once: from then on it is written over, not on."""
        frame = b'"' + b"x" * 60_000 + b'"'
        for _ in range(6):
            for _ in range(60):
                self._loop.keep_frame("in", "bench", frame)
            await self._loop.drained()

    async def begin(self) -> None:
        """The user's first message is on its way."""
        self._tell(work.OPENED, facts.UserSubmitted(text=work.message(1)))
        await self._next_turn()
        await self._settled()

    def go_on_from(self, other: "Assembly") -> None:
        """The state of the other, all that it has on record included, on this one's own journal."""
        self.kernel.threads[work.THREAD] = other.kernel.threads[work.THREAD]
        self.peer.go_on_from(other.peer)
        self.begun = other.begun

    async def _next_turn(self) -> float:
        """Wait until rawr has begun another turn; gives the moment at which it did."""
        try:
            async with asyncio.timeout(DEADLINE):
                arrived, self.begun = await self._codex.begun.get()
        except TimeoutError:
            raise AssertionError(f"turn {self.peer.turns} was followed by nothing") from None
        return arrived

    def _tell(self, *told: facts.AnyFact) -> None:
        for fact in told:
            self._loop.tell(work.THREAD, fact)

    async def _settled(self) -> None:
        """Wait until looks at the repository are back and what was steered into the turn is shown there."""
        await self._loop.drained()
        while self._under_way():
            await asyncio.sleep(0.0005)
            await self._loop.drained()

    def _under_way(self) -> bool:
        state = self.kernel.threads[work.THREAD]
        return bool(state.observing) or any(one.steer and not one.shown for one in state.sent)


@asynccontextmanager
async def assembled(home: Path, *, commands: int = work.COMMANDS) -> AsyncIterator[Assembly]:
    source = PolicySource(home)
    with Journal.open(home) as journal, JournalReader.open(journal.path) as reader:
        peer = Peer(commands=commands)
        kernel, redactor, codex = Kernel(source.current().policy), Redactor(), _Codex(peer)
        recollection = Recollection(reader, policy=kernel.policy, version=__version__)
        clock = _Clock(peer)
        loop = Loop(
            kernel,
            journal,
            clock=clock,
            redactor=redactor,
            surface=Silent(),
            recollection=recollection,
            policy=lambda: source.current().policy,
        )
        timers = Timers(clock, loop.tell)
        executor = Executor(codex, timers, surface=Silent(), tell=loop.tell, redactor=redactor, observer=Observer())
        loop.attach(executor)
        loop.tell("", facts.PolicyAdopted(policy=kernel.policy))
        for thread, fact in restore(kernel, reader, recollection):
            loop.tell(thread, fact)
        running = asyncio.create_task(loop.run())
        try:
            assembly = Assembly(loop, kernel, peer, codex)
            await assembly.begin()
            yield assembly
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await executor.close()
            await timers.close()
