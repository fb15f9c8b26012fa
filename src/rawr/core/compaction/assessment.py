"""Should we compact now? The rule of A6, with every reason for and against (A7), even if the answer is no.

Boundaries are necessary but never sufficient. An emergency needs none, and only work in flight that cannot be cut
prevents it, or a breaker that has stopped compactions on the thread (A20). Pure, and without memory: everything it
needs is in the state.
"""

from itertools import compress

from msgspec import Struct

from rawr.core.compaction import need
from rawr.core.compaction.settled import PLAN, is_unsettled
from rawr.core.policy.compaction import AutoCompaction, TierPolicy
from rawr.core.policy.tiers import BASELINE, Tier, percent_remaining, tier_of
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.reasons import Reason

TRIVIAL = 40
"""An agent's message with fewer characters says nothing worth a packet."""
LEFT_OVER = BASELINE + 6_000
"""What a compaction leaves in the context, in tokens, until one has been seen: prompts, summary, messages."""

CAN_BE_CUT = frozenset({Reason.COMPACT_DEFERRED_INPUT_QUEUED})
"""Work in flight that an emergency may precede: a queued message is held back and delivered afterwards."""
IN_FLIGHT = (
    Reason.COMPACT_DEFERRED_COMMAND_RUNNING,
    Reason.COMPACT_DEFERRED_REQUEST_OPEN,
    Reason.COMPACT_DEFERRED_SUBAGENT_BUSY,
    Reason.COMPACT_DEFERRED_REPLY_UNFINISHED,
    Reason.COMPACT_DEFERRED_INPUT_QUEUED,
)
_OBJECTIONS = (
    Reason.COMPACT_STOPPED_BREAKER,
    Reason.COMPACT_DEFERRED_BREAKER,
    Reason.COMPACT_DEFERRED_GUARD,
    *IN_FLIGHT,
    Reason.COMPACT_DEFERRED_COOLDOWN,
    Reason.COMPACT_DEFERRED_WEAK_BOUNDARY,
    Reason.COMPACT_DEFERRED_PLAN_ONLY,
    Reason.COMPACT_DEFERRED_NOT_PACKET_WORTHY,
    Reason.COMPACT_DEFERRED_NO_NEED,
    Reason.COMPACT_DEFERRED_LITTLE_GAIN,
)
"""The weightiest first."""
EVEN_IN_EMERGENCY = frozenset({Reason.COMPACT_STOPPED_BREAKER, *IN_FLIGHT}) - CAN_BE_CUT
PLAN_DOUBTS = frozenset({Reason.COMPACT_DEFERRED_WEAK_BOUNDARY, Reason.COMPACT_DEFERRED_PLAN_ONLY})
"""Objections to plan signals as a boundary; if the turn's end is a boundary by itself, they do not count."""


class Assessment(Struct, frozen=True):
    """The answer with all reasons for and against it. ``reason`` is the one that decided."""

    compact: bool
    reason: Reason
    tier: Tier | None = None
    percent: int | None = None
    boundaries: tuple[BoundaryEvent, ...] = ()
    satisfied: tuple[str, ...] = ()
    against: tuple[Reason, ...] = ()


def precondition(state: ThreadState, policy: AutoCompaction) -> Reason | None:
    """What rules out a compaction before anything is weighed (A3)."""
    if not policy.enabled:
        return Reason.COMPACT_SKIPPED_DISABLED
    if state.sequence is not None:
        return Reason.COMPACT_SKIPPED_SEQUENCE
    if state.in_review or (state.last_turn is not None and state.last_turn.review):
        return Reason.COMPACT_SKIPPED_REVIEW
    if state.goal is not None and state.goal.status == "active":
        return Reason.COMPACT_SKIPPED_GOAL
    if state.in_reach:
        return Reason.COMPACT_SKIPPED_IN_REACH
    if state.token_budget:
        return Reason.COMPACT_SKIPPED_TOKEN_BUDGET
    if state.usage is None or state.usage.window is None:
        return Reason.COMPACT_SKIPPED_USAGE
    if state.last_turn is not None and state.last_turn.synthetic:
        return Reason.COMPACT_SKIPPED_SYNTHETIC
    return None


def assess(state: ThreadState, policy: AutoCompaction, *, now: int) -> Assessment:
    """The whole rule: emergency → yes; not below a tier → no; no boundary of it → no; an objection → no; else yes.

    A boundary that a model has vetoed no longer counts.
    """
    blocked = precondition(state, policy)
    if blocked is not None or state.usage is None:
        return Assessment(compact=False, reason=blocked or Reason.COMPACT_SKIPPED_USAGE)
    percent = percent_remaining(in_context=state.usage.in_context, window=state.usage.window)
    assert percent is not None  # noqa: S101 - the window is known
    tier = tier_of(percent, policy.thresholds)
    rules = policy.tier(tier)
    if rules is None:
        return Assessment(compact=False, reason=Reason.COMPACT_SKIPPED_ROOMY, tier=tier, percent=percent)
    against = objections(state, policy, rules, now=now)
    if tier == "emergency":
        hard = tuple(one for one in against if one in EVEN_IN_EMERGENCY)
        reason = hard[0] if hard else Reason.COMPACT_DECIDED_EMERGENCY
        return Assessment(not hard, reason, tier, percent, state.signals, ("emergency",), against)
    required = [one for one in counting(state) if one.kind in rules.requires_any_boundary]
    satisfied = tuple(dict.fromkeys(one.kind for one in required if one.id not in state.since.vetoed))
    unsettled = bool(satisfied) and "turn_complete" not in satisfied and is_unsettled(state, _kinds(state))
    reason = Reason.COMPACT_DECIDED_BOUNDARY
    if (unsettled or not required) and _is_last_resort(state, policy, rules):
        satisfied, unsettled, reason = ("turn_complete",), False, Reason.COMPACT_DECIDED_LAST_RESORT
    if not satisfied:
        reason = Reason.JUDGMENT_VETOED_BOUNDARY if required else Reason.COMPACT_SKIPPED_NO_BOUNDARY
        return Assessment(False, reason, tier, percent, state.signals, (), against)  # noqa: FBT003
    if "turn_complete" in satisfied and PLAN_DOUBTS.intersection(against):
        satisfied, against = ("turn_complete",), tuple(one for one in against if one not in PLAN_DOUBTS)
    if unsettled:
        against = (*against, Reason.COMPACT_DEFERRED_UNSETTLED)
    return Assessment(not against, against[0] if against else reason, tier, percent, state.signals, satisfied, against)


def counting(state: ThreadState) -> tuple[BoundaryEvent, ...]:
    """The boundaries on which a compaction may rest. A topic that the user opened with a turn leaves the old one
    behind, but the middle of the new one is no place to stop: it counts where a turn is finished, or before it begins.
    """
    signals = state.signals
    if state.reviewed:
        # The next turn may have ended before the review was judged.
        signals = tuple(one for one in signals if one.turn != state.reviewed)
    if not any(one.opens_topic for one in signals) or any(one.kind == "agent_done" for one in signals):
        return signals
    ended = state.last_turn.ended_at if state.last_turn is not None else 0
    return tuple(one for one in signals if not one.opens_topic or one.at > ended)


def _kinds(state: ThreadState) -> set[str]:
    """The end of a turn says nothing about its subject."""
    return {one.kind for one in counting(state)} - {"turn_complete"}


def objections(state: ThreadState, policy: AutoCompaction, rules: TierPolicy, *, now: int) -> tuple[Reason, ...]:
    """Each reason not to compact now, the weightiest first."""
    kinds = _kinds(state)
    holds = (
        state.breaker.stopped,
        now < state.breaker.open_until,
        state.guards,
        *_in_flight(state),
        _cools_down(state, policy, now=now),
        kinds == {"plan_update"},
        _plan_only(kinds, rules),
        not packet_worthy(state),
        # A phase that somebody marked is worth it in any case.
        "phase_boundary" not in kinds and need.is_needless(state, policy),
        _gain_percent(state) < policy.min_gain_percent,
    )
    return tuple(compress(_OBJECTIONS, holds))


def _is_last_resort(state: ThreadState, policy: AutoCompaction, rules: TierPolicy) -> bool:
    """Return True if a turn has ended, and the next one would soon have to be landed: no better place comes."""
    ended = any(one.kind == "turn_complete" for one in state.signals)
    return rules.last_resort and ended and need.is_gone(state, policy)


def _cools_down(state: ThreadState, policy: AutoCompaction, *, now: int) -> bool:
    """Return True until so many turns or so many seconds have passed since the last compaction; 0 does not count."""
    turns, seconds = policy.cooldown_turns, policy.cooldown_seconds
    over = (turns and _turns_since(state) >= turns) or (seconds and _seconds_since(state, now) >= seconds)
    return bool(turns or seconds) and not over


def _in_flight(state: ThreadState) -> tuple[bool, ...]:
    """What there is of ``IN_FLIGHT``."""
    turn = state.turn
    kinds = [one.kind for one in turn.open_items] if turn is not None else _left_open(state)
    return (
        "Command" in kinds or "ToolCall" in kinds,
        bool(state.requests),
        "SubAgent" in kinds or bool(state.busy_children),
        turn is not None and "AgentMessage" in kinds,
        any(one.purpose == "user" for one in state.queue),
    )


def _left_open(state: ThreadState) -> tuple[str, ...]:
    """Items that the last turn began and did not end. A reply is over with its turn, whatever was reported."""
    left = state.last_turn.left_open if state.last_turn is not None else ()
    return tuple(kind for kind in left if kind != "AgentMessage") if left else ()


def _turns_since(state: ThreadState) -> int:
    return state.work_turns - state.last_compaction.work_turns if state.last_compaction is not None else 10**9


def _seconds_since(state: ThreadState, now: int) -> int:
    return (now - state.last_compaction.at) // 1000 if state.last_compaction is not None else 10**9


def _plan_only(kinds: set[str], rules: TierPolicy) -> bool:
    """Plan signals alone are noise, unless this tier accepts them."""
    if not rules.plan_boundaries_require_semantic_break or not kinds & PLAN:
        return False
    return kinds <= PLAN


def packet_worthy(state: ThreadState) -> bool:
    """Return True if there is anything to hand over: words of the agent, or a record to build a packet from."""
    said = state.last_turn.agent_text if state.last_turn is not None else ""
    ledger = state.ledger
    return len(said.strip()) >= TRIVIAL or bool(ledger.files or ledger.commits or state.plan.steps)


def _gain_percent(state: ThreadState) -> int:
    """The share of the window that a compaction is expected to free."""
    usage = state.usage
    if usage is None or not usage.window:
        return 100
    past = next((one.tokens_after for one in reversed(state.compactions) if one.ok and one.tokens_after), None)
    return max(usage.in_context - (past or LEFT_OVER), 0) * 100 // usage.window
