"""Soft landing: steer a running turn that would hit Codex's own compaction to a clean stop first (A19).

It is the only stop inside a turn: of all places the middle of a turn is the worst, but for what Codex would do there by
itself.
"""

from msgspec.structs import replace

from rawr.core.compaction import room, sequence
from rawr.core.compaction.assessment import precondition
from rawr.core.compaction.table import Move
from rawr.core.draft import ThreadDraft
from rawr.core.handover import messages
from rawr.core.policy.tiers import percent_remaining, tier_of
from rawr.core.state.thread import ThreadState, Usage
from rawr.core.state.turn import OF_WORK
from rawr.core.thread import outbox
from rawr.core.vocabulary.reasons import Reason


def usage_updated(draft: ThreadDraft, before: Usage | None) -> None:
    """A model call of a running turn has ended: what it added, and whether the next ones still fit."""
    state, policy = draft.state, draft.policy.compaction
    if state.compacting is not None:
        return  # these numbers are the compaction's
    if before == state.usage:
        return  # the same number once more
    growth = room.grown(state, before)
    if growth is not state.growth:
        draft.state = state = replace(state, growth=growth)
    if state.sequence is None and policy.soft_landing and room.is_in_sight(state, policy):
        _forecast(draft, before)


def _forecast(draft: ThreadDraft, before: Usage | None) -> None:
    state, policy = draft.state, draft.policy.compaction
    if state.turn is not None and state.turn.answered:
        # Its end is the better place, and comes before another call does.
        return
    limit, held, coming = room.limit(state, policy), room.held(state), room.under_way(state)
    if state.usage is None or limit is None or held + coming + policy.packet_room_tokens < limit:
        return
    if not _may_land(draft):
        return
    if held >= limit and (before is None or before.in_context + state.reasoning < limit):
        # Codex compacts before it reads anything more, or the turn ends. Either way a request would come too late.
        draft.note(Reason.COMPACT_SKIPPED_OVERRUN, tokens=held, limit=limit)
        return
    percent = percent_remaining(in_context=state.usage.in_context, window=state.usage.window) or 0
    draft.note(Reason.COMPACT_DECIDED_LANDING, tokens=held, coming=coming, limit=limit, percent=percent)
    _land(draft, percent)


def _land(draft: ThreadDraft, percent: int) -> None:
    policy = draft.policy.compaction
    tier, left = tier_of(percent, policy.thresholds), max(room.left(draft.state, policy), 0)
    begun = sequence.begin(
        draft,
        Move.NEARLY_FULL,
        tier="emergency" if tier == "roomy" else tier,
        percent=percent,
        reason=Reason.COMPACT_DECIDED_LANDING,
        landing=True,
    )
    known = draft.state.invariants if draft.policy.look_up_claims else ()
    by_agent = policy.packet_author == "agent"
    text = messages.landing(draft.policy.prompts, begun.id, left=left, by_agent=by_agent, known=known)
    outbox.say(draft, text, "landing", into_running_turn=True)


def _may_land(draft: ThreadDraft) -> bool:
    state, policy = draft.state, draft.policy.compaction
    if policy.mode != "auto" or not _works(state) or not state.online or state.guards or state.breaker.stopped:
        return False
    return precondition(state, policy) in (None, Reason.COMPACT_SKIPPED_SYNTHETIC)


def _works(state: ThreadState) -> bool:
    return state.turn is not None and bool(state.turn.id) and state.turn.purpose in OF_WORK
