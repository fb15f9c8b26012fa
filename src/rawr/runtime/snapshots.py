"""The states that a journal keeps, to be held against those that its facts lead to."""

import msgspec
from msgspec import Struct

from rawr.core.state.thread import ThreadState
from rawr.journal.reader import JournalReader
from rawr.runtime.recovery import thread_shape


class Kept(Struct, frozen=True):
    """A kept state, which holds after the fact ``seq``; None if it cannot be read."""

    seq: int
    state: ThreadState | None


class Snapshots:
    """The newest one of each thread, asked for when a replay is past it."""

    def __init__(self, reader: JournalReader, *, until: int) -> None:
        self._reader = reader
        self._until = until
        self._due: dict[str, int] = {}
        """By thread: the fact of its snapshot; 0 if there is none to wait for."""

    def passed(self, thread: str, seq: int) -> Kept | None:
        """The state that the thread must have before the fact ``seq``, once, if one is kept."""
        due = self._due.get(thread)
        if due is None:
            found = self._reader.latest_snapshot(thread, thread_shape())
            due = self._due[thread] = found.seq if found is not None and found.seq <= self._until else 0
        if not 0 < due < seq:
            return None
        self._due[thread] = 0
        found = self._reader.latest_snapshot(thread, thread_shape())
        if found is None or found.seq != due:
            # A running rawr has replaced it.
            return None
        try:
            return Kept(due, msgspec.json.decode(found.body, type=ThreadState))
        except msgspec.MsgspecError:
            return Kept(due, None)

    def forget(self, thread: str) -> None:
        self._due.pop(thread, None)
