"""Is this the moment to compact? Asked at each turn's end, before a user's next message, and by a person (A2, A6, A16).

What speaks for and against it is ``assessment``'s to say; here it becomes a record and, in the mode that acts, a
sequence.
"""

from msgspec.structs import replace

from rawr.core import compaction, gain, sequence, turns
from rawr.core.assessment import Assessment, assess
from rawr.core.draft import ThreadDraft
from rawr.core.effects import Notify
from rawr.core.facts import ModelAnswered
from rawr.core.precompact import selected
from rawr.core.reasons import Reason


def weigh(draft: ThreadDraft) -> None:
    """A turn ended: is this the moment? Gating is the same in all modes; they differ in what follows (A2)."""
    policy = draft.policy.compaction
    if not policy.enabled:
        # Observed and recorded, never acted upon (A1).
        answer = assess(draft.state, replace(policy, enabled=True), now=draft.at)
        if answer.compact:
            _record(draft, answer, Reason.COMPACT_SKIPPED_DISABLED)
        return
    answer = assess(draft.state, policy, now=draft.at)
    if not answer.compact:
        if answer.reason not in (Reason.COMPACT_SKIPPED_ROOMY, Reason.COMPACT_SKIPPED_SYNTHETIC):
            _record(draft, answer, answer.reason)
        return
    if answer.satisfied == ("turn_complete",) and policy.mode == "auto":
        _record(draft, answer, Reason.COMPACT_HELD_PREFLIGHT)
        draft.change(preflight=True)
        return
    match policy.mode:
        case "tag":
            _record(draft, answer, Reason.COMPACT_TAGGED_BOUNDARY)
            draft.change(signals=())
        case "suggest":
            _suggest(draft, answer)
        case "auto":
            _record(draft, answer, answer.reason)
            sequence.begin(draft, tier=answer.tier or "asap", percent=answer.percent or 0, reason=answer.reason)


def _suggest(draft: ThreadDraft, answer: Assessment) -> None:
    """Once per boundary, not every turn."""
    newest = answer.boundaries[-1].id if answer.boundaries and answer.tier != "emergency" else "emergency"
    if newest == draft.state.suggested:
        return
    _record(draft, answer, Reason.COMPACT_SUGGESTED_BOUNDARY)
    draft.change(suggested=newest, signals=())
    text = (
        f"[rawr] {answer.percent} % of the context is left, and {sequence.what_ended(answer.boundaries)}: compact now."
    )
    draft.do(Notify(level="info", text=text))


def _record(draft: ThreadDraft, answer: Assessment, reason: Reason) -> None:
    draft.note(
        reason,
        tier=answer.tier,
        percent=answer.percent,
        boundaries=[f"{one.kind}: {one.detail}" if one.detail else one.kind for one in answer.boundaries],
        satisfied=list(answer.satisfied),
        against=[one.value for one in answer.against],
        requests=list(selected(draft.policy.compaction, answer.tier)) if answer.compact and answer.tier else [],
        judgment=None,
        outcome=_outcome(answer),
    )


def _outcome(answer: Assessment) -> str:
    """``deferred`` is not now and perhaps at the next turn's end; ``vetoed`` waits for a person or for a guard."""
    if answer.compact:
        return "begun"
    return "vetoed" if answer.reason in (Reason.COMPACT_DEFERRED_GUARD, Reason.COMPACT_STOPPED_BREAKER) else "deferred"


def preflight(draft: ThreadDraft) -> None:
    """The user's next message is here: the sequence runs first, then the message is delivered unchanged (A16)."""
    state = draft.state
    answer = assess(replace(state, queue=()), draft.policy.compaction, now=draft.at)
    draft.change(preflight=False)
    if answer.compact and draft.policy.compaction.mode == "auto":
        _record(draft, answer, answer.reason)
        sequence.begin(draft, tier=answer.tier or "asap", percent=answer.percent or 0, reason=answer.reason)
    turns.advance(draft)


def submitted(draft: ThreadDraft) -> None:
    """A person asks for the golden path now."""
    state = draft.state
    if state.sequence is not None:
        draft.note(Reason.COMPACT_SKIPPED_SEQUENCE)
    elif not compaction.possible(draft):
        return
    else:
        draft.note(Reason.COMPACT_DECIDED_SUBMITTED)
        percent = gain.percent(state) or 0
        sequence.begin(draft, tier="asap", percent=percent, reason=Reason.COMPACT_DECIDED_SUBMITTED)


def judged(draft: ThreadDraft, fact: ModelAnswered) -> None:
    draft.note(Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature)
