"""Is a compaction needed at all? One number: for how many more turns there is room (D8).

A compaction costs a few requests, a cold cache and what the packet leaves out; where the work would have ended long
before the context is full, it costs that for nothing. What the newest turns added says how soon it will be full. Where
that is unknown, or soon, nothing speaks against compacting at a boundary.
"""

from msgspec.structs import replace

from rawr.core.compaction import room
from rawr.core.draft import ThreadDraft
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.tiers import BASELINE
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import TurnOutcome

MAX_TURNS = 5
"""The newest turns of work whose growth is kept."""
GREATEST_SHARE = 40
"""The most that one turn is expected to add, in percent of the window: one that read everything says little about the
next."""

LAST_TURNS = 0.85
"""With less room than for so many turns, any turn's end is better than what comes: the middle of the next one."""
COLD = 2
"""How many times as many turns may still fit where the user is away: the prompt cache is cold by then, and nobody
waits, so that a compaction costs less."""


def turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """A turn of work is over: what did it add?"""
    state, held = draft.state, turn.held
    if not held:
        return
    # The prompts are there before anybody works. What was there before rawr came into a turn, that turn did not add.
    added = held - (state.held or BASELINE)
    known = added > 0 and not (turn.midway and not state.held)
    growth = (*state.turn_growth, added)[-MAX_TURNS:] if known else state.turn_growth
    draft.state = replace(state, held=held, turn_growth=growth)


def turns_left(state: ThreadState, policy: AutoCompaction) -> float:
    """For how many more turns like the largest of the last five there is room, before Codex compacts by itself."""
    window = state.usage.window if state.usage is not None else None
    if not state.turn_growth or window is None:
        return 0
    largest = min(max(state.turn_growth), window * GREATEST_SHARE // 100)
    return max(room.left(state, policy), 0) / max(largest, 1)


def explained(state: ThreadState, policy: AutoCompaction) -> str:
    """The number in words; empty if nobody asked for it, or nothing is known of the thread's turns."""
    if policy.rules != "measured" or not policy.need_turns or not state.turn_growth:
        return ""
    return f"room for {turns_left(state, policy):.1f} more turns like the largest of the last five"


def is_needless(state: ThreadState, policy: AutoCompaction, *, times: float = 1) -> bool:
    """Return True if the context would not be full for a while. ``times``: as many turns more, or fewer."""
    if policy.rules != "measured" or not policy.need_turns or room.ends_soon(state, policy):
        return False
    return turns_left(state, policy) >= policy.need_turns * times
