"""rawr assembled: one harness, one journal, one loop. Surfaces and tests talk to this."""

import asyncio
import contextlib
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from msgspec.structs import replace

from rawr.approvals.approving import Approver
from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.state.host import HostState
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.limits import Sandboxing
from rawr.core.vocabulary.requests import Answer
from rawr.errors import CodexError, RawrError
from rawr.journal.kept import KeptSecrets
from rawr.journal.reader import JournalReader
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.observe.watching import RepositoryWatch
from rawr.ports.advisers import Models
from rawr.ports.clock import Clock
from rawr.ports.environment import Environments, own
from rawr.ports.harness import Connection, Harness, Listener, Told
from rawr.ports.surface import Delta, Surface
from rawr.runtime import answers
from rawr.runtime.clock import SystemClock
from rawr.runtime.control import ControlServer
from rawr.runtime.executor import Executor
from rawr.runtime.finding import Finder
from rawr.runtime.guarded import GuardedSurface
from rawr.runtime.links import Links
from rawr.runtime.loop import Loop
from rawr.runtime.obeyed import Obeyed
from rawr.runtime.recovery import Recollection, ThreadDistrusted, not_needed, restore
from rawr.runtime.retention import tidied
from rawr.runtime.timers import Timers
from rawr.version import __version__

T = TypeVar("T")

START_DEADLINE = 60.0
DRAIN_DEADLINE = 5.0


class WaitedTooLong(CodexError):
    pass


class Silent:
    """A surface that shows nothing."""

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        pass

    def taken(self, taken: Taken) -> None:
        pass


class Supervisor:
    """An async context manager: inside it, the loop runs, and rawr reconnects to Codex after each loss."""

    def __init__(
        self,
        harness: Harness | None,
        home: Path,
        *,
        policy: Policy | Callable[[], Policy] | None = None,
        surface: Surface | None = None,
        clock: Clock | None = None,
        reconnect: bool = True,
        patient: bool = False,
        protected: Sequence[Path] = (),
        models: Models | None = None,
        keep_days: int = 0,
        environments: Environments = own,
        obeyed: Obeyed | None = None,
    ) -> None:
        """``harness``: the one Codex that it serves; None if connections are added by name. ``patient``: Codex need not
        be running yet; rawr joins it when it appears. ``protected``: folders, besides
        rawr's home, that no approval by policy may touch. ``models`` answers typed questions. ``keep_days``: how long
        to keep the record of threads that nothing needs; 0 keeps everything. ``environments``: what programs that rawr
        runs for a thread find around them. ``obeyed``: what no agent may be able to write; at least the home."""
        self.obeyed = obeyed or Obeyed(home)
        self._environments = environments
        self._keep_days = keep_days
        self._models = models
        self._approver = Approver((home, *protected))
        self.home = home
        self._harness = harness
        self._reconnect = reconnect
        self._patient = patient
        self._clock: Clock = clock or SystemClock()
        self._surface: Surface = surface or Silent()
        self._policy = policy if callable(policy) else None
        self._kernel = Kernel(policy() if callable(policy) else policy)
        self._followers: list[Callable[[Taken], None]] = []
        self._readers: list[Callable[[Delta], None]] = []
        self._waiters: list[tuple[Callable[[Taken], bool], asyncio.Future[Taken]]] = []
        self._stack = contextlib.AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []

    # -- life ---------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()
        if error is None and self._memory.failure is not None:
            # The last facts were not written, and a clean exit would suggest that they were.
            raise self._memory.failure

    async def _open(self) -> None:
        recollection, told = self._remember()
        timers, executor = self._assemble(recollection)
        self._stack.push_async_callback(timers.close)
        self._begin(recollection, told)
        await self._start(executor)

    def _remember(self) -> tuple[Recollection, tuple[Told, ...]]:
        """Open the journal, and restore the known state, the kept secrets and the clock."""
        journal = self._memory = self._stack.enter_context(Journal.open(self.home))
        self._journal = journal.path
        reader = self._stack.enter_context(JournalReader.open(journal.path))
        recollection = Recollection(reader, policy=self._kernel.policy, version=__version__)
        self._clock.start_after(reader.last_at())
        told = restore(self._kernel, reader, recollection)
        self._redactor = Redactor()
        self._kept = KeptSecrets(self.home)
        if secrets := self._kept.read():
            self._redactor.recall(secrets)
            # Rarely is there any; then it is worth a look at the newest threads, whether or not a start concerns them.
            self._forget_secrets(recollection)
        # The runs of this process may be done when it stops.
        self._stack.callback(self._forget_secrets, recollection)
        self.forget_secrets = partial(self._forget_secrets, recollection)
        self._finder = Finder(self._kernel, recollection)
        if self._keep_days:
            tidy = partial(tidied, keep_days=self._keep_days, clock=self._clock)
            self._stack.push_async_callback(asyncio.to_thread, tidy, journal, reader, recollection)
        return recollection, tuple(told)

    def _forget_secrets(self, recollection: Recollection) -> None:
        """Drop the kept secrets of runs that are done."""
        with contextlib.suppress(RawrError):
            if self._kept.read():
                self._kept.drop(not_needed(recollection.newest()), now=self._clock.now_ms())

    def _assemble(self, recollection: Recollection) -> tuple[Timers, Executor]:
        """Create the loop, the connection to the harness and the executor, and connect them."""
        self._loop = Loop(
            self._kernel,
            self._memory,
            clock=self._clock,
            redactor=self._redactor,
            surface=self,
            recollection=recollection,
            policy=self._policy,
            kept=self._kept,
        )
        self.links = Links(
            Listener(self._told_by_harness, self._loop.keep_frame, self._show, lambda: bool(self._readers)),
            lambda: self._kernel.threads,
            home=self.home,
            last_epoch=self._kernel.host.epoch,
        )
        self._surface = GuardedSurface(self._surface, self._loop.tell)
        timers = Timers(self._clock, self._loop.tell)
        executor = Executor(
            self.links,
            timers,
            surface=self._surface,
            tell=self._tell,
            redactor=self._redactor,
            observer=RepositoryWatch(),
            approvals=self._approver,
            models=self._models,
            environment=self._environment,
        )
        self._loop.attach(executor)
        return timers, executor

    def _environment(self, thread: str) -> Mapping[str, str] | None:
        known = self._kernel.threads.get(thread)
        return self._environments(thread, known.link if known is not None else "")

    def _begin(self, recollection: Recollection, told: tuple[Told, ...]) -> None:
        """Report distrusted threads, then tell the loop the policy and that rawr is back."""
        self._distrusted = recollection.distrusted
        for why in self._distrusted.values():
            self._loop.tell_of(why)
        self._loop.tell("", facts.PolicyAdopted(policy=self._kernel.policy))
        for thread, fact in told:
            self._loop.tell(thread, fact)

    async def _start(self, executor: Executor) -> None:
        """Run the loop and the connection, accept commands and, unless patient, wait for Codex."""
        looping = asyncio.create_task(self._loop.run())
        self._stack.push_async_callback(self._end_loop, looping)
        self._stack.push_async_callback(executor.close)
        self._stack.push_async_callback(self.links.close)
        self._tasks = [looping]
        if self._harness is not None:
            self.links.add("", self._harness, patient=self._patient, reconnect=self._reconnect)
            self._tasks.append(self.links.serving())
        control = ControlServer(self.home, self)
        await control.start()
        self._stack.push_async_callback(control.close)
        if self._harness is not None and not self._patient:
            await self.connected()

    async def _end_loop(self, looping: "asyncio.Task[None]") -> None:
        """Write the last facts, then cancel the loop. Codex is gone by now, but its last words are not written yet."""
        if not looping.done():
            self._loop.tell("", facts.RuntimeStopped(reason="closed"))
            await self.shown()
            await _briefly(self._loop.save())
        await _cancel(looping)

    def _show(self, delta: Delta) -> None:
        for reader in self._readers:
            reader(delta)

    def _told_by_harness(self, thread: str, fact: facts.AnyFact) -> None:
        if isinstance(fact, facts.RateLimitsUpdated) and fact.resets_at is not None:
            # The server sends a date; rawr's timeline may be ahead of the date, so convert it.
            fact = replace(fact, resets_at=self._clock.on_timeline(fact.resets_at * 1000) // 1000)
        self._tell(thread, fact)

    def _tell(self, thread: str, fact: facts.AnyFact) -> None:
        """With what the agent can reach, where the fact says what is in force."""
        self._loop.tell(thread, self.obeyed.told(fact, self._environment(thread) or {}))

    @property
    def connection(self) -> Connection:
        """The connection of a rawr that serves one Codex."""
        return self.links.connection()

    async def connected(self, link: str = "") -> None:
        """Wait until a connection is open."""
        waiting = self.links.connection(link).wait_connected(START_DEADLINE)
        await self._until(waiting, deadline=START_DEADLINE, what="Codex did not start", link=link)

    # -- the surface the loop sees ------------------------------------------------------------------------------

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        self._surface.notify(thread, level, text)

    def taken(self, taken: Taken) -> None:
        self._surface.taken(taken)
        for follower in self._followers:
            follower(taken)
        for predicate, waiter in self._waiters:
            if not waiter.done():
                _try(predicate, waiter, taken)

    # -- commands and state -------------------------------------------------------------------------------------

    @property
    def journal(self) -> Path:
        return self._journal

    @property
    def host(self) -> HostState:
        return self._kernel.host

    @property
    def seq(self) -> int:
        """The number of the newest fact that the states hold."""
        return self._kernel.seq

    def adopt_policy(self) -> None:
        """Read the settings again now, not only at the end of the next turn."""
        if self._policy is not None:
            self.tell("", facts.PolicyAdopted(policy=self._policy()))

    def protect(self, folder: Path) -> None:
        """From here on, no approval by policy may touch this folder either."""
        self._approver.protect(folder)

    @property
    def threads(self) -> dict[str, ThreadState]:
        """The newest state of every thread in memory. Do not change it."""
        return self._kernel.threads

    @property
    def policy(self) -> Policy:
        return self._kernel.policy

    def state(self, thread: str) -> ThreadState:
        return self._finder.state(thread)

    @property
    def policy_hash(self) -> str:
        return self._kernel.policy_hash

    def tell(self, thread: str, fact: facts.AnyFact) -> None:
        self._loop.tell(thread, fact)

    async def start_thread(
        self,
        cwd: Path,
        *,
        model: str = "",
        approvals: facts.AskPolicy = "on-request",
        sandbox: facts.Sandbox = "workspace-write",
        unattended: bool = False,
        link: str = "",
        deadline: float = START_DEADLINE,
    ) -> str:
        """Start a thread and wait until it exists. ``unattended``: it is for a run. ``link``: on this connection."""
        self.obeyed.refuse(Sandboxing(sandbox), cwd)
        wanted = facts.ThreadRequested(
            ticket=uuid.uuid4().hex,
            cwd=str(cwd),
            model=model,
            approvals=approvals,
            sandbox=sandbox,
            unattended=unattended,
            link=link,
        )
        effects: set[str] = set()

        def ended(taken: Taken) -> bool:
            """Return True once the thread started or failed for good. If Codex dies first, another effect retries."""
            for intended in taken.effects:
                if getattr(intended.effect, "ticket", None) == wanted.ticket:
                    effects.add(intended.id)
            fact = taken.recorded.fact
            mine = isinstance(fact, facts.EffectSucceeded | facts.EffectFailed) and fact.effect in effects
            return mine and all(one.fact.ticket != wanted.ticket for one in self.host.wanted)

        waiting = self.expect(ended, deadline=deadline, what="Codex did not start the thread", link=link)
        self.tell("", wanted)
        fact = (await waiting).recorded.fact
        if isinstance(fact, facts.EffectSucceeded):
            self._refuse_in_reach(fact.result)
            return fact.result
        problem = fact.problem if isinstance(fact, facts.EffectFailed) else "it did not say why"
        raise CodexError(f"Codex could not start a thread: {problem}.")

    async def adopt(
        self,
        thread: str,
        *,
        sandbox: facts.Sandbox | Literal[""] = "",
        approvals: facts.AskPolicy | Literal[""] = "",
        take_goal: bool = False,
        link: str = "",
        deadline: float = START_DEADLINE,
    ) -> None:
        """Take over a thread that Codex has, and wait until rawr has joined it. It keeps its limits, except for those
        given here. With ``take_goal`` a goal of Codex's own is cleared before Codex can begin a turn for it. ``link``:
        on this connection, unless it is at work on another."""
        self.put(thread, link)
        adopted = facts.ThreadAdopted(sandbox=sandbox, approvals=approvals, take_goal=take_goal)
        begun = False

        def ended(taken: Taken) -> bool:
            """Return True on the outcome. Ignores outcomes of an earlier rawr's effects, which come first."""
            nonlocal begun
            if taken.recorded.thread != thread:
                return False
            fact, state = taken.recorded.fact, self.state(thread)
            if isinstance(fact, facts.ThreadAdopted):
                begun = True
                return state.online and not state.resuming
            if isinstance(fact, facts.EffectFailed) and fact.code in ("lost", "unsent"):
                return False  # the connection was lost; rawr retries on the next one
            return begun and isinstance(fact, facts.EffectSucceeded | facts.EffectFailed) and not state.resuming

        if thread in self._distrusted:
            raise ThreadDistrusted(self._distrusted[thread])
        if self.state(thread).online:
            await self._loop.record(thread, adopted)
            self._refuse_in_reach(thread)
            return
        waiting = self.expect(ended, deadline=deadline, what="Codex did not open the thread", link=link)
        self.tell(thread, adopted)
        fact = (await waiting).recorded.fact
        if isinstance(fact, facts.EffectFailed):
            raise CodexError(f"Codex cannot continue {thread}: {fact.problem.rstrip('.')}.")
        self._refuse_in_reach(thread)

    def _refuse_in_reach(self, thread: str) -> None:
        """Raise if Codex says that the agent of this thread can write what rawr obeys."""
        if (in_force := self.state(thread).in_force) is not None:
            self.obeyed.refuse(in_force.sandbox, in_force.cwd, self._environment(thread) or {})

    async def take_up(self, thread: str) -> None:
        """Nothing to do where there is one Codex: the thread continues with it."""

    def put(self, thread: str, link: str) -> None:
        """Drive a thread on this connection from here on, unless it is at work on another."""
        self.state(thread)  # into memory: where it is now decides
        if link and (moved := self.links.put(thread, link)) is not None:
            self.tell(thread, moved)

    def follow(self, follower: Callable[[Taken], None]) -> None:
        """Call ``follower`` for every fact taken from now on, before any waiter sees it."""
        self._followers.append(follower)

    def follow_deltas(self, follower: Callable[[Delta], None]) -> None:
        """Call ``follower`` for text as it is being written. It must not block or raise."""
        self._readers.append(follower)

    def record(self, thread: str, fact: facts.AnyFact) -> "asyncio.Future[Taken]":
        """Tell a fact; the future resolves when it is in the journal. Answers to secret questions stay out of it."""
        if isinstance(fact, facts.AnswerSubmitted):
            opened = next((one for one in self.state(thread).requests if one.request == fact.request), None)
            real = next((one for one in self.waiting(thread) if one.thing.request == fact.request), None)
            fact = answers.audited(fact, real, workspace=self.state(thread).cwd)
            question = opened.question if opened is not None else None
            hidden = answers.without_secrets(fact, question, lambda text: self._redactor.hide(text, kind="answer"))
            return self._loop.record(thread, hidden, hidden=hidden is not fact)
        return self._loop.record(thread, fact)

    def waiting(self, thread: str) -> tuple[Real[OpenRequest], ...]:
        """The thread's open requests that a person must decide, unredacted."""
        opened = [self._redactor.reveal(one) for one in self.state(thread).requests if not one.answer]
        return tuple(one for one in opened if one is not None)

    def find_thread(self, name: str) -> str:
        """Find a thread by its run's id, its id or the end of it; unnamed, the last active. Empty unless one fits."""
        return self._finder.find(name)

    async def shown(self) -> None:
        """Wait briefly until everything told so far is written and shown."""
        await _briefly(self._loop.drained())

    async def ended(self) -> None:
        """Wait until rawr cannot continue, and raise the reason."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    def submit(self, thread: str, text: str) -> "asyncio.Future[Taken]":
        """Queue a message for the agent; it starts a turn as soon as the thread is free.

        Once the future resolves, the message is in the journal, on disk, and survives a crash of rawr.
        """
        return self._loop.record(thread, facts.UserSubmitted(text=text))

    def steer(self, thread: str, text: str) -> "asyncio.Future[Taken]":
        """Send a message to the running turn; if there is none, start one. The future is as in ``submit``."""
        return self._loop.record(thread, facts.SteerSubmitted(text=text))

    def interrupt(self, thread: str) -> None:
        self.tell(thread, facts.InterruptSubmitted())

    def compact(self, thread: str, *, bare: bool = False) -> None:
        """Compact now, on the golden path; ``bare`` skips everything around the compaction itself."""
        self.tell(thread, facts.CompactionSubmitted(bare=bare))

    def answer(self, thread: str, request: str, answer: Answer) -> None:
        """Answer a question from the server. Answers to secret questions stay out of the journal."""
        self.record(thread, facts.AnswerSubmitted(request=request, answer=answer))

    # -- waiting ------------------------------------------------------------------------------------------------

    def expect(
        self, predicate: Callable[[Taken], bool], *, deadline: float, what: str = "It did not happen", link: str = ""
    ) -> "asyncio.Task[Taken]":
        """Wait for the first taken fact that matches. The wait begins with the call, not with the ``await``."""
        waiter: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        entry = (predicate, waiter)
        self._waiters.append(entry)
        waiter.add_done_callback(lambda _: self._waiters.remove(entry))
        return asyncio.create_task(self._until(waiter, deadline=deadline, what=what, link=link))

    async def _until(self, waiting: Awaitable[T], *, deadline: float, what: str, link: str = "") -> T:
        """Wait until the deadline at most, and stop if the loop or the connection has ended for good."""
        task = asyncio.ensure_future(waiting)
        needed = [*self._tasks, self.links.serving(link)] if link and link in self.links else self._tasks
        watched: set[asyncio.Future[Any]] = {task, *needed}
        try:
            done, _ = await asyncio.wait(watched, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not task.done():
                task.cancel()
        if task in done:
            return task.result()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        for ended in needed:
            if ended in done:
                ended.result()
                raise CodexError(f"{what}: {self.links.connection(link).problem}.")
        raise WaitedTooLong(f"{what} within {deadline:g} seconds.")


def _try(predicate: Callable[[Taken], bool], waiter: "asyncio.Future[Taken]", taken: Taken) -> None:
    """Test a waiter's predicate. If it raises, only this waiter fails."""
    try:
        if predicate(taken):
            waiter.set_result(taken)
    except Exception as error:
        waiter.set_exception(error)


async def _briefly(waiting: Awaitable[None]) -> None:
    with contextlib.suppress(TimeoutError, RawrError):
        async with asyncio.timeout(DRAIN_DEADLINE):
            await waiting


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, RawrError):
        await task
