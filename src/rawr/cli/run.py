"""``rawr run``: from a prompt to a checked "done"."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr.cli import control
from rawr.cli.answering import Prompter
from rawr.cli.conversation import JsonConversation
from rawr.cli.exit_codes import Exit
from rawr.cli.output import emit, has_symbols, say, warn
from rawr.cli.places import Places
from rawr.cli.policy_file import settings_in
from rawr.cli.printers import PlainPrinter, RichPrinter
from rawr.cli.run_view import RunView, ending
from rawr.cli.tasks import MILLION, TaskSpec, spec_of, task_of
from rawr.codex import binary
from rawr.codex.transport import Dialer, StdioDialer, UnixDialer
from rawr.config.load import PolicySource
from rawr.core import facts
from rawr.core.order import Budgets
from rawr.core.policy import Policy
from rawr.core.run import Run, Status
from rawr.core.state import ThreadState
from rawr.errors import OutsideError
from rawr.journal.home import prepare_home
from rawr.runtime.control import NobodyThere
from rawr.runtime.ports import Surface
from rawr.runtime.supervisor import Supervisor

EXITS: dict[Status, Exit] = {
    "running": Exit.PAUSED,
    "paused": Exit.PAUSED,
    "stopped": Exit.GUARD,
    "done": Exit.OK,
    "failed": Exit.FAILED,
}
SANDBOXES: dict[str, facts.Sandbox] = {
    "read-only": "read-only",
    "workspace-write": "workspace-write",
    "danger-full-access": "danger-full-access",
}
WORST: tuple[Exit, ...] = (Exit.FAILED, Exit.GUARD, Exit.PAUSED, Exit.OK)


class Wanted(Struct, frozen=True):
    """Everything that one call of ``rawr run`` says."""

    tasks: tuple[TaskSpec, ...] = ()
    base: Path = Path()
    resume: str = ""
    say: str = ""
    """What a resumed run is told first, in place of rawr's own words."""
    budgets: Budgets | None = None
    policy: Path | None = None
    """A file of settings, over those of the home."""
    model: str = ""
    sandbox: facts.Sandbox = "workspace-write"
    attach: bool = False
    json: bool = False
    plain: bool = False


class Stopped(Struct, frozen=True):
    reason: str
    detail: str


class Summary(Struct, frozen=True, tag_field="type", tag="summary"):
    stop: Stopped
    done: str
    status: str
    turns: int
    compactions: int
    tokens: int
    cost: float
    seconds: float
    thread: str
    run: str


def run(wanted: Wanted, *, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    home = prepare_home(places.home)
    flags = settings_in(wanted.policy) if wanted.policy is not None else {}
    source = PolicySource(home, flags=flags, seeding=True)
    for warning in source.current().warnings:
        warn(str(warning))
    view = None if wanted.json else _view(plain=wanted.plain)
    surface: Surface = view or JsonConversation()
    states = asyncio.run(
        _run(wanted, _dialer(places, attach=wanted.attach), places, lambda: source.current().policy, surface, view)
    )
    for state in states:
        if wanted.json:
            emit(summary_of(state))
        else:
            say()
            for line in ending(state).splitlines():
                say(line)
            if state.run is not None and state.run.status != "done":
                say(f"Go on with it: rawr resume {state.run.id}")
    codes = {EXITS[state.run.status] for state in states if state.run is not None}
    return next((code for code in WORST if code in codes), Exit.PROBLEM)


def resume(wanted: Wanted, *, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    """Tell the rawr that has the run in hand; where none runs, go on with it here."""
    with contextlib.suppress(NobodyThere):
        fact = facts.RunOverridden(text=wanted.say) if wanted.say else facts.RunResumed(budgets=wanted.budgets)
        return control.run(fact, thread=wanted.resume, json=wanted.json)
    return run(wanted, codex_bin=codex_bin, codex_home=codex_home)


def budgets_of(given: Mapping[str, object]) -> Budgets | None:
    """Budgets that were named on the command line; nothing if none was."""
    spec = spec_of({"prompt": "-", **{name: value for name, value in given.items() if name.startswith("max_")}})
    if not any((spec.max_turns, spec.max_tokens, spec.max_minutes, spec.max_cost)):
        return None
    return Budgets(
        turns=spec.max_turns or Budgets().turns,
        tokens=spec.max_tokens or 0,
        minutes=spec.max_minutes or 0,
        cost=int((spec.max_cost or 0) * MILLION),
    )


def summary_of(state: ThreadState) -> Summary:
    run = state.run
    assert run is not None, "a run that was ordered"  # noqa: S101
    stop = Stopped(run.stop.reason, run.stop.detail) if run.stop is not None else Stopped("", "")
    return Summary(
        stop=stop,
        done=run.done,
        status=run.status,
        turns=run.turns,
        compactions=state.compaction_count,
        tokens=run.tokens,
        cost=run.cost / MILLION,
        seconds=run.used_ms / 1000,
        thread=state.id,
        run=run.id,
    )


def _view(*, plain: bool) -> RunView:
    symbols = not plain and has_symbols(sys.stdout)
    return RunView(PlainPrinter() if plain else RichPrinter(), symbols=symbols)


def _dialer(places: Places, *, attach: bool) -> Dialer:
    if attach:
        if not places.control_socket.exists():
            message = f"No Codex is running behind {places.control_socket}."
            raise OutsideError(message, way_out="Start `codex`, or leave --attach away: rawr then starts its own.")
        return UnixDialer(places.control_socket)
    codex = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    return StdioDialer(codex.path, env={**os.environ, "CODEX_HOME": str(places.codex_home)})


async def _run(
    wanted: Wanted,
    dialer: Dialer,
    places: Places,
    policy: Callable[[], Policy],
    surface: Surface,
    view: RunView | None,
) -> list[ThreadState]:
    protected = (places.codex_home,)
    async with Supervisor(dialer, places.home, policy=policy, surface=surface, protected=protected) as rawr:
        if view is not None:
            view.states = rawr.threads
        if view is not None and sys.stdin.isatty():
            Prompter(rawr).attach()
        over = _Over(rawr)
        with _interruptible(rawr, over):
            if wanted.resume:
                await over.resume(wanted)
            else:
                await over.order(wanted)
            await over.wait()
        return [rawr.state(thread) for thread in over.threads]


class _Over:
    """The runs of this call, and the wait for their end."""

    def __init__(self, rawr: Supervisor) -> None:
        self._rawr = rawr
        self.threads: list[str] = []
        self._changed = asyncio.Event()
        rawr.follow(lambda _: self._changed.set())

    async def order(self, wanted: Wanted) -> None:
        policy = self._rawr.policy
        for task in [task_of(spec, policy, base=wanted.base) for spec in wanted.tasks]:
            approvals: facts.Approvals = "never" if task.order.approvals == "never" else "on-request"
            thread = await self._rawr.start_thread(
                task.folder, model=wanted.model, approvals=approvals, sandbox=wanted.sandbox
            )
            self.threads.append(thread)
            await self._rawr.record(thread, facts.RunSubmitted(order=task.order))

    async def resume(self, wanted: Wanted) -> None:
        thread = self._rawr.find_thread(wanted.resume)
        run = self._rawr.state(thread).run if thread else None
        if run is None:
            message = f"No run is called {wanted.resume}."
            raise OutsideError(message, way_out="`rawr status` lists them.")
        self.threads.append(thread)
        if wanted.say:
            await self._rawr.record(thread, facts.RunOverridden(text=wanted.say))
        else:
            await self._rawr.record(thread, facts.RunResumed(budgets=_merged(run, wanted.budgets)))

    async def wait(self) -> None:
        ended = asyncio.ensure_future(self._rawr.ended())
        try:
            while any(self._active(thread) for thread in self.threads):
                self._changed.clear()
                waking = asyncio.ensure_future(self._changed.wait())
                await asyncio.wait({waking, ended}, return_when=asyncio.FIRST_COMPLETED)
                waking.cancel()
                if ended.done():
                    ended.result()
                    return
        finally:
            ended.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await ended

    def _active(self, thread: str) -> bool:
        run = self._rawr.state(thread).run
        return run is not None and run.active


def _merged(run: Run, budgets: Budgets | None) -> Budgets | None:
    """What was given anew, over what was ordered; turns count from here."""
    if budgets is None:
        return None
    old = run.order.budgets
    return replace(
        old,
        turns=budgets.turns or old.turns,
        tokens=budgets.tokens or old.tokens,
        minutes=budgets.minutes or old.minutes,
        cost=budgets.cost or old.cost,
    )


@contextlib.contextmanager
def _interruptible(rawr: Supervisor, over: _Over) -> Iterator[None]:
    """Ctrl-C pauses; once more stops; a third time just ends the program."""
    loop = asyncio.get_running_loop()
    asked: list[facts.AnyFact] = [facts.RunPauseSubmitted(now=True), facts.RunStopSubmitted()]
    words = ["pausing; once more to stop", "stopping; once more to leave at once"]

    def interrupted() -> None:
        if not asked:
            loop.remove_signal_handler(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            return
        fact = asked.pop(0)
        warn(words.pop(0))
        for thread in over.threads:
            rawr.tell(thread, fact)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupted)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
