"""Sending a run on: its next message, and whoever goes before it (C8, C14)."""

import pytest
from msgspec.structs import replace

from rawr.core.run.ending import RETRY
from rawr.core.state.run import Waiting
from rawr.core.state.thread import Goal
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel, ClearGoal, FindMessage
from rawr.core.vocabulary.opinions import FullAutoDecision
from rawr.core.vocabulary.order import Order
from tests.core.runs import (
    BACK,
    DONE,
    GOAL,
    JOINED,
    RESUME,
    SPOKEN,
    WAITING,
    Auto,
    handed_off,
    in_a_turn,
    ordered,
    waiting_for,
)
from tests.core.samples import IDLE

# -- turn follows turn ------------------------------------------------------------------------------------------------


def test_turn_follows_turn_and_each_message_carries_the_goal() -> None:
    """C1, C8."""
    story = ordered().works("T1").works("T2", commands=("ls",))
    assert [GOAL in text for text in story.sent] == [True, True, True]
    assert story.sent[2].startswith("[rawr r101] Go on")
    assert (story.run.turns, story.run.waiting) == (2, "turn")


# -- a person who speaks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", WAITING)
def test_a_message_of_the_user_is_delivered_once_in_every_state(what: Waiting) -> None:
    """A15: none is lost, and none is said twice."""
    story = waiting_for(what)
    story.slots = True
    story.tell(SPOKEN)
    for n in range(8):
        if story.sent.count("And mind the docs."):
            break
        _lead_on(story, f"N{n}")
    assert story.sent.count("And mind the docs.") == 1


def _lead_on(story: Auto, turn: str) -> None:
    """Whatever the run waits for comes, and goes well."""
    run, state = story.run, story.state
    if run.waiting == "check":
        story.checks(0)
    elif run.waiting == "review":
        story.reviews("R")
    elif run.waiting in ("retry", "limit"):
        story.tell(facts.DeadlinePassed(name=RETRY), after=61)
    elif run.waiting == "model":
        sure = FullAutoDecision(action="continue", next_input="", reason="", confidence=1)
        asked = facts.ModelAnswered(effect=story.name(AskModel), signature="full_auto_decision", opinion=sure)
        story.tell(asked)
    elif state.sequence is not None:
        handed_off(story).works(turn)
    elif not state.online:
        story.tell(BACK, JOINED)
    elif any(one.finding for one in state.sent):
        story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="T1"))
    elif state.turn is not None:
        story.end(state.turn.id)
    elif state.sent:
        story.works(turn)
    else:
        story.tell(facts.EffectSucceeded(effect="t:0.0"))


def test_a_message_of_the_user_comes_before_the_agents_word_that_it_is_done() -> None:
    """A15, C7: there is still something to do."""
    story = in_a_turn().tell(SPOKEN)
    story.says("T1", DONE).end("T1")
    assert (story.run.status, story.sent[-1]) == ("running", "And mind the docs.")


def test_a_steer_goes_into_the_turn_that_runs() -> None:
    """A15."""
    story = in_a_turn().tell(facts.SteerSubmitted(text="Left."))
    assert [type(one.effect).__name__ for one in story.newest.effects] == ["SteerTurn"]
    assert story.run.waiting == "turn"


# -- Codex's own goal -----------------------------------------------------------------------------------------------


def test_a_goal_of_codexs_own_is_not_raced() -> None:
    """C14."""
    state = replace(IDLE, goal=Goal("Write a book", "active"))
    story = Auto(state).tell(facts.RunSubmitted(order=Order(goal=GOAL)))
    assert story.ended == ("stopped", "run.refused.goal")
    assert story.sent == []


def test_a_goal_of_codexs_own_is_taken_over_when_asked() -> None:
    """C14."""
    state = replace(IDLE, goal=Goal("Write a book", "active"))
    story = Auto(state).tell(facts.RunSubmitted(order=Order(goal=GOAL, take_goal=True)))
    assert story.wanted(ClearGoal)
    assert story.sent == [GOAL]


BOOK = facts.GoalUpdated(objective="Write a book", status="active")


def test_a_goal_that_comes_up_during_a_run_pauses_it() -> None:
    """C14."""
    story = in_a_turn().tell(BOOK)
    story.says("T1", "On.").end("T1")
    assert story.ended == ("paused", "run.refused.goal")
    story.tell(facts.GoalCleared(), RESUME)
    assert (story.run.status, len(story.sent)) == ("running", 2)


def test_a_goal_that_comes_up_between_two_turns_is_given_way_to_at_once() -> None:
    """C14: Codex would start a turn of its own for it."""
    story = ordered(slots=False).tell(BOOK)
    assert story.ended == ("paused", "run.refused.goal")
    assert story.run.stop is not None
    assert "--take-goal" in story.run.stop.detail
    assert story.sent == []


def test_a_run_is_resumed_with_the_goal_taken_over() -> None:
    """C14"""
    story = in_a_turn().tell(BOOK)
    story.says("T1", "On.").end("T1")
    story.tell(facts.RunResumed(take_goal=True))
    assert story.wanted(ClearGoal)
    assert (story.run.status, len(story.sent)) == ("running", 2)
