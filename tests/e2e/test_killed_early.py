"""Codex is killed before its thread exists, or as it comes to be: a run goes on by itself (D5)."""

from pathlib import Path

import pytest

from tests.e2e.go_between import go_between
from tests.e2e.test_run_program import FREE, desk, ended
from tests.soaking import soak

MOMENTS = {
    "as it starts": ("spawn", 0.0),
    "before the greeting": (">initialize", 0.0),
    "before the answer to it": ("<userAgent", 0.0),
    "after it": ("<userAgent", 0.001),
    "as the thread is asked for": (">thread/start", 0.0),
    "before the thread is told of": ('<"thread":', 0.0),
    "as it is told of": ('<"thread":', 0.001),
    "10 ms later": ('<"thread":', 0.01),
    "30 ms later": ('<"thread":', 0.03),
    "50 ms later": ('<"thread":', 0.05),
    "as the turn is asked for": (">turn/start", 0.0),
    "just after": (">turn/start", 0.005),
}


@pytest.mark.parametrize("name", [soak(name) if n % 2 else name for n, name in enumerate(MOMENTS)])
async def test_a_run_goes_on_by_itself(tmp_path: Path, name: str) -> None:
    """D5: the run that was ordered ends as ordered, and every loss is shown."""
    moment, delay = MOMENTS[name]
    async with desk('- { say: "Nothing is left to do: all is well.", times: always }\n', tmp_path) as it:
        program = go_between(it.codex, tmp_path, moment, delay=delay)
        words = ("Build it.", *FREE, "--json", "--codex-bin", str(program), "--codex-home", str(it.codex.home.path))
        ran = await ended(await it.start("run", *words))
        assert (tmp_path / "the-deed-is-done").exists()
        assert (ran.code, ran.summary["done"]) == (0, "self_reported"), (ran.err, ran.out)
        asked = [request.user_texts for request in it.codex.model.requests]
        assert [texts.count("Build it.") for texts in asked][-1] == 1
        assert "SIGKILL" in ran.out
