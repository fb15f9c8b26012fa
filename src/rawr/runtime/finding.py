"""Threads by the names that people use, in memory or in the journal.

Memory holds only what a start concerns and what happened since, so a thread that was left alone is found in the record.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from rawr.core.kernel import Kernel
from rawr.core.state.thread import ThreadState
from rawr.runtime.recovery import Recollection


class Finder:
    def __init__(self, kernel: Kernel, recollection: Recollection) -> None:
        self._kernel = kernel
        self._recollection = recollection

    def state(self, thread: str) -> ThreadState:
        """The newest state of a thread. One that is not in memory is not connected, whatever its record says."""
        if (known := self._kernel.threads.get(thread)) is not None:
            return known
        past = self._recollection.thread(thread) if thread else None
        return replace(past, online=False) if past is not None else ThreadState(thread)

    def find(self, name: str) -> str:
        """A thread by its run's id, its id or the end of it; unnamed, the last active. Empty unless one fits."""
        if not name:
            return self._last_active()
        known = self._kernel.threads
        found = _with_run(name, iter(known.values()))
        found = found or {key for key in (*known, *self._recollection.distrusted) if key.endswith(name)}
        found = found or _with_run(name, self._recollection.newest()) or self._recollection.named(name)
        return found.pop() if len(found) == 1 else ""

    def _last_active(self) -> str:
        known = (state for state in self._kernel.threads.values() if not state.closed)
        newest = max(known, key=_last_heard, default=None)
        newest = newest or next((state for state in self._recollection.newest() if not state.closed), None)
        return newest.id if newest is not None else ""


def _with_run(name: str, states: Iterator[ThreadState]) -> set[str]:
    return {state.id for state in states if state.run is not None and state.run.id == name}


def _last_heard(state: ThreadState) -> int:
    running = state.turn.started_at if state.turn is not None else 0
    return max(running, state.last_turn.ended_at if state.last_turn is not None else 0)
