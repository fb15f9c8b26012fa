"""The kernel against a model of the app-server, on schedules that Hypothesis looks for, and on some written by hand."""

from hypothesis import HealthCheck, settings

from rawr.core.vocabulary import facts
from tests.core.conversation import Conversation
from tests.core.supervised import OnTheGoldenPath

TestConversation = Conversation.TestCase
TestConversation.settings = settings(
    max_examples=200,
    stateful_step_count=50,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


# -- schedules that once went wrong, or that chance rarely finds ----------------------------------------------------


def conversation() -> Conversation:
    it = Conversation()
    it.begin()
    return it


def in_a_turn(text: str = "one") -> Conversation:
    it = conversation()
    it.submit(text)
    it.flow()
    return it


def test_a_steer_that_the_turn_takes_up_after_a_lost_connection_is_not_sent_again() -> None:
    """A15: it stands in no history yet when the thread is joined again."""
    it = in_a_turn()
    it.steer()
    it.server.work_on(next(iter(it.server.calls)))
    it.blink(crash=False)
    it.flow()
    assert it.server.turn is not None
    it.server.take_up_steer()
    it.teardown()
    assert sorted(it._delivered()) == sorted(it.plain | it.steered)


def test_a_message_that_died_with_the_server_is_sent_again() -> None:
    """D5: it was shown, and was not yet written down."""
    it = in_a_turn()
    it.blink(crash=True, forget=True)
    assert it._delivered() == []
    it.teardown()
    assert it._delivered() == list(it.plain)


def test_a_call_that_timed_out_and_is_worked_on_later_is_not_repeated() -> None:
    """A15: the person is told, and a second copy is never sent."""
    it = conversation()
    it.submit("one")
    [late] = it.server.calls
    it.time_out(0)
    find = next(name for name in it.server.calls if name != late)
    it.server.work_on(find)
    it.hear_answer(0)
    it.server.work_on(late)
    it.teardown()
    assert it.reported == set(it.plain)
    assert it._delivered() == list(it.plain)


def test_an_answer_that_is_told_after_the_loss_does_not_outlive_it() -> None:
    """What the last connection said of the thread is not believed on the next."""
    it = in_a_turn()
    it.end_turn("completed")
    it.flow()
    it.blink(crash=False)
    it.server.work_on(next(iter(it.server.calls)))
    it.cut()
    it.hear_of_loss()
    it.hear_failure(0)
    it.server.other_client_speaks()
    it.submit("two")
    while it.outstanding:
        it.hear_failure(0)
    it.reconnect()
    it.flow()
    assert it.state.turn is not None
    it.teardown()
    assert it._delivered() == list(it.plain)


def test_a_turn_that_a_late_answer_had_over_still_has_its_end() -> None:
    """The last connection said “idle”, and was heard after its loss; the next one says that the turn runs."""
    it = conversation()
    it.blink(crash=False)
    it.server.work_on(next(iter(it.server.calls)))
    it.other_client_speaks()
    it.hear_event()
    it.blink(crash=False)
    it.flow()
    assert it.state.turn is not None
    it.teardown()
    assert it.state.turn is None


def test_a_compaction_that_is_told_of_after_its_end_starts_nothing() -> None:
    """Its turn came and went while we were away; the last thing told of it is heard after the thread was joined."""
    it = conversation()
    it.compact()
    it.time_out(0)
    it.server.work_on(next(iter(it.server.calls)))
    it.blink(crash=False)
    it.end_turn("completed")
    it.teardown()
    assert it.state.turn is None


def test_a_turn_that_ends_as_the_thread_is_joined_is_still_told_to_end() -> None:
    """It was running by the thread's status, over by the list, and its end was on its way."""
    it = OnTheGoldenPath()
    it.begin()
    it.other_client_speaks()
    it.steer()
    it.blink(crash=False)
    it.server.work_on(next(iter(it.server.calls)))
    it.end_turn("completed")
    it.hear_answer(0, listed=False)
    it.teardown()
    assert it.state.turn is None


def test_the_same_where_the_turn_was_known_before() -> None:
    it = OnTheGoldenPath()
    it.begin()
    it.other_client_speaks()
    it.flow()
    it.blink(crash=False)
    it.server.work_on(next(iter(it.server.calls)))
    it.end_turn("completed")
    it.hear_answer(0, listed=False)
    it.teardown()
    assert it.state.turn is None


def test_a_message_in_a_turn_that_is_over_is_in_though_another_turn_runs() -> None:
    """A15: history has the heads-up in a turn that ended; what runs now is somebody else's."""
    it = OnTheGoldenPath()
    it.begin()
    it.compact_on_the_golden_path()
    it.flow()
    it.end_turn("completed")
    it.blink(crash=False)
    it.other_client_speaks()
    it.server.work_on(next(iter(it.server.calls)))
    it.hear_answer(0, listed=False)
    it.teardown()
    assert (it.state.sent, it.state.sequence) == ((), None)


def test_a_packet_that_waited_for_a_turn_nobody_named_is_compacted_with() -> None:
    """D5: the turn came and went unseen, while rawr went down twice; there is nothing else to wait for."""
    it = OnTheGoldenPath()
    it.begin()
    it.compact_on_the_golden_path()
    it.flow()
    it.submit("one")
    it.blink(crash=True)
    it.other_client_speaks()
    it.server.work_on(next(iter(it.server.calls)))
    it.hear_answer(0, listed=False)
    it.restart(crash=False)
    it.end_turn("completed")
    it.teardown()
    assert it.state.sequence is None


def test_a_slow_compaction_is_not_cut_into() -> None:
    """A7: without an answer it may have begun; a message waits for its end."""
    it = conversation()
    it.compact()
    it.submit("one")
    it.time_out(0)
    assert it.state.sent == ()
    it.flow()
    it.teardown()
    assert it.state.compaction_count == 1
    assert it._delivered() == list(it.plain)


def test_a_doubled_compaction_item_is_one_compaction() -> None:
    """A13."""
    it = conversation()
    it.compact()
    it.flow()
    it.send_compaction_item()
    it.end_turn("completed")
    it.flow()
    again = next(event for event in it.heard if isinstance(event, facts.ItemCompleted))
    it.tell(again)
    assert it.state.compaction_count == 1
    it.teardown()


def test_a_connection_that_is_gone_before_it_is_told_so_is_not_hammered() -> None:
    """A message that cannot be sent waits for the word that the connection is lost."""
    it = conversation()
    it.cut(crash=True)
    it.submit("one")
    it.hear_failure(0, sent=False)
    assert it.outstanding == {}
    it.teardown()
    assert it._delivered() == list(it.plain)


def test_a_message_found_in_a_running_turn_is_not_yet_in() -> None:
    """D5: the server dies before it has written the turn down, and the message is sent again."""
    it = conversation()
    it.submit("one")
    it.time_out(0)
    it.work(which=0, mood=0)
    it.work(which=0, mood=0)
    it.hear_answer(1)
    it.restart(crash=True, forget=True)
    it.teardown()
