"""What ``rawr status`` says of a thread and its run (C16, C18)."""

import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.cli.commands import status
from rawr.core.policy.policy import Policy
from rawr.core.state.run import Run, Stop
from rawr.core.state.thread import Diff, ThreadState
from rawr.core.vocabulary.facts import FileDelta
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.reasons import LOGIC, Reason
from rawr.core.vocabulary.records import Decision, Record
from rawr.views.threads import ThreadsSummary, thread_view
from tests.core.samples import AT, IDLE

RUN = Run("r1", Order(goal="Build\nit.", done="make  check"), "running", AT, AT, waiting="turn", turns=2)
DECIDED = Decision("t:9/0", 9, AT, "t", Record(Reason.RUN_CONTINUED_POLICY), "p", LOGIC)


def said(
    capsys: pytest.CaptureFixture[str], state: ThreadState, *, live: bool = True, decision: Decision | None = None
) -> list[str]:
    """The lines about one thread, after those that every thread has."""
    now = int(time.time() * 1000)
    view = thread_view(state, Policy(), last_seen=now, now=now, live=live, decision=decision)
    status._show([view], ThreadsSummary(1, 1, 9, Path("j")), active=False, fit=False)
    return capsys.readouterr().out.splitlines()[2:-2]


COMPACTS = "    rawr compacts at a boundary below 85 % left"


def test_a_run_under_way(capsys: pytest.CaptureFixture[str]) -> None:
    """C18: its plan, what will stop it, what was decided last, and how to change its course."""
    budgets = Budgets(turns=9, tokens=2_000_000, minutes=90, cost=3_000_000)
    run = replace(RUN, order=replace(RUN.order, budgets=budgets))
    diff = Diff("T", "d", (FileDelta("a", 3, 1), FileDelta("b", 2, 0)), files_omitted=1)
    decided = replace(DECIDED, at=int(time.time() * 1000))
    assert said(capsys, replace(IDLE, run=run, turns=2, diff=diff), decision=decided) == [
        "    2 turns, context unknown",
        COMPACTS,
        "    run r1: running, turn 2 of 9, 0 tokens",
        "        Build it.",
        "        ▸ work   ○ check   ○ report",
        "        last diff: 3 files, +5 -1",
        "        decided 0 s ago: The job is not done, and no guard objects. (run.continued.policy)",
        "        until this passes: make check; at most 9 turns, 2 M tokens, 90 min, a cost of 3.00",
        '        to intervene: rawr override r1 "…", rawr pause r1, rawr stop r1',
    ]


def test_a_run_that_ended(capsys: pytest.CaptureFixture[str]) -> None:
    """C18: why, in the words of whoever stopped it."""
    run = replace(RUN, order=Order(goal="g"), status="stopped", waiting="", stop=Stop("run.stopped.turns", "9 of 9"))
    assert said(capsys, replace(IDLE, run=run))[1:] == [
        COMPACTS,
        "    run r1: stopped, turn 2 of 200, 0 tokens",
        "        g",
        "        ○ work   ○ report",
        "        stop: run.stopped.turns: 9 of 9",
        "        to continue: rawr resume r1",
    ]


def test_a_run_that_was_cut_off_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """C13: no rawr has it in hand, so no stage of it is under way."""
    assert said(capsys, replace(IDLE, run=RUN), live=False)[1:] == [
        COMPACTS,
        "    run r1: cut off, turn 2 of 200, 0 tokens",
        "        Build it.",
        "        ○ work   ○ check   ○ report",
        "        until this passes: make check; at most 200 turns",
        "        to continue: rawr resume r1",
    ]
