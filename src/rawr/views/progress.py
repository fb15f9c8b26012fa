"""How far a run is, against its budgets: the line shown while it works."""

from typing import Literal

from msgspec import Struct

from rawr.core.policy.full_auto import MILLION
from rawr.core.state.run import Waiting
from rawr.core.state.thread import ThreadState
from rawr.views.context import context_of


class Progress(Struct, frozen=True):
    turn: int
    """The running turn, or the last one that ended."""
    max_turns: int
    plan_done: int
    plan_steps: int
    step: str
    """The step of the plan that is under way."""
    tokens: int
    max_tokens: int
    percent_left: int | None
    seconds: int
    max_minutes: int
    cost: float
    max_cost: float
    """In each of these, zero means no limit."""
    about_to: Literal["", "pause", "stop"]
    """What a person asked of it and has not happened yet."""
    waits_for: Waiting
    """What it waits for, besides its turn and its slot; empty if nothing."""


def progress_of(state: ThreadState, *, now: int) -> Progress | None:
    """None if there is no run."""
    run = state.run
    if run is None:
        return None
    budgets, steps = run.order.budgets, state.plan.steps
    return Progress(
        # A finished turn counts once it has been judged.
        turn=run.turns + (state.turn is not None or state.unweighed),
        max_turns=budgets.turns,
        plan_done=sum(step.status == "completed" for step in steps),
        plan_steps=len(steps),
        step=next((" ".join(step.step.split()) for step in steps if step.status == "in_progress"), ""),
        tokens=run.tokens,
        max_tokens=budgets.tokens,
        percent_left=context_of(state).percent_left,
        seconds=run.used(now) // 1000,
        max_minutes=budgets.minutes,
        cost=run.cost / MILLION,
        max_cost=budgets.cost / MILLION,
        about_to=run.about_to if run.active else "",
        waits_for=run.waiting if run.waiting not in ("turn", "slot") else "",
    )
