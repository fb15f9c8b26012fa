"""How far a run is (C18)."""

import pytest
from msgspec.structs import replace

from rawr.core.state.run import Run, Waiting
from rawr.core.state.thread import Plan, Usage
from rawr.core.state.turn import ActiveTurn
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.order import Budgets, Order
from rawr.views.progress import Progress, progress_of
from tests.core.samples import AT, IDLE, WINDOW

RUN = Run("r1", Order(goal="g"), "running", AT, AT, waiting="turn")
BEGUN = Progress(
    turn=0,
    max_turns=200,
    plan_done=0,
    plan_steps=0,
    step="",
    tokens=0,
    max_tokens=0,
    percent_left=None,
    seconds=0,
    max_minutes=0,
    cost=0.0,
    max_cost=0.0,
    about_to="",
    waits_for="",
)


def test_a_run_that_has_just_begun() -> None:
    assert progress_of(replace(IDLE, run=RUN), now=AT) == BEGUN
    assert progress_of(IDLE, now=AT) is None


def test_everything_that_is_counted() -> None:
    budgets = Budgets(turns=9, tokens=2_000_000, minutes=90, cost=3_000_000)
    run = replace(RUN, order=Order(goal="g", budgets=budgets), turns=2, tokens=152_000, cost=1_240_000)
    plan = Plan((PlanStep("a", "completed"), PlanStep("b", "pending")))
    usage = Usage(80_000, 152_000, WINDOW)
    state = replace(IDLE, run=run, plan=plan, turn=ActiveTurn("T3", AT), usage=usage)
    assert progress_of(state, now=AT + 65_500) == Progress(
        turn=3,
        max_turns=9,
        plan_done=1,
        plan_steps=2,
        step="",
        tokens=152_000,
        max_tokens=2_000_000,
        percent_left=72,
        seconds=65,
        max_minutes=90,
        cost=1.24,
        max_cost=3.0,
        about_to="",
        waits_for="",
    )


@pytest.mark.parametrize(("waiting", "shown"), [("turn", ""), ("slot", ""), ("check", "check"), ("limit", "limit")])
def test_what_it_waits_for(waiting: Waiting, shown: str) -> None:
    """Its turn, and its place among others, are no news."""
    progress = progress_of(replace(IDLE, run=replace(RUN, waiting=waiting)), now=AT)
    assert progress is not None
    assert progress.waits_for == shown


def test_a_run_that_is_paused_does_not_grow_older() -> None:
    """C5, C13."""
    paused = replace(RUN, status="paused", used_ms=61_000)
    assert progress_of(replace(IDLE, run=paused), now=AT + 10**9) == replace(BEGUN, seconds=61)


def test_a_turn_that_is_not_judged_yet_is_still_the_turn() -> None:
    """A look at the repository is under way, and until then it is not counted."""
    assert progress_of(replace(IDLE, run=RUN, unweighed=True), now=AT) == replace(BEGUN, turn=1)
