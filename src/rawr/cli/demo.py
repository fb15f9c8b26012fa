"""``rawr demo``: a real Codex under rawr, on a scripted model, in a repository of its own."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from msgspec import Struct

from rawr.cli.conversation import Conversation, JsonConversation, plain_printer, rich_printer
from rawr.cli.exit_codes import Exit
from rawr.cli.output import emit, say
from rawr.cli.places import Places
from rawr.codex import binary
from rawr.codex.transport import StdioDialer
from rawr.core import facts
from rawr.core.kernel import Taken
from rawr.core.state import ThreadState
from rawr.core.tiers import percent_remaining
from rawr.errors import CodexError
from rawr.journal.home import prepare_home
from rawr.runtime.ports import Surface
from rawr.runtime.supervisor import Supervisor
from rawr.testing.real_codex import ScriptedCodex, scripted_codex

KEPT = 5
"""Recordings of earlier demos that are kept."""
TURN_DEADLINE = 60.0
MESSAGES = (
    "Write a haiku about a tiger into haiku.md and commit it. Look around first.",
    "Go on with the next step.",
)


class Summary(Struct, frozen=True, tag_field="type", tag="summary"):
    ok: bool
    thread: str
    turns: int
    commit: str
    tokens: int
    percent_left: int | None
    codex: str
    workspace: Path
    journal: Path


def run(*, json: bool, plain: bool, codex_bin: Path | None) -> Exit:
    places = Places.find(codex_bin=codex_bin)
    codex = binary.find(places.codex_bin, configured=places.settings.codex_bin)
    folder = _fresh_folder(prepare_home(places.home))
    surface: Surface = JsonConversation() if json else Conversation(plain_printer() if plain else rich_printer())
    summary = play(codex, folder, surface=surface)
    if json:
        emit(summary)
    else:
        _close(summary)
    return Exit.OK if summary.ok else Exit.PROBLEM


def play(codex: binary.Binary, folder: Path, *, surface: Surface) -> Summary:
    """The whole story once, in a folder of its own."""
    with (
        as_file(files("rawr.cli") / "demo.yaml") as scenario,
        scripted_codex(scenario, folder, binary=codex.path) as scripted,
    ):
        _make_repository(scripted)
        return asyncio.run(_play(scripted, folder, surface=surface, version=codex.version))


async def _play(scripted: ScriptedCodex, folder: Path, *, surface: Surface, version: str) -> Summary:
    workspace = scripted.home.workspace
    dialer = StdioDialer(scripted.binary, env=scripted.env())
    async with Supervisor(dialer, folder, surface=surface, reconnect=False) as rawr:
        # The script is ours and the repository is made for it, so nothing needs a sandbox, which not every machine has.
        thread = await rawr.start_thread(workspace, approvals="never", sandbox="danger-full-access")
        for message in MESSAGES:
            ended = rawr.expect(_turn_ended(thread), deadline=TURN_DEADLINE, what="The turn did not end")
            rawr.submit(thread, message)
            _check(await ended)
        state, journal = rawr.state(thread), rawr.journal
    return _summary(state, workspace, journal=journal, version=version)


def _turn_ended(thread: str) -> Callable[[Taken], bool]:
    def ended(taken: Taken) -> bool:
        return taken.recorded.thread == thread and isinstance(taken.recorded.fact, facts.TurnCompleted)

    return ended


def _check(taken: Taken) -> None:
    fact = taken.recorded.fact
    if isinstance(fact, facts.TurnCompleted) and fact.status != "completed":
        said = fact.problem.message if fact.problem is not None else fact.status
        raise CodexError(f"Codex did not finish a turn of the demo: {said}.")


def _summary(state: ThreadState, workspace: Path, *, journal: Path, version: str) -> Summary:
    commit = _git(workspace, "log", "-1", "--format=%h %s").strip()
    usage = state.usage
    tokens = usage.in_context if usage is not None else 0
    return Summary(
        ok="haiku" in commit and state.turns == len(MESSAGES) and bool(state.phases),
        thread=state.id,
        turns=state.turns,
        commit=commit,
        tokens=tokens,
        percent_left=percent_remaining(in_context=tokens, window=usage.window) if usage is not None else None,
        codex=version,
        workspace=workspace,
        journal=journal,
    )


def _close(summary: Summary) -> None:
    say("")
    say(f"The real Codex {summary.codex} on a scripted model: {summary.turns} turns, commit {summary.commit}.")
    say(f"Look again:  RAWR_HOME={summary.journal.parent} rawr status")
    say(f"Workspace:   {summary.workspace}")
    say(f"Journal:     {summary.journal}")


def _fresh_folder(home: Path) -> Path:
    """A folder for this demo. Older recordings than the newest few are deleted: they are ours, and they add up."""
    demos = home / "demo"
    demos.mkdir(mode=0o700, exist_ok=True)
    old = sorted((folder for folder in demos.iterdir() if folder.is_dir()), reverse=True)
    for folder in old[KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)
    folder = demos / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    folder.mkdir(mode=0o700)
    return folder


def _make_repository(scripted: ScriptedCodex) -> None:
    workspace = scripted.home.workspace
    (workspace / "README.md").write_text("# A repository for the demo\n")
    env = scripted.env()
    for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "Begin")):
        subprocess.run(["git", *arguments], cwd=workspace, env=env, check=True, timeout=30, capture_output=True)


def _git(workspace: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=workspace, capture_output=True, text=True, timeout=30, check=False)
    return done.stdout
