"""Whose turn it is: a cap on turns at once, and a fair order among the runs that are ready (C12).

A run that is ready waits for a slot. The one that has waited longest goes first, so each gets one turn before any gets
a second. A run that waits for a person, a check or a retry holds no slot and holds up nobody. While the account's limit
is reached nobody starts.
"""

from collections.abc import Iterable

from rawr.core.state.host import HostState
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState

FULL = 100
"""Percent of a rate limit."""

_WORKING = frozenset({"turn", "sequence", "review"})
"""What a run waits for while Codex works for it."""


def due(threads: Iterable[ThreadState], host: HostState, *, most: int, now: int) -> tuple[str, ...]:
    """The threads that may start a turn now."""
    runs = [(state.run, state) for state in threads if state.run is not None and state.run.active]
    waiting = sorted((run.ready, state.id) for run, state in runs if run.waiting == "slot" and _free(state))
    if not waiting or limited_until(host) > now:
        return ()
    working = sum(_works(state, run) for run, state in runs)
    return tuple(name for _, name in waiting[: max(most - working, 0)])


def _free(state: ThreadState) -> bool:
    return state.online and not state.busy and state.sequence is None and not state.unjudged


def _works(state: ThreadState, run: Run) -> bool:
    """Whether it takes up a slot. One whose turn waits for an answer does not."""
    asks = any(not one.answer for one in state.requests)
    return not asks and (run.waiting in _WORKING or state.busy or state.sequence is not None)


def limited_until(host: HostState) -> int:
    """When a limit that is reached resets, in ms since the epoch; 0 if none is.

    An account has a short window and a long one, and both say so when either is reached. The one that is full counts.
    """
    full = [one.resets_at or 0 for one in host.rate_limits if one.used_percent >= FULL]
    told = [one.resets_at or 0 for one in host.rate_limits if one.reached]
    return (max(full) if full else min(told, default=0)) * 1000
