"""Runs on the model of the app-server, on schedules that Hypothesis looks for, and on some written by hand."""

from hypothesis import HealthCheck, settings

from rawr.core.vocabulary.order import Order
from tests.core.supervised import OnTheGoldenPath, Supervised

FAR = settings(
    max_examples=100,
    stateful_step_count=50,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestSupervised = Supervised.TestCase
TestSupervised.settings = FAR
TestOnTheGoldenPath = OnTheGoldenPath.TestCase
TestOnTheGoldenPath.settings = FAR


def test_a_word_that_never_arrived_does_not_stop_a_run_whose_turn_is_starting() -> None:
    """C13: what a person steered before a restart is not found again. The run's own message is on its way by then."""
    it = OnTheGoldenPath()
    it.begin()
    it.other_client_speaks()
    it.flow()
    it.steer()
    it.order(order=Order(goal="Build it."))
    it.submit("one")
    it.time_out(0)
    it.restart(crash=False, forget=False)
    it.teardown()
    assert [one for one in it.plain if one not in it._delivered()] == []
