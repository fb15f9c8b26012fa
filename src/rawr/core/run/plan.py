"""The run's own plan, which is not the agent's: the work, and what was ordered on top (C16).

It is derived from the run and stored nowhere, so it cannot contradict the run.
"""

from msgspec import Struct

from rawr.core.state.run import Run
from rawr.core.vocabulary.facts import StepStatus


class Stage(Struct, frozen=True, gc=False, omit_defaults=True):
    name: str
    status: StepStatus
    detail: str = ""
    """For people: how often it was tried."""


def run_plan(run: Run) -> tuple[Stage, ...]:
    """What the run has done, what it is doing, and what comes next, in order."""
    order, now = run.order, _now(run)
    over = run.status == "done"
    plan = [Stage("work", _status("work", now, over=over or run.claimed))]
    if order.done:
        status = _status("check", now, over=over or run.passed)
        plan.append(Stage("check", status, _tries(run.checks, status)))
    if order.review == "at-end":
        plan.append(Stage("review", _status("review", now, over=over or run.reviews > 0)))
    plan.append(Stage("report", "completed" if over else "pending"))
    if now not in ("", *(stage.name for stage in plan)):
        # A compaction, or a review because of an error: the work continues after it.
        plan.insert(0, Stage(now, "in_progress"))
    return tuple(plan)


def _now(run: Run) -> str:
    """The current stage of the run; none if it is not running."""
    if not run.active:
        return ""
    match run.waiting:
        case "check" | "review":
            return run.waiting
        case "sequence":
            return "compaction"
        case _:
            return "work"


def _status(name: str, now: str, *, over: bool) -> StepStatus:
    return "in_progress" if name == now else "completed" if over else "pending"


def _tries(checks: int, status: StepStatus) -> str:
    """The first attempt is not worth mentioning, unless it failed."""
    match status:
        case "pending":
            return f"tried {'once' if checks == 1 else f'{checks} times'}" if checks else ""
        case "in_progress" | "completed":
            return f"attempt {checks}" if checks > 1 else ""
