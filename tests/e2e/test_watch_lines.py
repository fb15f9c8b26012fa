"""What ``rawr watch`` shows beside the real Codex: what stays, what is live, and why (A2, A18, A21, A22).

Nothing is configured but the one setting of each story, in the frontmatter or in ``config.toml``.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rawr.prompts.seeding import folder_of
from rawr.testing import ScriptedCodex
from tests.e2e.beside import COMMITTED, MORNING, WORK, Person, end_host, person, served, watch_command, watch_env
from tests.e2e.golden import CONTINUE, SUMMARY, answers
from tests.e2e.terminal import Terminal, terminal

ASKED = "Percent of context remaining"
GOLDEN = WORK + answers("Heads-up", COMMITTED) + SUMMARY + CONTINUE
JUDGED = "policy:\n" + "".join(
    f"  {tier}:\n    decision_prompt_path: judgment.md\n" for tier in ("early", "ready", "asap")
)
PLANS = """
- { plan: ["doing: research", "todo: draft"], usage: 60000 }
- { plan: ["doing: research", "todo: draft", "todo: ship"], usage: 61000 }
- { say: "Here is what I found so far.", usage: 62000 }
- { say: "Nothing new.", usage: 63000 }
"""
WHY = "The research is over, and the draft needs none of its details."
BOTH = pytest.mark.parametrize("host", [False, True], ids=["foreground", "host"])


def judges(*, compact: bool) -> str:
    said = json.dumps(json.dumps({"should_compact": compact, "reason": WHY}))
    return f"- {{ when: {{ user: '{ASKED}' }}, say: {said}, times: always }}\n"


@asynccontextmanager
async def watching(
    script: str, folder: Path, *, frontmatter: str, host: bool, columns: int = 120
) -> AsyncIterator[tuple[ScriptedCodex, Terminal, Person]]:
    home = folder / "rawr"
    folder_of(home).mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    if frontmatter:
        (folder_of(home) / "auto-compact.md").write_text(f"---\n{frontmatter}---\nWrite the continuation packet now.\n")
    async with served(MORNING + script, folder) as (codex, server):
        env = {**watch_env(codex, home), **({"RAWR_FOREGROUND": ""} if host else {})}
        async with (
            terminal(watch_command(server=server), env=env, cwd=folder, rows=100, columns=columns) as shown,
            person(server, codex.home.workspace) as ada,
        ):
            await shown.until(lambda text: "connected to Codex" in text)
            await ada.until_over(await ada.say("good morning"))
            await shown.until(lambda text: "watching the thread" in text)
            try:
                yield codex, shown, ada
            finally:
                await end_host(home)


def flat(text: str) -> str:
    """As it reads, however it is wrapped."""
    return " ".join(word for word in text.split() if word != "│")


@BOTH
@pytest.mark.parametrize("compact", [True, False], ids=["approved", "vetoed"])
async def test_a_judgments_result_stays_with_its_reason(tmp_path: Path, compact: bool, host: bool) -> None:
    """A18, A21: approvals too. That a model is asked is live, and gone when it has answered."""
    script = judges(compact=compact) + (GOLDEN if compact else WORK)
    async with watching(script, tmp_path, frontmatter=JUDGED, host=host) as (_codex, shown, ada):
        await ada.say("three phases please")
        word = "compact" if compact else "do not compact"
        told = await shown.until(lambda text: f"auto-compaction judgment: {word}, " in flat(text) and WHY in flat(text))
        if compact:
            told = await shown.until(lambda text: "packet by the agent" in flat(text))
        assert flat(told).count("[rawr] auto-compaction judgment:") == 1
        assert "asking a model" not in told


@BOTH
async def test_a_mark_names_its_boundary(tmp_path: Path, host: bool) -> None:
    """A2, A22: ``mode: tag`` in the frontmatter."""
    async with watching(WORK, tmp_path, frontmatter="mode: tag\n", host=host) as (codex, shown, ada):
        await ada.say("three phases please")
        told = await shown.until(lambda text: "marked: a moment to compact" in text)
        assert "marked: a moment to compact (plan checkpoint, research), 51 % left" in flat(told)
        assert len(codex.model.requests) == 5


@BOTH
async def test_why_not_is_never_cut_off(tmp_path: Path, host: bool) -> None:
    """A21: on a narrow terminal a live line takes as many lines as it needs."""
    async with watching(PLANS, tmp_path, frontmatter="", host=host, columns=60) as (_codex, shown, ada):
        await ada.say("look around")
        why = "not now: A plan update alone is not a boundary."
        told = await shown.until(lambda text: why in flat(text))
        assert f"always)  {why}" in told.splitlines()
        await ada.say("And now?")
        told = await shown.until(lambda text: why not in flat(text) and "turn completed" in flat(text))
        assert told.count("% left") == 1
