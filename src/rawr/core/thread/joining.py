"""Join threads that other clients run (D1): which ones, and when.

A terminal program's own helpers are ephemeral, and sub-agents have a parent; both are left alone. A thread without a
turn cannot be joined yet, so rawr waits for the next sign of life.
"""

from rawr.core.draft import ThreadDraft
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.effects import LookAtThread, ResumeThread
from rawr.core.vocabulary.limits import Limits
from rawr.core.vocabulary.reasons import Reason


def opened(draft: ThreadDraft) -> None:
    if wanted(draft):
        draft.change(wanted=True)
        attempt(draft)


def attempt(draft: ThreadDraft) -> None:
    """Join, unless we have joined, are joining, or were not asked to."""
    state = draft.state
    if state.online or state.closed or not wanted(draft):
        return
    if state.resuming:
        draft.change(stirred=True)
    elif not state.cwd:
        # Nobody announced its beginning, so it is unknown whether it is a sub-agent's or a helper's.
        draft.change(resuming=draft.do(LookAtThread()))
    else:
        draft.note(Reason.THREAD_JOINED_WATCH)
        draft.change(resuming=draft.do(resumption(state, history=not state.ledger.goal)))


def resumption(
    state: ThreadState, *, history: bool, limits: Limits | None = None, take_goal: bool = False
) -> ResumeThread:
    """How to join, and from which turn on to report what was missed."""
    since = state.last_turn.id if state.last_turn is not None else ""
    unseen = state.turn.id if state.turn is not None and not since else ""
    return ResumeThread(
        history=history,
        since=since,
        unseen=unseen,
        whole=state.started and not since and not unseen,
        limits=limits,
        take_goal=take_goal,
    )


def ended(draft: ThreadDraft) -> None:
    """An attempt, or a look, is over. It may have been too early for what happened in the meantime."""
    if draft.state.stirred:
        draft.change(stirred=False)
        attempt(draft)


def wanted(draft: ThreadDraft) -> bool:
    state, policy = draft.state, draft.policy
    if state.ours or state.ephemeral or state.parent or not policy.joins(state.link):
        return False
    return state.id.endswith(policy.join_only)
