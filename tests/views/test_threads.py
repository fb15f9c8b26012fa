"""A thread as it stood last (C16, C18)."""

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from rawr.core.policy.policy import Policy
from rawr.core.state import ledger
from rawr.core.state.messages import Queued
from rawr.core.state.run import Run
from rawr.core.state.sequence import Guard
from rawr.core.state.thread import Diff, OpenRequest, Plan, ThreadState, Usage
from rawr.core.state.turn import TurnOutcome
from rawr.core.vocabulary.facts import FileDelta, PlanStep
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import LOGIC, Reason
from rawr.core.vocabulary.records import Decision, Record
from rawr.core.vocabulary.requests import CommandApproval
from rawr.runtime.recovery import Distrust
from rawr.views.record import InvariantView, RecordView
from rawr.views.runs import run_view
from rawr.views.threads import DamageView, DecisionMade, DiffView, HoldView, ThreadView, is_hidden, thread_view
from tests.core.samples import AT, CLOSED, COMPACTING, IDLE, RUNNING, WINDOW

DECIDED = Decision("t:9/0", 9, AT, "t", Record(Reason.RUN_CONTINUED_POLICY), "p", LOGIC)
RUN = Run("r1", Order(goal="g", done="make"), "running", AT, AT, waiting="turn", checks=1)
BARE = ThreadView(
    thread="t",
    cwd="/project",
    ours=True,
    state="idle",
    turns=0,
    plan_done=0,
    plan_steps=0,
    tokens=None,
    window=None,
    percent_left=None,
    tier=None,
    compactions=0,
    limits="",
    diff=None,
    waiting=(),
    queued=0,
    held=(),
    run=None,
    decision=None,
    damage=None,
    last_seen=AT,
    compacting="rawr compacts at a boundary below 85 % left",
)


def view(state: ThreadState, *, live: bool = True) -> ThreadView:
    return thread_view(state, Policy(), last_seen=AT, now=AT, live=live)


def test_a_thread_of_which_little_is_known() -> None:
    assert view(IDLE) == BARE


def test_a_thread_with_everything() -> None:
    state = replace(
        IDLE,
        turns=2,
        plan=Plan((PlanStep("a", "completed"), PlanStep("b", "pending"))),
        usage=Usage(100_000, 100_000, WINDOW),
        compaction_count=1,
        diff=Diff("T", "d", (FileDelta("a", 3, 1), FileDelta("b", 2, 0)), files_omitted=1),
        requests=(OpenRequest("1/0", CommandApproval(command="rm x", cwd="/"), AT, "T"),),
        queue=(Queued(3, "hello"),),
        run=RUN,
    )
    found = thread_view(state, Policy(), last_seen=AT, now=AT, live=True, decision=DECIDED, real=state.requests)
    assert found == replace(
        BARE,
        turns=2,
        plan_done=1,
        plan_steps=2,
        tokens=100_000,
        window=WINDOW,
        percent_left=64,
        tier="asap",
        compactions=1,
        diff=DiffView(files=3, added=5, removed=1),
        waiting=("approval of: rm x",),
        queued=1,
        run=run_view(RUN, last_seen=AT, now=AT, live=True),
        decision=DecisionMade("t:9/0", AT, "run.continued.policy", Reason.RUN_CONTINUED_POLICY.meaning),
        active=True,
    )


def test_holds_and_pins() -> None:
    """B3, C18: what a person said about it is still in force."""
    pinned = ledger.add_pin(ledger.add_message(ledger.Ledger(goal="g"), "Never push.", at=AT), "Use tabs.", at=AT)
    state = replace(IDLE, guards=(Guard("released"), Guard("green", 2)), ledger=pinned)
    holds = (HoldView("released", None), HoldView("green", 2))
    record = RecordView(
        invariants=(InvariantView("Use tabs.", "user", pinned=True), InvariantView("Never push.", "user"))
    )
    assert view(state) == replace(BARE, holds=holds, pins=("Use tabs.",), record=record)


@pytest.mark.parametrize(
    ("state", "hidden"),
    [
        (IDLE, False),
        (replace(IDLE, ephemeral=True), True),
        (replace(IDLE, parent="p"), True),
        (replace(IDLE, parent="p", run=RUN), False),
    ],
)
def test_a_list_leaves_out_helpers_and_sub_agents(state: ThreadState, hidden: bool) -> None:
    """C18: but none that somebody gave a job."""
    assert is_hidden(state) == hidden


def test_where_no_rawr_runs_nothing_waits() -> None:
    """C11: nobody could be answered."""
    state = replace(IDLE, requests=(OpenRequest("1/0", CommandApproval(command="rm x", cwd="/"), AT, "T"),))
    assert view(state, live=False) == BARE


def test_a_thread_whose_record_is_damaged() -> None:
    """D5."""
    why = Distrust("t", 7, "TurnStarted", "it was cut short", rows=2)
    found = thread_view(IDLE, Policy(), last_seen=AT, now=AT, why=why)
    assert found == replace(BARE, state="damaged", damage=DamageView(2, 7, "it was cut short", why.way_out))


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (IDLE, "idle"),
        (RUNNING, "working"),
        (replace(RUNNING, online=False), "cut off"),
        (replace(IDLE, online=False), "away"),
        (replace(IDLE, last_turn=TurnOutcome("T", "interrupted", AT, lost=True)), "cut off"),
        (COMPACTING, "compacting"),
        (CLOSED, "closed"),
    ],
)
def test_its_state_in_a_word(state: ThreadState, word: str) -> None:
    assert view(state).state == word


def test_the_same_for_programs() -> None:
    """C16, C18: names in JSON are a promise."""
    built = to_builtins(view(replace(IDLE, run=RUN)))
    assert list(built) == ["type", *ThreadView.__struct_fields__]
    assert built["type"] == "thread"
    assert built["run"]["run_plan"] == (
        {"name": "work", "status": "in_progress"},
        {"name": "check", "status": "pending", "detail": "tried once"},
        {"name": "report", "status": "pending"},
    )
