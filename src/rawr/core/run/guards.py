"""What ends a run that would go on, in a fixed order, each checked and recorded (C5, C6, C17).

A job that is said to be done is checked first, and needs no guard if it is. Hard guards come first: a person's word,
then budgets. Then the soft ones: no progress, circles, the same error again and again, too many compactions.
"""

from collections.abc import Callable

from msgspec import Struct

from rawr.core.policy.full_auto import MILLION, FullAuto
from rawr.core.run import progress
from rawr.core.state.run import Run
from rawr.core.vocabulary.order import Budgets
from rawr.core.vocabulary.reasons import Reason

MINUTE = 60_000


class Guard(Struct, frozen=True):
    """The result of one guard: ``hit`` means that it stops the run; ``detail`` is what it saw, even if it did not."""

    name: str
    reason: Reason
    hit: bool
    detail: str


def budgets(run: Run, *, now: int) -> tuple[Guard, ...]:
    """What may be used, and what was."""
    limits, used = run.order.budgets, usage(run, now=now)
    return (
        _budget("turns", Reason.RUN_STOPPED_TURNS, used.turns, limits.turns),
        _budget("tokens", Reason.RUN_STOPPED_TOKENS, used.tokens, limits.tokens),
        _budget("minutes", Reason.RUN_STOPPED_TIME, used.minutes, limits.minutes),
        _budget("cost", Reason.RUN_STOPPED_COST, used.cost, limits.cost, shown=money),
    )


def usage(run: Run, *, now: int) -> Budgets:
    """How much of each budget is used."""
    return Budgets(turns=run.turns, tokens=run.tokens, minutes=run.used(now) // MINUTE, cost=run.cost)


def raised(run: Run, *, now: int) -> dict[str, int]:
    """Limits under which the run could go on for as long again, by the names of the budgets that are used up."""
    limits, used = run.order.budgets, usage(run, now=now)
    spent = {name: (getattr(used, name), getattr(limits, name)) for name in Budgets.__struct_fields__}
    return {name: max(2 * limit, was + limit) for name, (was, limit) in spent.items() if 0 < limit <= was}


def _budget(name: str, reason: Reason, used: int, limit: int, *, shown: Callable[[int], str] = str) -> Guard:
    return Guard(
        name, reason, hit=0 < limit <= used, detail=f"{shown(used)} of {shown(limit) if limit else 'no limit'}"
    )


def money(millionths: int) -> str:
    """At least two decimals, and more if needed."""
    whole, _, part = f"{millionths / MILLION:.6f}".partition(".")
    return f"{whole}.{part.rstrip('0'):0<2}"


class Soft(Struct, frozen=True):
    """A guard over the newest turns: it stops the run when its count reaches the setting."""

    name: str
    reason: Reason
    seen: Callable[[Run, FullAuto], int]
    limit: Callable[[FullAuto], int]
    what: Callable[[FullAuto], str]
    looks_back: Callable[[FullAuto], int] | None = None
    """How many turns it examines; by default, as many as its limit."""


SOFT = (
    Soft(
        "churn",
        Reason.RUN_STOPPED_CHURN,
        lambda run, _: progress.circles(run),
        lambda policy: policy.no_progress_turns,
        lambda _: "turns in circles",
    ),
    Soft(
        "no_progress",
        Reason.RUN_STOPPED_PROGRESS,
        lambda run, _: progress.standstill(run),
        lambda policy: policy.no_progress_turns,
        lambda _: "turns without progress",
    ),
    Soft(
        "same_error",
        Reason.RUN_STOPPED_ERROR,
        lambda run, _: progress.same_problem(run),
        lambda policy: policy.same_error_turns,
        lambda _: "turns with the same error",
    ),
    Soft(
        "compactions",
        Reason.RUN_STOPPED_COMPACTIONS,
        lambda run, policy: compactions(run, policy.compactions_in_turns),
        lambda policy: max(policy.compactions_in_turns // 2, 1) + 1,
        lambda policy: f"compactions in {policy.compactions_in_turns} turns",
        looks_back=lambda policy: policy.compactions_in_turns,
    ),
)


def soft(run: Run, policy: FullAuto) -> tuple[Guard, ...]:
    return tuple(_count(one, one.seen(run, policy), policy) for one in SOFT)


def is_near(run: Run, policy: FullAuto) -> bool:
    """Return True if a guard over turns may object after one more."""
    return any(one.seen(run, policy) + 1 >= one.limit(policy) for one in SOFT)


def remembered(policy: FullAuto) -> int:
    """How many turns must be remembered for every guard to see as far back as it looks, plus the one before."""
    return max((one.looks_back or one.limit)(policy) for one in SOFT) + 1


def both(run: Run, policy: FullAuto, *, now: int) -> tuple[Guard, ...]:
    """All of them, the hard ones first."""
    return (*budgets(run, now=now), *soft(run, policy))


def _count(one: Soft, seen: int, policy: FullAuto) -> Guard:
    limit = one.limit(policy)
    return Guard(one.name, one.reason, hit=seen >= limit, detail=f"{seen} of {limit} {one.what(policy)}")


def compactions(run: Run, turns: int) -> int:
    """Compactions over the newest turns."""
    if len(run.history) <= turns:
        return 0
    return run.history[-1].compactions - run.history[-1 - turns].compactions
