"""A run as it is shown (C16, C18)."""

import pytest
from msgspec.structs import replace

from rawr.cli.run_view import RunView, Stage, ending, progress, stages
from rawr.core import facts
from rawr.core.facts import PlanStep
from rawr.core.kernel import Kernel
from rawr.core.ledger import Commit, Ledger, Touched
from rawr.core.order import Budgets, Order
from rawr.core.run import Run, Stop, Waiting
from rawr.core.state import ActiveTurn, Plan, ThreadState, Usage
from tests.cli.test_conversation import Kept
from tests.core.runs import GOAL, RULES
from tests.core.samples import AT, IDLE, WINDOW

RUN = Run("r1", Order(goal="g"), "running", AT, AT, waiting="turn")


def state(run: Run = RUN, **changes: object) -> ThreadState:
    return replace(IDLE, run=run, **changes)


# -- how far it is --------------------------------------------------------------------------------------------------


def test_progress_says_turn_plan_tokens_context_and_time() -> None:
    """C18."""
    plan = Plan((PlanStep("a", "completed"), PlanStep("b", "pending")))
    run = replace(RUN, turns=2, tokens=152_000)
    now = state(run, plan=plan, turn=ActiveTurn("T3", AT), usage=Usage(80_000, 152_000, WINDOW))
    assert progress(now, now=AT + 65_000) == "turn 3/200, plan 1/2, 152 k tokens, 72 % left, 1:05"


def test_progress_says_what_the_budgets_leave() -> None:
    """C18."""
    budgets = Budgets(turns=9, tokens=2_000_000, minutes=90, cost=3_000_000)
    run = replace(RUN, order=Order(goal="g", budgets=budgets), turns=4, tokens=1_250_000, cost=1_240_000)
    line = progress(state(run), now=AT + 3_725_000)
    assert line == "turn 4/9, 1.2 M/2 M tokens, 1:02:05/90 min, 1.24/3.00"


@pytest.mark.parametrize(
    ("waiting", "shown"), [("turn", ""), ("slot", ""), ("check", "waits: check"), ("limit", "waits: limit")]
)
def test_progress_says_what_is_waited_for(waiting: Waiting, shown: str) -> None:
    """C18."""
    line = progress(state(replace(RUN, waiting=waiting)), now=AT)
    assert line.endswith(shown)
    assert ("waits" in line) == bool(shown)


def test_without_a_run_there_is_nothing_to_say() -> None:
    assert progress(IDLE, now=AT) == ""
    assert ending(IDLE) == "There was no run."


def test_a_run_that_is_paused_does_not_grow_older() -> None:
    """C5, C13."""
    paused = replace(RUN, status="paused", used_ms=61_000)
    assert "1:01" in progress(state(paused), now=AT + 10**9)


# -- the run's own plan ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "plan"),
    [
        ({}, ["in_progress", "pending", "pending"]),
        ({"waiting": "check"}, ["completed", "in_progress", "pending"]),
        ({"waiting": "review", "passed": True, "reviews": 1}, ["completed", "completed", "in_progress"]),
        ({"waiting": "turn", "reviews": 1}, ["in_progress", "pending", "completed"]),
        ({"status": "done", "waiting": "", "passed": True, "reviews": 1}, ["completed", "completed", "completed"]),
    ],
)
def test_the_run_has_a_plan_of_its_own(changes: dict[str, object], plan: list[str]) -> None:
    """C16: the work, then what was ordered on top."""
    run = replace(RUN, order=Order(goal="g", done="make", review="at-end"), **changes)
    assert [one.name for one in stages(run)] == ["work", "check", "review"]
    assert [one.status for one in stages(run)] == plan


def test_only_what_was_ordered_is_in_it() -> None:
    """C16."""
    assert stages(RUN) == (Stage("work", "in_progress"),)


# -- the last word --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "first"),
    [
        (
            replace(RUN, status="done", done="checked", stop=Stop("run.done.checked")),
            "Done, and the check passed. run.done.checked.",
        ),
        (
            replace(RUN, status="done", done="self_reported", stop=Stop("run.done.reported")),
            "Done, by the agent's own word: nothing checked it. run.done.reported.",
        ),
        (
            replace(RUN, status="stopped", stop=Stop("run.stopped.turns", "9 of 9")),
            "Not done: stopped. run.stopped.turns: 9 of 9.",
        ),
        (RUN, "Not done: running. it still runs."),
    ],
)
def test_the_end_names_the_stop_and_whether_it_was_checked(run: Run, first: str) -> None:
    """C7, C18."""
    assert ending(state(run)).splitlines()[0] == first


def test_the_end_says_what_was_done() -> None:
    """C18."""
    run = replace(RUN, status="done", done="checked", turns=1, tokens=900, used_ms=61_000, stop=Stop("x"))
    kept = Ledger(commits=(Commit("a", "s"), Commit("b", "t")), files=(Touched("x", "add"),))
    line = ending(state(run, ledger=kept, compaction_count=2)).splitlines()[1]
    assert line == "1 turn, 2 commits, 1 file changed, 2 compactions, 900 tokens, 1:01."


# -- while it happens -----------------------------------------------------------------------------------------------


def test_the_view_shows_each_decision_and_how_far_it_is() -> None:
    """C18."""
    printer, kernel = Kept(), Kernel(RULES)
    view = RunView(printer, symbols=True)
    view.states = kernel.threads
    story: list[facts.AnyFact] = [
        facts.ThreadOpened(cwd="/p", ours=True),
        facts.RunSubmitted(order=Order(goal=GOAL)),
        facts.SlotGranted(),
        facts.TurnStarted(turn="T1"),
        facts.TurnCompleted(turn="T1", status="failed", problem=facts.Problem("down", code="serverOverloaded")),
    ]
    for n, fact in enumerate(story):
        view.taken(kernel.take("t", fact, at=AT + n))
    assert "The turn failed for a reason that may pass." in printer.texts
    assert any(line.who == "auto" and line.text.startswith("turn 1/200") for line in printer.lines)
    assert printer.statuses[-1].endswith("waits: retry")


def test_a_thread_without_a_run_has_no_line_of_its_own() -> None:
    printer, kernel = Kept(), Kernel(RULES)
    view = RunView(printer, symbols=True)
    view.states = kernel.threads
    view.taken(kernel.take("t", facts.TurnStarted(turn="T1"), at=AT))
    view.taken(kernel.take("t", facts.TurnCompleted(turn="T1", status="completed"), at=AT))
    assert not [line for line in printer.lines if line.who == "auto"]
