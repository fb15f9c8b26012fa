"""``rawr run``: from a prompt to a checked "done"."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr.cli.commands import control, recorded
from rawr.cli.commands.hosted import Part, codex_for, connected, host_of, in_foreground, to_send
from rawr.cli.commands.in_reach import refuse, refuse_run
from rawr.cli.commands.models import model_desk
from rawr.cli.commands.ordering import Wanted, new_budgets, no_such_run
from rawr.cli.commands.own_home import own_home
from rawr.cli.commands.policy_file import rules_that_fail, settings_in
from rawr.cli.commands.run_summary import tell_lost
from rawr.cli.commands.tasks import Task, task_of
from rawr.cli.commands.under_way import UnderWay
from rawr.cli.commands.variables import Missed, tell_what_stays
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.answering import Prompter
from rawr.cli.terminal.attention import Bell
from rawr.cli.terminal.conversation import JsonConversation
from rawr.cli.terminal.ending import interruptible
from rawr.cli.terminal.flowing import flowing
from rawr.cli.terminal.output import OutputLost, has_symbols, warn
from rawr.cli.terminal.printers import PlainPrinter, RichPrinter
from rawr.cli.terminal.run_screen import RunScreen
from rawr.cli.terminal.screen import Muted, beside_screen, require_screen
from rawr.codex import binary
from rawr.codex.harness import CodexDialer
from rawr.codex.stdio import StdioDialer
from rawr.codex.user_sandbox import configured
from rawr.codex.versions import refuse_too_old
from rawr.config.attention import Attention
from rawr.config.file import NAME as CONFIG
from rawr.config.load import Loaded, PolicySource
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts
from rawr.errors import CodexError, ConfigError, OutsideError
from rawr.host import messages as m
from rawr.host.client import HostClient
from rawr.host.codexes import shared_name
from rawr.journal.errors import JournalBusy
from rawr.journal.kept import FILE as KEPT
from rawr.journal.redact import Redactor
from rawr.journal.told import untold
from rawr.local.peers import is_confined, what_it_cannot_tell
from rawr.local.sockets import answers_shared
from rawr.ports.surface import Rawr, Surface
from rawr.runtime.control import NobodyThere
from rawr.runtime.obeyed import Obeyed
from rawr.runtime.sockets import host_answers
from rawr.runtime.supervisor import Supervisor

OF_RUNS = "rawr_full_auto"
"""The table of the settings that a run obeys: what it may do without asking, and what it may never do."""


TICK = 1.0


class Screen(Struct, frozen=True):
    """Where the runs of this call are shown, and what must be closed before the summary."""

    surface: Surface
    lines: PlainPrinter | RichPrinter | JsonConversation
    view: RunScreen | None = None


class Call(Struct, frozen=True):
    """One call of ``rawr run``, with everything that was found for it."""

    wanted: Wanted
    places: Places
    source: PolicySource
    dialer: CodexDialer
    flags: dict[str, object]
    hosted: bool
    obeyed: Obeyed


def run(wanted: Wanted, *, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    flags = settings_in(wanted.policy, places.loaded) if wanted.policy is not None else {}
    obeyed = refuse(places)
    if not (wanted.resume or places.home.exists()):
        # Nothing is made where the agent could write it.
        refuse_run(obeyed, places, wanted, _tasks(wanted, PolicySource(places.home, flags=flags)))
    source = PolicySource(own_home(places.home), flags=flags, seeding=True, held=lambda: obeyed.is_in_reach)
    _warn_or_refuse(source.current(), wanted.policy)
    policy = source.current().policy
    tasks = _tasks(wanted, source)
    if wanted.resume:
        recorded.refuse_distrusted(wanted.resume)
    if wanted.tui:
        require_screen(json=wanted.json, plain=wanted.plain, detach=wanted.detach)
    if not tasks and recorded.find_run(wanted.resume) is None:
        raise no_such_run(wanted.resume)
    _tell_of_secrets(tasks, places.home)
    refuse_run(obeyed, places, wanted, tasks)
    _tell_of_rules((*policy.full_auto.allow, *(rule for task in tasks for rule in task.order.allow)), places.home)
    _tell_what_waits(tasks, places, wanted.sandbox)
    dialer = _dialer(places, attach=wanted.attach)
    hosted = not in_foreground(places, asked=wanted.foreground)
    if not hosted and is_confined():
        warn(what_it_cannot_tell())
    if hosted and not wanted.json:
        tell_what_stays(to_send(places, wanted.env).staying)
    call = Call(wanted, places, source, dialer, flags, hosted=hosted, obeyed=obeyed)
    with flowing(json=wanted.json) as flow:
        code = asyncio.run(_run(call, tasks))
    try:
        flow.check()
    except OutputLost as lost:
        tell_lost(lost)
    return code


def _tasks(wanted: Wanted, source: PolicySource) -> tuple[Task, ...]:
    policy = source.current().policy
    return tuple(task_of(spec, policy, base=wanted.base) for spec in wanted.tasks)


def _tell_of_secrets(tasks: tuple[Task, ...], home: Path) -> None:
    """Tell a person whose order contains a secret where it is kept, and for how long."""
    redactor = Redactor()
    if any(redactor.text(text) != text for task in tasks for text in (task.order.goal, task.order.done)):
        warn(
            "The goal or the check contains what looks like a secret. The journal gets a placeholder; until the run is "
            f"done, the secret is kept for you alone in {home / KEPT}."
        )


def _tell_what_waits(tasks: tuple[Task, ...], places: Places, sandbox: str) -> None:
    """Whoever leaves the run alone should not find in the morning that its first commit waited all night."""
    from rawr.cli.commands.waiting_here import what_waits  # brings the judge along

    folders = dict.fromkeys(task.folder for task in tasks if task.order.approvals == "policy")
    in_force = configured(places.codex_home, sandbox or "workspace-write")
    for text in dict.fromkeys(text for folder in folders for text in what_waits(Path(folder), in_force, os.environ)):
        warn(text)


def _tell_of_rules(allow: tuple[str, ...], home: Path) -> None:
    """A rule used to open every argument that followed. Whoever has one hears once, per home, that it opens less."""
    if not allow:
        return
    from rawr.approvals.verbs.narrowing import no_longer  # brings the lists of programs along

    for rule in untold(home, allow):
        if text := no_longer(rule):
            warn(text)


def resume(wanted: Wanted, *, codex_bin: Path | None, codex_home: Path | None) -> Exit:
    """Pass it to the rawr that is running the run; if none is, continue the run here."""
    found = recorded.find_run(wanted.resume) if not wanted.say else None
    if found is not None and found.status == "done":
        warn(f'Run {found.id} is done; nothing was continued. `rawr override {found.id} "…"` gives it more to do.')
    places = Places.find(codex_bin=codex_bin, codex_home=codex_home)
    hosted = host_answers(places.home)
    if wanted.say and hosted:
        asyncio.run(_take_up(wanted, places))
    if wanted.say or not hosted:
        with contextlib.suppress(NobodyThere):
            return control.tell_run(_word(wanted), wanted.resume, json=wanted.json)
    try:
        return run(wanted, codex_bin=codex_bin, codex_home=codex_home)
    except JournalBusy as error:
        which = "another rawr" + (f" (process {error.pid})" if error.pid is not None else "")
        raise OutsideError(
            f"Run {wanted.resume} cannot be resumed here: {which} is running it.",
            way_out="`rawr status` shows its progress.",
        ) from error


async def _take_up(wanted: Wanted, places: Places) -> None:
    """Words to a run that rests set it to work: in this terminal's environment, as `rawr resume` does."""
    found = recorded.find_run(wanted.resume)
    if found is None or found.active:
        return
    async with connected(places.home, "cli") as client:
        await client.bring(to_send(places, wanted.env).variables)
        await client.subscribe()
        await client.reach(codex_for(wanted, places))
        await client.take_up(client.find_thread(wanted.resume))


def _word(wanted: Wanted) -> facts.RunResumed | facts.RunOverridden:
    """The command for the rawr that is running the run."""
    if wanted.say:
        return facts.RunOverridden(text=wanted.say)
    found = recorded.find_run(wanted.resume)
    budgets = new_budgets(wanted.limits, found, Places.find().loaded.policy) if found is not None else None
    return facts.RunResumed(budgets=budgets, take_goal=wanted.take_goal, drop=wanted.drop)


def _warn_or_refuse(loaded: Loaded, policy: Path | None) -> None:
    """Most problems in the home's files are warnings. But a run does not start without the rules that a person wrote
    for it: raise if that file or one of its rules cannot be read, or if a file named on the command line is wrong."""
    for warning in loaded.warnings:
        if warning.file is None:
            raise ConfigError(f"{policy}: {warning.key}: {warning.problem}.", way_out="Nothing was started.")
        if warning.file.name == CONFIG and warning.key.partition(".")[0] in ("", OF_RUNS):
            key = f" {warning.key}:" if warning.key else ""
            way_out = "Nothing was started: without its rules a run may do more than you allow. Fix the file first."
            raise ConfigError(f"{warning.place}:{key} {warning.problem}.", way_out=way_out)
        warn(str(warning))
    for warning in rules_that_fail(loaded.values, loaded.origins):
        way_out = "Nothing was started: with a rule that cannot be used, nothing at all would be approved."
        raise ConfigError(f"{warning.place}: {warning.key}: {warning.problem}", way_out=way_out)


def screen_for(wanted: Wanted) -> Screen:
    if wanted.json:
        surface = JsonConversation()
        return Screen(surface, surface)
    printer = PlainPrinter() if wanted.plain else RichPrinter()
    symbols = not wanted.plain and has_symbols(sys.stdout)
    view = RunScreen(printer, symbols=symbols, several=len(wanted.tasks) > 1, brief=not wanted.verbose)
    return Screen(view, printer, view)


def _dialer(places: Places, *, attach: bool) -> CodexDialer:
    if attach:
        if not places.control_socket.exists():
            message = f"No Codex is listening on {places.control_socket}."
            raise CodexError(message, way_out="Start `codex`, or omit --attach: rawr then starts its own.")
        from rawr.codex.unix_socket import UnixDialer  # brings a WebSocket library along

        return UnixDialer(places.control_socket)
    codex = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    refuse_too_old(codex.version)
    return StdioDialer(codex.path, env={**os.environ, "CODEX_HOME": str(places.codex_home)})


def _attention(call: Call) -> Attention:
    """What this process does to call a person. A command of theirs is run where the work is."""
    configured = call.places.settings.attention
    if call.hosted:
        return replace(configured, command="")
    return replace(configured, command=call.wanted.notify) if call.wanted.notify else configured


async def _tick(view: RunScreen) -> None:
    """Once a second the last line says what is going on, for how long, and how much time is left."""
    while view.has_last_line:
        await asyncio.sleep(TICK)
        with contextlib.suppress(OutputLost):
            view.tick()


def _telling(source: PolicySource, surface: Surface) -> Callable[[], Policy]:
    """The policy from the files. A problem that comes up while the run is under way is shown in it."""
    known = set(source.current().warnings)

    def policy() -> Policy:
        loaded = source.current()
        for warning in loaded.warnings:
            if warning not in known:
                known.add(warning)
                surface.notify("", "warning", f"[rawr] {warning}")
        return loaded.policy

    return policy


@contextlib.asynccontextmanager
async def _in_process(call: Call, surface: Surface) -> AsyncIterator[Rawr]:
    """rawr in this process: it owns the home until it exits."""
    places, policy = call.places, _telling(call.source, surface)
    async with (
        model_desk(places, policy) as models,
        Supervisor(
            call.dialer,
            places.home,
            policy=policy,
            surface=surface,
            protected=(places.codex_home,),
            models=models,
            keep_days=places.settings.keep_days,
            obeyed=call.obeyed,
        ) as rawr,
    ):
        yield rawr


@contextlib.asynccontextmanager
async def _in_host(call: Call, surface: Surface) -> AsyncIterator[Rawr]:
    staying = to_send(call.places, call.wanted.env).staying
    name = "tui" if call.wanted.tui else "run"
    async with host_of(call.places, call.flags, surface, env=call.wanted.env, name=name) as client:
        client.follow(Missed(staying, surface).look)
        client.notify = call.wanted.notify
        await client.reach(_codex_that_has_it(call, client) or codex_for(call.wanted, call.places))
        yield client


def _codex_that_has_it(call: Call, client: HostClient) -> m.Reach | None:
    """The Codex that a person is using, if the run to be continued worked with that one: no other can open its thread
    while it runs."""
    theirs = call.places.control_socket
    shared = m.Reach(socket=str(theirs))
    thread = client.find_thread(call.wanted.resume) if call.wanted.resume and not call.wanted.tasks else ""
    if thread and client.state(thread).link == shared_name(shared.socket) and answers_shared(theirs):
        return shared
    return None


async def _run(call: Call, tasks: tuple[Task, ...]) -> Exit:
    wanted = call.wanted
    over, screen = UnderWay(outlives=call.hosted), screen_for(wanted)
    serving = _in_host if call.hosted else _in_process
    muted = Muted(screen.surface, muted=wanted.tui)
    leaving = asyncio.Event()

    def pause(asked_by: signal.Signals) -> bool:
        if asked_by != signal.SIGINT:
            leaving.set()
        return over.pause(asked_by)

    with interruptible(pause=pause, stop=over.stop):
        surface = Part(muted, over.is_mine) if call.hosted else muted
        async with serving(call, surface) as rawr:
            over.begin(rawr)
            async with attended(rawr, over, screen, _attention(call)) as person:
                work = over.see_through(wanted, tasks, begun=person.begin)
                if wanted.tui:
                    over.tell = lambda _text: None
                    left = over.leave if call.hosted else partial(_as_lines, person, muted)
                    await beside_screen(rawr, work, left=left, opens=over.first_thread, leaving=leaving)
                else:
                    person.attach()
                    await work
            if over.has_left:
                return over.goes_on(json=wanted.json)
            # Before Codex is closed: until here every Ctrl-C takes effect.
            return over.last_word(json=wanted.json)


def _as_lines(person: "Person", muted: Muted) -> None:
    """The screen was left, and the work goes on here: what happens is printed."""
    muted.muted = False
    person.attach()


class Person:
    """Whoever is at the terminal: the last line ticks for them, and what they type is heard."""

    def __init__(self, rawr: Rawr, over: UnderWay, screen: Screen) -> None:
        self._rawr = rawr
        self._over = over
        self._screen = screen
        self._prompter = Prompter(rawr, over.is_mine)
        self._ticking: asyncio.Future[None] | None = None

    def attach(self) -> None:
        view = self._screen.view
        if view is None:
            return
        view.states = self._rawr.threads
        view.waiting = self._rawr.waiting
        if view.has_last_line:
            self._over.tell = view.remark
        self._ticking = asyncio.ensure_future(_tick(view))
        if sys.stdin is not None and sys.stdin.isatty():
            self._prompter.attach(view)

    def begin(self) -> None:
        """The runs have begun, or none will."""
        self._prompter.begin()

    def close(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()


@contextlib.asynccontextmanager
async def attended(rawr: Rawr, over: UnderWay, screen: Screen, attention: Attention) -> AsyncIterator[Person]:
    """A person may be at the terminal, and is called back to it."""
    terminal = screen.view is not None and screen.view.has_last_line
    bell = Bell(attention, rawr.threads, terminal=terminal)
    rawr.follow(bell.taken)
    person = Person(rawr, over, screen)
    try:
        yield person
    finally:
        person.close()
        await bell.close()
    # Its end is decided before it is shown.
    await rawr.shown()
    with contextlib.suppress(OutputLost):
        screen.lines.close()
