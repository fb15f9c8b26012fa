"""Ending the turn of a run before its time, where that cuts nothing in two (C5)."""

import pytest

from rawr.core.run.ending import TIME
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import InterruptTurn
from rawr.core.vocabulary.order import Budgets
from tests.core.runs import GOAL, NOW, PAUSE, STOP, handed_off, in_a_sequence, ordered


def test_a_turn_that_does_not_end_is_interrupted_again() -> None:
    """C5: the first time it was not there yet."""
    story = ordered(budgets=Budgets(minutes=1)).tell(facts.DeadlinePassed(name=TIME), after=60)
    assert (story.cuts, story.run.status) == (0, "running")
    story.begin("T1", GOAL, ours=True).tell(facts.DeadlinePassed(name=TIME), after=60)
    assert story.cuts == 1


@pytest.mark.parametrize("word", [NOW, STOP])
def test_a_turn_that_was_on_its_way_is_cut_short_once_its_message_is_in(
    word: facts.RunPauseSubmitted | facts.RunStopSubmitted,
) -> None:
    """C5, C13: “now” was said while the turn was being started, so there was nothing yet to interrupt."""
    story = ordered().tell(word)
    assert (story.run.active, story.cuts) == (True, 0)
    story.begin("T1", GOAL, ours=True)
    story.says("T1", "Off I go.")
    assert story.cuts == 1
    story.end("T1", "interrupted")
    assert story.ended[0] == ("paused" if word is NOW else "stopped")


def test_a_pause_at_the_turns_end_lets_the_turn_that_was_on_its_way_run() -> None:
    """C5, C13"""
    story = ordered().tell(PAUSE)
    story.begin("T1", GOAL, ours=True)
    assert story.cuts == 0
    story.end("T1")
    assert story.ended == ("paused", "run.paused.person")


def test_after_a_pause_in_a_sequence_the_handoff_is_said_and_its_turn_cut_short() -> None:
    """C5, B6: the sequence comes to its end; what follows from it does not begin."""
    story = handed_off(in_a_sequence().tell(NOW))
    assert story.cuts == 0
    story.begin("G", story.sent[-1], ours=True)
    assert story.cuts == 1
    story.end("G", "interrupted")
    assert story.ended == ("paused", "run.paused.person")


def test_a_stop_that_comes_while_a_message_is_on_its_way_ends_its_turn() -> None:
    """C5: after no more than one model call."""
    story = ordered().tell(STOP)
    assert story.run.active
    story.begin("T1", GOAL, ours=True).uses("T1", 20_000)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T1")]
    story.end("T1", "interrupted")
    assert story.ended == ("stopped", "run.stopped.person")
