"""A CODEX_HOME so deep that a socket there cannot be addressed: Codex then links to a shorter place (D1)."""

import tempfile
from pathlib import Path

import pytest

from rawr.testing import parse_scenario, scripted_codex
from tests.e2e.beside import FULL_ACCESS, MORNING, TITLE, rawr_watch
from tests.e2e.terminal import terminal
from tests.stand_ins import path_with_ps


async def test_a_deep_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", path_with_ps(tmp_path / "bin"))
    scenario = parse_scenario("name: deep\nreplies:\n" + TITLE + MORNING)
    with tempfile.TemporaryDirectory(prefix="rawr-") as short:
        deep = Path(short) / ("d" * 60)
        deep.mkdir()
        with scripted_codex(scenario, deep, extra_config=FULL_ACCESS) as codex:
            assert len(str(codex.home.path / "app-server-control" / "app-server-control.sock")) > 107
            async with terminal(codex.command(), env=codex.env(), cwd=codex.home.workspace) as screen:
                await screen.until(lambda shown: "Ask Codex" in shown)
                async with rawr_watch(codex, tmp_path / "rawr") as watching:
                    await watching.fact("ServerConnected", thread="")
