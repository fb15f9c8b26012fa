"""The golden path on the real Codex: heads-up, packet, compaction, handoff; and the ways in which it goes otherwise."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.core.policy.compaction import AutoCompaction, TierPolicy
from rawr.core.vocabulary import facts
from rawr.testing import VirtualClock
from tests.e2e.golden import (
    CONTINUE,
    ENDED,
    GOES_ON,
    HAPPY,
    PACKET,
    SUMMARY,
    WORK,
    answers,
    golden,
    policy,
    spoken,
    until_it_says,
)
from tests.e2e.rig import Rig, Transport

# -- the path -----------------------------------------------------------------------------------------------------


async def test_the_happy_path(tmp_path: Path, transport: Transport) -> None:
    """A9–A14, A23: in this order, each once, and the agent goes on from its own packet."""
    script = WORK + answers("Heads-up", PACKET) + SUMMARY + CONTINUE
    async with golden(script, tmp_path, transport=transport) as (it, thread):
        await until_it_says(it, thread)
        assert spoken(it, thread) == HAPPY
        assert it.state(thread).sequence is None
        for code in (
            "compact.decided.boundary",
            "packet.taken.agent",
            "compact.done.both_signals",
            "handoff.sent.compacted",
            "compact.audited.sequence",
        ):
            assert it.reasons(thread).count(code) == 1, code
        handoff = it.codex.model.requests[-1].last_user
        for told in (
            "Write the draft.",
            "Do the job in three phases.",
            "plan, done: “research”",
            "Continue from here.",
        ):
            assert told in handoff


async def test_a_packet_that_contradicts_the_record_goes_back_once(tmp_path: Path) -> None:
    """D2: what it lacks is named; what is still missing is in the handoff as recorded."""
    poor = PACKET.replace("Plan: research; draft; ship.", "All is fine.").replace("Ship the thing.", "Do it.")
    script = (
        WORK
        + answers("Heads-up", poor)
        + answers("does not agree", poor.replace("All is fine.", "Plan: research; draft."))
        + SUMMARY
        + CONTINUE
    )
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread)
        assert spoken(it, thread) == [*HAPPY[:4], "correction", "packet", *HAPPY[4:]]
        assert it.reasons(thread).count("packet.returned.check") == 1
        assert "packet.taken.incomplete" in it.reasons(thread)
        assert "plan, to do: “ship”" in it.codex.model.requests[-1].last_user


async def test_rawr_writes_the_packet_when_the_agent_does_not(tmp_path: Path) -> None:
    """A12: labelled as rawr's, in the history before the compaction, and in the handoff."""
    script = WORK + answers("Heads-up", "No.") + answers("does not agree", "Still no.") + SUMMARY + CONTINUE
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread)
        assert "packet.written.watcher" in it.reasons(thread)
        [compaction] = [one for one in it.codex.model.requests if one.is_compaction]
        assert any("written by rawr" in text for text in compaction.texts("assistant"))
        assert "written by rawr" in it.codex.model.requests[-1].last_user


async def test_the_watcher_as_author(tmp_path: Path) -> None:
    """A12: the heads-up asks for no packet, and rawr's quotes the last words of work, not the answer to it."""
    script = WORK + answers("Heads-up", "Ok, waiting.") + SUMMARY + CONTINUE
    async with golden(script, tmp_path, rules=policy(packet_author="watcher")) as (it, thread):
        await until_it_says(it, thread)
        assert spoken(it, thread) == ["user", "agent", "heads_up", "agent", "compaction", "handoff", "agent"]
        assert "packet.written.watcher" in it.reasons(thread)
        heads_up = next(one.last_user for one in it.codex.model.requests if "Heads-up" in one.last_user)
        assert "you write a continuation packet" not in heads_up
        handoff = it.codex.model.requests[-1].last_user
        assert (ENDED in handoff, "Ok, waiting." in handoff) == (True, False)


async def test_the_packet_in_a_turn_of_its_own(tmp_path: Path) -> None:
    """A11: the request is the body of auto-compact.md, verbatim."""
    rules = policy(packet_turn="own")
    script = WORK + answers("Heads-up", "Understood.") + answers("continuation packet", PACKET) + SUMMARY + CONTINUE
    async with golden(script, tmp_path, rules=rules) as (it, thread):
        await until_it_says(it, thread)
        asked = [text for one in it.codex.model.requests for text in one.user_texts]
        assert rules.prompts.packet_request in asked


@pytest.mark.parametrize("written", [".scratch/notes.md", "/dev/null"])
async def test_notes_first(tmp_path: Path, written: str) -> None:
    """A17: the agent writes its notes before the packet, and the handoff names the file if it is there."""
    script = (
        WORK
        + answers("Heads-up", "Understood.")
        + '- { when: { user: "Append" }, run: "mkdir -p .scratch && echo all > WRITTEN", usage: 102000 }\n'.replace(
            "WRITTEN", written
        )
        + answers("Append", "Noted.")
        + answers("continuation packet", PACKET)
        + SUMMARY
        + CONTINUE
    )
    async with golden(script, tmp_path, rules=policy(scratch_write_enabled=True, scratch_file=".scratch/notes.md")) as (
        it,
        thread,
    ):
        await until_it_says(it, thread)
        assert [
            one for one in spoken(it, thread) if one in ("heads_up", "scratch", "packet", "compaction", "handoff")
        ] == [
            "heads_up",
            "scratch",
            "packet",
            "compaction",
            "handoff",
        ]
        named = "Your notes are in .scratch/notes.md." in it.codex.model.requests[-1].last_user
        assert named == (written == ".scratch/notes.md")


async def test_the_agent_takes_too_long(tmp_path: Path) -> None:
    """A12: after its time the turn is ended and rawr writes the packet."""
    clock = VirtualClock(1_000_000_000)
    script = WORK + '- { when: { user: "Heads-up" }, say: "…", fault: hang }\n' + SUMMARY + CONTINUE
    async with golden(script, tmp_path, clock=clock, rules=policy(packet_seconds=60)) as (it, thread):
        asked = it.expect(facts.ItemCompleted, lambda fact: "Heads-up" in getattr(fact.item, "text", ""))
        handed = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == GOES_ON)
        await it.rawr.submit(thread, "Do the job.")
        await asked
        await it.codex.model.wait_for_async(lambda request: "Heads-up" in request.last_user, deadline=10)
        await clock.advance(61_000)
        await handed
        assert "packet.failed.deadline" in it.reasons(thread)
        assert "packet.written.watcher" in it.reasons(thread)


# -- not now ------------------------------------------------------------------------------------------------------


async def _vetoed(it: Rig, thread: str, reason: str) -> None:
    await until_it_says(it, thread, says=ENDED)
    assert reason in it.reasons(thread)
    assert it.state(thread).sequence is None
    assert "heads_up" not in spoken(it, thread)


async def test_a_plan_update_alone_is_no_boundary(tmp_path: Path) -> None:
    """A7: weak."""
    script = f"""
    - {{ plan: ["doing: research", "todo: draft"], usage: 60000 }}
    - {{ plan: ["doing: research", "todo: write"], usage: 90000 }}
    - {{ say: "{ENDED}", usage: 100000 }}
    """
    async with golden(script, tmp_path) as (it, thread):
        await _vetoed(it, thread, "compact.deferred.weak_boundary")


async def test_plan_signals_alone_do_not_suffice_while_there_is_room(tmp_path: Path) -> None:
    script = f"""
    - {{ plan: ["doing: research", "todo: draft"], usage: 40000 }}
    - {{ plan: ["done: research", "doing: draft"], usage: 60000 }}
    - {{ say: "{ENDED}", usage: 80000 }}
    """
    async with golden(script, tmp_path) as (it, thread):
        await _vetoed(it, thread, "compact.deferred.plan_only")


async def test_a_hold_stands_against_it(tmp_path: Path) -> None:
    async with golden(WORK, tmp_path) as (it, thread):
        it.rawr.tell(thread, facts.HoldSubmitted(until="the release is out"))
        await _vetoed(it, thread, "compact.deferred.guard")


async def test_no_boundary_no_compaction(tmp_path: Path) -> None:
    """A6: boundaries are necessary."""
    async with golden(f'- {{ say: "{ENDED}", usage: 150000 }}', tmp_path) as (it, thread):
        await _vetoed(it, thread, "compact.skipped.no_boundary")


@pytest.mark.parametrize(
    ("mode", "reason"), [("tag", "compact.tagged.boundary"), ("suggest", "compact.suggested.boundary")]
)
async def test_other_modes_do_not_act(tmp_path: Path, mode: str, reason: str) -> None:
    """A2: the same gating, other consequences."""
    async with golden(WORK, tmp_path, rules=policy(mode=mode)) as (it, thread):
        await _vetoed(it, thread, reason)


async def test_switched_off_it_only_records(tmp_path: Path) -> None:
    """A1."""
    async with golden(WORK, tmp_path, rules=policy(enabled=False)) as (it, thread):
        await _vetoed(it, thread, "compact.skipped.disabled")


async def test_cooldown_by_turns_and_by_time(tmp_path: Path) -> None:
    """A7: after a compaction, one of the two must have passed."""
    clock = VirtualClock(1_000_000_000)
    again = WORK.replace('plan: ["doing: research", "todo: draft", "todo: ship"]', 'run: "true"').replace(
        ENDED, "Again."
    )
    script = WORK + answers("Heads-up", PACKET) + SUMMARY + CONTINUE + again + again
    rules = policy(cooldown_turns=3, cooldown_seconds=600)
    async with golden(script, tmp_path, clock=clock, rules=rules) as (it, thread):
        await until_it_says(it, thread)
        await until_it_says(it, thread, prompt="Once more.", says="Again.")
        assert "compact.deferred.cooldown" in it.reasons(thread)
        assert spoken(it, thread).count("heads_up") == 1


# -- emergency and the unexpected ---------------------------------------------------------------------------------


async def test_an_emergency_needs_no_boundary(tmp_path: Path) -> None:
    """A6."""
    script = f'- {{ say: "{ENDED}", usage: 225000 }}\n' + answers("Heads-up", PACKET, usage=228000) + SUMMARY + CONTINUE
    async with golden(script, tmp_path, rules=policy(soft_landing=False)) as (it, thread):
        await until_it_says(it, thread)
        assert "compact.decided.emergency" in it.reasons(thread)
        assert spoken(it, thread) == HAPPY


async def test_an_emergency_without_room_for_a_packet(tmp_path: Path) -> None:
    """A10, A12: no turn fits any more; heads-up and packet go straight into the history."""
    script = f'- {{ say: "{ENDED}", usage: 255000 }}\n' + SUMMARY + CONTINUE
    async with golden(script, tmp_path, rules=policy(soft_landing=False)) as (it, thread):
        await until_it_says(it, thread)
        [compaction] = [one for one in it.codex.model.requests if one.is_compaction]
        assert any("Heads-up" in text for text in compaction.texts("user"))
        assert any("written by rawr" in text for text in compaction.texts("assistant"))


async def test_a_failed_compaction_brings_no_handoff(tmp_path: Path) -> None:
    """A13."""
    script = WORK + answers("Heads-up", PACKET) + "- { when: { compaction: true }, fault: { http: 500 } }\n"
    async with golden(script, tmp_path) as (it, thread):
        audited = it.rawr.expect(
            lambda taken: any(one.record.reason.value == "compact.audited.sequence" for one in taken.decisions),
            deadline=20,
        )
        await it.rawr.submit(thread, "Do the job.")
        await audited
        assert "handoff" not in spoken(it, thread)
        assert it.state(thread).sequence is None


async def test_what_the_user_says_meanwhile_follows_the_handoff(tmp_path: Path) -> None:
    """A15: held back, in order, unchanged."""
    script = WORK + answers("Heads-up", PACKET) + SUMMARY + CONTINUE + '- { say: "Yes, I heard." }\n'
    async with golden(script, tmp_path) as (it, thread):
        asked = it.expect(facts.ItemCompleted, lambda fact: "Heads-up" in getattr(fact.item, "text", ""))
        heard = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == "Yes, I heard.")
        await it.rawr.submit(thread, "Do the job.")
        await asked
        await it.rawr.submit(thread, "  and mind the tests ")
        await heard
        assert spoken(it, thread) == [*HAPPY, "user", "agent"]
        assert it.user_texts()[-1] == "  and mind the tests "


async def test_codex_compacts_by_itself_and_the_record_follows(tmp_path: Path) -> None:
    """A19: recognised, recorded as upstream, and mended by a handoff from the record."""
    script = """
    - { run: "echo filling", usage: 250000 }
    - { when: { compaction: true }, say: "native summary" }
    - { say: "And on.", usage: 20000, fault: hang }
    - { say: "And on.", usage: 20000, times: always }
    """
    rules = policy(soft_landing=False, native_emergency_only=False)
    async with golden(script, tmp_path, rules=rules) as (it, thread):
        mended = it.expect(facts.ItemCompleted, lambda fact: "and not by rawr" in getattr(fact.item, "text", ""))
        sent = it.decided("handoff.sent.recovery", thread=thread)
        await it.rawr.submit(thread, "Fill the window.")
        await sent
        # The call after the compaction goes on until the record is there for the next one.
        await it.codex.model.wait_for_async(lambda request: request.number == 3, deadline=15)
        it.codex.model.release()
        await mended
        assert "handoff.sent.recovery" in it.reasons(thread)


async def test_a_person_asks_for_it(tmp_path: Path) -> None:
    script = (
        '- { say: "Hello there, what shall we do today?", usage: 30000 }\n'
        + answers("Heads-up", PACKET)
        + SUMMARY
        + CONTINUE
    )
    async with golden(script, tmp_path) as (it, thread):
        await it.turn(thread, "Hello.")
        done = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == GOES_ON)
        it.rawr.compact(thread)
        await done
        assert spoken(it, thread) == HAPPY


async def test_preflight(tmp_path: Path) -> None:
    """A16: the sequence waits for the next message, runs, and then the message is delivered unchanged."""
    tier = TierPolicy(85, ("turn_complete",))
    rules = policy(
        early=tier, ready=replace(tier, percent_remaining_lt=75), asap=replace(tier, percent_remaining_lt=65)
    )
    script = (
        f'- {{ say: "{ENDED}", usage: 100000 }}\n'
        + answers("Heads-up", PACKET)
        + SUMMARY
        + CONTINUE
        + '- { say: "Here I am." }\n'
    )
    async with golden(script, tmp_path, rules=rules) as (it, thread):
        await until_it_says(it, thread, says=ENDED)
        assert it.state(thread).preflight
        await until_it_says(it, thread, prompt="What next?", says="Here I am.")
        assert spoken(it, thread) == [*HAPPY, "user", "agent"]
        assert it.user_texts()[-1] == "What next?"


def test_the_policy_that_is_shipped_is_on() -> None:
    """D1: with nothing configured."""
    assert (policy().compaction.enabled, policy().compaction.mode) == (AutoCompaction().enabled, "auto")
