"""A judgment within a run: it is waited for, paid for and dropped with it (A18, C1)."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.order import Budgets
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import phase
from tests.core.judged import JUDGED, PREFLIGHT, approval, approves, fails, rules, vetoes
from tests.core.runs import BACK, GOAL, JOINED, LOST, STARTED, Auto, in_a_turn
from tests.core.samples import WORDS, Story, worked


def running(policy: Policy = JUDGED, **changes: Any) -> Auto:
    """A run whose turn ended at a boundary: a model is asked."""
    story = in_a_turn(policy=policy, **changes)
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000).says("T1", WORDS).end("T1")
    assert (phase(story), story.run.waiting) == (Phase.AWAITING_JUDGMENT, "sequence")
    return story


def test_a_run_waits_for_the_judgment_and_then_for_the_handoff() -> None:
    story = running()
    approves(story)
    assert (phase(story), story.run.waiting, len(story.sent)) == (Phase.HEADS_UP_INJECTED, "sequence", 2)


@pytest.mark.parametrize("answer", [vetoes, lambda story: fails(story.tell(facts.HoldSubmitted(until="later")))])
def test_a_run_simply_goes_on_after_a_no(answer: Callable[[Story], Story]) -> None:
    story = running()
    answer(story)
    assert (phase(story), story.ended, story.run.waiting) == (Phase.IDLE, ("running", ""), "turn")
    assert story.sent[0] == GOAL
    assert story.sent[1].startswith(f"[rawr {story.run.id}] Go on with the job.")
    assert len(story.sent) == 2


@pytest.mark.parametrize("mode", ["tag", "suggest"])
def test_a_run_goes_on_where_the_mode_does_not_act(mode: str) -> None:
    story = running(policy=rules(mode=mode))
    approves(story)
    assert (phase(story), story.run.waiting, len(story.sent)) == (Phase.IDLE, "turn", 2)


@pytest.mark.parametrize(
    ("fact", "ended"),
    [
        (facts.RunPauseSubmitted(), ("paused", "run.paused.person")),
        (facts.RunPauseSubmitted(now=True), ("paused", "run.paused.person")),
        (facts.RunStopSubmitted(), ("stopped", "run.stopped.person")),
    ],
)
def test_a_pause_settles_at_once(fact: facts.AnyFact, ended: tuple[str, str]) -> None:
    """C13: nothing is cut in two by it."""
    story = running().tell(fact)
    assert (story.ended, phase(story), story.state.asking, story.deadlines) == (ended, Phase.IDLE, (), ())
    assert Reason.JUDGMENT_DROPPED_RUN in story.reasons()
    approves(story)
    assert (phase(story), len(story.sent)) == (Phase.IDLE, 1)


def test_a_pause_while_codex_is_away_settles_at_once() -> None:
    story = running().tell(LOST, facts.RunPauseSubmitted())
    assert (story.ended, phase(story)) == (("paused", "run.paused.person"), Phase.IDLE)


def test_what_the_judgment_cost_counts_against_the_runs_budget() -> None:
    """C5: and a run whose budget is used up is not compacted first."""
    story = running(budgets=Budgets(tokens=150_000))
    story.tell(approval(story.name(AskModel), tokens=60_000))
    assert (story.ended, phase(story), len(story.sent)) == (("stopped", "run.stopped.tokens"), Phase.IDLE, 1)


def test_the_runs_time_can_end_while_a_model_is_asked() -> None:
    story = running(budgets=Budgets(minutes=1))
    story.tell(facts.DeadlinePassed(name="run.time"), after=60)
    assert (story.ended, phase(story), story.state.asking) == (("stopped", "run.stopped.time"), Phase.IDLE, ())


def test_a_run_that_was_overridden_says_so_at_once() -> None:
    story = running().tell(facts.RunOverridden(text="Do that instead."))
    assert (phase(story), story.sent[1:], story.run.waiting) == (Phase.IDLE, ["Do that instead."], "turn")


def test_what_a_person_says_to_a_run_goes_out_at_once() -> None:
    story = running().tell(facts.UserSubmitted(text="and mind the tests"))
    assert (phase(story), story.sent[1:]) == (Phase.IDLE, ["and mind the tests"])


def test_a_run_lives_through_another_clients_turn() -> None:
    story = running()
    story.begin("U", "I was faster.").says("U", "So you were.").end("U")
    assert (phase(story), story.run.turns, story.run.waiting) == (Phase.IDLE, 2, "turn")
    assert story.sent[-1].startswith(f"[rawr {story.run.id}] Go on with the job.")


def test_a_run_that_was_away_is_not_compacted_by_itself() -> None:
    """C13: it is resumed by name, and then goes on."""
    story = running()
    question = story.name(AskModel)
    story.tell(STARTED, facts.EffectFailed(effect=question, problem="rawr ended", code="lost"))
    assert (story.ended, phase(story)) == (("paused", "run.paused.away"), Phase.IDLE)


def test_a_run_goes_on_after_a_lost_connection() -> None:
    story = running()
    vetoes(story.tell(LOST))
    assert (phase(story), len(story.sent)) == (Phase.AWAITING_JUDGMENT, 1)
    story.tell(BACK, replace(JOINED, last_turn="T1", last_status="completed"))
    assert (phase(story), len(story.sent), story.run.waiting) == (Phase.IDLE, 2, "turn")


def test_a_runs_own_message_that_is_held_back_goes_out_after_a_veto() -> None:
    """A16: its slot has come already."""
    story = in_a_turn(policy=PREFLIGHT)
    story.uses("T1", 110_000).says("T1", WORDS).end("T1")
    assert (phase(story), story.run.waiting, len(story.sent)) == (Phase.AWAITING_JUDGMENT, "turn", 1)
    story.slots = False
    vetoes(story)
    assert (phase(story), story.run.waiting, len(story.sent)) == (Phase.IDLE, "turn", 2)


def test_a_thread_whose_run_is_ordered_meanwhile_begins_with_it() -> None:
    story = Auto(policy=JUDGED)
    worked(story)
    assert phase(story) is Phase.AWAITING_JUDGMENT
    story.tell(facts.RunSubmitted(order=in_a_turn().run.order))
    assert (phase(story), story.sent) == (Phase.IDLE, [GOAL])
