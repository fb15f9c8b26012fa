"""What ends a run whatever anybody decides (C5, C6, C17)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.policy.full_auto import FullAuto
from rawr.core.run.guards import SOFT, Guard, Soft, budgets, compactions, remembered, soft
from rawr.core.state.run import Run, TurnSummary
from rawr.core.vocabulary.order import Budgets, Order
from tests.core.runs import ordered, rules
from tests.core.samples import AT

MINUTE = 60_000
RUN = Run("r1", Order(goal="g"), "running", AT, AT)
TURN = TurnSummary("T", "completed", work="w", actions="a", commands=1)


def hits(guards: tuple[Guard, ...]) -> list[str]:
    return [guard.name for guard in guards if guard.hit]


def spent(limits: Budgets, **used: Any) -> Run:
    return replace(RUN, order=Order(goal="g", budgets=limits), **used)


def test_every_budget_is_asked_and_says_what_it_saw() -> None:
    """C17: also where it does not object."""
    asked = budgets(spent(Budgets(tokens=100), turns=3, tokens=40), now=AT + 2 * MINUTE)
    assert [(guard.name, guard.hit, guard.detail) for guard in asked] == [
        ("turns", False, "3 of 200"),
        ("tokens", False, "40 of 100"),
        ("minutes", False, "2 of no limit"),
        ("cost", False, "0.00 of no limit"),
    ]


def test_there_is_a_guard_for_every_budget() -> None:
    """C5: a budget that a person can set, and that nothing asks, would be no limit at all."""
    assert tuple(guard.name for guard in budgets(RUN, now=AT)) == Budgets.__struct_fields__


@pytest.mark.parametrize("name", Budgets.__struct_fields__)
def test_every_budget_stops_a_run_that_has_used_it_up(name: str) -> None:
    """C5: counted in the run's own state, by the name of the budget; time is what has passed."""
    used = {} if name == "minutes" else {name: 7}
    run = spent(Budgets(**{name: 7}), **used)
    [hit] = [guard for guard in budgets(run, now=AT + 7 * MINUTE) if guard.hit]
    assert hit.name == name


@pytest.mark.parametrize(
    ("limits", "used", "hit"),
    [
        (Budgets(turns=3), {"turns": 2}, []),
        (Budgets(turns=3), {"turns": 3}, ["turns"]),
        (Budgets(tokens=9), {"tokens": 9}, ["tokens"]),
        (Budgets(cost=5), {"cost": 6}, ["cost"]),
        (Budgets(turns=1, tokens=1), {"turns": 1, "tokens": 1}, ["turns", "tokens"]),
        (Budgets(), {"turns": 199, "tokens": 10**12, "cost": 10**12}, []),
    ],
)
def test_a_budget_is_hit_when_it_is_used_up(limits: Budgets, used: dict[str, int], hit: list[str]) -> None:
    """C5: zero means no limit."""
    assert hits(budgets(spent(limits, **used), now=AT)) == hit


def test_time_in_a_pause_does_not_count() -> None:
    """C5, C13."""
    run = spent(Budgets(minutes=10), used_ms=4 * MINUTE)
    assert hits(budgets(run, now=AT + 5 * MINUTE)) == []
    assert hits(budgets(run, now=AT + 6 * MINUTE)) == ["minutes"]
    assert hits(budgets(replace(run, status="paused"), now=AT + 99 * MINUTE)) == []


def test_the_soft_guards_have_an_order() -> None:
    """C6: the one that says most about it gives the reason."""
    run = replace(RUN, history=(replace(TURN, problem="make: boom"),) * 4)
    assert hits(soft(run, FullAuto())) == ["churn", "no_progress", "same_error"]
    assert hits(soft(replace(RUN, history=(replace(TURN, commands=0),) * 4), FullAuto())) == ["no_progress"]


def test_how_long_is_configured() -> None:
    """C6."""
    run = replace(RUN, history=(replace(TURN, commands=0),) * 4)
    assert hits(soft(run, FullAuto(no_progress_turns=4))) == []
    assert hits(soft(run, FullAuto(no_progress_turns=2))) == ["no_progress"]


def compacted(*counts: int) -> Run:
    history = tuple(replace(TURN, work=f"w{n}", compactions=count) for n, count in enumerate(counts))
    return replace(RUN, history=history)


def test_compactions_too_often() -> None:
    """C6: over six turns at most three."""
    assert compactions(compacted(0, 1, 1, 2, 2, 3, 3), 6) == 3
    assert hits(soft(compacted(0, 1, 1, 2, 2, 3, 3), FullAuto())) == []
    assert hits(soft(compacted(0, 1, 2, 3, 4, 4, 4), FullAuto())) == ["compactions"]


def test_a_young_run_has_not_compacted_too_often() -> None:
    """C6: compactions of before it are not its own."""
    assert hits(soft(compacted(40, 41, 42, 43), FullAuto())) == []


@pytest.mark.parametrize("turns", [3, 11, 12, 30])
def test_a_guard_that_looks_far_back_is_hit_too(turns: int) -> None:
    """C6: as many turns are remembered as the settings ask for."""
    story = ordered(policy=rules(no_progress_turns=turns))
    for n in range(1, turns + 2):
        assert story.run.active
        story.works(f"T{n}", f"Hm, {n}.")
    assert story.ended == ("stopped", "run.stopped.progress")


@pytest.mark.parametrize("guard", SOFT, ids=lambda guard: guard.name)
def test_as_many_turns_are_remembered_as_a_guard_looks_back(guard: Soft) -> None:
    """C6: a setting beyond what is remembered would be a guard that never objects."""
    far = FullAuto(no_progress_turns=40, same_error_turns=40, compactions_in_turns=40)
    assert remembered(far) > (guard.looks_back or guard.limit)(far)
