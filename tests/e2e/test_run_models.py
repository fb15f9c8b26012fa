"""Runs in which a model has a say, on the real Codex, which is the model as well (A18, C3, C4, C11, C15)."""

import json
from pathlib import Path

import pytest

from tests.e2e.golden import SUMMARY
from tests.e2e.test_run_program import DONE, FREE, Desk, Ran, desk, ended

ASKED = r"\[\[ ## open_moves ## \]\]"
MODELS = '[rawr_models]\norder = ["codex"]\n'
POISON = "raise ImportError('a run by the rules imports no such thing')\n"


def opinion(**fields: object) -> str:
    return json.dumps(json.dumps(fields))


def decides(action: str, *, confidence: object = 0.9, next_input: str = "") -> str:
    said = opinion(action=action, next_input=next_input, reason="So it seems.", confidence=confidence)
    return f"- {{ when: {{ user: '{ASKED}' }}, say: {said} }}\n"


def set_up(it: Desk, config: str) -> None:
    it.home.mkdir(mode=0o700)
    (it.home / "config.toml").write_text(config)


def reasons(ran: Ran) -> set[str]:
    lines = [line["decisions"] for line in ran.lines if line["type"] == "fact"]
    return {one["reason"] for line in lines for one in line}  # type: ignore[attr-defined]


def stopped(ran: Ran) -> object:
    stop = ran.summary["stop"]
    assert isinstance(stop, dict)
    return stop["reason"]


async def test_a_model_sends_a_run_on_and_ends_it(tmp_path: Path) -> None:
    """C3, C8: its step is added to the goal; its tokens count; nothing of it is in the thread."""
    script = (
        decides("continue", next_input="Write the docs.")
        + '- { when: { user: "Write the docs" }, say: "The docs are there.", usage: 3000 }\n'
        + '- { say: "On I go.", usage: 2000 }\n'
    )
    async with desk(script, tmp_path) as it:
        set_up(it, MODELS + 'decisions = "model"\n')
        ran = await ended(await it.run("Build it.", "--max-turns", "2", *FREE))
        assert (ran.code, stopped(ran)) == (3, "run.stopped.turns"), ran.err
        assert {"model.asked.question", "model.answered.opinion", "run.continued.model"} <= reasons(ran)
        asked = [one for one in it.codex.model.requests if "open_moves" in one.last_user]
        supervised = [one for one in it.codex.model.requests if "open_moves" not in one.last_user]
        assert (len(asked), len(supervised)) == (1, 2)
        assert "Build it." in supervised[1].last_user
        assert "Write the docs." in supervised[1].last_user
        assert int(str(ran.summary["tokens"])) > 5_000
        told = await it.rawr("log", "--json")
        [continued] = [one for one in told.lines if one["reason"] == "run.continued.model"]
        assert continued["evidence"]["by"] == "model"  # type: ignore[index]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (decides("pause"), "run.paused.model"),
        (decides("continue", confidence="0.3"), "run.paused.unsure"),
        pytest.param(decides("review"), "run.paused.reply", marks=pytest.mark.soak),
        (f"- {{ when: {{ user: '{ASKED}' }}, say: 'Error: connection refused', times: 2 }}\n", "run.paused.reply"),
    ],
    ids=["pause", "unsure, as text", "not open", "an error text"],
)
async def test_what_pauses_a_run(tmp_path: Path, reply: str, reason: str) -> None:
    """C4: exit code 2, and nothing more is said to the agent."""
    async with desk(reply + '- { say: "On I go." }\n', tmp_path) as it:
        set_up(it, MODELS + 'decisions = "model"\n')
        ran = await ended(await it.run("Build it.", *FREE))
        assert (ran.code, stopped(ran)) == (2, reason), ran.err
        assert sum("open_moves" not in one.last_user for one in it.codex.model.requests) == 1


async def test_no_model_at_all_pauses_or_goes_by_the_rules(tmp_path: Path) -> None:
    """C4, as configured."""
    nobody = '[rawr_models]\norder = ["ollama:none"]\nollama_url = "http://127.0.0.1:1"\ndecisions = "model"\n'
    async with desk('- { say: "On I go." }\n' + DONE, tmp_path) as it:
        set_up(it, nobody)
        ran = await ended(await it.run("Build it.", *FREE))
        assert (ran.code, stopped(ran)) == (2, "run.paused.reply"), ran.err
        (it.home / "config.toml").write_text(nobody + 'on_error = "rules"\n')
        again = await it.resume(str(ran.summary["run"]))
        assert (again.code, stopped(again)) == (0, "run.done.reported"), again.err


async def test_a_judgment_by_the_users_own_codex(tmp_path: Path) -> None:
    """A18: asked at the boundary, with the facts; its no is kept to, and shown."""
    mark = "{ call: { tool: phase_complete, arguments: { phase: research, summary: Read. } } }"
    no = opinion(should_compact=False, reason="The next phase needs the details.")
    script = (
        f"- {{ when: {{ user: 'Percent of context remaining' }}, say: {no} }}\n"
        f"- {{ do: [{mark}], usage: 90000 }}\n"
        '- { say: "The research is finished, and all of it is in my notes.", usage: 100000 }\n' + SUMMARY + DONE
    )
    async with desk(script, tmp_path) as it:
        tier = '[rawr_auto_compaction.policy.asap]\ndecision_prompt_path = "judgment.md"\n'
        set_up(it, MODELS + tier)
        ran = await ended(await it.run("Build it.", *FREE))
        assert (ran.code, ran.summary["compactions"]) == (0, 0), ran.err
        assert {"judgment.asked.model", "judgment.vetoed.model"} <= reasons(ran)


async def test_a_run_by_the_rules_imports_neither_dspy_nor_litellm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned = tmp_path / "poisoned"
    for name in ("dspy", "litellm"):
        (poisoned / name).mkdir(parents=True)
        (poisoned / name / "__init__.py").write_text(POISON)
    monkeypatch.setenv("PYTHONPATH", str(poisoned))
    async with desk('- { say: "On I go." }\n' + DONE, tmp_path) as it:
        ran = await ended(await it.run("Build it.", *FREE))
        assert (ran.code, ran.summary["done"]) == (0, "self_reported"), ran.err
