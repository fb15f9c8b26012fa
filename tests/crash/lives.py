"""The lives of rawr in one case: from the first start, over the kill and what the user does meanwhile, to its end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from tests.crash.evidence import summary_in
from tests.crash.jobs import ASIDE, GO_ON, GOAL, GREETING, GREETING_AGAIN, ONE_MORE, RIGHT_THEN
from tests.crash.person import Person, person
from tests.crash.scene import Life, Scene, until

MOST_LIVES = 6
SERVICE = ("host", "serve", "--resume")
"""What a service manager starts again, except that this one exits when its runs are over."""
T = TypeVar("T")


# -- rawr run ----------------------------------------------------------------------------------------------------------


async def runs(it: Scene, spoken: list[str]) -> tuple[int, str]:
    """``rawr run`` to its end, through as many lives as it takes: the exit code of the last, and its thread."""
    case = it.case
    spoken.append(case.what.goal)
    order = ("run", GOAL, *case.what.flags, *await _prepared(it, spoken))
    attach = ("--attach",) if case.transport == "socket" else ()
    where = ("--codex-bin", str(it.codex.binary), "--codex-home", str(it.codex.home.path))
    words = (*order, *where, *attach, *(() if case.shows_screen else ("--json",)))
    point, delay = case.point, case.delay_ms
    async with AsyncExitStack() as meanwhile:
        while True:
            process = await it.start(*words, point=point, delay_ms=delay)
            it.waits_for = "the end of the run"
            code = await process.wait()
            await it.settled()
            if await it.was_too_early(code):
                continue
            state = _ordered(it)
            if it.lives == MOST_LIVES or not (it.was_killed(code) or _must_be_asked(it, state, words)):
                return code, state.id if state is not None else ""
            if it.lives == 1 and case.rawr_dies:
                await meanwhile.enter_async_context(_meanwhile(it, state, spoken))
            back = await _coming_back(it, state)
            if not back:
                words = (*order, *where, *attach, "--json")
            elif back[0] == "run":
                # A host knows with which Codex a run worked, as long as that is there.
                words = (*back, *where, *(() if case.hosted and not case.codex_dies else attach), "--json")
            else:
                words = back
            point, delay = (case.again, 0) if it.lives == 1 else ("", 0)


async def _coming_back(it: Scene, state: ThreadState | None) -> tuple[str, ...]:
    """How a person continues; empty: nothing was ordered yet. A run that a host has goes on without anybody."""
    if state is None or state.run is None:
        return ()
    name = state.run.id
    if it.goes_on and state.run.active and not it.case.waits_for_the_end:
        return ("attach", name, "--json")
    if it.case.is_kept and it.lives == 1:
        return SERVICE
    if it.goes_on or it.case.in_terminal or it.case.is_kept:
        it.waits_for = "the end of a run that nobody looks at"
        await until(lambda: not _run(it).active)
        if _run(it).status != "done":
            raise EndedByItself(f"the run did not go on with nobody there: it is {_run(it).status}")
    return ("run", "--resume", name)


def _must_be_asked(it: Scene, state: ThreadState | None, words: Sequence[str]) -> bool:
    """Nobody said how the run ended: it was drawn on a screen, nothing was left to attach to, or a service had it."""
    if tuple(words) == SERVICE:
        return True
    over = state is not None and state.run is not None and state.run.status == "done"
    return over and not summary_in(it.said(it.lives)) and (words[0] == "attach" or it.in_terminal)


def _run(it: Scene) -> Run:
    state = _ordered(it)
    assert state is not None
    assert state.run is not None
    return state.run


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
        it.theirs = ada.came_back and it.case.codex_dies
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
    async with person(it.socket) as ada, _interrupting(ada, case.what.interrupted), _overtaking(it, ada):
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
        spoken += ada.completed if case.codex_dies else ada.heard
        return code, thread


@asynccontextmanager
async def _interrupting(ada: Person, words: str) -> AsyncIterator[None]:
    task = asyncio.create_task(ada.interrupts(words)) if words else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()


@asynccontextmanager
async def _overtaking(it: Scene, ada: Person) -> AsyncIterator[None]:
    """The user speaks as the first compaction is about to go out, in whichever life of rawr that is."""

    async def speaks() -> None:
        await until(lambda: any(one.point == "before:StartCompaction" for one in it.newest_trace()))
        await ada.say(RIGHT_THEN)
        it.spoken_file.touch()

    task = asyncio.create_task(speaks()) if it.case.what.overtaken else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()


class _Watching:
    """A ``rawr watch`` that is started again whenever it is killed. In a host the watch also goes on without it."""

    def __init__(self, it: Scene, ada: Person) -> None:
        self._it = it
        self._ada = ada
        self._turns: list[str] = []
        self._process: Life | None = None
        """None: nobody looks at it."""

    async def start(self, point: str = "", delay_ms: int = 0) -> None:
        shown = () if self._it.case.shows_screen and not self._it.lives else ("--json",)
        words = ("watch", *shown, "--socket", str(self._it.socket), *self._it.case.what.flags)
        self._process = await self._it.start(*words, point=point, delay_ms=delay_ms)

    async def through(self, waiting: Awaitable[T]) -> T:
        """Wait for something, through deaths of rawr."""
        task = asyncio.ensure_future(waiting)
        try:
            while self._process is not None:
                dying = asyncio.ensure_future(self._process.wait())
                await asyncio.wait({task, dying}, return_when=asyncio.FIRST_COMPLETED)
                if task.done():
                    dying.cancel()
                    return task.result()
                await self._again(dying.result())
            return await task
        finally:
            task.cancel()

    async def _again(self, code: int) -> None:
        it = self._it
        if await it.was_too_early(code):
            await self.start()
            return
        if not it.was_killed(code) or it.lives == MOST_LIVES:
            raise EndedByItself(f"rawr watch ended by itself, with {code}")
        await it.settled()
        if it.goes_on and it.case.waits_for_the_end:
            self._process = None
            return
        if it.lives == 1 and it.case.rawr_dies:
            await _speaks(it, self._ada, [])
        await self.start(it.case.again if it.lives == 1 else "")

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
        return any(one.point == "kept:ServerConnected" for one in self._it.newest_trace())

    def looked(self) -> bool:
        """rawr has asked which threads there are."""
        return any(one.point == "recorded:ListThreads" for one in self._it.newest_trace())

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
        return [one.at_ms for one in self._it.newest_trace() if one.point == "kept:ThreadJoined"]

    def _state(self) -> ThreadState | None:
        return next((state for state in self._it.states() if state.id == self._ada.thread), None)

    async def ends(self) -> int:
        """The user has seen enough; gives the exit code."""
        self._it.waits_for = "the end of the watch"
        while True:
            if self._process is None:
                await self.start()
            # A rawr that is only just coming up has nobody yet who would hear it.
            await self.through(until(self.up))
            if self._it.case.hosted:
                await self.through(until(self._it.is_watching))
            if self._process is None:
                continue
            self._it.interrupt(self._process)
            code = await self._process.wait()
            if not self._it.was_killed(code):
                return code
            await self._again(code)
            await self.through(self.quiet())


class EndedByItself(Exception):
    pass


def _is_quiet(state: ThreadState) -> bool:
    waits = (state.turn, state.sequence, state.compacting, state.queue, state.sent, state.observing, state.asking)
    # A turn that ended while rawr was killed is judged when somebody opens its thread again. So is one after which rawr
    # waits for a moment before it asks, as somebody else may be about to speak.
    undecided = (state.unweighed or state.pausing) and state.online
    return not any(waits) and not (undecided or state.resuming)
