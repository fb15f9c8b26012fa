"""The lives of rawr in one case: from the first start, over the kill and what the user does meanwhile, to its end."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from rawr.core.state.thread import ThreadState
from tests.crash.jobs import ASIDE, GO_ON, GOAL, GREETING, GREETING_AGAIN, ONE_MORE
from tests.crash.person import Person, person
from tests.crash.scene import Life, Scene, until

MOST_LIVES = 6
T = TypeVar("T")


# -- rawr run ----------------------------------------------------------------------------------------------------------


async def runs(it: Scene, spoken: list[str]) -> tuple[int, str]:
    """``rawr run`` to its end, through as many lives as it takes: the exit code of the last, and its thread."""
    case = it.case
    spoken.append(case.what.goal)
    order = ("run", GOAL, *case.what.flags, *await _prepared(it, spoken))
    attach = ("--attach",) if case.transport == "socket" else ()
    codex = ("--codex-bin", str(it.codex.binary), "--codex-home", str(it.codex.home.path))
    where = ("--json", *codex, *attach)
    words: tuple[str, ...] = order
    point, delay = case.point, case.delay_ms
    async with AsyncExitStack() as meanwhile:
        while True:
            process = await it.start(*words, *where, point=point, delay_ms=delay)
            it.waits_for = "the end of the run"
            code = await process.wait()
            state = _ordered(it)
            if code != -signal.SIGKILL or it.lives == MOST_LIVES:
                return code, state.id if state is not None else ""
            if it.lives == 1:
                await meanwhile.enter_async_context(_meanwhile(it, state, spoken))
            words = ("run", "--resume", state.run.id) if state is not None and state.run is not None else order
            point, delay = (case.again, 0) if it.lives == 1 else ("", 0)


async def _prepared(it: Scene, spoken: list[str]) -> tuple[str, ...]:
    """What the user did in their own Codex before; gives what the order must say about it."""
    if it.case.what.before != "goal":
        return ()
    async with person(it.socket) as ada:
        thread = await ada.begin(it.workspace)
        await ada.ended(await ada.say(GREETING))
        spoken.append(GREETING)
        await ada.sets_goal("Codex's own")
        return ("--resume", thread)


def _ordered(it: Scene) -> ThreadState | None:
    return next((state for state in it.states() if state.run is not None), None)


@asynccontextmanager
async def _meanwhile(it: Scene, state: ThreadState | None, spoken: list[str]) -> AsyncIterator[None]:
    """rawr is gone. What happens until it is back: nothing, rest, or a word of the user's."""
    it.waits_for = "rest"
    if it.case.transport == "stdio":
        if it.case.waits_for_the_end:
            await until(lambda: not it.left_running())
        yield
        return
    if state is None or not (it.case.user_speaks or it.case.waits_for_the_end):
        yield
        return
    async with person(it.socket, thread=state.id) as ada:
        await _speaks(it, ada, spoken)
        it.theirs = ada.came_back and it.case.kill == "both"
        yield


async def _speaks(it: Scene, ada: Person, spoken: list[str]) -> None:
    if not await ada.can_join():
        return
    if it.case.user_speaks:
        text = f"{ASIDE} {it.case.seed}"
        await ada.say(text)
        spoken.append(text)
    if it.case.waits_for_the_end:
        await ada.at_rest()


# -- rawr watch --------------------------------------------------------------------------------------------------------


async def watches(it: Scene, spoken: list[str]) -> tuple[int, str]:
    """``rawr watch`` beside the user, who greets, gives the job, and says one more thing when all is quiet."""
    case = it.case
    async with person(it.socket) as ada, _interrupting(ada, case.what.interrupted):
        thread = await ada.begin(it.workspace)
        await ada.ended(await ada.say(GREETING))
        if case.what.before == "restart":
            await it.restart_codex()
        watching = _Watching(it, ada)
        await watching.start(case.point, case.delay_ms)
        if case.what.before == "restart":
            # A thread of before, of which nobody tells rawr until somebody speaks there.
            await watching.through(until(watching.looked))
            await watching.says(GREETING_AGAIN)
        await watching.through(until(watching.joined))
        ended = await watching.says(GOAL)
        for number in range(1, 3):
            if not ended:
                # Their Codex died under it, and with it the turn.
                ended = await watching.says(f"{GO_ON} {number}")
        await watching.says(ONE_MORE)
        code = await watching.ends()
        spoken += ada.heard if case.kill == "rawr" else ada.completed
        return code, thread


@asynccontextmanager
async def _interrupting(ada: Person, words: str) -> AsyncIterator[None]:
    task = asyncio.create_task(ada.interrupts(words)) if words else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()


class _Watching:
    """A ``rawr watch`` that is started again whenever it is killed."""

    def __init__(self, it: Scene, ada: Person) -> None:
        self._it = it
        self._ada = ada
        self._turns: list[str] = []
        self._process: Life

    async def start(self, point: str = "", delay_ms: int = 0) -> None:
        words = ("watch", "--json", "--socket", str(self._it.socket), *self._it.case.what.flags)
        self._process = await self._it.start(*words, point=point, delay_ms=delay_ms)

    async def through(self, waiting: Awaitable[T]) -> T:
        """Wait for something, through deaths of rawr."""
        task = asyncio.ensure_future(waiting)
        try:
            while True:
                dying = asyncio.ensure_future(self._process.wait())
                await asyncio.wait({task, dying}, return_when=asyncio.FIRST_COMPLETED)
                if task.done():
                    dying.cancel()
                    return task.result()
                await self._again()
        finally:
            task.cancel()

    async def _again(self) -> None:
        if self._process.returncode != -signal.SIGKILL or self._it.lives == MOST_LIVES:
            raise EndedByItself(f"rawr watch ended by itself, with {self._process.returncode}")
        if self._it.lives == 1:
            await _speaks(self._it, self._ada, [])
        await self.start(self._it.case.again if self._it.lives == 1 else "")

    async def says(self, text: str) -> bool:
        """The user says something, and all that follows from it happens; whether their turn was completed."""
        self._it.waits_for = f"Codex to take “{text}”"
        turn = await self.through(self._ada.say(text))
        self._turns.append(turn)
        self._it.waits_for = f"the end of the turn of “{text}”"
        completed = await self.through(self._ada.ended(turn))
        self._it.waits_for = f"quiet after “{text}”"
        await self.through(self.quiet())
        return completed

    def up(self) -> bool:
        """rawr of this life is connected."""
        return any(one.point == "kept:ServerConnected" for one in self._it.trace(self._it.lives))

    def looked(self) -> bool:
        """rawr has asked which threads there are."""
        return any(one.point == "recorded:ListThreads" for one in self._it.trace(self._it.lives))

    def joined(self) -> bool:
        """rawr is in, or cannot be: a Codex that was started anew has no thread until somebody speaks there."""
        state = self._state()
        return (state is not None and state.online) or self._ada.is_out

    async def quiet(self) -> None:
        """Wait until rawr has seen what the user said, and has nothing left to do about it."""

        def quiet() -> bool:
            state = self._state()
            if self._ada.is_out:
                # Their Codex was started anew. Nobody is in the thread, and rawr need not be either.
                return state is None or _is_quiet(state)
            return state is not None and state.online and self._is_back() and self._has_seen(state) and _is_quiet(state)

        await until(quiet)

    def _is_back(self) -> bool:
        """What the journal says is of this life, and not of the one before."""
        return bool(self._joinings())

    def _has_seen(self, state: ThreadState) -> bool:
        """rawr knows of the user's last turn: it saw the end, or came in after it."""
        turn = self._turns[-1] if self._turns else ""
        last = state.last_turn.id if state.last_turn is not None else ""
        return not turn or turn in (*state.ended, last) or any(at > self._ada.end_ms(turn) for at in self._joinings())

    def _joinings(self) -> list[int]:
        return [one.at_ms for one in self._it.trace(self._it.lives) if one.point == "kept:ThreadJoined"]

    def _state(self) -> ThreadState | None:
        return next((state for state in self._it.states() if state.id == self._ada.thread), None)

    async def ends(self) -> int:
        """The user has seen enough; gives the exit code."""
        self._it.waits_for = "the end of the watch"
        while True:
            # A rawr that is only just coming up has nobody yet who would hear it.
            await self.through(until(self.up))
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)
            code = await self._process.wait()
            if code != -signal.SIGKILL:
                return code
            await self._again()
            await self.through(self.quiet())


class EndedByItself(Exception):
    pass


def _is_quiet(state: ThreadState) -> bool:
    waits = (state.turn, state.sequence, state.compacting, state.queue, state.sent, state.observing, state.asking)
    # A turn that ended while rawr was killed is judged when somebody opens its thread again.
    unweighed = state.unweighed and state.online
    return not any(waits) and not (unweighed or state.resuming)
