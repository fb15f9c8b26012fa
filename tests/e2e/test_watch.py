"""Beside the user's own Codex: its unmodified terminal program in a pseudo-terminal, rawr as a second client (D1)."""

import asyncio
from pathlib import Path

from tests.cli.program import rawr
from tests.e2e.beside import COMMITTED, MORNING, TITLE, at_work, greet, in_order, say, served, watch_command, watch_env
from tests.e2e.golden import CONTINUE, GOES_ON, SUMMARY, answers
from tests.e2e.terminal import terminal


async def test_the_user_sees_the_golden_path_in_the_codex_they_always_use(tmp_path: Path) -> None:
    """D1: the five lines of the golden path, in order, on the screen of the real terminal program."""
    script = answers("Heads-up", COMMITTED) + SUMMARY + CONTINUE
    async with at_work(script, tmp_path) as (_codex, _watching, screen):
        shown = await screen.until(lambda shown: GOES_ON in shown)
    assert in_order(shown)
    assert "commit " in shown.partition("Recorded by rawr")[2]


async def test_rawr_watch_as_a_person_runs_it(tmp_path: Path) -> None:
    """D1: the program itself joins, shows, takes commands from outside, refuses a second one, and leaves in order."""
    home = {"RAWR_HOME": str(tmp_path / "rawr")}
    async with served(TITLE + MORNING + '- { say: "And to you." }\n', tmp_path) as (codex, server):
        watch = watch_command("--plain", "--notices", "all", server=server)
        async with terminal(watch, env=watch_env(codex, tmp_path / "rawr"), cwd=tmp_path, rows=100) as shown:
            await shown.until(lambda text: "connected to Codex" in text)
            command = codex.command("--remote", f"unix://{server.path}")
            async with terminal(command, env=codex.env(), cwd=codex.home.workspace) as screen:
                await greet(screen)
                await say(screen, "good evening")
                await shown.until(lambda text: "good evening" in text and "And to you." in text)
            second = await asyncio.to_thread(rawr, "watch", "--socket", str(server.path), env=home)
            assert (second.code, "in use by process" in second.err) == (74, True)
            pinned = await asyncio.to_thread(rawr, "pin", "Never push.", "--json", env=home)
            assert pinned.lines[0]["reasons"] == ["directive.pinned.submitted"]
            held = await asyncio.to_thread(rawr, "hold", "--until", "tomorrow", env=home)
            assert "hold.set.submitted" in held.out
            shown.type("\x03")
            await shown.gone()
    nobody = await asyncio.to_thread(rawr, "compact", env=home)
    assert (nobody.code, "No rawr is running" in nobody.err) == (1, True)
