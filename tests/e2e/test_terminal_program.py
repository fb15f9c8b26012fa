"""The terminal program in a real pseudo-terminal, on the real Codex with the scripted model (C18, C10, C13)."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rawr.tui.screens.inbox import SETTLING
from tests.e2e.test_run_program import DONE

from .seat import ASKS, RAWR, flat, run, seat, wants

pytestmark = pytest.mark.mission("C18")
CTRL_Q = "\x11"


async def test_a_run_is_watched_answered_and_left(tmp_path: Path) -> None:
    """C10: the approval is in the inbox with what bash would run, a key answers it, and q leaves with the summary."""
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", "--tui", *ASKS) as (_, screen):
        await screen.sees("Threads", "waiting for you", "1 for you: press a")
        screen.type("a")
        await screen.sees("As bash runs it", "touch ../proof.txt", "it says: I need it.", "y approves")
        assert not (tmp_path / "proof.txt").exists()
        # A key that comes sooner was not meant for it.
        await asyncio.sleep(SETTLING)
        screen.type("y")
        await screen.sees("Nothing waits for you.")
        screen.type("\x1b")
        await screen.sees("$ touch ../proof.txt", "You answered: accept", "Done, the agent says.")
        screen.type("q")
        await screen.sees("Done, according to the agent")
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, True)


async def test_leaving_never_stops_the_work(tmp_path: Path) -> None:
    """C13: after q the run goes on in the same terminal, as lines, and its questions are asked there."""
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", "--tui", *ASKS) as (_, screen):
        await screen.sees("waiting for you")
        screen.type("q")
        await screen.asked("approval of: /bin/bash -lc 'touch ../proof.txt'")
        screen.says("y")
        await screen.sees("Done, according to the agent")
        assert (await screen.over(), (tmp_path / "proof.txt").exists()) == (0, True)


async def test_told_to_exit_it_closes_in_order(tmp_path: Path) -> None:
    """C13: a service manager's signal pauses the run and gives the terminal back."""
    async with run(wants("touch ../proof.txt") + DONE, tmp_path, "Build it.", "--tui", *ASKS) as (_, screen):
        await screen.sees("waiting for you")
        screen.process.send_signal(signal.SIGTERM)
        await screen.sees("Not done: paused.")
        assert await screen.over() == 2


async def test_the_demo_plays_on_the_screen(tmp_path: Path) -> None:
    """A9: the golden path as a person sees it: folded messages, and the divider with what it brought."""
    env = {**os.environ, "RAWR_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}

    class Bare:
        workspace = tmp_path

        def _env(self) -> dict[str, str]:
            return env

    async with seat(Bare(), *RAWR, "demo", "--tui") as screen:  # type: ignore[arg-type]
        shown = await screen.sees("rawr → agent · heads up", "Context compacted ·", "Shipped: the haiku is tagged v1.")
        assert flat("agent → rawr · packet") in flat(shown)
        # One begins by writing there, so a letter would be one.
        screen.type(CTRL_Q)
        await screen.sees("Golden path: heads-up, packet, compaction, handoff")
        assert await screen.over() == 0


@pytest.mark.parametrize(
    ("flags", "block", "words"),
    [
        (("--tui", "--plain"), False, "--tui cannot be combined with --plain"),
        (("--tui", "--json"), False, "--tui cannot be combined with --json"),
        (("--tui",), False, "needs a terminal"),
        (("--tui",), True, "pip install 'codex-rawr[tui]'"),
    ],
)
def test_it_says_why_it_cannot_be_opened(tmp_path: Path, flags: tuple[str, ...], block: bool, words: str) -> None:
    hide = "import sys; sys.modules['textual'] = None; " if block else ""
    code = f"{hide}from rawr.cli.main import main; main()"
    env = {**os.environ, "RAWR_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code, "demo", *flags], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
