"""A turn that ignores an interrupt: asked twice, then Codex is started anew, then the run rests (C5, C13)."""

from collections.abc import Callable

import pytest

from rawr.core.compaction.packet_turn import DEADLINE as PACKET_LATE
from rawr.core.run.ending import STALL
from rawr.core.thread.cutting import DEADLINE
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import (
    CancelDeadline,
    FindMessage,
    InterruptTurn,
    Notify,
    RestartCodex,
    SetDeadline,
    StartTurn,
)
from rawr.core.vocabulary.order import Budgets
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import UserInput
from tests.core.runs import BACK, JOINED, LOST, STARTED, Auto, in_a_sequence, in_a_turn, ordered
from tests.core.samples import RUNNING, Story, decided

ASKED = UserInput(questions=())


def _passes(story: Story, name: str) -> Story:
    """Time goes on to a deadline, and it passes."""
    story.at = max(story.at, next(one.at for one in reversed(story.wanted(SetDeadline)) if one.name == name) - 1_000)
    return story.tell(facts.DeadlinePassed(name=name))


def _paused() -> Auto:
    return in_a_turn().tell(facts.RunPauseSubmitted(now=True))


def _stopped() -> Auto:
    return in_a_turn().tell(facts.RunStopSubmitted())


def _stalled() -> Auto:
    story = in_a_turn()
    _passes(story, STALL)
    if not story.cuts:
        _passes(story, STALL)
    return story


def _over_budget() -> Auto:
    story = in_a_turn(budgets=Budgets(turns=9, tokens=10))
    story.uses("T1", 100)
    return story


def _interrupted() -> Auto:
    return in_a_turn().tell(facts.InterruptSubmitted())


def _unanswered() -> Auto:
    story = in_a_turn()
    story.tell(facts.RequestReceived(request="1/1", question=ASKED, turn="T1"))
    _passes(story, "request:1/1")
    return story


def _late_packet() -> Auto:
    story = in_a_sequence()
    story.begin("P", story.sent[-1], ours=True)
    _passes(story, PACKET_LATE)
    return story


def _watched() -> Story:
    """No run: rawr asked for a packet on a thread, and it does not come."""
    story = decided()
    story.begin("P", "heads-up", ours=True)
    return _passes(story, PACKET_LATE)


def _by_a_person() -> Story:
    return Story(RUNNING).tell(facts.InterruptSubmitted())


def _on_its_way(word: facts.AnyFact, *, answered: bool) -> Auto:
    """The first message is out: Codex took it and says nothing more, or does not even answer."""
    story = ordered()
    if answered:
        story.tell(facts.EffectSucceeded(effect=story.name(StartTurn), result="T1"))
    return story.tell(word)


@pytest.mark.parametrize("word", [facts.RunPauseSubmitted(now=True), facts.RunStopSubmitted()])
@pytest.mark.parametrize("answered", [True, False])
def test_a_turn_that_never_comes_is_not_waited_for_either(word: facts.AnyFact, answered: bool) -> None:
    """C5"""
    story = _on_its_way(word, answered=answered)
    assert (story.run.active, story.cuts) == (True, int(answered))
    for _ in range(2):
        _passes(story, DEADLINE)
    assert (story.cuts, len(story.wanted(RestartCodex))) == (2 * answered, 1)
    assert story.ended == ("paused", "run.paused.wedged")


def test_a_message_of_which_nothing_more_is_heard_is_a_stall() -> None:
    """C5: Codex answered ``turn/start``, and that was all."""
    story = ordered()
    story.tell(facts.EffectSucceeded(effect=story.name(StartTurn), result="T1"))
    _passes(story, STALL)
    if not story.cuts:
        _passes(story, STALL)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T1")]


def test_one_that_comes_after_all_is_cut_by_its_name() -> None:
    story = _on_its_way(facts.RunPauseSubmitted(now=True), answered=False)
    story.begin("T1", story.sent[-1], ours=True)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T1")]
    story.end("T1", "interrupted")
    assert (story.ended, story.state.cut) == (("paused", "run.paused.person"), None)


CUTS: dict[str, Callable[[], Story]] = {
    "pause --now": _paused,
    "stop": _stopped,
    "stall": _stalled,
    "budget": _over_budget,
    "interrupt in a run": _interrupted,
    "unanswered": _unanswered,
    "late packet": _late_packet,
    "late packet, watched": _watched,
    "interrupt": _by_a_person,
}
"""Every place where a turn is ended before its time."""
AT_REST = {"unanswered": ("paused", "run.paused.unanswered")}


@pytest.mark.parametrize("name", CUTS)
def test_it_is_asked_twice_and_then_codex_is_started_anew(name: str) -> None:
    """C5: and once only, however long the turn goes on."""
    story = CUTS[name]()
    turn = story.state.turn
    assert turn is not None
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn=turn.id)]
    _passes(story, DEADLINE)
    assert (len(story.wanted(InterruptTurn)), story.wanted(RestartCodex)) == (2, [])
    _passes(story, DEADLINE)
    assert (len(story.wanted(InterruptTurn)), len(story.wanted(RestartCodex))) == (2, 1)
    assert story.reasons().count(Reason.TURN_FAILED_WEDGED) == 1
    assert story.state.sequence is None
    assert DEADLINE not in {one.name for one in story.state.deadlines}
    if isinstance(story, Auto):
        assert story.ended == AT_REST.get(name, ("paused", "run.paused.wedged"))
        assert story.run.turns >= 1


@pytest.mark.parametrize("name", CUTS)
def test_a_turn_that_ends_is_not_asked_again(name: str) -> None:
    story = CUTS[name]()
    turn = story.state.turn
    assert turn is not None
    story.end(turn.id, "interrupted")
    assert story.state.cut is None
    assert CancelDeadline(name=DEADLINE) in [one.effect for one in story.newest.effects]
    story.tell(facts.DeadlinePassed(name=DEADLINE), after=60)
    assert (len(story.wanted(InterruptTurn)), story.wanted(RestartCodex)) == (1, [])


def test_who_asks_again_meanwhile_moves_no_deadline() -> None:
    """C5: pausing and then stopping is one wish, and its time runs from the first word."""
    story = _paused()
    (first,) = [one.at for one in story.wanted(SetDeadline) if one.name == DEADLINE]
    story.tell(facts.RunStopSubmitted())
    assert [one.at for one in story.wanted(SetDeadline) if one.name == DEADLINE] == [first]
    assert story.cuts == 2
    _passes(story, DEADLINE)
    _passes(story, DEADLINE)
    assert story.ended == ("paused", "run.paused.wedged")


def test_the_turn_is_over_with_the_codex_that_ran_it() -> None:
    """C13: and the run can be resumed."""
    story = _paused()
    for _ in range(2):
        _passes(story, DEADLINE)
    story.tell(facts.EffectSucceeded(effect=story.name(RestartCodex), result="restarted"), LOST, BACK)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="T1", last_status="interrupted"))
    assert (story.state.turn, story.state.cut) == (None, None)
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="T1"))
    said = len(story.sent)
    story.tell(facts.RunResumed())
    assert (story.run.waiting, len(story.sent)) == ("turn", said + 1)


def test_somebody_elses_codex_is_only_connected_to_anew_and_they_are_told() -> None:
    """The turn still runs there: nothing is asked of it a third time."""
    story = _paused()
    for _ in range(2):
        _passes(story, DEADLINE)
    story.tell(facts.EffectSucceeded(effect=story.name(RestartCodex), result="reconnected"))
    assert "cannot restart it" in story.wanted(Notify)[-1].text
    story.tell(LOST, BACK)
    story.tell(facts.ThreadJoined(cwd="/project", idle=False, last_turn="T1", last_status="inProgress"))
    assert story.state.turn is not None
    story.tell(facts.DeadlinePassed(name=DEADLINE), after=600)
    assert (story.cuts, len(story.wanted(RestartCodex))) == (2, 1)


def test_a_lost_connection_starts_the_asking_anew() -> None:
    """D5: over a socket the turn may have gone on; the interrupt may have been lost with the connection."""
    story = _paused()
    story.tell(LOST)
    assert DEADLINE not in {one.name for one in story.state.deadlines}
    story.tell(BACK, facts.ThreadJoined(cwd="/project", idle=False, last_turn="T1", last_status="inProgress"))
    assert (story.cuts, story.state.cut is not None) == (2, True)
    assert DEADLINE in {one.name for one in story.state.deadlines}


def test_after_a_restart_of_rawr_nobody_wants_it_ended_any_more() -> None:
    story = _paused().tell(STARTED, BACK, JOINED)
    assert story.state.cut is None
    assert story.cuts == 1
