"""Soft landing on the real Codex: a running turn is steered to a clean stop before Codex compacts by itself (A19).

Codex reports the usage of a model call when the tools of that call are done, so a steer comes in during the next call.
"""

import asyncio
import json
from pathlib import Path

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import SteerTurn
from tests.e2e.golden import CONTINUE, ENDED, GOES_ON, PACKET, SUMMARY, answers, golden, policy, spoken, until_it_says
from tests.e2e.rig import DEADLINE, Rig

FILLS = """
- { run: "true", usage: 200000 }
- { run: "true", usage: 243000 }
- { run: "true", usage: 250000, fault: hang }
"""
"""Growing fast towards the end of the window of 258 400 tokens, and nothing is done on the way."""
LANDED = answers("nearly full", PACKET, usage=252000) + SUMMARY + CONTINUE


OR_AGAIN = '- { when: { user: "Do the job" }, say: "I go on without it.", usage: 7000, fault: hang }\n'
"""The call after the compaction begins before the record is there, and goes on until it is."""


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
        await it.codex.model.wait_for_async(lambda request: request.number == 3, deadline=DEADLINE)
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


async def test_reasoning_of_turns_before_counts(tmp_path: Path) -> None:
    """A4, A19: Codex counts what the model thought before, and reports it nowhere; the session file has it. Where its
    own number says that a third is left, the turn is landed, and Codex never gets to compact by itself."""
    thought = json.dumps({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "A" * 400_000})
    script = f"""
- {{ do: [ {{ raw: {thought} }}, {{ say: "Good morning to you, what shall we do today?" }} ], usage: 15000 }}
- {{ run: "true", usage: 170000 }}
- {{ run: "true", usage: 177000, fault: hang }}
"""
    script += answers("nearly full", PACKET, usage=178000) + SUMMARY + CONTINUE
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread, prompt="Good morning.", says="Good morning to you, what shall we do today?")
        assert it.state(thread).reasoning == 74_838
        landing = steered(it)
        finished = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == GOES_ON)
        await it.rawr.submit(thread, "Do the job.")
        await landing
        await it.codex.model.wait_for_async(lambda request: request.number == 3, deadline=DEADLINE)
        it.codex.model.release()
        await finished
        assert [(past.by, past.ok) for past in it.state(thread).compactions] == [("rawr", True)]
        [decided] = it.evidence("compact.decided.landing", thread=thread)
        assert (decided["limit"], decided["percent"]) == (258_400, 36)
        assert it.state(thread).reasoning == 0


async def test_a_turn_that_ends_past_the_limit_is_compacted_once(tmp_path: Path) -> None:
    """A12, A13, A19: no turn is started at whose beginning Codex would compact by itself, so rawr writes the packet."""
    script = f'- {{ run: "true", usage: 60000 }}\n- {{ say: "{ENDED}", usage: 262000 }}\n' + SUMMARY + CONTINUE
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread)
        assert spoken(it, thread) == ["user", "agent", "compaction", "handoff", "agent"]
        assert [(past.by, past.ok) for past in it.state(thread).compactions] == [("rawr", True)]
        [audit] = it.evidence("compact.audited.sequence", thread=thread)
        assert (audit["tier"], audit["packet_author"], audit["outcome"]) == ("emergency", "rawr", "compacted")


async def test_where_codex_is_faster_it_is_compacted_once_and_the_record_follows(tmp_path: Path) -> None:
    """A19, A23: one call takes the turn past the limit, and Codex compacts in the middle of it. The agent gets the
    record, is not told that the context is nearly full, and the audit says whose compaction it was, and when."""
    script = '- { run: "true", usage: 60000 }\n- { run: "true", usage: 262000 }\n' + SUMMARY + OR_AGAIN + CONTINUE
    async with golden(script, tmp_path) as (it, thread):
        sent = it.decided("handoff.sent.recovery", thread=thread)
        said = asyncio.create_task(until_it_says(it, thread))
        await sent
        await it.codex.model.wait_for_async(lambda request: request.number == 4, deadline=15)
        it.codex.model.release()
        await said
        assert [one for one in spoken(it, thread) if one != "agent"] == ["user", "compaction", "recovery"]
        assert not any("nearly full" in one.last_user for one in it.codex.model.requests)
        assert [(past.by, past.ok) for past in it.state(thread).compactions] == [("upstream", True)]
        assert it.evidence("compact.audited.sequence", thread=thread) == []
        [audit] = it.evidence("compact.audited.outside", thread=thread)
        assert (audit["trigger"], audit["tier"], audit["percent"]) == ("Codex itself", "emergency", 0)
