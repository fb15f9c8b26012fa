"""``rawr run``: from a prompt to a checked "done"."""

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.cli.commands import control, recorded
from rawr.cli.commands.models import model_desk
from rawr.cli.commands.own_home import own_home
from rawr.cli.commands.policy_file import rules_that_fail, settings_in
from rawr.cli.commands.run_summary import last_word, tell_lost
from rawr.cli.commands.tasks import Task, TaskSpec, budgets_of, task_of
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.answering import Prompter
from rawr.cli.terminal.conversation import JsonConversation
from rawr.cli.terminal.ending import interruptible
from rawr.cli.terminal.flowing import flowing
from rawr.cli.terminal.output import OutputLost, counted, has_symbols, warn
from rawr.cli.terminal.printers import PlainPrinter, RichPrinter
from rawr.cli.terminal.run_view import RunView
from rawr.codex import binary
from rawr.codex.stdio import StdioDialer
from rawr.codex.transport import Dialer
from rawr.config.load import Loaded, PolicySource
from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Budgets, Order
from rawr.errors import CodexError, ConfigError, OutsideError
from rawr.journal.errors import JournalBusy
from rawr.journal.kept import FILE as KEPT
from rawr.journal.placeholders import MARK
from rawr.journal.redact import Redactor
from rawr.ports.surface import Surface
from rawr.runtime.control import NobodyThere
from rawr.runtime.supervisor import Supervisor

TWICE = 0.5
"""Seconds in which a second Ctrl-C still finds the run that the first one paused: who presses twice means it."""

IN_ORDER = 3.0
"""Seconds in which what is under way can end in order, once rawr is told to end."""
AT_ONCE = 2.0
"""Seconds beyond that for the record of how the runs stand. Then nothing is waited for any more."""

_WHOLE_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""A thread's id, as Codex makes them."""


class Wanted(Struct, frozen=True):
    """Everything that one call of ``rawr run`` says."""

    tasks: tuple[TaskSpec, ...] = ()
    base: Path = Path()
    resume: str = ""
    say: str = ""
    """What a resumed run is told first, in place of rawr's own words."""
    limits: TaskSpec | None = None
    """The budgets that a resumed run is given anew."""
    take_goal: bool = False
    policy: Path | None = None
    """A file of settings, over those of the home."""
    model: str = ""
    sandbox: facts.Sandbox | Literal[""] = ""
    """Empty: ``workspace-write`` for a new thread, and for one that is there what it has."""
    attach: bool = False
    json: bool = False
    plain: bool = False


class _Screen(Struct, frozen=True):
    """Where the runs of this call are shown, and what has to be closed before the last word."""

    surface: Surface
    lines: PlainPrinter | RichPrinter | JsonConversation
    view: RunView | None = None


def run(wanted: Wanted, *, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    flags = settings_in(wanted.policy, places.loaded) if wanted.policy is not None else {}
    source = PolicySource(own_home(places.home), flags=flags, seeding=True)
    _warn_or_refuse(source.current(), wanted.policy)
    policy = source.current().policy
    tasks = tuple(task_of(spec, policy, base=wanted.base) for spec in wanted.tasks)
    if wanted.resume:
        recorded.refuse_distrusted(wanted.resume)
    if not tasks and recorded.find_run(wanted.resume) is None:
        hint = "`rawr status` lists them. For a thread without a run: rawr run PROMPT --resume THREAD."
        raise OutsideError(f"No run is called {wanted.resume}.", way_out=hint)
    _tell_of_secrets(tasks, places.home)
    dialer = _dialer(places, attach=wanted.attach)
    with flowing(json=wanted.json) as flow:
        code = asyncio.run(_run(wanted, tasks, dialer, places, lambda: source.current().policy))
    try:
        flow.check()
    except OutputLost as lost:
        tell_lost(lost)
    return code


def _tell_of_secrets(tasks: tuple[Task, ...], home: Path) -> None:
    """Who orders with a secret is told where it stays, and for how long."""
    redactor = Redactor()
    if any(redactor.text(text) != text for task in tasks for text in (task.order.goal, task.order.done)):
        warn(
            "The goal or the check holds what looks like a secret. The journal gets a placeholder; until the run is "
            f"done, the secret is kept for you alone in {home / KEPT}."
        )


def resume(wanted: Wanted, *, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    """Tell the rawr that has the run in hand; where none runs, go on with it here."""
    with contextlib.suppress(NobodyThere):
        return control.tell_run(_word(wanted), wanted.resume, json=wanted.json)
    try:
        return run(wanted, codex_bin=codex_bin, codex_home=codex_home)
    except JournalBusy as error:
        which = "another rawr" + (f" (process {error.pid})" if error.pid is not None else "")
        raise OutsideError(
            f"Run {wanted.resume} cannot be gone on with here: {which} has it in hand.",
            way_out="`rawr status` shows how it stands.",
        ) from error


def _word(wanted: Wanted) -> facts.RunResumed | facts.RunOverridden:
    """What a rawr that has the run in hand is told."""
    if wanted.say:
        return facts.RunOverridden(text=wanted.say)
    found = recorded.find_run(wanted.resume)
    budgets = _anew(wanted.limits, found, Places.find().loaded.policy) if found is not None else None
    return facts.RunResumed(budgets=budgets, take_goal=wanted.take_goal)


def _is_gone(folder: str) -> bool:
    """Whether there is no such folder; of one whose name holds a secret that cannot be said here."""
    return MARK.search(folder) is None and not Path(folder).is_dir()


def _anew(limits: TaskSpec | None, run: Run, policy: Policy) -> Budgets | None:
    """What was given anew, over what was ordered."""
    if limits is None or not any((limits.max_turns, limits.max_tokens, limits.max_minutes, limits.max_cost)):
        return None
    return budgets_of(limits, policy.full_auto, over=run.order.budgets)


def _warn_or_refuse(loaded: Loaded, policy: Path | None) -> None:
    """What is wrong with the files of the home is told; what is wrong with a file that was named ends the call."""
    for warning in loaded.warnings:
        if warning.file is None:
            raise ConfigError(f"{policy}: {warning.key}: {warning.problem}.", way_out="Nothing was started.")
        warn(str(warning))
    for warning in rules_that_fail(loaded.values, loaded.origins):
        warn(str(warning))


def _screen(wanted: Wanted) -> _Screen:
    if wanted.json:
        surface = JsonConversation()
        return _Screen(surface, surface)
    printer = PlainPrinter() if wanted.plain else RichPrinter()
    symbols = not wanted.plain and has_symbols(sys.stdout)
    view = RunView(printer, symbols=symbols, several=len(wanted.tasks) > 1)
    return _Screen(view, printer, view)


def _dialer(places: Places, *, attach: bool) -> Dialer:
    if attach:
        if not places.control_socket.exists():
            message = f"No Codex is running behind {places.control_socket}."
            raise OutsideError(message, way_out="Start `codex`, or leave --attach away: rawr then starts its own.")
        from rawr.codex.unix_socket import UnixDialer  # brings a WebSocket library along

        return UnixDialer(places.control_socket)
    codex = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    return StdioDialer(codex.path, env={**os.environ, "CODEX_HOME": str(places.codex_home)})


async def _run(
    wanted: Wanted, tasks: tuple[Task, ...], dialer: Dialer, places: Places, policy: Callable[[], Policy]
) -> Exit:
    over, screen = _Over(), _screen(wanted)
    with interruptible(pause=over.pause, stop=over.stop):
        async with (
            model_desk(places, policy) as models,
            Supervisor(
                dialer,
                places.home,
                policy=policy,
                surface=screen.surface,
                protected=(places.codex_home,),
                models=models,
            ) as rawr,
        ):
            over.begin(rawr)
            if screen.view is not None:
                screen.view.states = rawr.threads
            prompter = Prompter(rawr)
            if screen.view is not None and sys.stdin is not None and sys.stdin.isatty():
                prompter.attach()
            await over.see_through(wanted, tasks, begun=prompter.begin)
            # How it ended is decided before it is shown.
            await rawr.shown()
            with contextlib.suppress(OutputLost):
                screen.lines.close()
            # Before Codex is closed: until here every Ctrl-C has its effect.
            return over.last_word(json=wanted.json)


class _Over:
    """The runs of this call, and the wait for their end."""

    _rawr: Supervisor

    def __init__(self) -> None:
        self.threads: list[str] = []
        self._changed = asyncio.Event()
        self._asked: facts.RunPauseSubmitted | facts.RunStopSubmitted | None = None
        """What the person at the terminal wants of all of them."""
        self._told: dict[str, asyncio.Future[Taken]] = {}
        self._lingers = False
        self._left = asyncio.Event()
        self._over = False

    def begin(self, rawr: Supervisor) -> None:
        self._rawr = rawr
        rawr.follow(self._follow)

    def _follow(self, taken: Taken) -> None:
        fact, thread = taken.recorded.fact, taken.recorded.thread
        if isinstance(fact, facts.ThreadTookOver) and fact.origin in self.threads:
            self.threads[self.threads.index(fact.origin)] = thread
        self._changed.set()

    def pause(self, asked_by: signal.Signals) -> bool:
        """Whether there was anything to pause."""
        if not self._over and self.threads:
            by_hand = asked_by == signal.SIGINT
            warn("pausing; once more to stop" if by_hand else "told to end; pausing")
            later = asyncio.get_running_loop().call_later
            if by_hand:
                self._lingers = True
                later(TWICE, self._linger_no_more)
            else:
                later(IN_ORDER, self._leave)
                later(IN_ORDER + AT_ONCE, self._left.set)
            self._ask(facts.RunPauseSubmitted(now=True))
        return bool(self.threads)

    def _leave(self) -> None:
        """What was to end has not: a Codex that hangs, a compaction, a check. The runs rest as they are."""
        if not self._over:
            self._ask(facts.RunPauseSubmitted(now=True, leaving=True))

    def stop(self) -> None:
        if not self._over:
            warn("stopping; once more to leave at once")
            self._ask(facts.RunStopSubmitted())

    def _linger_no_more(self) -> None:
        self._lingers = False
        self._changed.set()

    def _ask(self, word: facts.RunPauseSubmitted | facts.RunStopSubmitted) -> None:
        self._asked = word
        self._told.clear()
        self._tell()

    def _tell(self) -> None:
        """Those that have not heard it: also one that began while it was said, or was paused and is to be stopped."""
        if self._asked is None:
            return
        concerned = ("running", "paused") if isinstance(self._asked, facts.RunStopSubmitted) else ("running",)
        for thread in self.threads:
            run = self._run(thread)
            if run is not None and run.status in concerned and thread not in self._told:
                self._told[thread] = self._rawr.record(thread, self._asked)
                self._told[thread].add_done_callback(lambda _: self._changed.set())

    async def see_through(self, wanted: Wanted, tasks: tuple[Task, ...], *, begun: Callable[[], None]) -> None:
        """Order or resume the runs, and wait for their end; or for the moment from which nothing is waited for."""
        work = asyncio.ensure_future(self._see_through(wanted, tasks, begun))
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
        try:
            if tasks:
                await self.order(wanted, tasks)
            else:
                await self.resume(wanted)
        finally:
            begun()
        await self.wait()

    async def order(self, wanted: Wanted, tasks: tuple[Task, ...]) -> None:
        for number, task in enumerate(tasks):
            if self._asked is not None:
                warn(f"{counted(len(tasks) - number, 'task')} not begun")
                return
            if wanted.resume:
                await self._order_on(wanted.resume, task.order, sandbox=wanted.sandbox)
                continue
            approvals: facts.Approvals = "never" if task.order.approvals == "never" else "on-request"
            thread = await self._rawr.start_thread(
                task.folder, model=wanted.model, approvals=approvals, sandbox=wanted.sandbox or "workspace-write"
            )
            await self._begin(thread, task.order)

    async def _order_on(self, name: str, order: Order, *, sandbox: facts.Sandbox | Literal[""]) -> None:
        """A new run on a thread that is there: one that rawr knows, or any of Codex's by its whole id."""
        thread = self._rawr.find_thread(name) or name
        if not _WHOLE_ID.fullmatch(thread):
            way_out = "`rawr status` lists them. A thread that rawr does not know needs its whole id."
            raise OutsideError(f"No thread or run is called {name}.", way_out=way_out)
        await self._rawr.adopt(thread, sandbox=sandbox, approvals="never" if order.approvals == "never" else "")
        run = self._rawr.state(thread).run
        if run is not None and run.active:
            raise OutsideError(f"Run {run.id} is under way on {thread}.", way_out="`rawr override` tells it something.")
        await self._begin(thread, order)

    async def _begin(self, thread: str, order: Order) -> None:
        self.threads.append(thread)
        await self._rawr.record(thread, facts.RunSubmitted(order=order))
        if self._rawr.state(thread).run is None:
            raise CodexError(f"Codex closed the thread {thread} before the run began.", way_out="Start it again.")

    async def resume(self, wanted: Wanted) -> None:
        thread = self._rawr.find_thread(wanted.resume)
        run = self._rawr.state(thread).run if thread else None
        if run is None:
            message = f"No run is called {wanted.resume}."
            hint = "`rawr status` lists them. For a thread without a run: rawr run PROMPT --resume THREAD."
            raise OutsideError(message, way_out=hint)
        if _is_gone(cwd := self._rawr.state(thread).cwd):
            hint = "Bring it back and resume the run, or order the job anew."
            raise OutsideError(f"The folder of run {run.id} is gone: {cwd}.", way_out=hint)
        self.threads.append(thread)
        if wanted.say:
            await self._rawr.record(thread, facts.RunOverridden(text=wanted.say))
        else:
            budgets = _anew(wanted.limits, run, self._rawr.policy)
            again = facts.RunResumed(budgets=budgets, take_goal=wanted.take_goal)
            await self._rawr.record(thread, again)

    async def wait(self) -> None:
        """Until none of them is at work, and everything that was asked of them is taken."""
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
            # Not waited for: between the last look and the last word nothing may come in between.
            ended.add_done_callback(lambda one: one.cancelled() or one.exception())
            ended.cancel()

    def last_word(self, *, json: bool) -> Exit:
        """Say how they ended. What is asked from here on comes too late."""
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
        # It goes on in another thread, which is in the list once that is on record.
        return self._run(state.replaced_by) if state.replaced_by else state.run
