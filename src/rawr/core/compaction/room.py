"""Where Codex compacts by itself, and how soon a running turn gets there (A19)."""

from collections.abc import Sequence

from msgspec.structs import replace

from rawr.core.policy.compaction import AutoCompaction
from rawr.core.state.thread import MAX_GROWTH, ThreadState, Usage
from rawr.core.vocabulary.facts import UsageUpdated

NATIVE_SHARE = 90
"""Codex compacts by itself at this percent of the window, unless set otherwise at the thread's start."""
CALLS = 2
"""Model calls until a request to stop is read: Codex reports a call's usage when the next one is under way, and a
request that waits for that report is read after it."""
GREATEST_SHARE = 10
"""The most that one call is expected to add, in percent of the window. One huge output says little about the next."""
USUAL_SHARE = 4
"""The same under the measured rules: 19 of 20 calls in real sessions add less."""
AHEAD = 8
"""Calls from which on a turn that pauses is landed there. Measured: with fewer, long turns have no pause left; with
more, it comes in sessions that never get full."""
FARTHEST_SHARE = max(CALLS * GREATEST_SHARE, AHEAD * USUAL_SHARE)
"""The most that all calls together are expected to add that anything here looks ahead to."""
UNKNOWN = 10**9


def limit(state: ThreadState, policy: AutoCompaction) -> int | None:
    """How many tokens in the context make Codex compact by itself; None if the window is not known."""
    window = state.usage.window if state.usage is not None else None
    if window is None:
        return None
    return window if state.ours and policy.native_emergency_only else window * NATIVE_SHARE // 100


def is_in_sight(state: ThreadState, policy: AutoCompaction) -> bool:
    """Return False if no turn is landed yet, however much the next calls are expected to add: most reports of usage
    come far from the limit."""
    most, usage = limit(state, policy), state.usage
    if most is None or usage is None or usage.window is None:
        return False
    return usage.in_context + usage.window * FARTHEST_SHARE // 100 + policy.packet_room_tokens >= most


def left(state: ThreadState, policy: AutoCompaction) -> int:
    """How many tokens still fit before that."""
    most = limit(state, policy)
    return most - state.usage.in_context if most is not None and state.usage is not None else UNKNOWN


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


def coming(state: ThreadState) -> int:
    """What the calls until a request is read are expected to add: each as much as the largest of the newest."""
    return CALLS * _largest(state, GREATEST_SHARE)


def under_way(state: ThreadState) -> int:
    """What the call that is under way is expected to add."""
    return _largest(state, USUAL_SHARE)


def ahead(state: ThreadState) -> int:
    """What the calls are expected to add within which a turn should pause once."""
    return AHEAD * _largest(state, USUAL_SHARE)


def ends_soon(state: ThreadState, policy: AutoCompaction) -> bool:
    """Return True if a few calls of the next turn would take the context to where Codex compacts by itself."""
    return left(state, policy) <= coming(state) + policy.packet_room_tokens


def _largest(state: ThreadState, share: int) -> int:
    window = state.usage.window if state.usage is not None else None
    most = max(state.growth, default=0)
    return min(most, window * share // 100) if window is not None else most
