"""What belongs to no thread: the connection itself, threads asked for, the account's limits."""

from rawr.core import limiting, schedule
from rawr.core.draft import HostDraft
from rawr.core.effects import ListThreads, Notify, SetDeadline, StartThread
from rawr.core.facts import (
    DeadlinePassed,
    EffectFailed,
    EffectSucceeded,
    RateLimitsUpdated,
    RuntimeStarted,
    ServerConnected,
    ServerLost,
    ThreadRequested,
)
from rawr.core.limits import Limits, Sandboxing
from rawr.core.reasons import Reason
from rawr.core.state import RateLimit, Wanted

MAX_RATE_LIMITS = 8
RESET = "rate_limit"


def server_connected(draft: HostDraft, fact: ServerConnected) -> None:
    draft.change(online=True, epoch=fact.epoch)
    waiting = [wanted for wanted in draft.state.wanted if not wanted.effect]
    under_way = [wanted for wanted in draft.state.wanted if wanted.effect]
    started = [Wanted(wanted.fact, _start(draft, wanted.fact)) for wanted in waiting]
    draft.change(wanted=(*under_way, *started))
    if draft.policy.join == "all":
        draft.do(ListThreads())


def server_lost(draft: HostDraft, fact: ServerLost) -> None:
    draft.change(online=False)
    if not fact.by_us:
        draft.do(Notify(level="warning", text=f"The connection to Codex was lost: {fact.problem}."))


def thread_requested(draft: HostDraft, fact: ThreadRequested) -> None:
    if draft.state.online:
        wanted = Wanted(fact, _start(draft, fact))
    else:
        wanted = Wanted(fact)
        draft.note(Reason.THREAD_DEFERRED_OFFLINE, ticket=fact.ticket)
    draft.change(wanted=(*draft.state.wanted, wanted))


def effect_succeeded(draft: HostDraft, fact: EffectSucceeded) -> None:
    draft.change(wanted=tuple(wanted for wanted in draft.state.wanted if wanted.effect != fact.effect))


def effect_failed(draft: HostDraft, fact: EffectFailed) -> None:
    failed = next((wanted for wanted in draft.state.wanted if wanted.effect == fact.effect), None)
    if failed is None:
        draft.note(Reason.IGNORED_UNKNOWN_EFFECT, effect=fact.effect)
        return
    left = tuple(wanted for wanted in draft.state.wanted if wanted is not failed)
    if fact.code in ("unsent", "lost"):
        # A thread without a turn leaves no trace in Codex, so asking again, once it is back, makes no second one.
        draft.change(wanted=(*left, Wanted(failed.fact)))
        return
    draft.change(wanted=left)
    draft.note(Reason.THREAD_FAILED_REFUSED, ticket=failed.fact.ticket, problem=fact.problem)
    draft.do(Notify(level="error", text=f"Codex could not start the thread: {fact.problem}"))


def rate_limits_updated(draft: HostDraft, fact: RateLimitsUpdated) -> None:
    others = [limit for limit in draft.state.rate_limits if limit.limit != fact.limit]
    limit = RateLimit(fact.limit, fact.used_percent, fact.resets_at, fact.reached)
    draft.change(rate_limits=(*others, limit)[-MAX_RATE_LIMITS:])
    until = schedule.limited_until(draft.state)
    if until > draft.at:
        # Whoever waits for a slot is looked after when it resets.
        draft.set_deadline(RESET, (until - draft.at) // 1000 + 1)


def deadline_passed(draft: HostDraft, fact: DeadlinePassed) -> None:
    draft.change(deadlines=tuple(one for one in draft.state.deadlines if one.name != fact.name))


def runtime_started(draft: HostDraft, _fact: RuntimeStarted) -> None:
    """rawr was away, and its timers are gone."""
    draft.change(online=False)
    for deadline in draft.state.deadlines:
        draft.do(SetDeadline(name=deadline.name, at=deadline.at))


def _start(draft: HostDraft, fact: ThreadRequested) -> str:
    draft.note(Reason.THREAD_STARTED_SUBMITTED, ticket=fact.ticket, cwd=fact.cwd)
    return draft.do(
        StartThread(
            ticket=fact.ticket,
            cwd=fact.cwd,
            limits=Limits(
                sandbox=Sandboxing(fact.sandbox),
                approvals=fact.approvals,
                reviewer="user",
                model=fact.model,
                native_last=limiting.native_last(draft.policy),
            ),
            ephemeral=fact.ephemeral,
        )
    )
