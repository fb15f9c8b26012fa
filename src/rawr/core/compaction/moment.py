"""Is this the moment to compact? Asked at each turn's end, before a user's next message, and by a person (A2, A6, A16).

``assessment`` knows what speaks for and against it; ``veto`` asks a model where one has a say; ``decision`` knows what
follows.
"""

from msgspec.structs import replace

from rawr.core.compaction import breaker, decision, sequence, tracking, veto
from rawr.core.compaction.assessment import assess
from rawr.core.compaction.table import Move
from rawr.core.draft import ThreadDraft
from rawr.core.state.thread import ThreadState
from rawr.core.thread import quiet
from rawr.core.vocabulary.facts import CompactionSubmitted
from rawr.core.vocabulary.reasons import Reason

UNRECORDED = frozenset({Reason.COMPACT_SKIPPED_ROOMY, Reason.COMPACT_SKIPPED_SYNTHETIC})
"""Not worth a record: most turns end this way."""


def weigh(draft: ThreadDraft) -> None:
    """A turn ended: is this the moment? Gating is the same in all modes; they differ in what follows (A2)."""
    policy = draft.policy.compaction
    if not policy.enabled:
        # Observed and recorded, never acted on (A1).
        answer = assess(draft.state, replace(policy, enabled=True), now=draft.at)
        if answer.compact:
            decision.record(draft, answer, Reason.COMPACT_SKIPPED_DISABLED)
        return
    answer = assess(draft.state, policy, now=draft.at)
    if not answer.compact:
        if answer.reason not in UNRECORDED:
            decision.record(draft, answer, answer.reason)
    elif answer.satisfied == ("turn_complete",) and policy.mode == "auto" and _holds_messages(draft.state):
        decision.record(draft, answer, Reason.COMPACT_HELD_PREFLIGHT)
        draft.change(preflight=True)
    elif policy.mode == "auto" and not _is_driven(draft.state) and quiet.comes(draft):
        draft.change(pausing=True)
    elif veto.wanted(draft, answer):
        veto.ask(draft, answer)
    else:
        decision.carry_out(draft, answer)


def pause_over(draft: ThreadDraft) -> None:
    """Nobody has typed, so this is the moment, if it still is one."""
    state = draft.state
    if state.pausing and state.online and not state.busy:
        draft.change(pausing=False)
        weigh(draft)


def _is_driven(state: ThreadState) -> bool:
    return state.run is not None and state.run.active


def _holds_messages(state: ThreadState) -> bool:
    """Return True if the next message comes by way of rawr. In somebody's own terminal program it cannot be held back,
    so the end of the turn is the moment there."""
    return state.ours or _is_driven(state)


def preflight(draft: ThreadDraft) -> None:
    """The user's next message is here: run the sequence first, then deliver the message unchanged (A16)."""
    answer = assess(replace(draft.state, queue=()), draft.policy.compaction, now=draft.at)
    draft.change(preflight=False)
    if not answer.compact or draft.policy.compaction.mode != "auto":
        return
    if veto.wanted(draft, answer):
        veto.ask(draft, answer, held=True)
    else:
        decision.carry_out(draft, answer)


def topic_opened(draft: ThreadDraft) -> None:
    """The user's next message is about something else, and waits: is this the moment to let go of what came before?"""
    policy = draft.policy.compaction
    if not policy.enabled:
        return
    answer = assess(replace(draft.state, queue=()), policy, now=draft.at)
    if not answer.compact:
        if answer.reason not in UNRECORDED:
            decision.record(draft, answer, answer.reason)
    elif veto.wanted(draft, answer):
        veto.ask(draft, answer, held=True)
    else:
        decision.carry_out(draft, answer)


def submitted(draft: ThreadDraft, fact: CompactionSubmitted) -> None:
    """A person asks for it now: on the golden path, or bare. No model is asked."""
    state = draft.state
    if not fact.bare and state.sequence is not None and not veto.awaited(state):
        draft.note(Reason.COMPACT_SKIPPED_SEQUENCE)
        return
    if state.in_reach:
        draft.note(Reason.COMPACT_SKIPPED_IN_REACH)
        return
    if not tracking.possible(draft):
        return
    veto.drop(draft, Reason.JUDGMENT_DROPPED_PERSON)
    if fact.bare:
        draft.note(Reason.COMPACT_STARTED_SUBMITTED, tokens_before=tracking.tokens(draft))
        tracking.start(draft)
        return
    draft.note(Reason.COMPACT_DECIDED_SUBMITTED)
    percent = breaker.percent(state) or 0
    reason = Reason.COMPACT_DECIDED_SUBMITTED
    sequence.begin(draft, Move.SUBMITTED, tier="asap", percent=percent, reason=reason)
