"""What a person says to a run: begin, pause, stop, go on, do this instead (C5, C13)."""

import pytest
from msgspec.structs import replace

from rawr.core.run.ending import RETRY, TIME
from rawr.core.state.run import Waiting
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import FindMessage, InterruptTurn, ResumeThread
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import UserInput, UserQuestion
from tests.core.runs import (
    BACK,
    DONE,
    GOAL,
    JOINED,
    LOST,
    NOW,
    OVERRIDE,
    PAUSE,
    RESUME,
    STOP,
    WAITING,
    Auto,
    handed_off,
    in_a_sequence,
    in_a_turn,
    ordered,
    waiting_for,
)
from tests.core.samples import CLOSED, IDLE

QUESTION = UserInput(questions=(UserQuestion("q", "Which", "Which one?"),))


# -- an order ---------------------------------------------------------------------------------------------------------


def test_the_goal_starts_the_first_turn_word_for_word() -> None:
    """C1, C8."""
    story = ordered()
    assert story.sent == [GOAL]
    assert (story.run.id, story.run.status, story.run.waiting) == ("r101", "running", "turn")
    assert story.reasons()[:2] == [Reason.RUN_STARTED_SUBMITTED, Reason.TURN_STARTED_INPUT]


def test_one_run_at_a_time() -> None:
    story = in_a_turn().tell(facts.RunSubmitted(order=Order(goal="Another.")))
    assert story.reasons()[-1] is Reason.IGNORED_RUN_ACTIVE
    assert story.run.order.goal == GOAL


def test_a_thread_that_is_closed_takes_no_order() -> None:
    """Nothing would ever wake it."""
    story = Auto(CLOSED).tell(facts.RunSubmitted(order=Order(goal=GOAL)))
    assert story.state.run is None


def test_an_order_wakes_a_thread_that_was_left_alone() -> None:
    """C13: without being joined it would wait for its slot without end."""
    story = Auto(replace(IDLE, online=False, wanted=False)).tell(facts.RunSubmitted(order=Order(goal=GOAL)))
    assert story.wanted(ResumeThread) == [ResumeThread()]
    assert story.tell(JOINED).sent == [GOAL]


def test_a_new_run_does_not_begin_with_what_the_last_one_wanted_to_say() -> None:
    story = ordered(slots=False).tell(STOP)
    story.slots = True
    story.tell(facts.RunSubmitted(order=Order(goal="Another.")))
    assert story.sent == ["Another."]


# -- a person: pause, stop, resume, override ------------------------------------------------------------------------


@pytest.mark.parametrize("what", WAITING)
@pytest.mark.parametrize("word", [PAUSE, NOW])
def test_pause_in_every_state(what: Waiting, word: facts.RunPauseSubmitted) -> None:
    """C5, C13: at once where nothing is under way, otherwise at its end."""
    story = waiting_for(what).tell(word)
    if what == "turn":
        assert story.cuts == word.now
        story.end("T1", "interrupted" if word.now else "completed")
    elif what == "review":
        story.reviews("R")
    elif what == "sequence":
        assert story.cuts == 0
        handed_off(story).works("G")
    assert story.ended == ("paused", "run.paused.person")
    assert not story.state.deadlines
    assert story.tell(RESUME).run.active


@pytest.mark.parametrize("what", WAITING)
def test_stop_in_every_state(what: Waiting) -> None:
    """C5."""
    story = waiting_for(what).tell(STOP)
    if what == "turn":
        assert story.cuts == 1
        story.end("T1", "interrupted")
    elif what == "review":
        story.reviews("R", status="interrupted")
    elif what == "sequence":
        story.begin("H", story.sent[-1], ours=True).uses("H", 101_000)
        assert story.wanted(InterruptTurn) == [InterruptTurn(turn="H")]
        story.end("H", "interrupted")
    assert story.ended == ("stopped", "run.stopped.person")
    assert story.state.queue == () or what == "slot"
    assert story.tell(RESUME).run.active


@pytest.mark.parametrize("what", WAITING)
def test_override_in_every_state(what: Waiting) -> None:
    """C18: the person's words come next, and nothing of the policy's before them."""
    story = waiting_for(what)
    story.slots = True
    said = len(story.sent)
    story.tell(OVERRIDE)
    if what == "turn":
        story.end("T1")
    elif what == "sequence":
        handed_off(story).works("G")
    elif what == "resume":
        story.tell(BACK, JOINED)
        story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="T1"))
    elif what == "limit":
        story.tell(facts.DeadlinePassed(name=RETRY), after=61)
    rest = [text for text in story.sent[said:] if not text.startswith("[rawr c") and text != GOAL]
    if what == "sequence":
        rest = [text for text in rest if text == "Do that instead."]
    if what != "slot":
        assert rest[0] == "Do that instead."
    assert story.run.active


@pytest.mark.parametrize("status", ["stopped", "paused", "failed"])
def test_override_resumes_a_run_that_does_not_run(status: str) -> None:
    """C13, C18: with its clock, and without the history that stopped it."""
    story = in_a_turn(budgets=Budgets(minutes=5))
    if status != "failed":
        story.tell(STOP if status == "stopped" else NOW).end("T1", "interrupted")
    else:
        story.tell(facts.TurnCompleted(turn="T1", status="failed", problem=facts.Problem("no", code="badRequest")))
    story.tell(OVERRIDE)
    assert (story.run.status, story.sent[-1]) == ("running", "Do that instead.")
    assert [one.name for one in story.deadlines] == [TIME]


def test_an_override_takes_the_place_of_a_check() -> None:
    """C18: a result that comes later is about what came before."""
    story = waiting_for("check").tell(OVERRIDE)
    assert story.sent[-1] == "Do that instead."
    story.checks(0)
    assert story.run.active


def test_an_override_after_a_passed_check_takes_its_word_back() -> None:
    """C7, C18: what was checked is not what comes next."""
    story = waiting_for("check").checks(0)
    assert (story.run.status, story.run.done) == ("done", "checked")
    story.tell(OVERRIDE).tell(STOP).begin("T9", "Do that instead.", ours=True).end("T9", "interrupted")
    assert (story.run.status, story.run.done) == ("stopped", "no")


def test_a_stop_does_not_wait_for_a_connection() -> None:
    """C5: nothing could be ended from here, and it may never come back."""
    assert in_a_turn().tell(LOST, STOP).ended == ("stopped", "run.stopped.person")
    assert in_a_sequence().tell(LOST, NOW).ended == ("paused", "run.paused.person")


def test_a_stop_is_kept_although_its_message_was_lost() -> None:
    """C5, D5: what comes back to the queue is not sent any more."""
    story = in_a_turn().tell(STOP, LOST, BACK, JOINED)
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage)))
    assert story.ended == ("stopped", "run.stopped.person")
    assert len(story.sent) == 1


def test_a_goal_that_was_not_said_yet_is_not_said_by_a_run_that_is_stopped() -> None:
    """C5: the first message looks like a person's, and still it is the run's."""
    story = ordered(slots=False).tell(STOP, facts.UserSubmitted(text="Hello."))
    assert story.sent == ["Hello."]
    story.slots = True
    story.begin("X", "Hello.", ours=True).end("X")
    assert story.sent == ["Hello."]
    story.tell(RESUME)
    assert story.sent == ["Hello.", GOAL]


def test_words_of_the_user_that_equal_the_goal_are_theirs() -> None:
    """A15: no message of a person is lost."""
    story = ordered().works("T1", DONE).tell(facts.UserSubmitted(text=GOAL))
    assert story.sent == [GOAL, GOAL]


def test_a_run_that_is_resumed_while_its_turn_is_still_ending_goes_on() -> None:
    """C13: that turn was interrupted by the pause, not by a person who wants to stop now."""
    story = in_a_turn()
    asked = facts.RequestReceived(request="1/1", question=QUESTION, turn="T1")
    story.tell(asked).tell(facts.DeadlinePassed(name="request:1/1"), after=900)
    assert story.ended == ("paused", "run.paused.unanswered")
    story.tell(RESUME).end("T1", "interrupted")
    assert story.run.active
    assert len(story.sent) == 2


def test_words_that_are_about_no_run_are_ignored() -> None:
    for word in (STOP, PAUSE, RESUME, OVERRIDE):
        story = Auto().tell(word)
        assert story.reasons() == [Reason.IGNORED_NO_RUN]
    story = ordered().works("T1", DONE)
    for word in (STOP, PAUSE, RESUME):
        story.tell(word)
        assert story.reasons()[-1] is Reason.IGNORED_NO_RUN
    assert story.ended[0] == "done"
