"""A Full Auto run: its order, its progress, its plan, and why it rests."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.policy.full_auto import MILLION
from rawr.core.run import guards
from rawr.core.run.plan import Stage, run_plan
from rawr.core.state.run import Run
from rawr.core.text import head
from rawr.views.codes import is_cut_off, is_unanswered, meaning

__all__ = [
    "RunView",
    "Stage",
    "resume_command",
    "run_name",
    "run_plan",
    "run_view",
    "standing",
    "unanswered",
    "was_cut_off",
]

SHOWN_GOAL = 100
SHOWN_DETAIL = 300
ABOUT_TO = {"pause": "pauses when its turn ends", "stop": "stopping"}
NAME = 30
"""Enough characters of a goal to distinguish it from others."""


class RunView(Struct, frozen=True):
    """The Full Auto run on a thread."""

    id: str
    status: str
    """The run's own status, or ``cut off``: nothing is running it, and nobody paused it."""
    live: bool
    """A running rawr is working on it."""
    goal: str
    turns: int
    max_turns: int
    tokens: int
    seconds: int
    waits_for: str
    about_to: Literal["", "pause", "stop"]
    """What a person asked of it and has not happened yet."""
    run_plan: tuple[Stage, ...]
    until: str
    """The check that decides when it is done; empty: the agent's word does."""
    max_tokens: int
    max_minutes: int
    max_cost: float
    """In each of these, zero means no limit."""
    stop: str
    stop_detail: str
    done: str
    resume: str
    """The command that continues it; empty while it needs none."""


def run_view(run: Run, *, last_seen: int, now: int, live: bool) -> RunView:
    """``last_seen`` is the newest fact about it. ``live``: a rawr is running on this home."""
    status = run.status if live or not run.active else "cut off"
    # The record may be ahead of the date: setting the clock back does not undo it.
    until = max(now, last_seen) if live else last_seen
    budgets = run.order.budgets
    return RunView(
        id=run.id,
        status=status,
        live=live and run.active,
        goal=head(run.order.goal, SHOWN_GOAL),
        turns=run.turns,
        max_turns=budgets.turns,
        tokens=run.tokens,
        seconds=run.used(until) // 1000,
        waits_for=run.waiting if run.active else "",
        about_to=run.about_to if run.active and live else "",
        # If it was cut off, nothing is under way.
        run_plan=run_plan(run if status == run.status else replace(run, status="paused")),
        until=run.order.done,
        max_tokens=budgets.tokens,
        max_minutes=budgets.minutes,
        max_cost=budgets.cost / MILLION,
        stop=run.stop.reason if run.stop is not None else "",
        stop_detail=head(run.stop.detail, SHOWN_DETAIL) if run.stop is not None else "",
        done=run.done,
        resume=resume_command(run) if status not in ("running", "done") else "",
    )


def resume_command(run: Run) -> str:
    """The command that continues a run. Where a budget is used up, it raises it: else the run would stop at once."""
    more = guards.raised(run, now=run.stretch).items()
    flags = (f" --max-{name} {guards.money(limit) if name == 'cost' else limit}" for name, limit in more)
    return f"rawr resume {run.id}{''.join(flags)}"


def run_name(run: Run) -> str:
    """A run in a few words."""
    goal = " ".join(run.order.goal.split())
    return f"{run.id} {goal if len(goal) <= NAME else goal[: NAME - 1] + '…'}"


def standing(run: Run, *, live: bool) -> str:
    """Its state, and why, in words."""
    if run.active and live:
        waits = f", waiting for: {run.waiting}" if run.waiting not in ("", "turn") else ""
        soon = f", {ABOUT_TO[run.about_to]}" if run.about_to else ""
        return f"under way: turn {run.turns + 1} of {run.order.budgets.turns}{soon}{waits}"
    if run.active:
        return "cut off: rawr exited while it was under way"
    if run.stop is None:
        return run.status
    detail = f" ({head(run.stop.detail, SHOWN_DETAIL)})" if run.stop.detail else ""
    return f"{run.status}: {meaning(run.stop.reason).rstrip('.')}{detail}"


def unanswered(run: Run | None) -> str:
    """The question that nobody answered in time, which paused the run; empty if that was not the reason."""
    if run is None or run.stop is None or not is_unanswered(run.stop.reason):
        return ""
    return run.stop.detail or "a question"


def was_cut_off(run: Run) -> bool:
    """Return True if it rests only because the rawr that drove it was killed."""
    return run.status == "paused" and run.stop is not None and is_cut_off(run.stop.reason)
