"""Moves along the golden path, and the record of each sequence (A9, A23)."""

from msgspec.structs import replace

from rawr.core.compaction import tracking
from rawr.core.compaction.table import Move, after
from rawr.core.draft import ThreadDraft
from rawr.core.state.sequence import Phase, Sequence
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence


def current(draft: ThreadDraft) -> Sequence:
    sequence = draft.state.sequence
    assert sequence is not None, "only called while a sequence runs"  # noqa: S101
    return sequence


def move(draft: ThreadDraft, by: Move) -> None:
    """Go to the next phase; if that is none, the sequence is over."""
    sequence = current(draft)
    phase = after(sequence.phase, by)
    draft.change(sequence=None if phase is Phase.IDLE else replace(sequence, phase=phase))


def entered(draft: ThreadDraft, by: Move) -> Phase:
    """The first phase of a new sequence. An assessment takes no time, so no sequence is ever seen in it."""
    sequence = draft.state.sequence
    if sequence is not None:
        return after(sequence.phase, by)
    assessed = by in (Move.JUDGMENT_ASKED, Move.DECIDED_YES)
    return after(after(Phase.IDLE, Move.TURN_ENDED) if assessed else Phase.IDLE, by)


def audit(draft: ThreadDraft, sequence: Sequence, *, outcome: str) -> None:
    """The record that every compaction leaves (A23)."""
    if outcome == "compacted":
        tracking.remember(draft, sequence.id, sequence.tier, sequence.reason, judgment=sequence.judgment)
    past = draft.state.compactions[-1] if draft.state.compactions else None
    # Somebody else may have been faster than the request.
    others = {"upstream": "Codex itself", "other": "another client"}
    whose: dict[str, Evidence] = {"by": others[past.by]} if past is not None and past.by in others else {}
    draft.note(
        Reason.COMPACT_AUDITED_SEQUENCE,
        sequence=sequence.id,
        trigger=sequence.reason,
        tier=sequence.tier,
        percent=sequence.percent,
        boundaries=[one.kind for one in sequence.boundaries],
        judgment=sequence.judgment or None,
        packet_author=sequence.packet_author,
        corrections=sequence.corrections,
        tokens_before=past.tokens_before if past is not None and outcome == "compacted" else sequence.tokens_before,
        tokens_after=past.tokens_after if past is not None else None,
        duration_ms=draft.at - sequence.since,
        outcome=outcome,
        **whose,
    )
