"""Is a compaction needed at all? One number: for how many more turns there is room (D8).

It stands in every decision. By default the tiers decide and it decides nothing; who wants to compact rarely sets
``need_turns``, and a boundary waits until so many turns no longer fit. What the newest turns added says how soon the
context will be full; where that is unknown, or soon, nothing speaks against compacting.
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

GONE = 0.35
"""With room for less than so much of a turn like the largest of the newest ones, the end of any turn is a better place
than the middle of the next. Measured: docs/signals.md."""


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


def is_gone(state: ThreadState, policy: AutoCompaction) -> bool:
    """Return True if the next turn would soon have to be landed, by its first calls or by what such turns add."""
    return room.ends_soon(state, policy) or (bool(state.turn_growth) and turns_left(state, policy) < GONE)


def explained(state: ThreadState, policy: AutoCompaction) -> str:
    """The number in words; empty if nothing is known of the thread's turns."""
    if not state.turn_growth:
        return ""
    return f"room for {turns_left(state, policy):.1f} more turns like the largest of the last five"


def is_needless(state: ThreadState, policy: AutoCompaction) -> bool:
    """Return True if compactions are to be rare, and the context would not be full for a while."""
    if not policy.need_turns or room.ends_soon(state, policy):
        return False
    return turns_left(state, policy) >= policy.need_turns
