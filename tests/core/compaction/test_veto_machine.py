"""Judgments on the model of the app-server, on schedules that Hypothesis looks for, and on some written by hand."""

from hypothesis import HealthCheck, settings

from tests.core.deliberating import Deliberating

TestDeliberating = Deliberating.TestCase
TestDeliberating.settings = settings(
    max_examples=100,
    stateful_step_count=50,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def at_a_boundary() -> Deliberating:
    it = Deliberating()
    it.begin()
    it.work_to_a_boundary("asap")
    return it


def test_schedules_lead_to_a_question_and_to_every_answer() -> None:
    """The machine would hold without ever asking; this is what it asks and hears."""
    it = at_a_boundary()
    it.judgment(0, "veto")
    it.work_to_a_boundary("asap")
    it.judgment(0, "none")
    it.restart(crash=False)
    it.teardown()
    assert {
        "judgment.asked.model",
        "judgment.vetoed.model",
        "judgment.waived.error",
        "compact.decided.boundary",
    } <= it.seen
    assert {"compact.audited.sequence"} <= it.seen
