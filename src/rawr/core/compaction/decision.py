"""Is this the moment to compact? Asked at each turn's end, before a user's next message, and by a person (A2, A6, A16).

What speaks for and against it is ``assessment``'s to say, and where a model has a say too, ``judging`` hears it; here
it becomes a record and, in the mode that acts, a sequence.
"""

from msgspec.structs import replace

from rawr.core.compaction import breaker as gain
from rawr.core.compaction import sequence
from rawr.core.compaction import tracking as compaction
from rawr.core.compaction import veto as judging
from rawr.core.compaction.assessment import Assessment, assess
from rawr.core.compaction.precompact import selected
from rawr.core.draft import ThreadDraft
from rawr.core.thread import turns
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import ModelAnswered
from rawr.core.vocabulary.reasons import Reason

VETOES = frozenset({Reason.COMPACT_DEFERRED_GUARD, Reason.COMPACT_STOPPED_BREAKER, Reason.JUDGMENT_VETOED_BOUNDARY})


def weigh(draft: ThreadDraft) -> None:
    """A turn ended: is this the moment? Gating is the same in all modes; they differ in what follows (A2)."""
    policy = draft.policy.compaction
    if not policy.enabled:
        # Observed and recorded, never acted upon (A1).
        answer = assess(draft.state, replace(policy, enabled=True), now=draft.at)
        if answer.compact:
            record(draft, answer, Reason.COMPACT_SKIPPED_DISABLED)
        return
    answer = assess(draft.state, policy, now=draft.at)
    if not answer.compact:
        if answer.reason not in (Reason.COMPACT_SKIPPED_ROOMY, Reason.COMPACT_SKIPPED_SYNTHETIC):
            record(draft, answer, answer.reason)
    elif answer.satisfied == ("turn_complete",) and policy.mode == "auto":
        record(draft, answer, Reason.COMPACT_HELD_PREFLIGHT)
        draft.change(preflight=True)
    elif judging.wanted(draft, answer):
        judging.ask(draft, answer)
    else:
        carry_out(draft, answer)


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
    """``deferred`` is not now and perhaps at the next turn's end; ``vetoed`` waits for a person, a guard or a new
    boundary."""
    if answer.compact:
        return "begun"
    return "vetoed" if answer.reason in VETOES else "deferred"


def preflight(draft: ThreadDraft) -> None:
    """The user's next message is here: the sequence runs first, then the message is delivered unchanged (A16)."""
    state = draft.state
    answer = assess(replace(state, queue=()), draft.policy.compaction, now=draft.at)
    draft.change(preflight=False)
    if answer.compact and draft.policy.compaction.mode == "auto":
        if judging.wanted(draft, answer):
            judging.ask(draft, answer, held=True)
        else:
            carry_out(draft, answer)
    turns.advance(draft)


def submitted(draft: ThreadDraft) -> None:
    """A person asks for the golden path now. Nobody else is asked."""
    state = draft.state
    if state.sequence is not None and not judging.awaited(state):
        draft.note(Reason.COMPACT_SKIPPED_SEQUENCE)
    elif not compaction.possible(draft):
        return
    else:
        judging.drop(draft, Reason.JUDGMENT_DROPPED_PERSON)
        draft.note(Reason.COMPACT_DECIDED_SUBMITTED)
        percent = gain.percent(state) or 0
        sequence.begin(draft, tier="asap", percent=percent, reason=Reason.COMPACT_DECIDED_SUBMITTED)


def judged(draft: ThreadDraft, fact: ModelAnswered) -> None:
    judging.judged(draft, fact)
