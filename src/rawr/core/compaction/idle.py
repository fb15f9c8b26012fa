"""A finished turn after which the user stays away is a boundary (D9): the prompt cache is cold, and nobody waits.

The wait begins where a turn that is settled was no moment to compact, in a tier that takes ``idle``. Whatever happens
in between ends it: a turn, a message, an open question. A thread that a run drives is never idle; the run says when it
rests.
"""

from rawr.core.compaction.settled import is_settled
from rawr.core.draft import ThreadDraft
from rawr.core.policy.tiers import percent_remaining, tier_of
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.payloads import StayedAway

DEADLINE = "idle"


def wait(draft: ThreadDraft) -> None:
    """Nothing was decided at a turn's end, or rawr has come back to one: see if the user stays away."""
    last = draft.state.last_turn
    if last is None or not _counts(draft) or not _at_rest(draft.state):
        return
    away = (draft.at - last.ended_at) // 1000
    draft.set_deadline(DEADLINE, max(draft.policy.compaction.idle_seconds - away, 0))


def over(draft: ThreadDraft) -> None:
    """Somebody is there."""
    draft.cancel_deadline(DEADLINE)


def passed(draft: ThreadDraft) -> bool:
    """The time is up. Return True if that is a boundary: then it is signalled."""
    last = draft.state.last_turn
    if last is None or not _counts(draft) or not _at_rest(draft.state):
        return False
    seconds = (draft.at - last.ended_at) // 1000
    if seconds < draft.policy.compaction.idle_seconds:
        # Another turn ended meanwhile.
        wait(draft)
        return False
    draft.signal("idle", StayedAway(seconds=seconds), source="turn", turn=last.id)
    return True


def _counts(draft: ThreadDraft) -> bool:
    """Return True if the tier that the context is in takes it."""
    policy, usage = draft.policy.compaction, draft.state.usage
    if not policy.enabled or not policy.idle_seconds or usage is None:
        return False
    percent = percent_remaining(in_context=usage.in_context, window=usage.window)
    rules = policy.tier(tier_of(percent, policy.thresholds)) if percent is not None else None
    return rules is not None and "idle" in rules.requires_any_boundary


def _at_rest(state: ThreadState) -> bool:
    last, run = state.last_turn, state.run
    if last is None or last.status != "completed" or last.synthetic or not state.online or state.closed:
        return False
    if not is_settled(state):
        return False
    if state.turn is not None or state.sequence is not None or state.compacting is not None:
        return False
    driven = run is not None and run.active
    return not (driven or state.queue or state.sent or state.requests or state.preflight or state.unweighed)
