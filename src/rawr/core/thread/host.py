"""What belongs to no thread: the connection itself, requested threads, the account's limits."""

from msgspec.structs import replace

from rawr.core.draft import HostDraft
from rawr.core.speech import NOTHING
from rawr.core.state.host import Link, RateLimit, Wanted, limited_until, link_of
from rawr.core.thread import limiting, unattended
from rawr.core.vocabulary.effects import ListThreads, Notify, SetDeadline, StartThread
from rawr.core.vocabulary.facts import (
    DeadlinePassed,
    EffectFailed,
    EffectSucceeded,
    FaultRecorded,
    RateLimitsUpdated,
    RuntimeStarted,
    ServerConnected,
    ServerLost,
    ThreadRequested,
)
from rawr.core.vocabulary.limits import Limits, Sandboxing
from rawr.core.vocabulary.reasons import Reason

MAX_RATE_LIMITS = 8
MAX_STARTS = 5
"""How often a thread is requested again because Codex died in the meantime."""
RESET = "rate_limit"


def server_connected(draft: HostDraft, fact: ServerConnected) -> None:
    others = tuple(one for one in draft.state.links if one.name != fact.link)
    draft.change(links=(*others, Link(fact.link, fact.epoch)), epoch=max(draft.state.epoch, fact.epoch))
    waiting = [wanted for wanted in draft.state.wanted if not wanted.effect and wanted.fact.link == fact.link]
    others_wanted = [wanted for wanted in draft.state.wanted if wanted not in waiting]
    started = [_started(draft, wanted) for wanted in waiting]
    draft.change(wanted=(*others_wanted, *started))
    if draft.policy.joins(fact.link):
        draft.do(ListThreads(link=fact.link))


def server_lost(draft: HostDraft, fact: ServerLost) -> None:
    draft.change(links=tuple(one for one in draft.state.links if one.name != fact.link))
    if not fact.by_us:
        draft.do(Notify(level="warning", text=f"The connection to Codex was lost: {fact.problem}."))


def thread_requested(draft: HostDraft, fact: ThreadRequested) -> None:
    wanted = Wanted(fact)
    if link_of(draft.state, fact.link) is not None:
        wanted = _started(draft, wanted)
    else:
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
    if fact.code in ("unsent", "lost") and failed.tries < MAX_STARTS:
        # A thread without a turn leaves no trace in Codex, so a second request, once it is back, makes no second one.
        again = Wanted(failed.fact, tries=failed.tries + 1)
        draft.note(Reason.THREAD_DEFERRED_LOST, ticket=failed.fact.ticket, attempt=again.tries, problem=fact.problem)
        link = link_of(draft.state, failed.fact.link)
        if link is not None and failed.epoch != link.epoch:
            # The next connection came before the news of the failure on the last one.
            again = _started(draft, again)
        draft.change(wanted=(*left, again))
        return
    draft.change(wanted=left)
    draft.note(Reason.THREAD_FAILED_REFUSED, ticket=failed.fact.ticket, problem=fact.problem)
    draft.do(Notify(level="error", text=f"Codex could not start the thread: {fact.problem}"))


def rate_limits_updated(draft: HostDraft, fact: RateLimitsUpdated) -> None:
    others = [limit for limit in draft.state.rate_limits if limit.limit != fact.limit]
    limit = RateLimit(fact.limit, fact.used_percent, fact.resets_at, fact.reached)
    draft.change(rate_limits=(*others, limit)[-MAX_RATE_LIMITS:])
    until = limited_until(draft.state)
    if until > draft.at:
        # Runs that wait for a slot are handled when it resets.
        draft.set_deadline(RESET, (until - draft.at) // 1000 + 1)


def deadline_passed(draft: HostDraft, fact: DeadlinePassed) -> None:
    draft.change(deadlines=tuple(one for one in draft.state.deadlines if one.name != fact.name))


def runtime_started(draft: HostDraft, _fact: RuntimeStarted) -> None:
    """rawr was away: its timers are gone, and so is whoever requested a thread."""
    draft.change(links=(), wanted=())
    for deadline in draft.state.deadlines:
        draft.do(SetDeadline(name=deadline.name, at=deadline.at))


def _started(draft: HostDraft, wanted: Wanted) -> Wanted:
    link = link_of(draft.state, wanted.fact.link)
    return replace(wanted, effect=_start(draft, wanted.fact), epoch=link.epoch if link is not None else 0)


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
            instructions=unattended.FORM if fact.unattended else NOTHING,
            ephemeral=fact.ephemeral,
            link=fact.link,
        )
    )


def fault_recorded(draft: HostDraft, fact: FaultRecorded) -> None:
    draft.change(faults=draft.state.faults + 1)
    if fact.where == "greeting":
        # Somebody waits for a Codex that does not come up.
        draft.do(Notify(level="warning", text=fact.problem))
