"""The pause after a turn's end, on threads that others drive too (A15).

Their client sends a queued message when it sees the end, within milliseconds, and Codex has no precondition for a turn
or a compaction: one that starts at the same moment replaces their turn, and now and then their message is in no history
(measured). So rawr begins nothing until the thread has been at rest for a moment.
"""

from rawr.core.draft import ThreadDraft
from rawr.core.state.thread import ThreadState

DEADLINE = "pause"
BEFORE_ASKING = 250
"""Milliseconds before a message of rawr's. One that comes too early joins the user's turn, and no harm is done."""
BEFORE_COMPACTING = 1_000
"""Milliseconds before a compaction, which would end the user's turn. From a turn's end to its next turn the stock
terminal program needs 9 to 60 ms; with four times as much to do as there are processors, up to 550 (measured)."""


def is_shared(state: ThreadState) -> bool:
    """Return True if somebody else can begin a turn there."""
    return state.shared or not state.ours


def comes(draft: ThreadDraft, milliseconds: int = BEFORE_ASKING) -> bool:
    """Return True if a turn has just ended, so that others may be about to begin one: a deadline tells when that is
    over."""
    state = draft.state
    last = state.last_turn
    if last is None or not is_shared(state):
        return False
    over = last.ended_at + milliseconds
    if draft.at >= over:
        return False
    if all(one.name != DEADLINE or one.at != over for one in state.deadlines):
        draft.set_deadline(DEADLINE, (over - draft.at) / 1000)
    return True
