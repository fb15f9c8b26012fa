"""Codex leaves the compaction to the model's server, as it does for everybody with an OpenAI account (A10–A14, D3).

What comes back is sealed: nobody can read what it kept. The user's messages stay in the history, and so do rawr's.
"""

from pathlib import Path

from rawr.testing import parse_scenario, scripted_codex
from rawr.testing.codex_home import REMOTE_COMPACTION
from rawr.testing.model_request import ModelRequest
from tests.e2e.golden import CONTINUE, HAPPY, JOB, PACKET, SUMMARY, WORK, answers, golden, spoken, until_it_says
from tests.e2e.rig import Transport
from tests.e2e.test_host import Hosted, intact, over
from tests.e2e.test_run_program import FREE, ended

POOR = PACKET.replace("Plan: research; draft; ship.", "All is fine.").replace("Ship the thing.", "Do it.")


def kinds(request: ModelRequest) -> list[str]:
    """What the model is given: the sealed item, and the messages in the user's role by how they begin."""
    found = []
    for item in request.input:
        if item.get("type") == "compaction":
            found.append("sealed")
        elif item.get("role") == "user":
            [text] = [part["text"] for part in item["content"]]  # type: ignore[attr-defined]
            found.append(next((name for name in ("Heads-up", "Handoff", JOB) if name in text[:60]), ""))
    return [one for one in found if one]


def check(requests: tuple[ModelRequest, ...]) -> None:
    [compaction] = [one for one in requests if one.is_compaction]
    assert compaction.is_remote_compaction
    handed = requests[compaction.number]
    assert kinds(handed) == [JOB, "Heads-up", "sealed", "Handoff"]
    assert handed.texts("assistant") == ()
    for told in (
        "The heads-up of this sequence and everything else that rawr asked before this message",
        "Write the draft.",
        f"Goal: {JOB}",
        "plan, done: “research”",
        "plan, doing: “draft”",
        "plan, to do: “ship”",
        "phase finished, says the agent: “research” (“All read.”)",
    ):
        assert told in handed.last_user


async def test_the_golden_path(tmp_path: Path, transport: Transport) -> None:
    """Every fact comes back with the handoff, and the heads-up that stays is answered."""
    script = WORK + answers("Heads-up", PACKET) + SUMMARY + CONTINUE
    async with golden(script, tmp_path, transport=transport, extra_config=REMOTE_COMPACTION) as (it, thread):
        await until_it_says(it, thread)
        assert spoken(it, thread) == HAPPY
        check(it.codex.model.requests)


async def test_a_correction_stays_too_and_is_answered(tmp_path: Path) -> None:
    script = WORK + answers("Heads-up", POOR) + answers("does not agree", PACKET) + SUMMARY + CONTINUE
    async with golden(script, tmp_path, extra_config=REMOTE_COMPACTION) as (it, thread):
        await until_it_says(it, thread)
        texts = it.user_texts()
        assert ["does not agree" in one for one in texts] == [False, False, True, False]
        assert "everything else that rawr asked before this message" in texts[-1]


async def test_a_run_in_the_background_with_nothing_configured(tmp_path: Path) -> None:
    """As shipped: an empty home, the host, the golden path."""
    over_with = '- { when: { user: "Handoff" }, plan: ["done: research", "done: draft", "done: ship"], usage: 20000 }\n'
    says_so = '- { say: "Nothing is left to do.", usage: 21000 }\n'
    script = f"name: run\nreplies:\n{WORK}{answers('Heads-up', PACKET)}{SUMMARY}{over_with}{says_so}"
    with scripted_codex(parse_scenario(script), tmp_path, extra_config=REMOTE_COMPACTION) as codex:
        it = Hosted(codex, tmp_path / "rawr")
        try:
            ran = await ended(await it.run(JOB, *FREE))
        finally:
            await over(it.home)
        assert (ran.summary["status"], ran.summary["compactions"]) == ("done", 1), ran.err
        check(codex.model.requests)
        intact(it.home)
