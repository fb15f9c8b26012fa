"""Is a compaction needed at all? One number: for how many more turns there is room (D8).

A compaction costs a few requests, a cold cache and what the packet leaves out; where the work would have ended long
before the context is full, it costs that for nothing. What the newest turns added says how soon it will be full. Where
that is unknown, or soon, nothing speaks against compacting at a boundary.
"""

from rawr.core.compaction import room
from rawr.core.draft import ThreadDraft
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.tiers import BASELINE
from rawr.core.state.thread import ThreadState

MAX_TURNS = 5
"""The newest turns of work whose growth is kept."""


def turn_ended(draft: ThreadDraft) -> None:
    """A turn of work is over: what did it add?"""
    state = draft.state
    if state.usage is None:
        return
    held = state.usage.in_context
    # The prompts are there before anybody works.
    added = held - (state.held or BASELINE)
    growth = (*state.turn_growth, added)[-MAX_TURNS:] if added > 0 else state.turn_growth
    draft.change(held=held, turn_growth=growth)


def turns_left(state: ThreadState, policy: AutoCompaction) -> int:
    """For how many more turns like the largest of the newest there is room, before Codex compacts by itself."""
    if not state.turn_growth:
        return 0
    return max(room.left(state, policy), 0) // max(state.turn_growth)


def is_needless(state: ThreadState, policy: AutoCompaction) -> bool:
    """Return True if the context would not be full for a while."""
    return policy.rules == "measured" and turns_left(state, policy) >= policy.need_turns > 0
