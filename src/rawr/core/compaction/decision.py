"""What follows from an assessment: a record, and by the mode a mark, a recommendation or a sequence (A2, A23)."""

from rawr.core.compaction import sequence
from rawr.core.compaction.assessment import Assessment
from rawr.core.compaction.precompact import selected
from rawr.core.compaction.table import Move
from rawr.core.draft import ThreadDraft
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.reasons import Reason

VETOES = frozenset({Reason.COMPACT_DEFERRED_GUARD, Reason.COMPACT_STOPPED_BREAKER, Reason.JUDGMENT_VETOED_BOUNDARY})


def carry_out(draft: ThreadDraft, answer: Assessment, *, judgment: str = "") -> None:
    """This is the moment: mark it, recommend it, or act on it."""
    match draft.policy.compaction.mode:
        case "tag":
            record(draft, answer, Reason.COMPACT_TAGGED_BOUNDARY, judgment=judgment)
            draft.change(signals=())
        case "suggest":
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


def _suggest(draft: ThreadDraft, answer: Assessment, judgment: str) -> None:
    """Once per boundary, not every turn."""
    newest = answer.boundaries[-1].id if answer.boundaries and answer.tier != "emergency" else "emergency"
    if newest == draft.state.suggested:
        return
    record(draft, answer, Reason.COMPACT_SUGGESTED_BOUNDARY, judgment=judgment)
    draft.change(suggested=newest, signals=())
    text = (
        f"[rawr] {answer.percent} % of the context is left, and {sequence.what_ended(answer.boundaries)}: compact now."
    )
    draft.do(Notify(level="info", text=text))


def record(draft: ThreadDraft, answer: Assessment, reason: Reason, *, judgment: str = "", outcome: str = "") -> None:
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
    )


def _outcome(answer: Assessment) -> str:
    """``deferred`` means not now, but perhaps at the end of the next turn; ``vetoed`` waits for a person, a guard or a
    new boundary."""
    if answer.compact:
        return "begun"
    return "vetoed" if answer.reason in VETOES else "deferred"
