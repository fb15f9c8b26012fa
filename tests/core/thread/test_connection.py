"""The connection as one thread sees it: lost, back, joined again, closed."""

import pytest
from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.state.deadlines import Deadline
from rawr.core.state.messages import Queued, Sent
from rawr.core.state.sequence import CompactionPast, CompactionRun
from rawr.core.state.thread import OpenRequest, ThreadState
from rawr.core.state.turn import ActiveTurn, TurnOutcome
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import CancelDeadline, FindMessage, Notify, ResumeThread, SetDeadline, StartTurn
from rawr.core.vocabulary.limits import InForce, Limits, Sandboxing
from rawr.core.vocabulary.payloads import TurnOver
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import CommandApproval
from tests.core.samples import (
    AT,
    AWAY,
    CLOSED,
    COMPACTING,
    CUT_OFF,
    HELLO,
    IDLE,
    RUNNING,
    SENT,
    Story,
    audited,
    cut_off,
    do,
    fold,
    seen,
    take,
    why,
)

LOST = facts.ServerLost(epoch=1, problem="gone")
CONNECTED = facts.ServerConnected(epoch=2, user_agent="codex", codex_home="/c", transport="stdio")
RESUMING = replace(AWAY, resuming="t:5.0")
AWAY_IN_A_TURN = replace(RUNNING, online=False, certain=False)


def joined(
    *, idle: bool = True, last_turn: str = "", last_status: str = "", missed: tuple[facts.MissedTurn, ...] = ()
) -> facts.ThreadJoined:
    return facts.ThreadJoined(cwd="/project", idle=idle, last_turn=last_turn, last_status=last_status, missed=missed)


def over(turn: str, status: facts.TurnStatus = "interrupted") -> ThreadState:
    """A turn whose end was not seen."""
    return replace(IDLE, last_turn=TurnOutcome(turn, status, AT, lost=True), ended=(turn,), turns=1)


# -- lost and back ------------------------------------------------------------------------------------------------


def test_a_lost_connection_leaves_the_turn_as_it_was() -> None:
    """Over a socket it may well go on."""
    assert take(RUNNING, LOST) == Step(AWAY_IN_A_TURN)


def test_a_thread_of_ours_is_joined_again() -> None:
    assert take(AWAY, CONNECTED) == Step(
        replace(AWAY, resuming="t:7.0"), (do(ResumeThread()),), (why(Reason.THREAD_RESUMED_RECONNECT),)
    )


def test_what_a_late_fact_told_does_not_outlive_a_new_connection() -> None:
    """The answer of the last connection can be told after its loss."""
    stale = replace(IDLE, resuming="")
    assert take(stale, CONNECTED).state == replace(AWAY, resuming="t:7.0")


@pytest.mark.parametrize("state", [CLOSED, ThreadState("t"), ThreadState("t", ephemeral=True)])
def test_others_are_left_alone(state: ThreadState) -> None:
    assert take(state, CONNECTED) == Step(state)


def test_a_thread_that_was_watched_is_wanted_again() -> None:
    theirs = ThreadState("t", online=True)
    assert take(theirs, LOST) == Step(ThreadState("t", wanted=True))
    assert take(take(theirs, LOST).state, CONNECTED).effects == (do(ResumeThread()),)


def test_an_ephemeral_thread_ends_with_its_connection() -> None:
    """Codex keeps no history of it: what waited is told, and not left waiting."""
    state = replace(AWAY, ephemeral=True, queue=(HELLO,))
    assert take(state, CONNECTED) == Step(
        replace(AWAY, ephemeral=True, closed=True),
        (do(Notify(level="error", text="The thread was closed; messages that Codex did not confirm: 1.")),),
        (why(Reason.TURN_FAILED_CLOSED, message=3),),
    )


def test_when_rawr_was_away_deadlines_are_set_again() -> None:
    """B10, C13: timers live in memory; what they stand for is in the state."""
    at = AT + 598_000
    assert take(COMPACTING, facts.RuntimeStarted(version="1", policy="p")) == Step(
        replace(
            COMPACTING,
            online=False,
            certain=False,
            compacting=CompactionRun("rawr", AT - 2_000, effect="t:4.0", tokens_before=90_000, doubted=True),
        ),
        (do(SetDeadline(name="compaction", at=at)),),
    )


def test_deadlines_of_questions_end_with_them() -> None:
    question = OpenRequest("1/1", CommandApproval(command="x", cwd="/"), AT, "T1")
    asked = replace(RUNNING, requests=(question,), deadlines=(Deadline("request:1/1", AT + 5),))
    assert take(asked, facts.RuntimeStarted(version="1", policy="p")) == Step(
        AWAY_IN_A_TURN, (do(CancelDeadline(name="request:1/1")),)
    )


# -- joined again -------------------------------------------------------------------------------------------------


def test_joined_and_idle() -> None:
    assert take(RESUMING, joined()) == Step(IDLE)
    assert take(IDLE, facts.EffectSucceeded(effect="t:5.0")) == Step(IDLE)


def test_what_waited_goes_out() -> None:
    """A15, C13."""
    waiting = replace(AWAY, queue=(HELLO, Queued(5, "later")))
    assert take(waiting, joined()) == Step(
        replace(IDLE, queue=(Queued(5, "later"),), sent=(Sent("t:7.0", HELLO),)),
        (do(StartTurn(text="hello")),),
        (why(Reason.TURN_STARTED_INPUT, message=3, waiting=1),),
    )


def test_what_is_in_doubt_is_looked_up_first() -> None:
    """D5."""
    waiting = replace(AWAY, sent=(Sent("t:3.0", HELLO, doubt="lost"),), queue=(Queued(5, "later"),))
    assert take(waiting, joined()) == Step(
        replace(
            IDLE,
            sent=(Sent("t:3.0", HELLO, doubt="lost", finding="t:7.0", lookups=1),),
            queue=(Queued(5, "later"),),
        ),
        (do(FindMessage(message="t:3.0", text="hello")),),
    )


@pytest.mark.parametrize("status", ["completed", "failed", "interrupted"])
def test_a_turn_that_ended_meanwhile_has_the_end_that_history_gives_it(status: facts.TurnStatus) -> None:
    effects, records = ((), ()) if status == "completed" else ((do(CUT_OFF),), (cut_off("T1"),))
    assert take(AWAY_IN_A_TURN, joined(last_turn="T1", last_status=status)) == Step(
        over("T1", status), effects, records, (seen("turn_completed", "T1", TurnOver(status)),)
    )


def test_a_turn_that_history_does_not_show_as_ended_was_cut_off() -> None:
    cut = (seen("turn_completed", "T1", TurnOver("interrupted")),)
    expected = Step(over("T1"), (do(CUT_OFF),), (cut_off("T1"),), cut)
    other = take(AWAY_IN_A_TURN, joined(last_turn="T2", last_status="completed"))
    assert other == replace(expected, state=replace(expected.state, ended=("T1", "T2")))
    assert take(AWAY_IN_A_TURN, joined(last_turn="T1", last_status="inProgress")) == expected


def test_a_turn_that_was_over_before_the_last_one_does_not_begin_again() -> None:
    """D5: a compaction's item that is told late, of a turn that another client's turn has followed."""
    told = joined(
        last_turn="T3",
        last_status="completed",
        missed=(facts.MissedTurn("T2"), facts.MissedTurn("T3", spoken=True)),
    )
    story = Story(AWAY).tell(told)
    assert story.state.ended == ("T2", "T3")
    late = items.Compaction(id="c")
    story.tell(facts.ItemStarted(turn="T2", item=late), facts.ItemCompleted(turn="T2", item=late))
    assert (story.state.turn, story.state.busy) == (None, False)


def test_a_turn_that_still_runs_goes_on() -> None:
    assert take(AWAY_IN_A_TURN, joined(idle=False, last_turn="T1", last_status="inProgress")) == Step(RUNNING)


def test_another_turn_runs_now() -> None:
    """And nothing is started into it."""
    away = replace(AWAY_IN_A_TURN, queue=(HELLO,))
    assert take(away, joined(idle=False, last_turn="T2", last_status="inProgress")) == Step(
        replace(over("T1"), turn=ActiveTurn("T2", AT, midway=True), queue=(HELLO,)),
        (do(CUT_OFF),),
        (cut_off("T1"),),
        (seen("turn_completed", "T1", TurnOver("interrupted")),),
    )
    fresh = replace(AWAY, queue=(HELLO,))
    assert take(fresh, joined(idle=False, last_turn="T2", last_status="inProgress")) == Step(
        replace(IDLE, turn=ActiveTurn("T2", AT, midway=True), queue=(HELLO,))
    )


def test_a_turn_runs_that_is_not_listed_yet() -> None:
    """That one runs is enough to wait for it; its first event brings the name."""
    away = replace(AWAY, queue=(HELLO,))
    unnamed = replace(IDLE, certain=False, turn=ActiveTurn("", AT, midway=True), queue=(HELLO,))
    assert take(away, joined(idle=False, last_turn="T0", last_status="completed")) == Step(unnamed)
    assert take(away, joined(idle=False)) == Step(unnamed)
    ended = take(unnamed, facts.TurnCompleted(turn="T1", status="completed"))
    assert ended.effects == (do(StartTurn(text="hello")),)
    named = take(unnamed, facts.TurnStarted(turn="T1"))
    assert named == Step(
        replace(IDLE, turn=ActiveTurn("T1", AT), queue=(HELLO,)), boundaries=(seen("turn_started", "T1"),)
    )
    assert take(unnamed, joined(idle=False, last_turn="T1", last_status="inProgress")).state.turn == ActiveTurn(
        "T1", AT, midway=True
    )
    assert take(unnamed, joined()).effects == (do(StartTurn(text="hello")),)


def test_the_turn_we_knew_may_be_the_one_that_is_not_listed() -> None:
    """It is kept until an event shows it, or another one, to be the running turn."""
    unsure = take(AWAY_IN_A_TURN, joined(idle=False, last_turn="T0", last_status="completed"))
    assert unsure == Step(replace(RUNNING, certain=False))
    same = take(unsure.state, facts.TurnCompleted(turn="T1", status="completed")).state
    assert (same.turn, same.ended, same.turns) == (None, ("T1",), 1)
    other = take(unsure.state, facts.TurnCompleted(turn="T2", status="completed")).state
    assert (other.turn, other.ended, other.turns) == (None, ("T1", "T2"), 2)


def test_an_event_knows_better_than_a_status_from_before_it() -> None:
    """Events come as soon as the thread is joined, and the answer of the call that joined it after them."""
    begun = fold(AWAY, facts.TurnStarted(turn="T5"))
    assert take(begun, joined()) == Step(replace(IDLE, turn=ActiveTurn("T5", AT)))
    ended = fold(AWAY_IN_A_TURN, facts.TurnCompleted(turn="T1", status="completed"))
    assert take(ended, joined(idle=False, last_turn="T1", last_status="completed")).state.turn is None


def test_a_thread_that_comes_back_is_open_again() -> None:
    assert take(CLOSED, facts.ThreadJoined(cwd="/new", model="m", last_turn="T1")) == Step(
        replace(IDLE, cwd="/new", model="m")
    )


# -- not joined ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["refused", "moot"])
def test_a_thread_that_cannot_be_joined_is_closed_and_its_messages_are_told(code: facts.FailureCode) -> None:
    """A15: each with its number, so that nobody waits for it."""
    state = replace(RESUMING, queue=(Queued(6, "later"),), sent=(Sent("t:3.0", HELLO, doubt="lost"),))
    failed = facts.EffectFailed(effect="t:5.0", problem="no rollout found", code=code)
    assert take(state, failed) == Step(
        replace(AWAY, closed=True),
        (
            do(Notify(level="error", text="Codex cannot continue this thread: no rollout found")),
            do(Notify(level="error", text="The thread was closed; messages that Codex did not confirm: 2."), 1),
        ),
        (
            why(Reason.THREAD_FAILED_REFUSED, problem="no rollout found"),
            why(Reason.TURN_FAILED_CLOSED, message=3),
            why(Reason.TURN_FAILED_CLOSED, message=6),
        ),
    )


def test_a_slow_codex_is_asked_again() -> None:
    failed = facts.EffectFailed(effect="t:5.0", problem="30 seconds", code="timed_out")
    assert take(RESUMING, failed) == Step(replace(AWAY, resuming="t:7.0"), (do(ResumeThread()),))


@pytest.mark.parametrize("code", ["lost", "unsent"])
def test_without_a_connection_the_next_one_is_waited_for(code: facts.FailureCode) -> None:
    assert take(RESUMING, facts.EffectFailed(effect="t:5.0", problem="gone", code=code)) == Step(AWAY)


# -- closed -------------------------------------------------------------------------------------------------------


def test_with_a_thread_everything_about_it_ends() -> None:
    """No deadline is left behind, and no message without a word."""
    question = OpenRequest("1/1", CommandApproval(command="x", cwd="/"), AT, "T1")
    state = replace(
        COMPACTING,
        turn=ActiveTurn("T1", AT),
        requests=(question,),
        deadlines=(*COMPACTING.deadlines, Deadline("request:1/1", AT + 5)),
        queue=(Queued(6, "later"),),
        sent=(Sent("t:3.0", HELLO, turn="T0"),),
        resuming="t:1.0",
    )
    assert take(state, facts.ThreadClosed()) == Step(
        replace(
            over("T1"),
            online=False,
            closed=True,
            compactions=(CompactionPast("rawr", "", AT, False, 90_000, None, 2_000),),
        ),
        (
            do(CancelDeadline(name="request:1/1")),
            do(CancelDeadline(name="compaction"), 1),
            do(Notify(level="error", text="The thread was closed; messages that Codex did not confirm: 2."), 2),
        ),
        (
            why(Reason.COMPACT_FAILED_TURN, turn="", status="thread closed"),
            audited(ok=False),
            why(Reason.TURN_FAILED_CLOSED, message=3),
            why(Reason.TURN_FAILED_CLOSED, message=6),
        ),
    )


def test_closing_an_idle_thread_twice_is_closing_it_once() -> None:
    assert take(IDLE, facts.ThreadClosed()) == Step(CLOSED)
    assert take(CLOSED, facts.ThreadClosed()) == Step(CLOSED)


def test_an_outcome_of_something_long_over_changes_nothing() -> None:
    for state in (IDLE, RUNNING, SENT, COMPACTING, CLOSED):
        assert take(state, facts.EffectSucceeded(effect="t:1.9", result="x")) == Step(state)
        assert take(state, facts.EffectFailed(effect="t:1.9", problem="p", code="lost")) == Step(state)


# -- taken into hand --------------------------------------------------------------------------------------------------


def test_a_thread_that_is_adopted_is_joined_with_its_history() -> None:
    """C13"""
    known = ThreadState("t")
    assert take(known, facts.ThreadAdopted()) == Step(
        replace(known, ours=True, wanted=True, resuming="t:7.0", limits=Limits()),
        (do(ResumeThread(history=True, limits=Limits())),),
    )
    watched = replace(IDLE, ours=False, in_force=InForce("/project", Sandboxing("read-only"), "untrusted"))
    kept = Limits("/project", Sandboxing("read-only"), exact=True, approvals="untrusted", reviewer="user")
    assert take(watched, facts.ThreadAdopted()) == Step(replace(watched, ours=True, wanted=True, limits=kept))
