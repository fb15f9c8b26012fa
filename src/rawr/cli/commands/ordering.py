"""What one call of ``rawr run`` asks for, and how its runs are ordered or continued."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.cli.commands.tasks import Task, TaskSpec, budgets_of
from rawr.cli.terminal.output import counted, warn
from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Budgets, Order
from rawr.errors import CodexError, OutsideError
from rawr.journal.placeholders import MARK
from rawr.ports.surface import Rawr

_WHOLE_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""A thread's id, as Codex creates them."""


class Wanted(Struct, frozen=True):
    """Everything that one call of ``rawr run`` says."""

    tasks: tuple[TaskSpec, ...] = ()
    base: Path = Path()
    resume: str = ""
    say: str = ""
    """The first message to a resumed run, instead of rawr's own."""
    limits: TaskSpec | None = None
    """New budgets for a resumed run."""
    take_goal: bool = False
    drop: bool = False
    """Drop the messages that wait on a resumed thread."""
    tasks_file: Path | None = None
    """The file that the tasks were read from."""
    policy: Path | None = None
    """A settings file that overrides those of the home."""
    model: str = ""
    sandbox: facts.Sandbox | Literal[""] = ""
    """Empty: ``workspace-write`` for a new thread; an existing one keeps what it has."""
    attach: bool = False
    notify: str = ""
    """A command that calls the person back; empty: the one in the config."""
    env: tuple[str, ...] = ()
    """Names of variables of this terminal that the run needs besides the usual ones."""
    foreground: bool = False
    """In this process, not in the host of the home."""
    detach: bool = False
    """Return as soon as the runs are ordered."""
    tui: bool = False
    """Open the terminal program."""
    json: bool = False
    plain: bool = False
    verbose: bool = False


def no_such_run(name: str) -> OutsideError:
    hint = "`rawr status` lists them. For a thread without a run: rawr run PROMPT --resume THREAD."
    return OutsideError(f"No run matches {name}.", way_out=hint)


def _is_gone(folder: str) -> bool:
    """Return True if there is no such folder; False also for a name that holds a secret, where that is unknown."""
    return MARK.search(folder) is None and not Path(folder).is_dir()


def new_budgets(limits: TaskSpec | None, run: Run, policy: Policy) -> Budgets | None:
    """The original budgets with the given ones replaced; None if nothing changes."""
    if limits is None:
        return None
    budgets = budgets_of(limits, policy.full_auto, over=run.order.budgets)
    return budgets if budgets != run.order.budgets else None


class Ordering:
    """Orders the runs of a call on a running rawr, and names their threads as they begin."""

    def __init__(self, rawr: Rawr, wanted: Wanted, threads: list[str], *, called_off: Callable[[], bool]) -> None:
        """``called_off``: a person wants nothing more to begin."""
        self._rawr = rawr
        self._wanted = wanted
        self._threads = threads
        self._called_off = called_off

    async def order(self, tasks: tuple[Task, ...]) -> None:
        wanted = self._wanted
        for number, task in enumerate(tasks):
            if self._called_off():
                warn(f"{counted(len(tasks) - number, 'task')} not started")
                return
            if wanted.resume:
                await self._order_on(wanted.resume, task.order, sandbox=wanted.sandbox)
                continue
            approvals: facts.AskPolicy = "never" if task.order.approvals == "never" else "on-request"
            thread = await self._rawr.start_thread(
                task.folder,
                model=wanted.model,
                approvals=approvals,
                sandbox=wanted.sandbox or "workspace-write",
                unattended=True,
            )
            await self._begin(thread, task.order)

    async def _order_on(self, name: str, order: Order, *, sandbox: facts.Sandbox | Literal[""]) -> None:
        """A new run on an existing thread: one that rawr knows, or any of Codex's by its whole id."""
        thread = self._rawr.find_thread(name) or name
        if not _WHOLE_ID.fullmatch(thread):
            way_out = "`rawr status` lists them. For a thread that rawr does not know, give the full id."
            raise OutsideError(f"No thread or run matches {name}.", way_out=way_out)
        approvals: facts.AskPolicy | Literal[""] = "never" if order.approvals == "never" else ""
        await self._rawr.adopt(thread, sandbox=sandbox, approvals=approvals, take_goal=order.take_goal)
        run = self._rawr.state(thread).run
        if run is not None and run.active:
            raise OutsideError(
                f"Run {run.id} is under way on {thread}.", way_out="To send it a message, use `rawr override`."
            )
        await self._begin(thread, order)

    async def _begin(self, thread: str, order: Order) -> None:
        self._threads.append(thread)
        await self._rawr.record(thread, facts.RunSubmitted(order=order, drop=self._wanted.drop))
        if self._rawr.state(thread).run is None:
            raise CodexError(f"Codex closed the thread {thread} before the run began.", way_out="Start the run again.")

    async def resume(self) -> None:
        wanted = self._wanted
        thread = self._rawr.find_thread(wanted.resume)
        run = self._rawr.state(thread).run if thread else None
        if run is None:
            raise no_such_run(wanted.resume)
        if _is_gone(cwd := self._rawr.state(thread).cwd):
            hint = "Restore it and resume the run, or start the job again."
            raise OutsideError(f"The folder of run {run.id} is gone: {cwd}.", way_out=hint)
        self._threads.append(thread)
        await self._rawr.take_up(thread)
        if run.active and not wanted.say:
            return  # it is under way: look on
        if wanted.say:
            await self._rawr.record(thread, facts.RunOverridden(text=wanted.say))
        else:
            budgets = new_budgets(wanted.limits, run, self._rawr.policy)
            again = facts.RunResumed(budgets=budgets, take_goal=wanted.take_goal, drop=wanted.drop)
            await self._rawr.record(thread, again)
