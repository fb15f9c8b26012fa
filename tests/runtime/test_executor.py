"""Carrying effects out: each on its own, with an outcome for each."""

import asyncio
from pathlib import Path

import pytest

from rawr.core.real import Real
from rawr.core.vocabulary import effects, facts
from rawr.core.vocabulary.effects import Intended, StartTurn
from rawr.core.vocabulary.limits import Limits
from rawr.core.vocabulary.requests import CommandApproval
from rawr.journal.reader import JournalReader
from rawr.journal.redact import Redactor
from rawr.journal.rows import StoredEffect
from rawr.ports.harness import Done, HarnessEffect
from rawr.runtime.executor import Executor
from rawr.runtime.timers import Timers
from rawr.testing.clock import VirtualClock
from tests.runtime.codex import PatientCodex
from tests.runtime.rig import LOST, Screen, rawr, replayed

SECRET = "sk-proj-" + "Zx9" * 14


async def test_one_call_that_hangs_holds_up_no_other(tmp_path: Path) -> None:
    """C10, C12: threads do not wait for each other."""
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened("a")
        await it.told(facts.ThreadOpened(cwd="/project", ours=True), thread="b")
        for thread in ("a", "b"):
            await it.told(facts.UserSubmitted(text=thread), thread=thread)
        codex.calls[1].done("T1")
        await it.rest()
        assert [one.turn for one in (*it.state("a").sent, *it.state("b").sent)] == ["", "T1"]


async def test_what_a_call_taught_is_told_before_its_outcome(tmp_path: Path) -> None:
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        await it.told(facts.ThreadRequested(ticket="k", cwd="/project"), thread="")
        codex.calls[0].done("n", ("n", facts.ThreadOpened(cwd="/project", ours=True)))
        await it.rest()
        assert [type(one.recorded.fact).__name__ for one in it.screen.seen[-2:]] == ["ThreadOpened", "EffectSucceeded"]
        assert it.state("n").ours
        assert it.kernel.host.wanted == ()


@pytest.mark.parametrize("code", ["refused", "unsent", "lost", "timed_out"])
async def test_what_goes_wrong_on_the_other_side_is_a_fact(tmp_path: Path, code: facts.FailureCode) -> None:
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        await it.told(facts.UserSubmitted(text="go"))
        codex.calls[0].undone(code, "why")
        await it.rest()
        assert it.facts(facts.EffectFailed) == [facts.EffectFailed(effect="t:4.0", problem="why", code=code)]
    replayed(tmp_path)


async def test_a_bug_in_the_port_is_recorded_and_nothing_waits_for_ever(tmp_path: Path) -> None:
    """The effect is lost, so its message is looked up."""

    class Broken(PatientCodex):
        async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect], /) -> Done:
            effect = real.thing
            if isinstance(effect, StartTurn):
                raise KeyError("oops")
            return Done("T1")

    async with rawr(tmp_path, Broken()) as it:
        await it.opened()
        await it.told(facts.UserSubmitted(text="go"))
        assert it.facts(facts.FaultRecorded) == [facts.FaultRecorded(where="executor", problem="KeyError: 'oops'")]
        assert it.facts(facts.EffectFailed) == [
            facts.EffectFailed(effect="t:4.0", problem="KeyError: 'oops'", code="lost")
        ]
        assert "turn.confirmed.history" in it.reasons()


async def test_deadlines_are_set_moved_and_cancelled(tmp_path: Path) -> None:
    """C5: a question that nobody answers is declined when its time is over."""
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        for request in ("1/1", "1/2"):
            question = CommandApproval(command="rm x", cwd="/project")
            await it.told(facts.RequestReceived(request=request, question=question))
        await it.told(facts.RequestResolved(request="1/2"))
        await it.clock.advance(899_999)
        await it.rest()
        assert codex.calls == []
        await it.clock.advance(1)
        await it.rest()
        assert [getattr(effect, "request", "") for effect in codex.asked()] == ["1/1"]
        await it.clock.advance(10_000_000)
        await it.rest()
        assert it.facts(facts.DeadlinePassed) == [facts.DeadlinePassed(name="request:1/1")]


async def test_a_secret_that_is_gone_is_said_and_no_mangled_message_is_sent(tmp_path: Path) -> None:
    """A15: a message with a secret waited when rawr ended; the journal never had the secret."""
    async with rawr(tmp_path, PatientCodex()) as it:
        await it.opened()
        await it.told(facts.TurnStarted(turn="T1"), facts.UserSubmitted(text=f"use {SECRET}"))
        assert len(it.state().queue) == 1
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        joined = facts.ThreadJoined(cwd="/project", last_turn="T1", last_status="interrupted")
        await it.told(joined)
        assert codex.asked() == [effects.ResumeThread(unseen="T1")]
        problem = "it held a secret that rawr kept out of the journal and no longer has"
        assert it.facts(facts.EffectFailed)[-1].problem == problem
        assert it.reasons()[-1] == "turn.failed.refused"
        assert it.screen.notices[-1:] == [("t", "error", f"Codex did not accept the message: {problem}")]
        assert (it.state().queue, it.state().sent) == ((), ())
    replayed(tmp_path)


async def test_what_is_under_way_at_the_end_stays_unfinished(tmp_path: Path) -> None:
    """D5: nobody invents an outcome; and nothing more is begun."""
    codex = PatientCodex()
    async with rawr(tmp_path, codex) as it:
        await it.opened()
        await it.told(facts.UserSubmitted(text="go"))
        await it.executor.close()
        assert codex.calls[0].outcome.cancelled()
        it.executor.start(Intended("t:9.0", "t", StartTurn(text="more")))
        await it.told(LOST, thread="")
        assert len(codex.calls) == 1
    with JournalReader.open(tmp_path) as reader:
        assert [row.id for row in reader.unfinished_effects() if isinstance(row, StoredEffect)] == ["t:4.0"]


async def test_a_message_of_rawrs_own_is_not_sent_under_limits_that_are_gone() -> None:
    """D11, D12: a folder in them looks like a secret of an earlier run. No words take its place."""
    told: list[facts.AnyFact] = []

    def tell(thread: str, fact: facts.AnyFact) -> None:
        assert thread == "t"
        told.append(fact)

    codex = PatientCodex()
    timers = Timers(VirtualClock(0), tell)
    executor = Executor(codex, timers, surface=Screen(), tell=tell, redactor=Redactor())
    gone = Limits(cwd=Redactor().text(f"/folder-{SECRET}"))
    executor.start(Intended("t:9.0", "t", StartTurn(text="Go on.", own=True, limits=gone)))
    await asyncio.sleep(0)
    await executor.close()
    assert codex.calls == []
    assert [one.code for one in told if isinstance(one, facts.EffectFailed)] == ["gone"]
