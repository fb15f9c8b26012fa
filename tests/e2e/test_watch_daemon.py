"""``rawr watch`` and the app-server's own life: not there yet, found by itself, gone, and back again (D1)."""

import tempfile
from pathlib import Path

import pytest

from rawr.testing import end_daemons, parse_scenario, scripted_codex
from tests.e2e.beside import (
    COMMITTED,
    FULL_ACCESS,
    MORNING,
    TITLE,
    WORK,
    greet,
    in_order,
    person,
    rawr_watch,
    say,
    served,
)
from tests.e2e.golden import CONTINUE, GOES_ON, SUMMARY, answers
from tests.e2e.terminal import terminal
from tests.stand_ins import path_with_ps

GOLDEN = MORNING + WORK + answers("Heads-up", COMMITTED) + SUMMARY + CONTINUE


async def test_the_server_is_restarted_under_it(tmp_path: Path) -> None:
    """D1: watch says so, joins again what it had joined, and the golden path runs as before."""
    async with served(GOLDEN, tmp_path) as (codex, server):
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            async with person(server, codex.home.workspace) as ada:
                await watching.joins(ada)
                await server.kill()
                await watching.fact("ServerLost", thread="")
                await watching.noticed("The connection to Codex was lost")
            await server.start()
            await watching.fact("ServerConnected", thread="", times=2)
            await watching.fact("ThreadJoined", thread=ada.thread, times=2)
            async with person(server, codex.home.workspace, thread=ada.thread) as ada:
                await ada.say("three phases please")
                await ada.until_told(GOES_ON)
                await watching.decided("compact.audited.sequence")
        assert watching.reasons(thread=ada.thread).count("handoff.sent.compacted") == 1


async def test_nothing_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D1: started first, it waits and says so; it finds the shared server behind the plain ``codex`` by itself,
    and finds it again after the daemon was ended and another ``codex`` started."""
    monkeypatch.setenv("PATH", path_with_ps(tmp_path / "bin"))
    scenario = parse_scenario("name: nothing configured\nreplies:\n" + TITLE + GOLDEN)
    # The daemon copies the whole program into its home, so this one is not kept for anybody to look at.
    with (
        tempfile.TemporaryDirectory(prefix="rawr-") as short,
        scripted_codex(scenario, Path(short), extra_config=FULL_ACCESS) as codex,
    ):
        plain_codex = codex.command()
        async with rawr_watch(codex, tmp_path / "rawr") as watching:
            await watching.warned("no Codex is running yet")
            async with terminal(plain_codex, env=codex.env(), cwd=codex.home.workspace, rows=200) as screen:
                await screen.until(lambda shown: "Ask Codex" in shown)
                await watching.fact("ServerConnected", thread="")
                await greet(screen)
                await watching.fact("ThreadJoined")
            assert end_daemons(codex.home.path) != ()
            await watching.fact("ServerLost", thread="")
            again = [*plain_codex, "resume", "--last"]
            async with terminal(again, env=codex.env(), cwd=codex.home.workspace, rows=200) as screen:
                await screen.until(lambda shown: "Good morning." in shown)
                await watching.fact("ThreadJoined", times=2)
                await say(screen, "three phases please")
                shown = await screen.until(lambda shown: GOES_ON in shown)
                await watching.decided("compact.audited.sequence")
        assert in_order(shown), shown
