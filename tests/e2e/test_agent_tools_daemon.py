"""The plain ``codex`` with its shared daemon, set up with one command and watched with another (D10, D1)."""

import tempfile
from pathlib import Path

import pytest

from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.agent_tools import ends, mark, rawr_setup
from tests.e2e.beside import FULL_ACCESS, MORNING, TITLE, greet, in_order, rawr_watch, say
from tests.e2e.golden import CONTINUE, GOES_ON, PACKET, SUMMARY, answers
from tests.e2e.terminal import terminal
from tests.stand_ins import path_with_ps

pytestmark = pytest.mark.mission("D10", "D1")


async def test_one_command_and_the_agents_marks_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is configured: ``rawr watch`` finds the daemon by itself, and that one started rawr's server."""
    monkeypatch.setenv("PATH", path_with_ps(tmp_path / "bin"))
    replies = TITLE + MORNING + mark() + ends() + answers("Heads-up", PACKET) + SUMMARY + CONTINUE
    scenario = parse_scenario("name: one command\nreplies:\n" + replies)
    # The daemon copies the whole program into its home, so this one is not kept for anybody to look at.
    with (
        tempfile.TemporaryDirectory(prefix="rawr-") as short,
        scripted_codex(scenario, Path(short), extra_config=FULL_ACCESS) as codex,
    ):
        assert rawr_setup(codex, tmp_path / "rawr", "--yes").returncode == 0
        async with (
            rawr_watch(codex, tmp_path / "rawr") as watching,
            terminal(codex.command(), env=codex.env(), cwd=codex.home.workspace, rows=200) as screen,
        ):
            await greet(screen)
            await watching.fact("ThreadJoined")
            await say(screen, "three phases please")
            shown = await screen.until(lambda shown: GOES_ON in shown)
            await watching.decided("compact.audited.sequence")
        assert in_order(shown), shown
        assert watching.reasons().count("phase.marked.tool") == 1
