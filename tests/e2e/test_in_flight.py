"""What is in flight at a turn's end: a review, a sub-agent, a packet that is written while rawr is away."""

from pathlib import Path

from rawr.codex.wire import methods
from rawr.core.vocabulary import facts, items
from tests.e2e import beside
from tests.e2e.beside import COMMITTED, MORNING, person, rawr_watch, served
from tests.e2e.golden import CONTINUE, ENDED, GOES_ON, SUMMARY, WORK, answers, golden, spoken, until_it_says
from tests.e2e.test_vetoes import against


async def test_nothing_is_compacted_in_review_mode(tmp_path: Path) -> None:
    """A3: the end of a review's turn does not compact, whatever happened in it, and the thread goes on afterwards."""
    script = (
        '- { when: { user: "Hello" }, say: "Hello there, what shall we do today?", usage: 100000 }\n'
        '- { when: { user: "After" }, say: "Here I am, after the review.", usage: 101000 }\n'
        + WORK.replace("- call: { tool: phase_complete", "- call: { tool: phase_complete_not")
    )
    async with golden(script, tmp_path) as (it, thread):
        await it.turn(thread, "Hello.")
        review = methods.ReviewStart(thread_id=thread, target={"type": "custom", "instructions": "Look at it."})
        left = it.expect(facts.ItemCompleted, lambda fact: isinstance(fact.item, items.ReviewExited))
        ended = it.expect(facts.TurnCompleted, thread=thread)
        await it.client.call(methods.REVIEW_START, review)
        await left
        await ended
        assert not it.state(thread).busy
        await until_it_says(it, thread, prompt="After.", says="Here I am")
        assert "heads_up" not in spoken(it, thread)


async def test_a_sub_agent_at_work(tmp_path: Path) -> None:
    """A7: a sub-agent may outlive the turn that started it; while it works nothing is compacted."""
    spawn = '{ tool: spawn_agent, namespace: multi_agent_v1, arguments: { message: "Look into it." } }'
    script = (
        '- { when: { user: "Look into it" }, say: "I looked into it.", usage: 5000, fault: hang }\n'
        f"- {{ call: {spawn}, usage: 50000 }}\n" + WORK
    )
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread, says=ENDED)
        assert against(it, thread, "compact.deferred.subagent_busy") == ["compact.deferred.subagent_busy"]
        over = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == "I looked into it.")
        it.codex.model.release()
        await over
        assert "heads_up" not in spoken(it, thread)


async def test_a_packet_written_while_rawr_was_away_is_taken_up(tmp_path: Path) -> None:
    """D1, D5: left while the agent writes its packet, taken up where it stood; every message came once."""
    packet = answers("Heads-up", COMMITTED).replace(" }\n", ", fault: hang }\n")
    script = MORNING + beside.WORK + packet + SUMMARY + CONTINUE
    async with served(script, tmp_path) as (codex, server), person(server, codex.home.workspace) as ada:
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await ada.until_over(await ada.say("good morning"))
            await watching.fact("ThreadJoined", thread=ada.thread)
            await ada.say("three phases please")
            await codex.model.wait_for_async(lambda request: "Heads-up" in request.last_user, deadline=30)
            assert await watching.ctrl_c() == 130
        codex.model.release()
        heads_up = await ada.until_told("Heads-up")
        await ada.until_over(heads_up.turn)
        async with rawr_watch(codex, tmp_path / "rawr", server=server) as watching:
            await ada.until_told(GOES_ON)
            await watching.decided("compact.audited.sequence")
        told = [one.item.text for one in ada.heard.all(facts.ItemCompleted) if isinstance(one.item, items.UserMessage)]
        assert [sum(mark in text for text in told) for mark in ("Heads-up", "Handoff")] == [1, 1]
        assert "Write the draft." in codex.model.requests[-1].last_user
