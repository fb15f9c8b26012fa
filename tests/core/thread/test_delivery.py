"""A person's message reaches the agent exactly once, whatever breaks on the way (A15, D5)."""

import pytest
from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.state.ledger import Ledger
from rawr.core.state.messages import Queued, Sent
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import ActiveTurn, TurnOutcome
from rawr.core.thread.delivery import MAX_LOOKUPS
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import FindMessage, Notify, StartTurn
from rawr.core.vocabulary.payloads import TurnOver
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import AT, AWAY, DOUBTED, HELLO, IDLE, RUNNING, SENT, do, fold, seen, take, why

STEERED = replace(RUNNING, sent=(Sent("t:3.0", HELLO, steer=True, turn="T1"),))
SHOWN = facts.ItemCompleted(turn="T1", item=items.UserMessage(id="u", text="hello", client_id="t:3.0"))
UNCONFIRMED = Notify(level="error", text="Codex did not confirm the message; send it again if nothing happens.")


def failed(code: facts.FailureCode, *, effect: str = "t:3.0") -> facts.EffectFailed:
    return facts.EffectFailed(effect=effect, problem="why", code=code)


def doubted(*, lookups: int = 1, doubt: facts.FailureCode = "lost") -> ThreadState:
    assert doubt in ("lost", "timed_out")
    return replace(IDLE, sent=(Sent("t:3.0", HELLO, doubt=doubt, finding="t:5.0", lookups=lookups),))


# -- all goes well ------------------------------------------------------------------------------------------------


def test_a_message_is_in_when_the_turn_that_shows_it_has_ended() -> None:
    for before in (fold(SENT, facts.TurnStarted(turn="T1")), STEERED):
        state = take(before, SHOWN).state
        assert state.sent == (replace(before.sent[0], shown=True, turn="T1"),)
        assert fold(state, facts.TurnCompleted(turn="T1", status="completed")).sent == ()


def test_a_server_that_dies_may_not_have_written_down_what_it_showed() -> None:
    """D5: seen on the real Codex. A message of the turn that was cut off is looked up, and sent again if it is gone."""
    state = fold(SENT, facts.TurnStarted(turn="T1"), SHOWN, facts.ServerLost(epoch=1, problem="killed"))
    assert state.sent == (Sent("t:3.0", HELLO, turn="T1", shown=True, doubt="lost"),)
    joined = facts.ThreadJoined(cwd="/w", idle=True, last_turn="T0", last_status="completed")
    step = take(fold(state, facts.ServerConnected(epoch=2, user_agent="", codex_home="", transport="")), joined)
    assert [type(one.effect) for one in step.effects] == [FindMessage, Notify]


def test_another_clients_message_is_not_ours() -> None:
    other = facts.ItemCompleted(turn="T1", item=items.UserMessage(id="u", text="hello"))
    assert take(fold(SENT, facts.TurnStarted(turn="T1")), other).state.sent == SENT.sent


def test_the_answer_names_the_turn() -> None:
    taken = facts.EffectSucceeded(effect="t:3.0", result="T1")
    assert take(SENT, taken) == Step(replace(IDLE, sent=(Sent("t:3.0", HELLO, turn="T1"),)))
    assert take(STEERED, facts.EffectSucceeded(effect="t:3.0", result="T1")) == Step(STEERED)


@pytest.mark.parametrize("answer_first", [True, False])
def test_a_turn_that_ended_was_started_by_its_message(answer_first: bool) -> None:
    """Shown or not, and whether the answer or the events come first."""
    answer = facts.EffectSucceeded(effect="t:3.0", result="T1")
    events = (facts.TurnStarted(turn="T1"), facts.TurnCompleted(turn="T1", status="completed"))
    state = fold(SENT, *((answer, *events) if answer_first else (*events, answer)))
    assert state.sent == ()
    assert not state.busy


def test_an_answer_may_come_a_turn_late() -> None:
    """The turn it names has long ended, and another client's ran since."""
    story: list[facts.AnyFact] = [
        facts.TurnStarted(turn="T1"),
        facts.TurnCompleted(turn="T1", status="completed"),
        facts.TurnStarted(turn="T2"),
        facts.TurnCompleted(turn="T2", status="completed"),
        facts.EffectSucceeded(effect="t:3.0", result="T1"),
    ]
    assert fold(SENT, *story).sent == ()


# -- it goes wrong ------------------------------------------------------------------------------------------------


def test_what_was_not_sent_waits_for_the_connection() -> None:
    """It is first in the queue again, and is not tried again before the connection's fate is told."""
    waiting = replace(SENT, queue=(Queued(5, "later"),))
    assert take(waiting, failed("unsent")) == Step(
        replace(IDLE, queue=(HELLO, Queued(5, "later"))), (), (why(Reason.TURN_REQUEUED_UNSENT, message=3),)
    )


@pytest.mark.parametrize("code", ["refused", "moot"])
def test_a_refused_message_is_told(code: facts.FailureCode) -> None:
    """And the next one goes out."""
    waiting = replace(SENT, queue=(Queued(5, "later"),))
    assert take(waiting, failed(code)) == Step(
        replace(IDLE, sent=(Sent("t:7.1", Queued(5, "later")),)),
        (
            do(Notify(level="error", text="Codex did not accept the message: why")),
            do(StartTurn(text="later"), 1),
        ),
        (
            why(Reason.TURN_FAILED_REFUSED, message=3, problem="why"),
            why(Reason.TURN_STARTED_INPUT, message=5, waiting=0),
        ),
    )


@pytest.mark.parametrize("code", ["refused", "moot"])
def test_a_refused_steer_starts_a_turn_of_its_own(code: facts.FailureCode) -> None:
    assert take(STEERED, failed(code)) == Step(
        replace(RUNNING, queue=(HELLO,)), (), (why(Reason.STEER_QUEUED_REFUSED, message=3, problem="why"),)
    )


@pytest.mark.parametrize("code", ["lost", "timed_out"])
def test_a_message_in_doubt_is_looked_up_before_anything_else(code: facts.FailureCode) -> None:
    """D5: never sent again on a guess."""
    assert code in ("lost", "timed_out")
    assert take(SENT, failed(code)) == Step(
        replace(IDLE, sent=(Sent("t:3.0", HELLO, doubt=code, finding="t:7.0", lookups=1),)),
        (do(FindMessage(message="t:3.0", text="hello")),),
        (why(Reason.TURN_DOUBTED_LOST, message=3, problem="why"),),
    )


def test_a_message_in_doubt_holds_up_the_others() -> None:
    """A15: order."""
    assert take(DOUBTED, facts.UserSubmitted(text="second")).effects == ()


def test_found_in_history_it_has_arrived() -> None:
    assert take(DOUBTED, facts.EffectSucceeded(effect="t:5.0", result="T1")) == Step(
        replace(IDLE, ledger=Ledger(goal="hello")), (), (why(Reason.TURN_CONFIRMED_HISTORY, message=3, turn="T1"),)
    )


def test_not_in_history_it_is_sent_anew() -> None:
    assert take(DOUBTED, facts.EffectSucceeded(effect="t:5.0")) == Step(
        replace(IDLE, sent=(Sent("t:7.0", HELLO),)),
        (do(StartTurn(text="hello")),),
        (
            why(Reason.TURN_REQUEUED_UNSENT, message=3),
            why(Reason.TURN_STARTED_INPUT, message=3, waiting=0),
        ),
    )


def test_a_message_that_timed_out_is_never_sent_twice() -> None:
    """The server is up and may still come round to it."""
    assert take(doubted(doubt="timed_out"), facts.EffectSucceeded(effect="t:5.0")) == Step(
        IDLE, (do(UNCONFIRMED),), (why(Reason.TURN_FAILED_UNCONFIRMED, message=3),)
    )


def test_shown_while_it_is_looked_for_it_is_not_in_doubt() -> None:
    state = fold(DOUBTED, facts.TurnStarted(turn="T1"), SHOWN)
    assert [(one.shown, one.doubt, one.finding) for one in state.sent] == [(True, "", "")]
    assert take(state, facts.EffectSucceeded(effect="t:5.0")) == Step(state)


# -- the search ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["lost", "timed_out"])
def test_a_search_that_failed_is_made_once_more(code: facts.FailureCode) -> None:
    assert take(doubted(), failed(code, effect="t:5.0")) == Step(
        replace(IDLE, sent=(Sent("t:3.0", HELLO, doubt="lost", finding="t:7.0", lookups=2),)),
        (do(FindMessage(message="t:3.0", text="hello")),),
    )


@pytest.mark.parametrize(
    ("code", "lookups"), [("refused", 1), ("moot", 1), ("lost", MAX_LOOKUPS), ("timed_out", MAX_LOOKUPS)]
)
def test_when_history_cannot_tell_the_person_is_told(code: facts.FailureCode, lookups: int) -> None:
    """Nothing waits for ever."""
    assert take(doubted(lookups=lookups), failed(code, effect="t:5.0")) == Step(
        IDLE, (do(UNCONFIRMED),), (why(Reason.TURN_FAILED_UNCONFIRMED, message=3),)
    )


def test_a_search_that_was_not_sent_waits_for_the_connection() -> None:
    assert take(DOUBTED, failed("unsent", effect="t:5.0")) == Step(
        replace(IDLE, sent=(Sent("t:3.0", HELLO, doubt="lost", lookups=1),))
    )


def test_history_is_asked_between_turns_only() -> None:
    """A steer stands in the history once the running turn takes it up: asked before, it would be sent twice."""
    away = fold(STEERED, facts.ServerLost(epoch=1, problem="gone"))
    back = facts.ThreadJoined(cwd="/project", idle=False, last_turn="T1", last_status="inProgress")
    joined = take(away, back)
    in_doubt = Sent("t:3.0", HELLO, steer=True, turn="T1", doubt="lost")
    assert joined == Step(replace(STEERED, sent=(in_doubt,)))
    shown = take(joined.state, SHOWN)
    assert shown.state.sent == (replace(in_doubt, shown=True, doubt=""),)
    ended = take(joined.state, facts.TurnCompleted(turn="T1", status="completed"))
    assert ended == Step(
        replace(
            IDLE,
            sent=(replace(in_doubt, finding="t:7.0", lookups=1),),
            last_turn=TurnOutcome("T1", "completed", AT),
            ended=("T1",),
            turns=1,
        ),
        (do(FindMessage(message="t:3.0", text="hello")),),
        boundaries=(seen("turn_completed", "T1", TurnOver("completed")),),
    )


def test_a_steer_that_never_showed_is_looked_up_when_its_turn_ends() -> None:
    ended = take(STEERED, facts.TurnCompleted(turn="T1", status="interrupted"))
    assert ended.effects == (do(FindMessage(message="t:3.0", text="hello")),)
    [sent] = ended.state.sent
    assert sent == Sent("t:3.0", HELLO, steer=True, turn="T1", doubt="lost", finding="t:7.0", lookups=1)


# -- the connection -----------------------------------------------------------------------------------------------


def test_with_the_connection_every_message_on_its_way_is_in_doubt() -> None:
    """Also one that was answered: a server can die between taking a message and writing it down."""
    answered = replace(IDLE, sent=(Sent("t:3.0", HELLO, turn="T1"), Sent("t:4.0", HELLO, finding="t:5.0", lookups=2)))
    assert take(answered, facts.ServerLost(epoch=1, problem="gone")) == Step(
        replace(AWAY, sent=(Sent("t:3.0", HELLO, turn="T1", doubt="lost"), Sent("t:4.0", HELLO, doubt="lost")))
    )


def test_messages_keep_the_order_of_their_submission() -> None:
    """A15: one that comes back goes before those that came after it."""
    state = replace(SENT, queue=(Queued(5, "second"), Queued(6, "third")))
    state = fold(state, facts.ServerLost(epoch=1, problem="gone"), failed("unsent"))
    assert [message.text for message in state.queue] == ["hello", "second", "third"]
    older = replace(SENT, queue=(Queued(1, "earlier"),))
    assert [message.seq for message in fold(older, failed("unsent")).queue] == [1, 3]


def test_a_turn_without_a_name_ends_no_message() -> None:
    """A message that Codex has not answered is not the one of a turn that nobody knows."""
    unnamed = replace(SENT, turn=ActiveTurn("", AT))
    closed = take(unnamed, facts.ThreadClosed())
    assert why(Reason.TURN_FAILED_CLOSED, message=3) in closed.records


def test_a_steer_shown_after_its_turn_is_in() -> None:
    """State stays bounded whatever the order in which things are told."""
    ended = replace(STEERED, turn=None, ended=("T1",))
    message = items.UserMessage(id="m", text="hello", client_id=STEERED.sent[0].effect)
    assert take(ended, facts.ItemCompleted(turn="T1", item=message)).state.sent == ()
