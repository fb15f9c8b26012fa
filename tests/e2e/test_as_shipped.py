"""The tiers on the real Codex with nothing configured, in the host that users get (A3 to A8, A7a)."""

import re
import subprocess
from pathlib import Path

import pytest

from rawr.core.policy.tiers import BASELINE
from rawr.journal.reader import JournalReader
from tests.e2e.beside import MORNING, person, served
from tests.e2e.golden import CONTINUE, GOES_ON, PACKET, SUMMARY, answers
from tests.e2e.test_host import Hosted, intact, over, reads

pytestmark = pytest.mark.mission("A4", "A6", "A7a", "D1")
WINDOW = 258_400


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


@pytest.mark.parametrize("step", [3, 8, 17])
async def test_however_fast_it_falls_it_opens_while_there_is_room(tmp_path: Path, step: int) -> None:
    script, turns = falling(step)
    packet = PACKET + "".join(f"\nCommit: Step {number}." for number in range(1, turns + 1))
    path = answers("Heads-up", packet, usage=held(60)) + answers("does not agree", packet, usage=held(60))
    async with served(path + SUMMARY + CONTINUE + MORNING + script, tmp_path) as (codex, server):
        for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "Begin")):
            subprocess.run(["git", *words], cwd=codex.home.workspace, env=codex.env(), check=True)
        it = Hosted(codex, tmp_path / "rawr")
        try:
            async with person(server, codex.home.workspace) as ada:
                watch = await it.start("watch", "--json", "--socket", str(server.path))
                await reads(watch, "ServerConnected")
                await ada.until_over(await ada.say("good morning"))
                await reads(watch, "TurnCompleted")
                for number in range(turns):
                    if any("] Heads-up: we pause" in one.last_user for one in codex.model.requests):
                        break
                    turn = await ada.say(f"Take step {number + 1} of the plan.")
                    await ada.until_over(turn)
                    await reads(watch, '"decisions":[{' if number == turns - 1 else "TurnCompleted")
                await ada.until_told(GOES_ON)
            [percent] = {
                int(found[1])
                for one in codex.model.requests
                if (
                    found := re.search(
                        r"] Heads-up: we pause.*?(\d+) % of the context is left", one.last_user, re.DOTALL
                    )
                )
            }
            assert percent >= 56
            assert not any("rawr_auto" in one.read_text() for one in (tmp_path / "rawr").glob("config.toml"))
            with JournalReader.open(it.home) as reader:
                assert reader is not None
            intact(it.home)
        finally:
            await over(it.home)
