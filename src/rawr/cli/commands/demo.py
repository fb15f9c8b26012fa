"""``rawr demo``: a real Codex under rawr, on a scripted model, in a temporary repository."""

import asyncio
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from msgspec import Struct

from rawr.cli.commands.demo_story import GoldenPath, Story
from rawr.cli.commands.in_reach import refuse_doubtful_codex
from rawr.cli.commands.own_home import own_home
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.conversation import Attended, Conversation, JsonConversation
from rawr.cli.terminal.ending import run_in_order
from rawr.cli.terminal.flowing import flowing
from rawr.cli.terminal.numbers import short
from rawr.cli.terminal.output import NobodyReads, counted, emit, has_symbols, say, warn
from rawr.cli.terminal.printers import PlainPrinter, RichPrinter
from rawr.cli.terminal.screen import Muted, beside_screen, require_screen
from rawr.codex import binary
from rawr.codex.stdio import StdioDialer
from rawr.config.load import load_policy
from rawr.core.kernel import Taken
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.errors import CodexError, OutsideError, RawrError
from rawr.journal.errors import explain
from rawr.journal.home import database
from rawr.ports.surface import Surface
from rawr.runtime.supervisor import Supervisor
from rawr.testing.real_codex import ScriptedCodex, scripted_codex
from rawr.views.context import context_of

KEPT = 5
"""How many recordings of earlier demos to keep."""
TURN_DEADLINE = 60.0
MESSAGES = (
    "Write a haiku about a tiger into haiku.md, commit it and tag it v1. Look around first. Never push.",
    "Go on with the next step.",
)


class Summary(Struct, frozen=True, tag_field="type", tag="summary"):
    ok: bool
    golden_path: GoldenPath
    vetoes: tuple[str, ...]
    compactions: int
    tokens_before: int | None
    tokens_after: int | None
    thread: str
    turns: int
    commit: str
    tokens: int
    percent_left: int | None
    codex: str
    workspace: Path
    journal: Path


def run(*, tui: bool = False, json: bool, plain: bool, verbose: bool, codex_bin: Path | None) -> Exit:
    places = Places.find(codex_bin=codex_bin)
    home = own_home(places.home)
    for warning in places.loaded.warnings:
        warn(str(warning))
    refuse_doubtful_codex(places)
    codex = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    if shutil.which("git") is None:
        message = "The demo needs git, and there is no `git` on PATH."
        raise OutsideError(message, way_out="Install git.")
    if tui:
        require_screen(json=json, plain=plain)
    folder = _fresh_folder(home)
    with flowing(json=json) as flow:
        with _telling_where(database(folder)):
            surface = _surface(json=json, plain=plain, verbose=verbose)
            summary = play(codex, folder, surface=Muted(surface, muted=tui), tui=tui)
        if json:
            emit(summary)
        else:
            _close(summary)
    flow.check()
    return Exit.OK if summary.ok else Exit.PROBLEM


def _surface(*, json: bool, plain: bool, verbose: bool) -> Surface:
    if json:
        return JsonConversation()
    symbols = not plain and has_symbols(sys.stdout)
    return Conversation(PlainPrinter() if plain else RichPrinter(), symbols=symbols, brief=not verbose)


@contextmanager
def _telling_where(journal: Path) -> Iterator[None]:
    """The journal shows what went wrong, if it got that far."""
    try:
        yield
    except NobodyReads:
        raise
    except RawrError as error:
        if journal.exists():
            error.way_out = f"{error.way_out} What happened is in {journal}".lstrip()
        raise
    except BaseException:
        if journal.exists():
            warn(f"what happened so far is in {journal}")
        raise


def play(codex: binary.Binary, folder: Path, *, surface: Surface, tui: bool = False) -> Summary:
    """Play the whole story once, in its own folder. With ``tui``, the terminal program shows it."""
    with (
        as_file(files("rawr.cli") / "demo.yaml") as scenario,
        scripted_codex(scenario, folder, binary=codex.path) as scripted,
    ):
        _make_repository(scripted)
        return run_in_order(_play(scripted, folder, surface=surface, version=codex.version, tui=tui))


async def _play(scripted: ScriptedCodex, folder: Path, *, surface: Surface, version: str, tui: bool = False) -> Summary:
    dialer = StdioDialer(scripted.binary, env=scripted.env())
    attended = Attended(surface)
    story = Story()
    # The shipped policy: the demo shows rawr, not the user's settings.
    policy = load_policy(folder).policy
    async with Supervisor(dialer, folder, policy=policy, surface=attended, reconnect=False) as rawr:
        conversing = asyncio.create_task(_converse(rawr, scripted.home.workspace, story))
        attended.attend(conversing)
        try:
            if tui:
                await beside_screen(rawr, _until(conversing), left=lambda: _go_on(surface))
            thread = await conversing
        except asyncio.CancelledError:
            attended.check()
            raise
        state, journal = rawr.state(thread), rawr.journal
    attended.check()
    return _summary(state, story, scripted, journal=journal, version=version)


async def _until(conversing: "asyncio.Task[str]") -> None:
    await asyncio.shield(conversing)


def _go_on(surface: Surface) -> None:
    """The person left the screen before the end: the rest is shown as lines."""
    if isinstance(surface, Muted):
        surface.muted = False


async def _converse(rawr: Supervisor, workspace: Path, story: Story) -> str:
    # The script is ours and the repository is made for it, so nothing needs a sandbox, which not every machine has.
    thread = await rawr.start_thread(workspace, approvals="never", sandbox="danger-full-access")
    rawr.follow(story.take)
    first, second = MESSAGES
    for message, over in ((first, _turn_weighed(thread)), (second, _work_went_on(thread, story))):
        ended = rawr.expect(over, deadline=TURN_DEADLINE, what="The demo got stuck")
        await rawr.submit(thread, message)
        _check(await ended)
    return thread


def _work_went_on(thread: str, story: Story) -> Callable[[Taken], bool]:
    """The golden path is complete, and the turn of its handoff has ended; or a turn failed."""
    ended = _turn_ended(thread)

    def over(taken: Taken) -> bool:
        return ended(taken) and (_failed(taken) or story.handed_over)

    return over


def _turn_weighed(thread: str) -> Callable[[Taken], bool]:
    """A turn ended, and rawr has judged it; or it failed. If a message already waits, rawr would only report that."""
    ended = _turn_ended(thread)

    def weighed(taken: Taken) -> bool:
        return any(one.kind == "turn_completed" for one in taken.boundaries) or (ended(taken) and _failed(taken))

    return weighed


def _failed(taken: Taken) -> bool:
    fact = taken.recorded.fact
    return isinstance(fact, facts.TurnCompleted) and fact.status != "completed"


def _turn_ended(thread: str) -> Callable[[Taken], bool]:
    def ended(taken: Taken) -> bool:
        return taken.recorded.thread == thread and isinstance(taken.recorded.fact, facts.TurnCompleted)

    return ended


def _check(taken: Taken) -> None:
    fact = taken.recorded.fact
    if isinstance(fact, facts.TurnCompleted) and fact.status != "completed":
        said = fact.problem.message if fact.problem is not None else fact.status
        message = f"Codex did not finish a turn of the demo: {said}."
        raise CodexError(message, way_out="Run `rawr doctor` to check this Codex.")


def _summary(state: ThreadState, story: Story, scripted: ScriptedCodex, *, journal: Path, version: str) -> Summary:
    commit = _git(scripted, "log", "-1", "--format=%h %s").strip()
    context = context_of(state)
    return Summary(
        ok=story.golden_path.ok and bool(story.vetoes) and "haiku" in commit and "v1" in _git(scripted, "tag"),
        golden_path=story.golden_path,
        vetoes=tuple(story.vetoes),
        compactions=state.compaction_count,
        tokens_before=story.tokens_before,
        tokens_after=story.tokens_after,
        thread=state.id,
        turns=state.turns,
        commit=commit,
        tokens=context.tokens or 0,
        percent_left=context.percent_left,
        codex=version,
        workspace=scripted.home.workspace,
        journal=journal,
    )


def _close(summary: Summary) -> None:
    turns = counted(summary.turns, "turn")
    say()
    say(f"The real Codex {summary.codex} on a scripted model: {turns}, commit {summary.commit}.")
    path = ", ".join(mark.replace("_", "-") for mark in summary.golden_path.order)
    before, after = (short(one or 0) for one in (summary.tokens_before, summary.tokens_after))
    say(f"Golden path: {path}; {before} tokens in context before, {after} after.")
    say(f"Look again:  RAWR_HOME={shlex.quote(str(summary.journal.parent))} {_program()} status")
    say(f"Workspace:   {summary.workspace}")
    say(f"Journal:     {summary.journal}")


def _program() -> str:
    """This program as it was called, ready to paste into the same shell."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m rawr"
    on_path = shutil.which("rawr")
    if len(called.parts) < 2 or (on_path is not None and called.absolute() == Path(on_path).absolute()):
        return "rawr"
    return shlex.quote(sys.argv[0])


def _fresh_folder(home: Path) -> Path:
    """A folder for this demo. Delete all but the newest few recordings: they are ours, and they add up."""
    demos = home / "demo"
    folder = demos / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    try:
        demos.mkdir(mode=0o700, exist_ok=True)
        old = sorted((folder for folder in demos.iterdir() if folder.is_dir()), reverse=True)
        for one in old[KEPT - 1 :]:
            shutil.rmtree(one, ignore_errors=True)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise explain(error, demos) from error
    return folder


def _make_repository(scripted: ScriptedCodex) -> None:
    (scripted.home.workspace / "README.md").write_text("# A repository for the demo\n")
    for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "Begin")):
        _git(scripted, *arguments)


def _git(scripted: ScriptedCodex, *arguments: str) -> str:
    """In the demo's own environment: the user's GIT_DIR would lead to another repository."""
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=scripted.home.workspace,
            env=scripted.env(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=30,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        said = str(error.stderr or "").strip().splitlines()
        why = said[-1] if said else str(error)
        message = f"git could not do `git {arguments[0]}` in the demo's repository: {why}"
        raise OutsideError(message.rstrip(".") + ".", way_out="Try `git init` in an empty folder.") from error
    return done.stdout
