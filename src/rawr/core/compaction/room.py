"""Where Codex compacts by itself, and how soon a running turn gets there (A19)."""

from collections.abc import Sequence

from msgspec.structs import replace

from rawr.core.policy.compaction import AutoCompaction
from rawr.core.state.thread import MAX_GROWTH, ThreadState, Usage
from rawr.core.vocabulary.facts import UsageUpdated

_SHARE, _WHOLE = 18, 19
"""Codex compacts by itself at nine tenths of the model's window, and reports 95 % of that as the window (measured)."""
GREATEST_SHARE = 10
"""The most that one call is expected to add, in percent of the window. One huge output says little about the next."""
USUAL_SHARE = 4
"""The same for the call that is under way: 19 of 20 calls in real sessions add less."""
STEADY_SHARE = 25
"""The same where the newest two calls were both large: one says little about the next, two say that such calls come."""
CALLS = 2
"""Model calls into the next turn after which it would have to be landed: the end before it is the better place."""
UNKNOWN = 10**9


def limit(state: ThreadState, policy: AutoCompaction) -> int | None:
    """How many tokens in the context make Codex compact by itself; None if the window is not known."""
    window = state.usage.window if state.usage is not None else None
    if window is None:
        return None
    if state.ours and policy.native_emergency_only:
        return window
    own = state.native.limit if state.native is not None else 0
    return min(native_limit(window), own) if own > 0 else native_limit(window)


def native_limit(window: int) -> int:
    """The same where nobody has moved it, in a window as Codex reports it."""
    return window * _SHARE // _WHOLE


def held(state: ThreadState) -> int:
    """How many tokens are in the context as Codex counts them before it compacts by itself: what the last model call
    reported, and the encrypted reasoning of earlier turns."""
    return state.usage.in_context + state.reasoning if state.usage is not None else 0


def is_in_sight(state: ThreadState, policy: AutoCompaction) -> bool:
    """Return False if no turn is landed yet, however much the next calls are expected to add: most reports of usage
    come far from the limit."""
    most, usage = limit(state, policy), state.usage
    if most is None or usage is None or usage.window is None:
        return False
    return held(state) + usage.window * STEADY_SHARE // 100 + policy.packet_room_tokens >= most


def left(state: ThreadState, policy: AutoCompaction) -> int:
    """How many tokens still fit before that."""
    most = limit(state, policy)
    return most - held(state) if most is not None else UNKNOWN


def grown(state: ThreadState, before: Usage | None) -> tuple[int, ...]:
    """What the newest model calls added to the context, this turn's and those of turns before."""
    if before is None or state.usage is None or state.usage.in_context <= before.in_context:
        return state.growth
    return (*state.growth, state.usage.in_context - before.in_context)[-MAX_GROWTH:]


def grown_by(state: ThreadState, reports: Sequence[int], newest: UsageUpdated) -> ThreadState:
    """The state after reports of usage, of which ``newest`` is the last, as if each had been told: for looking back. In
    a turn, far from the limit, that is all that they change."""
    held = state.usage.in_context if state.usage is not None else reports[0]
    growth = list(state.growth)
    for one in reports:
        if one > held:
            growth.append(one - held)
        held = one
    window = newest.window
    if window is None and state.usage is not None:
        window = state.usage.window
    usage = Usage(newest.in_context, newest.spent, window)
    return replace(state, usage=usage, growth=tuple(growth[-MAX_GROWTH:]))


def under_way(state: ThreadState) -> int:
    """What the call that is under way is expected to add: as much as the largest of the newest, or as the newest two if
    both were large."""
    again = min(state.growth[-2:]) if len(state.growth) > 1 and state.usage is not None else 0
    window = state.usage.window if state.usage is not None else None
    return max(_largest(state, USUAL_SHARE), min(again, (window or 0) * STEADY_SHARE // 100))


def ends_soon(state: ThreadState, policy: AutoCompaction) -> bool:
    """Return True if a few calls of the next turn would take the context to where Codex compacts by itself."""
    return left(state, policy) <= CALLS * _largest(state, GREATEST_SHARE) + policy.packet_room_tokens


def _largest(state: ThreadState, share: int) -> int:
    window = state.usage.window if state.usage is not None else None
    most = max(state.growth, default=0)
    return min(most, window * share // 100) if window is not None else most
