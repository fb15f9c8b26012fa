"""A run after an absence: the thread is back, a message was lost, rawr was started again (C13)."""

import pytest
from msgspec.structs import replace

from rawr.core.run.ending import RETRY
from rawr.core.state.run import Waiting
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import FindMessage, InjectPacket, ResumeThread, RunCheck, StartReview, StartTurn
from tests.core.runs import (
    BACK,
    DONE,
    GOAL,
    JOINED,
    LOST,
    OVERRIDE,
    RESUME,
    STARTED,
    WAITING,
    in_a_sequence,
    in_a_turn,
    ordered,
    rules,
    waiting_for,
)


def test_a_turn_that_was_cut_off_is_taken_up_once() -> None:
    """D5, C13."""
    story = in_a_turn().tell(LOST, BACK)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="T1", last_status="interrupted"))
    story.tell(facts.EffectSucceeded(effect=story.name(ResumeThread)))
    assert len(story.sent) == 1
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="T1"))
    assert (story.run.waiting, len(story.sent)) == ("turn", 2)
    assert story.sent[-1].startswith("[rawr")


def test_a_message_that_was_lost_is_sent_again_and_no_other() -> None:
    """D5."""
    story = in_a_turn().tell(LOST, BACK, JOINED)
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage)))
    assert story.sent == [GOAL, GOAL]


def test_a_codex_that_dies_in_every_turn_is_given_up() -> None:
    """C5: passing trouble is tried again, and not for ever."""
    story = in_a_turn(policy=rules(retries=2))
    for n in range(1, 5):
        if not story.run.active:
            break
        turn = f"T{n}"
        if n > 1:
            story.begin(turn, story.sent[-1], ours=True)
        story.tell(LOST, BACK, facts.ThreadJoined(cwd="/project", last_turn=turn, last_status="interrupted"))
        story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result=turn))
    assert story.ended == ("failed", "run.failed.retries")


def test_a_turn_that_completed_unseen_is_judged() -> None:
    """C7, D5."""
    story = in_a_turn().tell(LOST, BACK)
    seen = facts.ThreadJoined(cwd="/project", last_turn="T1", last_status="completed", last_said=DONE)
    story.tell(seen)
    assert story.ended == ("done", "run.done.reported")


@pytest.mark.parametrize("what", WAITING)
def test_a_run_does_not_go_on_because_some_rawr_starts(what: Waiting) -> None:
    """C13: it is resumed by name, and until then nothing of it is said."""
    story = waiting_for(what)
    said = len(story.sent)
    story.tell(STARTED, BACK, JOINED)
    for intended in list(story.effects):
        if isinstance(intended.effect, FindMessage | ResumeThread):
            story.tell(facts.EffectSucceeded(effect=intended.id))
    assert story.ended == ("paused", "run.paused.away")
    again = [text for text in story.sent[said:] if text == GOAL or text.startswith("[rawr r")]
    assert again == []


@pytest.mark.parametrize("first", ["resumed", "joined"])
@pytest.mark.parametrize("what", WAITING)
def test_resumed_after_a_restart_it_goes_on_exactly_once(what: Waiting, first: str) -> None:
    """C13, D5: whichever comes first, the word to resume or the thread."""
    story = waiting_for(what)
    story.slots = True
    said = len(story.sent)
    story.tell(STARTED)
    told: list[facts.AnyFact] = [RESUME, BACK, JOINED] if first == "resumed" else [BACK, JOINED, RESUME]
    story.tell(*told)
    for _ in range(3):
        for intended in list(story.effects):
            if isinstance(intended.effect, FindMessage | ResumeThread):
                story.tell(facts.EffectSucceeded(effect=intended.id))
    assert story.run.active
    assert len(story.sent) <= said + 1
    if what == "limit":
        assert story.run.waiting == "limit"
    else:
        assert len(story.state.sent) + len(story.wanted(RunCheck)) + len(story.wanted(StartReview)) >= 1


def test_a_run_that_waits_is_not_touched_by_a_lost_connection() -> None:
    """C12: the wait goes on, and then the connection is waited for."""
    story = waiting_for("retry").tell(LOST)
    story.tell(facts.DeadlinePassed(name=RETRY), after=2)
    assert (story.run.waiting, len(story.sent)) == ("slot", 1)
    story.tell(BACK, JOINED)
    assert (story.run.waiting, len(story.sent)) == ("turn", 2)


@pytest.mark.parametrize("word", [RESUME, OVERRIDE])
def test_a_thread_that_is_closed_pauses_the_run(word: facts.AnyFact) -> None:
    """C5, C13: going on with it opens the thread again. See test_closing for every moment in which it may happen."""
    story = in_a_turn().tell(facts.ThreadClosed())
    assert story.ended == ("paused", "run.paused.closed")
    story.tell(word)
    assert (story.run.active, story.state.closed, len(story.wanted(ResumeThread))) == (True, False, 1)


def test_a_message_that_codex_refuses_pauses_the_run() -> None:
    """C5."""
    story = ordered()
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="not now", code="refused"))
    assert story.ended == ("paused", "run.paused.refused")
    story.tell(RESUME)
    assert (story.run.waiting, len(story.sent)) == ("turn", 2)


def test_a_heads_up_whose_turn_was_cut_off_unseen_is_not_waited_for() -> None:
    """C13, D5: rawr died as it said it. History has the message, and a turn that nobody will end."""
    story = in_a_sequence().tell(STARTED)
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="rawr ended", code="lost"))
    story.tell(BACK, facts.RunResumed())
    story.tell(replace(JOINED, last_turn="H", last_status="interrupted"))
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="H"))
    assert story.wanted(InjectPacket)
