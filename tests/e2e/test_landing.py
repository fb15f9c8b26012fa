"""Soft landing on the real Codex: a running turn is steered to a clean stop before Codex compacts by itself (A19).

Codex reports the usage of a model call when the tools of that call are done, so a steer comes in during the next call.
"""

import asyncio
from pathlib import Path

import pytest

from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import SteerTurn
from tests.e2e.golden import CONTINUE, ENDED, GOES_ON, PACKET, SUMMARY, answers, golden, policy, spoken, until_it_says
from tests.e2e.rig import DEADLINE, Rig

FILLS = """
- { run: "true", usage: 200000 }
- { run: "true", usage: 243000 }
- { run: "echo one more > more.txt", usage: 250000, fault: hang }
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


BEGINS = '- { plan: ["doing: research", "todo: draft"], usage: 160000 }\n- { run: "git init -q .", usage: 170000 }\n'
FREELY = {"sandbox_mode": "danger-full-access"}
PAUSES = {
    "commit": """
- { run: "echo x > a && git add a && git -c user.name=a -c user.email=a@b commit -qm Parser", usage: 180000 }
""",
    "plan_checkpoint": """
- { patch: "*** Begin Patch\\n*** Add File: found.md\\n+It works.\\n*** End Patch", usage: 175000 }
- { plan: ["done: research", "doing: draft"], usage: 180000 }
""",
    "check_passed": """
- { patch: "*** Begin Patch\\n*** Add File: Makefile\\n+test:\\n+\\ttrue\\n*** End Patch", usage: 175000 }
- { run: "make test", usage: 180000 }
""",
}
HANGS = '- { run: "echo more", usage: 184000, fault: hang }\n'
PAUSED = answers("nearly full", PACKET, usage=186000) + SUMMARY + CONTINUE


@pytest.mark.parametrize("kind", PAUSES)
async def test_a_long_turn_is_landed_where_it_pauses(tmp_path: Path, kind: str) -> None:
    """A19, D8: a commit, a step of the plan, a check that passed after a change; not at the last moment."""
    script = BEGINS + PAUSES[kind] + HANGS + PAUSED
    rules = policy(packet_corrections=0)
    async with golden(script, tmp_path, rules=rules, extra_config=FREELY) as (it, thread):
        landing = steered(it)
        finished = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == GOES_ON)
        await it.rawr.submit(thread, "Do the job.")
        await landing
        number = script.count("usage: 1") - 1
        await it.codex.model.wait_for_async(lambda request: request.number == number, deadline=DEADLINE)
        it.codex.model.release()
        await finished
        assert spoken(it, thread) == ["user", "landing", "packet", "compaction", "handoff", "agent"]
        [decided] = it.evidence("compact.decided.checkpoint", thread=thread)
        assert decided["satisfied"] == [kind]
        [audit] = it.evidence("compact.audited.sequence", thread=thread)
        assert (audit["trigger"], audit["packet_author"]) == ("compact.decided.checkpoint", "agent")
        assert it.evidence("compact.decided.landing", thread=thread) == []


@pytest.mark.parametrize("kind", PAUSES)
async def test_with_plenty_of_room_it_works_on(tmp_path: Path, kind: str) -> None:
    """A19: a pause is no reason by itself."""
    small = (BEGINS + PAUSES[kind]).replace("usage: 1", "usage: ")
    script = small + '- { say: "Which of the two comes next?", usage: 90000 }\n'
    async with golden(script, tmp_path, extra_config=FREELY) as (it, thread):
        await until_it_says(it, thread, says="Which of the two comes next?")
        assert spoken(it, thread) == ["user", "agent"]


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
