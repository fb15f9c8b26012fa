"""Where Codex compacts by itself, and how soon a running turn gets there (A19)."""

from rawr.core.policy.compaction import AutoCompaction
from rawr.core.state.thread import MAX_GROWTH, ThreadState, Usage

NATIVE_SHARE = 90
"""Codex compacts by itself at this percent of the window, unless set otherwise at the thread's start."""
CALLS = 2
"""Model calls until a request to stop is read: Codex reports a call's usage when the next one is under way, and a
request that waits for that report is read after it."""
GREATEST_SHARE = 10
"""The most that one call is expected to add, in percent of the window. One huge output says little about the next."""
UNKNOWN = 10**9


def limit(state: ThreadState, policy: AutoCompaction) -> int | None:
    """How many tokens in the context make Codex compact by itself; None if the window is not known."""
    window = state.usage.window if state.usage is not None else None
    if window is None:
        return None
    return window if state.ours and policy.native_emergency_only else window * NATIVE_SHARE // 100


def left(state: ThreadState, policy: AutoCompaction) -> int:
    """How many tokens still fit before that."""
    most = limit(state, policy)
    return most - state.usage.in_context if most is not None and state.usage is not None else UNKNOWN


def grown(state: ThreadState, before: Usage | None) -> tuple[int, ...]:
    """What the newest model calls added to the context, this turn's and those of turns before."""
    if before is None or state.usage is None or state.usage.in_context <= before.in_context:
        return state.growth
    return (*state.growth, state.usage.in_context - before.in_context)[-MAX_GROWTH:]


def coming(state: ThreadState) -> int:
    """What the calls until a request is read are expected to add: each as much as the largest of the newest."""
    window = state.usage.window if state.usage is not None else None
    most = max(state.growth, default=0)
    return CALLS * (min(most, window * GREATEST_SHARE // 100) if window is not None else most)
