"""Soft landing on the real Codex: a running turn is steered to a clean stop before Codex compacts by itself (A19).

Codex reports the usage of a model call when the tools of that call are done, so a steer comes in during the next call.
"""

import asyncio
from pathlib import Path

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import SteerTurn
from tests.e2e.golden import CONTINUE, ENDED, GOES_ON, PACKET, SUMMARY, answers, golden, policy, spoken, until_it_says
from tests.e2e.rig import DEADLINE, Rig

FILLS = """
- { run: "true", usage: 253000 }
- { run: "echo one more > more.txt", usage: 254000, fault: hang }
"""
"""Near the end of the window of 258 400 tokens, and still at work."""
LANDED = answers("nearly full", PACKET, usage=255000) + SUMMARY + CONTINUE


def steered(it: Rig) -> "asyncio.Task[Taken]":
    """Codex has taken a message of rawr's into the running turn."""
    steers: set[str] = set()

    def taken_in(taken: Taken) -> bool:
        steers.update(one.id for one in taken.effects if isinstance(one.effect, SteerTurn))
        fact = taken.recorded.fact
        return isinstance(fact, facts.EffectSucceeded) and fact.effect in steers

    return it.rawr.expect(taken_in, deadline=DEADLINE, what="nothing was steered")


async def test_a_turn_that_would_overflow_is_landed(tmp_path: Path) -> None:
    """A19, A9: steered to stop, the packet in that very turn, then compaction and handoff; nothing native."""
    async with golden(FILLS + LANDED, tmp_path) as (it, thread):
        landing = steered(it)
        finished = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == GOES_ON)
        await it.rawr.submit(thread, "Do the job.")
        await landing
        await it.codex.model.wait_for_async(lambda request: request.number == 2, deadline=DEADLINE)
        it.codex.model.release()
        await finished
        assert spoken(it, thread) == ["user", "landing", "packet", "compaction", "handoff", "agent"]
        steer = next(one.last_user for one in it.codex.model.requests if "nearly full" in one.last_user)
        assert policy().prompts.packet_request in steer
        packet = next(one for one in it.facts(facts.ItemCompleted) if "## Overall" in getattr(one.item, "text", ""))
        assert packet.turn == it.facts(facts.TurnStarted, thread=thread)[0].turn
        assert [(past.by, past.ok) for past in it.state(thread).compactions] == [("rawr", True)]
        [audit] = it.evidence("compact.audited.sequence", thread=thread)
        assert (audit["trigger"], audit["packet_author"]) == ("compact.decided.landing", "agent")


async def test_a_turn_that_ends_before_the_steer_is_landed_all_the_same(tmp_path: Path) -> None:
    """A19: the last model call of a turn filled the window. The steer is refused, or stands in the thread unanswered;
    either way the packet is asked for once more and then everything goes its way."""
    script = f'- {{ say: "{ENDED}", usage: 253000 }}\n' + LANDED + answers("does not agree", PACKET, usage=255000)
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread)
        path = [one for one in spoken(it, thread) if one != "correction"]
        assert path == ["user", "agent", "landing", "packet", "compaction", "handoff", "agent"]
        assert len(it.evidence("compact.audited.sequence", thread=thread)) == 1
