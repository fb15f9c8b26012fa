"""The tiers on the real Codex with nothing configured, in the host that users get (A3 to A8, A7a)."""

import re
import subprocess
from pathlib import Path

import pytest

from rawr.core.policy.tiers import BASELINE
from rawr.testing import ScriptedCodex, parse_scenario, scripted_codex
from tests.e2e.golden import PACKET, SUMMARY, answers
from tests.e2e.test_host import Hosted, intact, over
from tests.e2e.test_run_program import FREE, ended

pytestmark = pytest.mark.mission("A4", "A6", "A7a", "D1")
WINDOW = 258_400
HEADS_UP = re.compile(r"] Heads-up: we pause.*?(\d+) % of the context is left", re.DOTALL)


def held(percent: int) -> int:
    return BASELINE + (WINDOW - BASELINE) * (100 - percent) // 100


def falling(step: int) -> tuple[str, int]:
    """Replies to so many orders: each turn makes a commit, finishes a step of the plan, and the context fills up."""
    script, left, turns = "", 95, 0
    while left > 56:
        left, turns = left - step, turns + 1
        steps = ", ".join(f'"{"done" if n < turns else "todo"}: step {n}"' for n in range(16))
        script += (
            f"- {{ run: \"git commit -q --allow-empty -m 'Step {turns}'\", usage: {held(left) - 900} }}\n"
            f"- {{ plan: [{steps}], usage: {held(left) - 500} }}\n"
            f'- {{ say: "Committed step {turns}; the next one can begin.", usage: {held(left)} }}\n'
        )
    return script, turns


def repository(codex: ScriptedCodex) -> None:
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "Begin")):
        subprocess.run(["git", *words], cwd=codex.home.workspace, env=codex.env(), check=True)


@pytest.mark.parametrize("step", [3, 8, 17])
async def test_however_fast_it_falls_it_opens_while_there_is_room(tmp_path: Path, step: int) -> None:
    script, turns = falling(step)
    packet = PACKET + "".join(f"\nCommit: Step {number}." for number in range(1, turns + 1))
    path = answers("Heads-up", packet, usage=held(60)) + answers("does not agree", packet, usage=held(60)) + SUMMARY
    over_ = '- { when: { user: "Handoff" }, say: "Nothing is left to do.", usage: 20000 }\n'
    with scripted_codex(
        parse_scenario(f"name: falling\nreplies:\n{path}{over_}{script}"), tmp_path, check=False
    ) as codex:
        repository(codex)
        it = Hosted(codex, tmp_path / "rawr")
        try:
            ran = await ended(await it.run("Take the steps of the plan.", *FREE))
            assert ran.summary["compactions"] != 0, ran.err
            found = [HEADS_UP.search(one.last_user) for one in codex.model.requests]
            assert int(next(one for one in found if one)[1]) >= 56
            assert not (it.home / "config.toml").exists()
            intact(it.home)
        finally:
            await over(it.home)
