"""rawr comes late: the thread that it joins has a past (D1)."""

from pathlib import Path

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.requests import Verdict
from tests.e2e.beside import COMMITTED, person, rawr_watch, served
from tests.e2e.golden import CONTINUE, GOES_ON, SUMMARY, answers


async def test_a_plan_that_was_made_before_rawr_came(tmp_path: Path) -> None:
    """D1: joined between two turns; the next boundary counts, and the plan is in the handoff as it then stands."""
    script = """
- { plan: ["doing: research", "todo: draft", "todo: ship"], usage: 60000 }
- { say: "This is the plan.", usage: 70000 }
- { run: "git init -q . && git commit -q --allow-empty -m 'Research done'", usage: 80000 }
- { plan: ["done: research", "doing: draft", "todo: ship"], usage: 90000 }
- { say: "The research is finished and committed as Research done.", usage: 132000 }
"""
    script += answers("Heads-up", COMMITTED) + SUMMARY + CONTINUE
    async with (
        served(script, tmp_path) as (codex, server),
        person(server, codex.home.workspace) as ada,
    ):
        await ada.until_over(await ada.say("Make a plan."))
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await watching.fact("ThreadJoined", thread=ada.thread)
            await ada.say("Go on.")
            await ada.until_told(GOES_ON)
            await watching.decided("compact.audited.sequence")
        handoff = codex.model.requests[-1].last_user
        for told in ("plan, done: “research”", "plan, doing: “draft”", "plan, to do: “ship”", ": “Research done"):
            assert told in handoff


async def test_a_question_that_was_open_before_rawr_came(tmp_path: Path) -> None:
    """D1, C10: Codex puts it to everyone who joins; rawr leaves it to the one whose it is."""
    script = '- { run: { cmd: "echo allowed > proof.txt", escalate: true, why: "I need to write." } }\n'
    async with (
        served(script + '- { say: "Over." }\n', tmp_path, asks=True) as (codex, server),
        person(server, codex.home.workspace) as ada,
    ):
        turn = await ada.say("Write the proof.")
        asked = await ada.heard.wait(facts.RequestReceived)
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await watching.decided("request.left.others")
            await ada.client.answer(asked.request, Verdict(verdict="accept"))
            await ada.until_over(turn)
            await watching.fact("TurnCompleted", thread=ada.thread, turn=turn, status="completed")
            assert "AnswerRequest" not in watching.effects()
        assert (codex.home.workspace / "proof.txt").read_text() == "allowed\n"
