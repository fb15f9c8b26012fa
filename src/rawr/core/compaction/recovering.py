"""Somebody else compacted: Codex by itself, or a person while the golden path was on its way there (A19).

If the packet is written, the path goes along with it. Otherwise the agent gets the record: in the turn that is running,
or in the next one that somebody else begins. rawr begins none for it, which might end in the next compaction (A20a).
"""

from msgspec.structs import replace

from rawr.core.compaction import packet_turn, path, sequence, tracking
from rawr.core.compaction.table import Move, cancellable
from rawr.core.draft import ThreadDraft
from rawr.core.events import CompactedUpstream, RecordUnread
from rawr.core.handover import offers
from rawr.core.state.sequence import Recovery
from rawr.core.thread import outbox
from rawr.core.vocabulary.reasons import Reason


def compacted_upstream(draft: ThreadDraft, _event: CompactedUpstream) -> None:
    """It was compacted without rawr. If the packet is written, the path goes along and the handoff follows; otherwise
    the agent gets the record (A19)."""
    policy = draft.policy.compaction
    running = draft.state.sequence
    acts = policy.enabled and policy.mode == "auto"
    if running is not None and packet_turn.is_at_hand(draft):
        _go_along(draft)
        return
    tracking.audit(draft)
    if not acts or (running is not None and not cancellable(running.phase)):
        return
    if running is None and draft.state.in_reach:
        draft.note(Reason.COMPACT_SKIPPED_IN_REACH)
        return
    if running is not None:
        # The purpose of the sequence was met without it. A second compaction would gain nothing.
        draft.note(Reason.COMPACT_CANCELLED_UPSTREAM, sequence=running.id, phase=running.phase.value)
        sequence.put_down(draft)
    if draft.state.breaker.stopped:
        draft.change(recovering=None)
        return
    before = draft.state.recovering
    if before is not None and before.sent and running is None:
        # Codex reads it after the compaction, at a turn's start as well as in the middle of one.
        draft.note(Reason.HANDOFF_AWAITED_RECOVERY)
        return
    due = before if before is not None and not before.sent else Recovery(f"u{draft.seq}")
    if draft.policy.look_up_claims:
        offered = running.offered if running is not None else offers.open_words(draft.state)
        due = replace(due, offered=due.offered or offered)
    draft.change(recovering=replace(due, noted=running.noted) if running is not None else due)
    recover(draft)


def _go_along(draft: ThreadDraft) -> None:
    """Codex compacted by itself where rawr was about to: what is left of the path is the handoff."""
    running = path.current(draft)
    draft.note(Reason.COMPACT_SEEN_ALONG, sequence=running.id)
    draft.cancel_deadline(packet_turn.DEADLINE)
    draft.cancel_deadline(sequence.SETTLING)
    outbox.withdraw(draft)
    draft.change(sequence=replace(running, injecting=""))
    path.move(draft, Move.FORESTALLED)
    sequence.hand_over(draft)


def recover(draft: ThreadDraft) -> None:
    """Put the record that is due into the running turn, if that may still read it; otherwise it waits for the next turn
    that somebody else begins. What commands of this turn did to the repository belongs in it."""
    due = draft.state.recovering
    if due is None or due.sent or draft.state.observing or draft.state.sequence is not None:
        return
    effect = outbox.go_along(draft, packet_turn.recovery(draft, due), "recovery")
    if effect:
        draft.change(recovering=replace(due, sent=effect))
        draft.note(Reason.HANDOFF_SENT_RECOVERY, sequence=due.id)
    elif not due.waits:
        _waits(draft, due)


def record_unread(draft: ThreadDraft, event: RecordUnread) -> None:
    """The turn ended first. A turn of its own might end in the next compaction, and so on: it waits (A20a)."""
    due = draft.state.recovering
    if due is not None and due.sent == event.effect:
        _waits(draft, due)


def _waits(draft: ThreadDraft, due: Recovery) -> None:
    draft.change(recovering=replace(due, sent="", waits=True))
    draft.note(Reason.HANDOFF_HELD_RECOVERY, sequence=due.id)
