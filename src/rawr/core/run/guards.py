"""What ends a run whatever anybody decides, in a fixed order, each checked and each on record (C5, C6, C17).

Hard ones first: what a person said, then budgets. The soft ones follow: nothing advances, it goes in circles, the same
error again and again, compactions too often.
"""

from collections.abc import Callable

from msgspec import Struct

from rawr.core.policy.full_auto import MILLION, FullAuto
from rawr.core.run import progress
from rawr.core.state.run import Run
from rawr.core.vocabulary.reasons import Reason

MINUTE = 60_000


class Guard(Struct, frozen=True):
    """One guard, asked: ``hit`` says that it stops the run; ``detail`` is what it saw, also when it did not."""

    name: str
    reason: Reason
    hit: bool
    detail: str


def budgets(run: Run, *, now: int) -> tuple[Guard, ...]:
    """What may be used, and what was."""
    limits = run.order.budgets
    minutes = run.used(now) // MINUTE
    return (
        _budget("turns", Reason.RUN_STOPPED_TURNS, run.turns, limits.turns),
        _budget("tokens", Reason.RUN_STOPPED_TOKENS, run.tokens, limits.tokens),
        _budget("minutes", Reason.RUN_STOPPED_TIME, minutes, limits.minutes),
        _budget("cost", Reason.RUN_STOPPED_COST, run.cost, limits.cost, shown=money),
    )


def _budget(name: str, reason: Reason, used: int, limit: int, *, shown: Callable[[int], str] = str) -> Guard:
    return Guard(
        name, reason, hit=0 < limit <= used, detail=f"{shown(used)} of {shown(limit) if limit else 'no limit'}"
    )


def money(millionths: int) -> str:
    """At least two decimals, and as many as it takes."""
    whole, _, part = f"{millionths / MILLION:.6f}".partition(".")
    return f"{whole}.{part.rstrip('0'):0<2}"


def soft(run: Run, policy: FullAuto) -> tuple[Guard, ...]:
    still, circles, same = progress.standstill(run), progress.circles(run), progress.same_problem(run)
    often = compactions(run, policy.compactions_in_turns)
    return (
        _count("churn", Reason.RUN_STOPPED_CHURN, circles, policy.no_progress_turns, "turns in circles"),
        _count("no_progress", Reason.RUN_STOPPED_PROGRESS, still, policy.no_progress_turns, "turns without progress"),
        _count("same_error", Reason.RUN_STOPPED_ERROR, same, policy.same_error_turns, "turns with the same error"),
        _count(
            "compactions",
            Reason.RUN_STOPPED_COMPACTIONS,
            often,
            max(policy.compactions_in_turns // 2, 1) + 1,
            f"compactions in {policy.compactions_in_turns} turns",
        ),
    )


def both(run: Run, policy: FullAuto, *, now: int) -> tuple[Guard, ...]:
    """All of them, the hard ones first."""
    return (*budgets(run, now=now), *soft(run, policy))


def _count(name: str, reason: Reason, seen: int, limit: int, what: str) -> Guard:
    return Guard(name, reason, hit=seen >= limit, detail=f"{seen} of {limit} {what}")


def compactions(run: Run, turns: int) -> int:
    """Compactions over the newest turns."""
    if len(run.history) <= turns:
        return 0
    return run.history[-1].compactions - run.history[-1 - turns].compactions
