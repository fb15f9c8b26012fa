"""Soft landing: steer a running turn that would hit Codex's own compaction to a clean stop first (A19)."""

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
    if draft.state.compacting is not None:
        return  # these numbers are the compaction's
    if before == draft.state.usage:
        return  # the same number once more
    growth = room.grown(draft.state, before)
    if growth is not draft.state.growth:
        draft.change(growth=growth)
    if draft.state.sequence is None and draft.policy.compaction.soft_landing:
        _forecast(draft, before)


def _forecast(draft: ThreadDraft, before: Usage | None) -> None:
    state, policy = draft.state, draft.policy.compaction
    usage, limit, coming = state.usage, room.limit(state, policy), room.coming(state)
    if usage is None or limit is None or usage.in_context + coming + policy.packet_room_tokens < limit:
        return
    if not _may_land(draft):
        return
    if usage.in_context >= limit and (before is None or before.in_context < limit):
        # Codex compacts before it reads anything more, or the turn ends. Either way a request would come too late.
        draft.note(Reason.COMPACT_SKIPPED_OVERRUN, tokens=usage.in_context, limit=limit)
        return
    percent = percent_remaining(in_context=usage.in_context, window=usage.window) or 0
    draft.note(Reason.COMPACT_DECIDED_LANDING, tokens=usage.in_context, coming=coming, limit=limit, percent=percent)
    tier = tier_of(percent, policy.thresholds)
    begun = sequence.begin(
        draft,
        Move.NEARLY_FULL,
        tier="emergency" if tier == "roomy" else tier,
        percent=percent,
        reason=Reason.COMPACT_DECIDED_LANDING,
        landing=True,
    )
    text = messages.landing(draft.policy.prompts, begun.id, by_agent=policy.packet_author == "agent")
    outbox.say(draft, text, "landing", into_running_turn=True)


def _may_land(draft: ThreadDraft) -> bool:
    state, policy = draft.state, draft.policy.compaction
    if policy.mode != "auto" or not _works(state) or not state.online or state.guards or state.breaker.stopped:
        return False
    return precondition(state, policy) in (None, Reason.COMPACT_SKIPPED_SYNTHETIC)


def _works(state: ThreadState) -> bool:
    return state.turn is not None and bool(state.turn.id) and state.turn.purpose in OF_WORK
