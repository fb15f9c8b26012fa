"""Soft landing: steer a running turn that would hit Codex's own compaction to a clean stop first (A19)."""

from rawr.core.compaction import sequence
from rawr.core.compaction.assessment import precondition
from rawr.core.compaction.table import Move
from rawr.core.draft import ThreadDraft
from rawr.core.handover import messages
from rawr.core.policy.tiers import percent_remaining, tier_of
from rawr.core.state.turn import OF_WORK
from rawr.core.thread import outbox
from rawr.core.vocabulary.reasons import Reason

NATIVE_SHARE = 90
"""Codex compacts by itself at this percent of the window, unless set otherwise at the thread's start."""


def forecast(draft: ThreadDraft) -> None:
    """After each model call of a running turn: will the next calls still fit?"""
    state, policy = draft.state, draft.policy.compaction
    turn, usage = state.turn, state.usage
    if turn is None or usage is None or usage.window is None or policy.mode != "auto" or not turn.id:
        return
    limit = usage.window if state.ours and policy.native_emergency_only else usage.window * NATIVE_SHARE // 100
    if usage.in_context + policy.packet_room_tokens < limit:
        return
    if not state.online or precondition(state, policy) not in (None, Reason.COMPACT_SKIPPED_SYNTHETIC):
        return
    if turn.purpose not in OF_WORK or state.guards or state.breaker.stopped or state.compacting is not None:
        return
    percent = percent_remaining(in_context=usage.in_context, window=usage.window) or 0
    draft.note(Reason.COMPACT_DECIDED_LANDING, tokens=usage.in_context, limit=limit, percent=percent)
    tier = tier_of(percent, policy.thresholds)
    begun = sequence.begin(
        draft,
        Move.NEARLY_FULL,
        tier="emergency" if tier == "roomy" else tier,
        percent=percent,
        reason=Reason.COMPACT_DECIDED_LANDING,
        landing=True,
    )
    text = messages.landing(begun.id, draft.policy.prompts.packet_request)
    outbox.say(draft, text, "landing", into_running_turn=True)
