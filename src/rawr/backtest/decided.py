"""What the arbiter decided to do, as one line of a result."""

from rawr.backtest.context import Context
from rawr.backtest.result import Place, WouldCompact
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import TIERS, Tier, tier_of
from rawr.core.vocabulary.boundaries import GATING
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision

MOMENTS = frozenset(
    {
        Reason.COMPACT_DECIDED_BOUNDARY,
        Reason.COMPACT_DECIDED_EMERGENCY,
        Reason.COMPACT_DECIDED_LAST_RESORT,
        Reason.COMPACT_DECIDED_LANDING,
        Reason.COMPACT_DECIDED_CHECKPOINT,
        Reason.COMPACT_TAGGED_BOUNDARY,
        Reason.COMPACT_SUGGESTED_BOUNDARY,
    }
)
"""Decisions that say: now."""
LANDINGS = frozenset({Reason.COMPACT_DECIDED_LANDING, Reason.COMPACT_DECIDED_CHECKPOINT})
ACTING = MOMENTS - {Reason.COMPACT_TAGGED_BOUNDARY, Reason.COMPACT_SUGGESTED_BOUNDARY}


def would_compact(decision: Decision, *, line: int, turn: int, context: Context, policy: Policy) -> WouldCompact:
    """A decision of ``MOMENTS``, with what the context holds then."""
    evidence = decision.record.evidence
    percent = evidence.get("percent")
    left = percent if isinstance(percent, int) else 0
    kinds = evidence.get("satisfied")
    satisfied = tuple(kinds) if isinstance(kinds, list) else ()
    place = _place(decision.record.reason, satisfied)
    if "emergency" in satisfied:
        satisfied = _kinds(evidence.get("boundaries"))
    acts = decision.record.reason in ACTING
    return WouldCompact(
        line=line,
        turn=turn,
        tier=_tier(evidence.get("tier"), left, policy),
        percent=left,
        kinds=satisfied,
        reason=decision.record.reason.value,
        tokens=context.with_rawr,
        tokens_after=min(context.left_over(handoff=True), context.with_rawr) if acts else context.with_rawr,
        at=decision.at,
        place=place,
    )


def _place(reason: Reason, satisfied: tuple[str, ...]) -> Place:
    """A boundary that happens to be there is not why an emergency is one."""
    if reason in LANDINGS:
        return "landing"
    if reason is Reason.COMPACT_DECIDED_EMERGENCY or "emergency" in satisfied:
        return "emergency"
    return "choice" if set(satisfied) - {"turn_complete"} else "turn_end"


def _tier(named: object, percent: int, policy: Policy) -> Tier:
    """A landing has no tier of its own."""
    return next((tier for tier in TIERS if tier == named), tier_of(percent, policy.thresholds))


def _kinds(boundaries: object) -> tuple[str, ...]:
    """The kinds of what a decision lists as ``kind: words``."""
    named = (str(one).partition(":")[0] for one in boundaries) if isinstance(boundaries, list) else ()
    return tuple(dict.fromkeys(one for one in named if one in GATING))
