"""Which threads are in a turn in a place, to know whose work it can be (B6)."""

import time
from collections.abc import Hashable
from itertools import count

from msgspec import Struct

MAX_PLACES = 256
MAX_THREADS = 64


FORGOTTEN = 6 * 3600.0
"""Seconds after which a thread that was not heard of any more is no longer taken to be in its turn."""


class _Stay(Struct):
    entered: int
    seen: float
    left: int = 0
    """0: still there."""

    @property
    def over(self) -> bool:
        return bool(self.left) or time.monotonic() - self.seen > FORGOTTEN


class Presence:
    """Moments are counted, not timed: only their order matters."""

    def __init__(self) -> None:
        self._stays: dict[Hashable, dict[str, _Stay]] = {}
        self._moments = count(1)

    def enter(self, place: Hashable, thread: str) -> None:
        """A turn of the thread begins, or is seen to be under way."""
        stays = self._stays.setdefault(place, {})
        stay = stays.get(thread)
        if stay is None or stay.left:
            stays.pop(thread, None)
            stays[thread] = stay = _Stay(next(self._moments), 0.0)
        stay.seen = time.monotonic()
        while len(stays) > MAX_THREADS:
            del stays[next(iter(stays))]
        while len(self._stays) > MAX_PLACES:
            del self._stays[next(iter(self._stays))]

    def leave(self, place: Hashable, thread: str) -> None:
        stay = self._stays.get(place, {}).get(thread)
        if stay is not None and not stay.left:
            stay.left = next(self._moments)

    def others_now(self, place: Hashable, thread: str) -> bool:
        """Return True if another thread is in a turn there."""
        return any(not stay.over for name, stay in self._stays.get(place, {}).items() if name != thread)

    def others_since(self, place: Hashable, thread: str) -> bool:
        """Return True if another thread was in a turn there at any time since this one's turn began."""
        stays = self._stays.get(place, {})
        entered = stays[thread].entered if thread in stays else 0
        return any(not stay.over or stay.left > entered for name, stay in stays.items() if name != thread)
