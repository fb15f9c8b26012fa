"""The runs of one call while they are under way: Ctrl-C and other signals, and the wait for their end."""

import asyncio
import signal
from collections.abc import Callable, Coroutine

from msgspec import Struct

from rawr.cli.commands.ordering import Ordering, Wanted
from rawr.cli.commands.run_summary import last_word
from rawr.cli.commands.tasks import Task
from rawr.cli.exit_codes import Exit
from rawr.cli.terminal.output import emit, warn
from rawr.core.kernel import Taken
from rawr.core.state.run import Run
from rawr.core.vocabulary import facts
from rawr.ports.surface import Rawr

TWICE = 0.5
"""Seconds in which a second Ctrl-C still stops the run that the first one paused: pressing twice is deliberate."""

IN_ORDER = 3.0
"""Seconds for the work under way to finish in order, once rawr is told to exit."""
AT_ONCE = 2.0
"""Seconds beyond that to record the state of the runs. After that, rawr waits for nothing."""


class Left(Struct, frozen=True, tag="left", tag_field="type"):
    """The last word of a call that leaves a run to the host."""

    run: str
    status: str = "running"


class UnderWay:
    """The runs of this call, and the wait for their end."""

    _rawr: Rawr

    def __init__(self, *, outlives: bool = False) -> None:
        """``outlives``: the runs are in a host, and go on when this process leaves."""
        self.threads: list[str] = []
        self._outlives = outlives
        self._ordered = False
        self._leaving = False
        self.tell: Callable[[str], None] = lambda text: warn(text, own_line=True)
        """How the person who pressed Ctrl-C is told what it does."""
        self._changed = asyncio.Event()
        self._asked: facts.RunPauseSubmitted | facts.RunStopSubmitted | None = None
        """What the person at the terminal asked of all runs."""
        self._told: dict[str, asyncio.Future[Taken]] = {}
        self._lingers = False
        self._left = asyncio.Event()
        self._over = False

    def begin(self, rawr: Rawr) -> None:
        self._rawr = rawr
        rawr.follow(self._follow)

    def _follow(self, taken: Taken) -> None:
        fact, thread = taken.recorded.fact, taken.recorded.thread
        if isinstance(fact, facts.ThreadTookOver) and fact.origin in self.threads:
            self.threads[self.threads.index(fact.origin)] = thread
        self._changed.set()

    def pause(self, asked_by: signal.Signals) -> bool:
        """Return True if there was anything to pause."""
        by_hand = asked_by == signal.SIGINT
        if self._outlives and not by_hand:
            self.leave()
            return True
        if not self._over and self.threads:
            self.tell("pausing; press Ctrl-C again to stop" if by_hand else "asked to exit; pausing")
            later = asyncio.get_running_loop().call_later
            if by_hand:
                self._lingers = True
                later(TWICE, self._linger_no_more)
            else:
                later(IN_ORDER, self._leave)
                later(IN_ORDER + AT_ONCE, self._left.set)
            self._ask(facts.RunPauseSubmitted(now=True))
        return bool(self.threads)

    def leave(self) -> None:
        """Let the runs go on without this process. What was ordered is ordered first."""
        self._leaving = True
        if self._ordered:
            self._left.set()

    def look_on(self, thread: str) -> None:
        """Wait for a run that somebody else ordered."""
        self.threads.append(thread)
        self._ordered = True

    def is_mine(self, thread: str) -> bool:
        return thread in self.threads

    def first_thread(self) -> str:
        """Empty until there is one."""
        return self.threads[0] if self.threads else ""

    @property
    def has_left(self) -> bool:
        """True if this process leaves before the runs are over."""
        return self._leaving and self._ordered and any(run is not None and run.active for run in self._runs())

    def goes_on(self, *, json: bool) -> Exit:
        """Say how to come back. The runs go on in the host."""
        self._over = True
        for run in self._runs():
            if run is not None and not json:
                warn(f"Run {run.id} goes on in the background. `rawr attach {run.id}` comes back to it.")
            elif run is not None:
                emit(Left(run.id))
        return Exit.OK

    def _runs(self) -> list[Run | None]:
        return [self._run(thread) for thread in self.threads]

    def _leave(self) -> None:
        """Something did not finish in time: a hanging Codex, a compaction, a check. The runs stay as they are."""
        if not self._over:
            self._ask(facts.RunPauseSubmitted(now=True, leaving=True))

    def stop(self) -> None:
        if not self._over:
            self.tell("stopping; press Ctrl-C again to exit at once")
            self._ask(facts.RunStopSubmitted())

    def _linger_no_more(self) -> None:
        self._lingers = False
        self._changed.set()

    def _ask(self, word: facts.RunPauseSubmitted | facts.RunStopSubmitted) -> None:
        self._asked = word
        self._told.clear()
        self._tell()

    def _tell(self) -> None:
        """Tell the runs that have not heard it, including one that just started, or was paused and is to be stopped."""
        if self._asked is None:
            return
        concerned = ("running", "paused") if isinstance(self._asked, facts.RunStopSubmitted) else ("running",)
        for thread in self.threads:
            run = self._run(thread)
            if run is not None and run.status in concerned and thread not in self._told:
                self._told[thread] = self._rawr.record(thread, self._asked)
                self._told[thread].add_done_callback(lambda _: self._changed.set())

    async def see_through(self, wanted: Wanted, tasks: tuple[Task, ...], *, begun: Callable[[], None]) -> None:
        """Order or resume the runs, and wait for their end, or until it is time to leave."""
        await self._unless_left(self._see_through(wanted, tasks, begun))

    async def wait_or_leave(self) -> None:
        """For runs that are under way: until their end, or until it is time to leave."""
        await self._unless_left(self.wait())

    async def _unless_left(self, waiting: Coroutine[object, object, None]) -> None:
        work = asyncio.ensure_future(waiting)
        left = asyncio.ensure_future(self._left.wait())
        try:
            await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
            if not work.done():
                work.cancel()
        if work.done():
            work.result()

    async def _see_through(self, wanted: Wanted, tasks: tuple[Task, ...], begun: Callable[[], None]) -> None:
        ordering = Ordering(self._rawr, wanted, self.threads, called_off=lambda: self._asked is not None)
        try:
            await (ordering.order(tasks) if tasks else ordering.resume())
        finally:
            begun()
        self._ordered = True
        if self._leaving or wanted.detach:
            self.leave()
            return
        await self.wait()

    async def wait(self) -> None:
        """Wait until none of them is working, and every request to them is recorded."""
        ended = asyncio.ensure_future(self._rawr.ended())
        try:
            while self._going_on():
                waking = asyncio.ensure_future(self._changed.wait())
                await asyncio.wait({waking, ended}, return_when=asyncio.FIRST_COMPLETED)
                waking.cancel()
                if ended.done():
                    ended.result()
                    return
        finally:
            # Not awaited: nothing may come between the last look and the summary.
            ended.add_done_callback(lambda one: one.cancelled() or one.exception())
            ended.cancel()

    def last_word(self, *, json: bool) -> Exit:
        """Print how they ended. Requests from here on come too late."""
        self._over = True
        return last_word([self._rawr.state(thread) for thread in self.threads], json=json)

    def _going_on(self) -> bool:
        self._changed.clear()
        self._tell()
        if any(not told.done() for told in self._told.values()):
            return True
        lingers = self._lingers and isinstance(self._asked, facts.RunPauseSubmitted)
        still = ("running", "paused") if lingers else ("running",)
        return any(run.status in still for run in map(self._run, self.threads) if run is not None)

    def _run(self, thread: str) -> Run | None:
        state = self._rawr.state(thread)
        # It continues in another thread, which is in the list once that is recorded.
        return self._run(state.replaced_by) if state.replaced_by else state.run
