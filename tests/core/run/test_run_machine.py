"""Runs on the model of the app-server, on schedules that Hypothesis looks for, and on some written by hand."""

from hypothesis import HealthCheck, settings

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
