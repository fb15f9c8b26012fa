"""Whose turn it is: a limit on concurrent turns, and a fair order among the runs that are ready (C12).

A ready run waits for a slot. The run that has waited longest goes first, so each gets one turn before any gets a
second. A run that waits for a person, a check or a retry holds no slot and blocks nobody. While the account's limit is
reached, no run starts a turn. A run whose last turns ended at once and did nothing waits for a while, unless a person
has something to say to it.
"""

from collections.abc import Iterable

from rawr.core.state.host import HostState, limited_until
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState

_WORKING = frozenset({"turn", "sequence", "review"})
"""What a run waits for while Codex works for it."""


def due(threads: Iterable[ThreadState], host: HostState, *, most: int, now: int) -> tuple[str, ...]:
    """The threads that may start a turn now."""
    runs = [(state.run, state) for state in threads if state.run is not None and state.run.active]
    ready = [(run, state) for run, state in runs if run.waiting == "slot" and _free(state)]
    waiting = sorted((run.ready, state.id) for run, state in ready if not _cools(state, run, now=now))
    if not waiting or limited_until(host) > now:
        return ()
    working = sum(_works(state, run) for run, state in runs)
    return tuple(name for _, name in waiting[: max(most - working, 0)])


def _free(state: ThreadState) -> bool:
    return state.online and not state.busy and state.sequence is None and not (state.unweighed or state.reading)


def _cools(state: ThreadState, run: Run, *, now: int) -> bool:
    return run.cools_until > now and all(one.purpose != "user" for one in state.queue)


def _works(state: ThreadState, run: Run) -> bool:
    """Return True if it occupies a slot. A run whose turn waits for an answer does not."""
    asks = any(not one.answer for one in state.requests)
    return not asks and (run.waiting in _WORKING or state.busy or state.sequence is not None)
