"""What follows from an assessment: a record, and by the mode a mark, a recommendation or a sequence (A2, A23)."""

from rawr.core.compaction import need, sequence
from rawr.core.compaction.assessment import Assessment
from rawr.core.compaction.precompact import selected
from rawr.core.compaction.table import Move
from rawr.core.draft import ThreadDraft
from rawr.core.policy.tiers import TIERS
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence

VETOES = frozenset({Reason.COMPACT_DEFERRED_GUARD, Reason.COMPACT_STOPPED_BREAKER, Reason.JUDGMENT_VETOED_BOUNDARY})


def carry_out(draft: ThreadDraft, answer: Assessment, *, judgment: str = "") -> None:
    """This is the moment: mark it, recommend it, or act on it."""
    match draft.policy.compaction.mode:
        case "tag":
            if _is_new(draft, answer):
                record(draft, answer, Reason.COMPACT_TAGGED_BOUNDARY, judgment=judgment, ended=_ended(answer))
        case "suggest":
            if _is_new(draft, answer):
                _suggest(draft, answer, judgment)
        case "auto":
            record(draft, answer, answer.reason, judgment=judgment)
            sequence.begin(
                draft,
                Move.DECIDED_YES,
                tier=answer.tier or "asap",
                percent=answer.percent or 0,
                reason=answer.reason,
                judgment=judgment,
            )


def _is_new(draft: ThreadDraft, answer: Assessment) -> bool:
    """Once per boundary, not every turn. Where only the turn's end speaks for it, once for each tier."""
    counts = [one.id for one in answer.boundaries if one.kind in answer.satisfied and one.kind != "turn_complete"]
    tier, _, boundary = draft.state.suggested.partition(" ")
    tighter = TIERS.index(answer.tier or "early") > (TIERS.index(tier) if tier in TIERS else -1)
    new = counts[-1] != boundary if counts else tighter
    if new:
        draft.change(suggested=f"{answer.tier} {counts[-1] if counts else boundary}")
    draft.change(signals=())
    return new


def _suggest(draft: ThreadDraft, answer: Assessment, judgment: str) -> None:
    record(draft, answer, Reason.COMPACT_SUGGESTED_BOUNDARY, judgment=judgment)
    ended = sequence.what_ended(answer.boundaries)
    why = f", and {ended}" if ended != sequence.NOTHING_ENDED else ""
    room = need.explained(draft.state, draft.policy.compaction)
    why = f", {room}{why}" if room else why
    draft.do(Notify(level="info", text=f"[rawr] {answer.percent} % of the context is left{why}: compact now."))


def _ended(answer: Assessment) -> str:
    """The boundary that makes it a moment, in a few words."""
    return sequence.what_ended(tuple(one for one in answer.boundaries if one.kind in answer.satisfied))


def record(
    draft: ThreadDraft, answer: Assessment, reason: Reason, *, judgment: str = "", outcome: str = "", ended: str = ""
) -> None:
    draft.note(
        reason,
        tier=answer.tier,
        percent=answer.percent,
        boundaries=[f"{one.kind}: {one.detail}" if one.detail else one.kind for one in answer.boundaries],
        satisfied=list(answer.satisfied),
        against=[one.value for one in answer.against],
        requests=list(selected(draft.policy.compaction, answer.tier)) if answer.compact and answer.tier else [],
        judgment=judgment or None,
        outcome=outcome or _outcome(answer),
        **({"ended": ended} if ended else {}),
        **_need(draft),
    )


def _need(draft: ThreadDraft) -> dict[str, Evidence]:
    """What the need was judged by, for whoever asks why."""
    words = need.explained(draft.state, draft.policy.compaction)
    return {"need": words} if words else {}


def _outcome(answer: Assessment) -> str:
    """``deferred`` means not now, but perhaps at the end of the next turn; ``vetoed`` waits for a person, a guard or a
    new boundary."""
    if answer.compact:
        return "begun"
    return "vetoed" if answer.reason in VETOES else "deferred"
