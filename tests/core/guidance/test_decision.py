"""What follows a turn of a guided run: on with it, a review, a rest, or the end (C4, C15)."""

import pytest

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import ResearchRepository, RunCheck, StartReview
from rawr.core.vocabulary.opinions import GuidanceDecision, NoOpinion
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.reasons import Reason
from tests.core.guidance.stories import (
    BY_RULES,
    CODES,
    PROMPT,
    Guided,
    after_a_turn,
    decides,
    directs,
    guided,
    plans,
    routes,
    understands,
)
from tests.core.runs import DONE, RULES


def test_the_loop_comes_back_after_each_turn() -> None:
    """C15: decision, research, directive; the directive is added to the fixed template."""
    story = after_a_turn().hears(decides()).sees().hears(directs("Write the footer."))
    for turn in ("T2", "T3"):
        story.worked(turn, commands=(f"make {turn}",)).hears(decides()).sees().hears(directs(f"Do {turn}."))
    assert len(story.sent) == 4
    for said, step in zip(story.sent[1:], ("Write the footer.", "Do T2.", "Do T3."), strict=True):
        assert PROMPT in said
        assert "The goal, in the user's words:" in said
        assert step in said
    assert story.run.guidance.directives == ("Write the footer.", "Do T2.", "Do T3.")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("opinion", "ended"),
    [
        (decides("pause"), ("paused", "run.paused.model")),
        (decides("stop"), ("stopped", "run.stopped.model")),
        (decides("complete"), ("done", "run.done.reported")),
        (decides("continue", sure=0.54), ("paused", "run.paused.unsure")),
        (decides("complete", sure=0.2), ("paused", "run.paused.unsure")),
        (decides("review"), ("paused", "run.paused.reply")),
        (None, ("paused", "run.paused.reply")),
    ],
)
def test_what_ends_it(opinion: GuidanceDecision | None, ended: tuple[str, str]) -> None:
    """C4, C15"""
    story = after_a_turn().hears(opinion, code="unreadable")
    assert story.ended == ended
    assert story.sent == [PROMPT]
    assert not story.deadlines


def test_where_there_is_no_model_at_all_the_rules_go_on() -> None:
    """C15: everything works without one."""
    story = after_a_turn().hears(None, code="unavailable")
    assert story.run.active
    assert story.wanted(ResearchRepository)


def test_complete_is_a_claim_where_there_is_a_check() -> None:
    """C7"""
    story = after_a_turn(done="make test").hears(decides("complete"))
    assert (story.run.waiting, len(story.wanted(RunCheck))) == ("check", 1)
    story.checks(1, output="2 failed")
    assert story.stage == "research"
    story.sees().hears(directs())
    assert "2 failed" in story.sent[-1]
    assert "Port the header first." in story.sent[-1]
    story.works("T2", DONE).checks(0)
    assert story.ended == ("done", "run.done.checked")


def test_the_agents_own_claim_is_checked_before_anybody_is_asked() -> None:
    story = guided(done="make test").hears(routes("respond"))
    story.works("T1", DONE)
    assert (story.run.waiting, story.asked) == ("check", ["guidance_router"])


def test_a_claim_without_a_check_is_looked_at() -> None:
    story = after_a_turn(DONE).hears(decides("continue", next_input="The docs are missing."))
    assert story.run.active
    story.sees().hears(None)
    assert "The docs are missing." in story.sent[-1]


def test_a_review_where_one_is_open() -> None:
    story = after_a_turn(review="on-error").hears(decides("review"))
    assert len(story.wanted(StartReview)) == 1
    story.reviews("R")
    story.sees().hears(directs())
    assert "One thing is wrong." in story.sent[-1]


@pytest.mark.parametrize("code", CODES)
def test_without_a_model_the_rules_go_on_where_that_is_set(code: NoOpinion) -> None:
    story = after_a_turn(policy=BY_RULES).badly(code)
    assert len(story.sent) == 2
    assert story.record(Reason.GUIDANCE_DECIDED_TURN).evidence["by"] == "rules"
    assert story.record(Reason.RUN_CONTINUED_POLICY).evidence["by"] == "rules"
    assert "connection refused" not in story.told
    story.worked("T2", DONE).badly(code)
    assert story.ended == ("done", "run.done.reported")


def test_without_a_model_a_failing_command_comes_first() -> None:
    story = guided(policy=BY_RULES).badly()
    story.worked("T1", commands=("make test",), code=2).badly()
    assert "Find out why this fails, and mend it: make test: boom" in story.sent[-1]


def test_guards_come_before_any_question() -> None:
    """C5, C6"""
    story = after_a_turn(budgets=Budgets(turns=1))
    assert story.ended == ("stopped", "run.stopped.turns")
    assert story.asked == ["guidance_router"]
    story = after_a_turn(policy=BY_RULES)
    for n in range(2, 9):
        story.badly()
        if story.run.active:
            story.works(f"T{n}", "Hm.")
    assert story.ended == ("stopped", "run.stopped.progress")


def test_what_a_question_costs_counts_and_ends_it() -> None:
    """C5: hard stops win over any answer."""
    story = after_a_turn(budgets=Budgets(tokens=25)).hears(decides(), tokens=20)
    assert story.ended == ("stopped", "run.stopped.tokens")
    story = guided("go", budgets=Budgets(tokens=25)).sees().hears(understands()).hears(plans()).hears(directs())
    assert (story.ended, story.sent) == (("stopped", "run.stopped.tokens"), [])


def test_the_budget_of_time_ends_a_wait() -> None:
    story = guided(budgets=Budgets(minutes=1)).tell(facts.DeadlinePassed(name="run.time"), after=61)
    assert (story.ended, story.state.asking) == (("stopped", "run.stopped.time"), ())


def test_a_run_that_is_not_guided_is_as_it_was() -> None:
    story = Guided(policy=RULES).tell(facts.RunSubmitted(order=Order(goal="go")))
    assert isinstance(story, Guided)
    assert (story.sent, story.asked, story.run.guidance) == (["go"], [], None)
