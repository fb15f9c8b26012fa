"""The session file on schedules that Hypothesis looks for: each command counts once, whoever told of it."""

from hypothesis import HealthCheck, settings

from tests.core.reading import Reading

TestReading = Reading.TestCase
TestReading.settings = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
