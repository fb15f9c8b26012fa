"""A message that waits is withdrawn by its number, and only then; what was sent stays sent (A15, D5)."""

import pytest

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.runs import GOAL, ordered
from tests.core.samples import QUIET, RUNNING, Story

pytestmark = pytest.mark.mission("A15", "D5")


def waiting() -> Story:
    """Two messages wait for the running turn."""
    told = facts.UserSubmitted(text="first"), facts.UserSubmitted(text="second")
    return Story(RUNNING, policy=QUIET).tell(*told)


def test_a_message_that_waits_is_not_sent() -> None:
    story = waiting()
    number = story.state.queue[0].seq
    story.tell(facts.MessageWithdrawn(message=number))
    assert [one.text for one in story.state.queue] == ["second"]
    assert story.newest.records[0].reason is Reason.TURN_WITHDRAWN_SUBMITTED
    assert story.newest.records[0].evidence == {"message": number, "text": "first"}
    story.end("T1")
    assert [one.text for one in story.wanted(StartTurn)] == ["second"]


def test_a_message_that_was_sent_stays_sent() -> None:
    story = waiting()
    number = story.state.queue[0].seq
    story.end("T1")
    before = story.state
    story.tell(facts.MessageWithdrawn(message=number))
    assert story.reasons()[-1] is Reason.IGNORED_UNKNOWN_MESSAGE
    assert (story.state.queue, story.state.sent) == (before.queue, before.sent)


def test_nothing_is_withdrawn_twice() -> None:
    story = waiting()
    gone = facts.MessageWithdrawn(message=story.state.queue[0].seq)
    story.tell(gone, gone)
    assert story.reasons()[-1] is Reason.IGNORED_UNKNOWN_MESSAGE
    assert [one.text for one in story.state.queue] == ["second"]


def test_a_goal_goes_with_its_run() -> None:
    """C8: it is a person's words, but the run was ordered with them."""
    story = ordered(slots=False)
    [goal] = story.state.queue
    story.tell(facts.MessageWithdrawn(message=goal.seq))
    assert [one.text for one in story.state.queue] == [GOAL]
    assert story.reasons()[-1] is Reason.IGNORED_UNKNOWN_MESSAGE
