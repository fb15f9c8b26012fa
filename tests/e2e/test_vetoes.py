"""Not now: each reason of A7 that speaks against a compaction, on the real Codex, all reasons on record (A6, B4)."""

from pathlib import Path

from rawr.core.vocabulary import facts, items
from rawr.testing import VirtualClock
from tests.e2e.golden import CONTINUE, ENDED, PACKET, SUMMARY, WORK, answers, golden, spoken, until_it_says
from tests.e2e.rig import Rig

PHASE_ENDS = "- { call: { tool: phase_complete, arguments: { phase: research, summary: Read. } }, usage: 90000 }\n"


def against(it: Rig, thread: str, reason: str) -> list[str]:
    """Everything that spoke against the compaction that this reason put off."""
    [evidence] = it.evidence(reason, thread=thread)
    assert evidence["outcome"] in ("deferred", "vetoed")
    listed = evidence["against"]
    assert isinstance(listed, list)
    return listed


async def test_cooldown_by_turns(tmp_path: Path) -> None:
    """A7: after a compaction turns of real work must pass, and all reasons are on record with the first."""
    clock = VirtualClock(1_000_000_000)
    again = PHASE_ENDS + f'- {{ say: "{ENDED} Again.", usage: 100000 }}\n'
    script = WORK + answers("Heads-up", PACKET) + SUMMARY + CONTINUE + again
    async with golden(script, tmp_path, clock=clock) as (it, thread):
        await until_it_says(it, thread)
        await until_it_says(it, thread, prompt="Once more.", says="Again.")
        reasons = ["compact.deferred.cooldown"]
        assert against(it, thread, reasons[0]) == reasons
        assert spoken(it, thread).count("heads_up") == 1


async def test_after_turns_and_time_it_compacts_again(tmp_path: Path) -> None:
    """A7: the cooldown ends, and the next boundary counts."""
    clock = VirtualClock(1_000_000_000)
    again = PHASE_ENDS + f'- {{ say: "{ENDED} Again.", usage: 100000 }}\n'
    handed = answers("Heads-up", PACKET) + SUMMARY
    script = WORK + handed + CONTINUE + '- { say: "Small talk.", usage: 30000 }\n' + again + handed
    script += CONTINUE.replace("I go on", "And I go on")
    async with golden(script, tmp_path, clock=clock) as (it, thread):
        await until_it_says(it, thread)
        await until_it_says(it, thread, prompt="How are you?", says="Small talk.")
        await clock.advance(120_000)
        await until_it_says(it, thread, prompt="Once more.", says="And I go on")
        assert it.reasons(thread).count("compact.audited.sequence") == 2


async def test_a_waiting_message_of_the_user_goes_first(tmp_path: Path) -> None:
    """A7: queued input."""
    script = (
        PHASE_ENDS
        + f'- {{ say: "{ENDED}", usage: 100000, fault: hang }}\n'
        + '- { say: "I heard you.", usage: 101000 }\n'
    )
    async with golden(script, tmp_path) as (it, thread):
        heard = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == "I heard you.")
        await it.rawr.submit(thread, "Do the job.")
        await it.codex.model.wait_for_async(lambda request: request.number == 2, deadline=15)
        await it.rawr.submit(thread, "One thing more.")
        it.codex.model.release()
        await heard
        assert against(it, thread, "compact.deferred.input_queued") == ["compact.deferred.input_queued"]
        assert it.user_texts() == ["Do the job.", "One thing more."]
        assert "heads_up" not in spoken(it, thread)


async def test_a_command_that_still_runs(tmp_path: Path) -> None:
    """A7: a command may outlive its turn; while it runs nothing is compacted."""
    script = '- { run: { cmd: "until [ -e go ]; do sleep 0.05; done", yield_ms: 250 }, usage: 60000 }\n' + WORK
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread, says=ENDED)
        assert against(it, thread, "compact.deferred.command_running") == ["compact.deferred.command_running"]
        over = it.expect(facts.ItemCompleted, lambda fact: isinstance(fact.item, items.Command))
        (it.workspace / "go").touch()
        await over
        assert "heads_up" not in spoken(it, thread)


async def test_too_little_to_gain(tmp_path: Path) -> None:
    """A7: in a small window a compaction would free next to nothing."""
    script = PHASE_ENDS.replace("90000", "19000") + f'- {{ say: "{ENDED}", usage: 20000 }}\n'
    async with golden(script, tmp_path, extra_config={"model_context_window": 40000}) as (it, thread):
        await until_it_says(it, thread, says=ENDED)
        assert against(it, thread, "compact.deferred.little_gain") == ["compact.deferred.little_gain"]


async def test_nothing_to_hand_over(tmp_path: Path) -> None:
    """A7: not packet-worthy: no words, no plan, no files, no commits."""
    script = PHASE_ENDS + '- { say: "Ok.", usage: 100000 }\n'
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread, says="Ok.")
        reason = "compact.deferred.not_packet_worthy"
        assert against(it, thread, reason) == [reason]


async def test_all_reasons_are_recorded_with_the_first(tmp_path: Path) -> None:
    """A6, B4: also when the answer is no, all that speaks for and against it is on record, with its evidence."""
    script = f"""
- {{ plan: ["doing: research", "todo: draft"], usage: 70000 }}
- {{ plan: ["done: research", "doing: draft"], usage: 75000, fault: hang }}
- {{ say: "{ENDED}", usage: 80000 }}
- {{ say: "I heard you.", usage: 81000 }}
"""
    async with golden(script, tmp_path) as (it, thread):
        it.rawr.tell(thread, facts.HoldSubmitted(until="the release is out"))
        heard = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == "I heard you.")
        await it.rawr.submit(thread, "Do the job.")
        await it.codex.model.wait_for_async(lambda request: request.number == 2, deadline=15)
        await it.rawr.submit(thread, "One thing more.")
        it.codex.model.release()
        await heard
        first = dict(it.evidence("compact.deferred.guard", thread=thread)[0])
        assert "room for " in str(first.pop("need"))
        assert first == {
            "tier": "ready",
            "percent": 72,
            "boundaries": ["plan_update", "plan_checkpoint: research", "turn_complete"],
            "satisfied": ["plan_update", "plan_checkpoint"],
            "against": [
                "compact.deferred.guard",
                "compact.deferred.input_queued",
                "compact.deferred.plan_only",
            ],
            "requests": [],
            "judgment": None,
            "outcome": "vetoed",
        }


async def test_a_boundary_is_used_up_with_its_turn(tmp_path: Path) -> None:
    """A8: a plan that stays as it is cannot count again in a later turn, also when its own was put off."""
    script = WORK + '- { say: "Small talk about this and that, and nothing else.", usage: 101000 }\n'
    async with golden(script, tmp_path) as (it, thread):
        it.rawr.tell(thread, facts.HoldSubmitted(until="the release is out"))
        await until_it_says(it, thread, says=ENDED)
        assert against(it, thread, "compact.deferred.guard") == ["compact.deferred.guard"]
        it.rawr.tell(thread, facts.HoldReleased())
        await until_it_says(it, thread, prompt="How are you?", says="Small talk")
        assert it.reasons(thread).count("compact.skipped.no_boundary") == 1
        assert "heads_up" not in spoken(it, thread)


async def test_a_goal_of_codex_is_not_raced(tmp_path: Path) -> None:
    """A3: while Codex pursues a goal of its own on the thread, rawr does not start."""
    script = (
        "- { call: { tool: create_goal, arguments: { objective: Win. } }, usage: 50000 }\n"
        + WORK
        + "- { call: { tool: update_goal, arguments: { status: complete } }, usage: 101000 }\n"
        + '- { say: "The goal is reached.", usage: 102000 }\n'
    )
    async with golden(script, tmp_path) as (it, thread):
        await until_it_says(it, thread, says="The goal is reached.")
        assert it.reasons(thread).count("compact.skipped.goal") == 1
        assert "heads_up" not in spoken(it, thread)


async def test_codexs_own_token_budget_rules_it_out(tmp_path: Path) -> None:
    """A3: under it a compaction means something else."""
    budget = {"features": {"token_budget": True}}
    async with golden(WORK, tmp_path, extra_config=budget) as (it, thread):
        await until_it_says(it, thread, says=ENDED)
        assert it.reasons(thread).count("compact.skipped.token_budget") == 1
        assert "heads_up" not in spoken(it, thread)
