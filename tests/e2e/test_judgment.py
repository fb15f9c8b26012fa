"""A judgment on the golden path of a real Codex: approving, vetoing, failing and too slow, in each tier (A18)."""

import asyncio
import re
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from rawr.core.kernel import Taken
from rawr.core.policy.compaction import TierPolicy
from rawr.core.policy.policy import Policy
from rawr.core.real import Real
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.opinions import CompactionJudgment
from rawr.core.vocabulary.order import Order
from tests.e2e.golden import (
    CONTINUE,
    ENDED,
    GOES_ON,
    HAPPY,
    JOB,
    PACKET,
    SUMMARY,
    answers,
    golden,
    policy,
    spoken,
    until_it_says,
)
from tests.e2e.rig import Rig, rig
from tests.e2e.test_full_auto import DONE, GOAL, ended, result

Says = Literal["approve", "veto", "error", "slow"]
USAGE = {"early": 60_000, "ready": 80_000, "asap": 100_000, "emergency": 235_000}
CALM = ("early", "ready", "asap")
WORDS = {
    "approve": "compact, scripted says: A phase is over.",
    "veto": "do not compact, scripted says: Not yet.",
    "error": "none (unavailable): nobody there",
    "slow": "none (timed_out): no answer within 1 seconds",
}


class Judge:
    """A model that says what it is told to; ``slow``: nothing, until somebody lets it."""

    def __init__(self, *says: Says) -> None:
        self.says = list(says)
        self.questions: list[AskModel] = []
        self.asked = asyncio.Event()

    async def ask(self, name: str, real: Real[AskModel], /) -> facts.ModelAnswered:
        question = real.thing
        self.questions.append(question)
        self.asked.set()
        says = self.says.pop(0)
        if says == "slow":
            await asyncio.Event().wait()
        if says == "error":
            return facts.ModelAnswered(
                effect=name, signature=question.signature, code="unavailable", problem="nobody there"
            )
        opinion = CompactionJudgment(
            should_compact=says == "approve", reason="A phase is over." if says == "approve" else "Not yet."
        )
        return facts.ModelAnswered(effect=name, signature=question.signature, opinion=opinion, model="scripted")


def judged(*, seconds: int = 30, **changes: object) -> Policy:
    """As it is shipped, with every tier asking by the shipped prompt."""
    shipped = policy(**changes)
    prompt = shipped.prompts.judgment
    tiers = {
        name: replace(getattr(shipped.compaction, name), decision_prompt_path="judgment.md", decision_prompt=prompt)
        for name in USAGE
    }
    models = replace(shipped.models, seconds=seconds)
    return replace(shipped, compaction=replace(shipped.compaction, **tiers), models=models)


def work(tier: str) -> str:
    """A phase ends in a turn that fills the context up to the tier."""
    call = "call: { tool: phase_complete, arguments: { phase: research, summary: Read, next_phase: draft } }"
    return f'- {{ {call}, usage: 30000 }}\n- {{ say: "{ENDED}", usage: {USAGE[tier]} }}\n'


def compaction() -> str:
    return answers("Heads-up", PACKET) + SUMMARY + CONTINUE


def decides(it: Rig, thread: str, *reasons: str) -> "asyncio.Task[Taken]":
    def fits(taken: Taken) -> bool:
        return any(one.record.reason.value in reasons and one.thread == thread for one in taken.decisions)

    return it.rawr.expect(fits, deadline=20, what=f"none of {reasons} was decided")


# -- each answer in each tier ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("says", ["approve", "error", "slow"])
@pytest.mark.parametrize("tier", CALM)
async def test_it_compacts(tier: str, says: Says, tmp_path: Path) -> None:
    """A18: with approval; and without an answer where room is short, or where it is so configured."""
    rules = judged(seconds=1 if says == "slow" else 30)
    if tier != "asap":
        rules = replace(rules, models=replace(rules.models, judgment_on_error="compact"))
    judge = Judge(says)
    async with golden(work(tier) + compaction(), tmp_path, rules=rules, models=judge) as (it, thread):
        await until_it_says(it, thread)
        assert spoken(it, thread) == HAPPY
        [decision] = it.evidence("compact.decided.boundary", thread=thread)
        assert (decision["tier"], decision["judgment"]) == (tier, WORDS[says])
        [audit] = it.evidence("compact.audited.sequence", thread=thread)
        assert (audit["judgment"], audit["outcome"]) == (WORDS[says], "compacted")
        assert len(judge.questions) == 1


@pytest.mark.parametrize(
    ("tier", "says"),
    [*((tier, "veto") for tier in CALM), ("early", "error"), ("ready", "error"), ("early", "slow"), ("ready", "slow")],
)
async def test_it_does_not(tier: str, says: Says, tmp_path: Path) -> None:
    """A18: after a veto, and without an answer where there is still room; the thread goes on as it was."""
    reason = "judgment.vetoed.model" if says == "veto" else "judgment.deferred.error"
    rules = judged(seconds=1 if says == "slow" else 30)
    judge = Judge(says)
    script = work(tier) + '- { say: "Here I am.", usage: 61000 }\n'
    async with golden(script, tmp_path, rules=rules, models=judge) as (it, thread):
        decided = decides(it, thread, reason)
        await until_it_says(it, thread, says=ENDED)
        await decided
        [record] = it.evidence(reason, thread=thread)
        assert (record["tier"], record["judgment"]) == (tier, WORDS[says])
        assert it.state(thread).sequence is None
        await until_it_says(it, thread, prompt="And now?", says="Here I am.")
        assert spoken(it, thread) == ["user", "agent", "user", "agent"]
        assert len(judge.questions) == 1


@pytest.mark.parametrize("says", ["approve", "veto", "error", "slow"])
async def test_in_an_emergency_nobody_is_asked(says: Says, tmp_path: Path) -> None:
    judge = Judge(says)
    rules = judged(soft_landing=False)
    async with golden(work("emergency") + compaction(), tmp_path, rules=rules, models=judge) as (it, thread):
        await until_it_says(it, thread)
        assert (spoken(it, thread), judge.questions) == (HAPPY, [])
        [audit] = it.evidence("compact.audited.sequence", thread=thread)
        assert (audit["tier"], audit["judgment"]) == ("emergency", None)


# -- the question ---------------------------------------------------------------------------------------------------


async def test_what_it_is_asked(tmp_path: Path) -> None:
    """A18, A22: the shipped prompts, filled from what really happened; and nothing of it in the transcript."""
    judge = Judge("veto")
    script = '- { run: "echo hello > notes.md", usage: 30000 }\n' + work("asap")
    async with golden(script, tmp_path, rules=judged(), models=judge) as (it, thread):
        vetoed = decides(it, thread, "judgment.vetoed.model")
        await until_it_says(it, thread, says=ENDED)
        await vetoed
        [question] = judge.questions
        context = question.inputs["context"]
        assert (question.signature, question.instructions) == ("compaction_judgment", policy().prompts.judgment)
        assert re.search(r"\{[A-Za-z_]+\}", context) is None
        for told in (
            "Tier: asap",
            "Percent of context remaining: 64",
            "Tokens in context: 100000 of 258400",
            f"Thread: {thread}",
            '"kind":"phase_boundary","source":"phase_tool","detail":"research"',
            f"- “{JOB}”",
            f"user: “{JOB}”\nagent: “{ENDED}”",
        ):
            assert told in context
        assert all("Tier: asap" not in text for request in it.codex.model.requests for text in request.user_texts)


async def test_its_answer_is_shown_and_kept_raw(tmp_path: Path) -> None:
    """A21: a status line when it is asked, an info line when it has spoken."""
    async with golden(work("asap"), tmp_path, rules=judged(), models=Judge("veto")) as (it, thread):
        vetoed = decides(it, thread, "judgment.vetoed.model")
        await until_it_says(it, thread, says=ENDED)
        await vetoed
        # What was decided before this is in the journal has been shown.
        await it.rawr.record(thread, facts.HoldReleased())
        assert it.notices == [
            ("status", "[rawr] auto-compaction judgment: asking a model at 64 % left: phase boundary, research"),
            ("info", f"[rawr] auto-compaction judgment: {WORDS['veto']}"),
        ]
        assert [one["model"] for one in it.evidence("model.answered.opinion", thread=thread)] == ["scripted"]


# -- what happens meanwhile -----------------------------------------------------------------------------------------


async def test_a_users_message_goes_out_at_once(tmp_path: Path) -> None:
    """A15: it waits for nobody."""
    judge = Judge("slow")
    script = work("asap") + '- { say: "Here I am.", usage: 101000 }\n'
    async with golden(script, tmp_path, rules=judged(), models=judge) as (it, thread):
        await until_it_says(it, thread, says=ENDED)
        async with asyncio.timeout(10):
            await judge.asked.wait()
        await until_it_says(it, thread, prompt="And now?", says="Here I am.")
        assert "judgment.dropped.message" in it.reasons(thread)
        assert spoken(it, thread) == ["user", "agent", "user", "agent"]


async def test_a_persons_own_wish_waits_for_nobody(tmp_path: Path) -> None:
    judge = Judge("slow")
    async with golden(work("asap") + compaction(), tmp_path, rules=judged(), models=judge) as (it, thread):
        await until_it_says(it, thread, says=ENDED)
        async with asyncio.timeout(10):
            await judge.asked.wait()
        done = it.expect(facts.ItemCompleted, lambda fact: getattr(fact.item, "text", "") == GOES_ON)
        it.rawr.compact(thread)
        await done
        assert spoken(it, thread) == HAPPY


async def test_a_hold_that_is_set_meanwhile_wins(tmp_path: Path) -> None:
    judge = Judge("slow")
    async with golden(work("asap"), tmp_path, rules=judged(seconds=1), models=judge) as (it, thread):
        deferred = decides(it, thread, "compact.deferred.guard")
        await until_it_says(it, thread, says=ENDED)
        it.rawr.tell(thread, facts.HoldSubmitted(until="the release is out"))
        await deferred
        [record] = it.evidence("compact.deferred.guard", thread=thread)
        assert record["judgment"] == WORDS["slow"]
        assert "heads_up" not in spoken(it, thread)


async def test_what_was_lost_with_rawr_has_no_answer(tmp_path: Path) -> None:
    """D5: the thread is joined again, assessed again, and compacted without, because room is short."""
    async with rig(work("asap") + compaction(), tmp_path, transport="stdio") as it:
        judge = Judge("slow")
        async with it.running(policy=judged(), models=judge):
            thread = await it.thread()
            await until_it_says(it, thread, says=ENDED)
            async with asyncio.timeout(10):
                await judge.asked.wait()
            waiting = it.state(thread).sequence
            assert waiting is not None
            assert waiting.phase is Phase.AWAITING_JUDGMENT
        audited: list[str] = []
        async with it.running(policy=judged(), models=Judge()):
            done = decides(it, thread, "compact.audited.sequence")
            await done
            audited += [str(one["judgment"]) for one in it.evidence("compact.audited.sequence", thread=thread)]
        assert audited == ["none (lost): rawr ended before the outcome was known"]
        assert spoken(it, thread)[:6] == HAPPY[:6]


# -- preflight and Full Auto ----------------------------------------------------------------------------------------


def preflight() -> Policy:
    tier = TierPolicy(85, ("turn_complete",))
    return judged(early=tier, ready=replace(tier, percent_remaining_lt=75), asap=replace(tier, percent_remaining_lt=65))


@pytest.mark.parametrize(
    ("says", "conversation"),
    [("approve", [*HAPPY, "user", "agent"]), ("veto", ["user", "agent", "user", "agent"])],
)
async def test_a_message_waits_for_the_judgment_and_is_delivered_unchanged(
    says: Says, conversation: list[str], tmp_path: Path
) -> None:
    """A16: before the compaction that goes before it, or at once."""
    script = f'- {{ say: "{ENDED}", usage: 100000 }}\n' + (compaction() if says == "approve" else "")
    script += '- { say: "Here I am." }\n'
    async with golden(script, tmp_path, rules=preflight(), models=Judge(says)) as (it, thread):
        await until_it_says(it, thread, says=ENDED)
        assert it.state(thread).preflight
        await until_it_says(it, thread, prompt="  What next? ", says="Here I am.")
        assert spoken(it, thread) == conversation
        assert it.user_texts()[-1] == "  What next? "
        [waits] = [text for level, text in it.notices if level == "status" and "asking a model" in text]
        assert waits.endswith("; your message waits for it, 35 s at most")


@pytest.mark.parametrize(("says", "heads_ups"), [("approve", 1), ("veto", 0)])
async def test_a_run_goes_on_either_way(says: Says, heads_ups: int, tmp_path: Path) -> None:
    """C1: after the handoff, or at once."""
    script = work("asap")
    script += answers("Heads-up", PACKET) + SUMMARY + '- { say: "On I go.", usage: 20000 }\n' if heads_ups else ""
    async with golden(script + DONE, tmp_path, rules=judged(), models=Judge(says)) as (it, thread):
        run = await ended(it, thread, Order(goal=GOAL))
        assert result(run) == ("done", "run.done.reported", "self_reported")
        assert spoken(it, thread).count("heads_up") == heads_ups


async def test_what_a_person_says_to_a_run_meanwhile_goes_out_at_once(tmp_path: Path) -> None:
    judge = Judge("slow")
    async with golden(work("asap") + DONE, tmp_path, rules=judged(), models=judge) as (it, thread):
        await it.rawr.record(thread, facts.RunSubmitted(order=Order(goal=GOAL)))
        async with asyncio.timeout(15):
            await judge.asked.wait()
        await until_it_says(it, thread, prompt="Is it done?", says="Nothing is left to do")
        assert it.user_texts()[-1] == "Is it done?"


async def test_a_run_that_is_paused_meanwhile_rests_at_once(tmp_path: Path) -> None:
    """C13."""
    judge = Judge("slow")
    async with golden(work("asap"), tmp_path, rules=judged(), models=judge) as (it, thread):
        await it.rawr.record(thread, facts.RunSubmitted(order=Order(goal=GOAL)))
        async with asyncio.timeout(15):
            await judge.asked.wait()
        await it.rawr.record(thread, facts.RunPauseSubmitted())
        state = it.state(thread)
        assert state.run is not None
        assert (state.run.status, state.sequence, state.asking) == ("paused", None, ())
