"""The plan of the run itself, as it goes on (C16)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.policy.full_auto import ReviewMode
from rawr.core.run.plan import Stage, run_plan
from rawr.core.state.run import Done, Run, Status, Waiting
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from tests.core.runs import DONE, WAITING, Auto, in_a_sequence, in_a_turn, ordered, waiting_for
from tests.core.samples import AT

MARKS = {"completed": "x", "in_progress": ">", "pending": " "}


def plan(story: Auto) -> str:
    """``[x] work  [>] check``."""
    stages = run_plan(story.run)
    return "  ".join(f"[{MARKS[one.status]}] {one.name}{f' ({one.detail})' if one.detail else ''}" for one in stages)


def test_a_plain_run_works_and_reports() -> None:
    story = in_a_turn()
    assert run_plan(story.run) == (Stage("work", "in_progress"), Stage("report", "pending"))
    story.says("T1", DONE).end("T1")
    assert plan(story) == "[x] work  [x] report"


def test_a_check_that_fails_sends_it_back_to_work() -> None:
    story = ordered(done="make check")
    assert plan(story) == "[>] work  [ ] check  [ ] report"
    story.works("T1", DONE)
    assert plan(story) == "[x] work  [>] check  [ ] report"
    story.checks(1)
    assert plan(story) == "[>] work  [ ] check (tried once)  [ ] report"
    story.works("T2", DONE)
    assert plan(story) == "[x] work  [>] check (attempt 2)  [ ] report"
    story.checks(1).works("T3")
    assert plan(story) == "[>] work  [ ] check (tried 2 times)  [ ] report"
    story.works("T4", DONE).checks(0)
    assert plan(story) == "[x] work  [x] check (attempt 3)  [x] report"


def test_a_review_comes_last_and_its_findings_are_work_again() -> None:
    """And what has passed is checked again, because it was changed since."""
    story = ordered(done="make check", review="at-end").works("T1", DONE).checks(0)
    assert plan(story) == "[x] work  [x] check  [>] review  [ ] report"
    story.reviews("R")
    assert plan(story) == "[>] work  [ ] check (tried once)  [x] review  [ ] report"
    story.works("T2", DONE).checks(0)
    assert plan(story) == "[x] work  [x] check (attempt 2)  [x] review  [x] report"


def test_a_compaction_and_a_review_for_an_error_come_in_between() -> None:
    """The work goes on after them."""
    assert plan(in_a_sequence()) == "[>] compaction  [ ] work  [ ] report"
    story = ordered(review="on-error")
    assert plan(story) == "[>] work  [ ] report"
    story.works("T1", commands=("make",), code=2)
    assert story.run.waiting == "review"
    assert plan(story) == "[>] review  [ ] work  [ ] report"


def test_in_a_run_that_rests_nothing_is_under_way() -> None:
    """What was reached before stays reached."""
    story = in_a_turn().tell(facts.RunPauseSubmitted())
    story.end("T1")
    assert story.run.status == "paused"
    assert plan(story) == "[ ] work  [ ] report"
    story = ordered(done="make check").works("T1", DONE).tell(facts.RunPauseSubmitted(now=True))
    assert story.run.status == "paused"
    assert plan(story) == "[x] work  [ ] check (tried once)  [ ] report"


@pytest.mark.parametrize("waiting", WAITING)
def test_a_run_that_runs_is_in_one_stage(waiting: Waiting) -> None:
    stages = run_plan(waiting_for(waiting).run)
    assert [one.status for one in stages].count("in_progress") == 1


@given(
    status=st.sampled_from(("running", "paused", "stopped", "failed", "done")),
    waiting=st.sampled_from(("", *WAITING)),
    claimed=st.booleans(),
    passed=st.booleans(),
    checks=st.integers(0, 5),
    reviews=st.integers(0, 2),
    done=st.sampled_from(("", "make")),
    review=st.sampled_from(("never", "on-error", "at-end")),
)
def test_whatever_a_run_says_of_itself(
    status: Status,
    waiting: Waiting,
    claimed: bool,
    passed: bool,
    checks: int,
    reviews: int,
    done: str,
    review: ReviewMode,
) -> None:
    """Done is done in all stages, rest is rest, and no stage is there twice."""
    order = replace(Order(goal="g", done=done), review=review)
    how: Done = "checked" if status == "done" else "no"
    run = Run("r1", order, status, AT, AT, waiting=waiting, claimed=claimed, passed=passed, done=how)
    stages = run_plan(replace(run, checks=checks, reviews=reviews))
    names = [one.name for one in stages]
    assert len(set(names)) == len(names)
    assert (names[-1], "work" in names, "check" in names) == (
        "report",
        True,
        bool(done) or waiting == "check" == names[0],
    )
    assert all(one.status == "completed" for one in stages) == (status == "done")
    assert sum(one.status == "in_progress" for one in stages) == (status == "running")
