"""Approvals and questions in a run on the real Codex: what is proved is granted, the rest is a person's (C10, C11)."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.policy.full_auto import ApprovalMode, Unsafe
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import Verdict
from rawr.testing import VirtualClock
from tests.e2e.golden import policy
from tests.e2e.rig import rig
from tests.e2e.test_full_auto import DONE, GOAL, ended, is_over, result, run_of


def asks(command: str) -> str:
    return f'- {{ run: {{ cmd: "{command}", escalate: true, why: "I need it." }} }}\n' + DONE


def order(approvals: ApprovalMode = "policy", unsafe: Unsafe = "wait") -> Order:
    return Order(goal=GOAL, approvals=approvals, unsafe=unsafe)


def rules(**changes: Any) -> Policy:
    shipped = policy()
    return replace(shipped, full_auto=replace(shipped.full_auto, **changes))


async def test_what_is_provably_safe_is_approved_and_audited(tmp_path: Path) -> None:
    """C10: with a hash of exactly what was approved."""
    async with rig(asks("ls -la"), tmp_path, transport="stdio") as it, it.running(policy=policy()):
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        run = await ended(it, thread, order())
        assert result(run)[:2] == ("done", "run.done.reported")
        [audit] = it.evidence("request.judged.safe", thread=thread)
        assert len(str(audit["digest"])) == 64
        [judged] = it.facts(facts.ApprovalJudged)
        assert (judged.safe, judged.digest) == (True, audit["digest"])


async def test_what_is_not_safe_waits_for_a_person(tmp_path: Path) -> None:
    async with rig(asks("touch ../proof.txt"), tmp_path, transport="stdio") as it, it.running(policy=policy()):
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        over = it.rawr.expect(is_over(it, thread), deadline=30)
        waits = it.decided("request.waits.person", thread=thread)
        await it.rawr.record(thread, facts.RunSubmitted(order=order()))
        await waits
        [opened] = it.state(thread).requests
        assert not (tmp_path / "proof.txt").exists()
        it.rawr.answer(thread, opened.request, Verdict(verdict="decline"))
        await over
        assert result(run_of(it, thread))[:2] == ("done", "run.done.reported")
        assert "request.judged.unsafe" in it.reasons(thread)


async def test_what_is_not_safe_is_declined_with_the_reason(tmp_path: Path) -> None:
    """C10: by configuration, and the agent can read why."""
    # It is told in the same model call, or, if that has begun, in one of its own.
    script = asks("touch ../proof.txt") + DONE
    async with rig(script, tmp_path, transport="stdio") as it, it.running(policy=policy()):
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        run = await ended(it, thread, order(unsafe="decline"))
        assert run.status == "done"
        assert "request.declined.unsafe" in it.reasons(thread)
        assert any("Declined" in text for one in it.codex.model.requests for text in one.user_texts)


async def test_a_rule_of_the_user_allows_and_denies(tmp_path: Path) -> None:
    """C10: rules extend it both ways."""
    async with (
        rig(asks("make check"), tmp_path, transport="stdio") as it,
        it.running(policy=rules(allow=("make check",))),
    ):
        thread = await it.thread(approvals="on-request", sandbox="workspace-write")
        await ended(it, thread, order())
        assert "request.judged.safe" in it.reasons(thread)


async def test_a_rule_of_the_user_denies(tmp_path: Path) -> None:
    # Why it was declined is told to the agent: in the same model call, or, if that has begun, in one of its own.
    script = asks("ls") + DONE
    async with rig(script, tmp_path, transport="stdio") as it, it.running(policy=rules(deny=("ls",))):
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        await ended(it, thread, order(unsafe="decline"))
        assert "request.declined.unsafe" in it.reasons(thread)


@pytest.mark.parametrize("mode", ["policy", "ask"])
async def test_nobody_answers_and_the_run_pauses(tmp_path: Path, mode: ApprovalMode) -> None:
    """C5, C11: declined when its time is over, and the run is a person's again."""
    clock = VirtualClock(1_000_000_000)
    async with (
        rig(asks("touch ../proof.txt"), tmp_path, transport="stdio") as it,
        it.running(policy=policy(), clock=clock),
    ):
        thread = await it.thread(approvals="on-request", sandbox="read-only")
        over = it.rawr.expect(is_over(it, thread), deadline=30)
        waits = it.decided("request.waits.person", thread=thread)
        await it.rawr.record(thread, facts.RunSubmitted(order=order(mode)))
        await waits
        await clock.advance((policy().limits.person + 1) * 1000)
        await over
        assert result(run_of(it, thread))[:2] == ("paused", "run.paused.unanswered")
        assert not (tmp_path / "proof.txt").exists()
