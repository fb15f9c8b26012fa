"""Lists that stay bounded, and keep what a reader would miss: the extremes, or the first and newest of each kind."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

GROUP = 4
"""Of so many entries in a row, half are kept when a list is full."""
Halve = Callable[[list[T]], list[T]]


class Bounded:
    """A list that may be shorter than what went into it."""

    count = 0
    """How many went into it."""

    @property
    def left_out(self) -> int:
        raise NotImplementedError


class Thinned(Bounded, Generic[T]):
    """Entries in order. When they are too many, every other one goes, chosen within each group of neighbours."""

    def __init__(self, most: int, halve: Halve[T]) -> None:
        self._most = most
        self._halve = halve
        self._kept: list[T] = []

    def add(self, entry: T) -> None:
        self.count += 1
        self._kept.append(entry)
        if len(self._kept) > self._most:
            inner = self._kept[1:-1]
            groups = (inner[at : at + GROUP] for at in range(0, len(inner), GROUP))
            chosen = [one for group in groups for one in (self._halve(group) if len(group) == GROUP else group)]
            # A line begins and ends where it did.
            self._kept = [self._kept[0], *chosen, self._kept[-1]]

    def change_last(self, entry: T) -> None:
        self._kept[-1] = entry

    @property
    def last(self) -> T | None:
        return self._kept[-1] if self._kept else None

    def __iter__(self) -> Iterator[T]:
        return iter(self._kept)

    @property
    def left_out(self) -> int:
        return self.count - len(self._kept)


def extremes(value: Callable[[T], int]) -> Halve[T]:
    """The lowest and the highest of a group, in their order."""

    def halve(group: list[T]) -> list[T]:
        values = [value(one) for one in group]
        low = min(range(len(group)), key=values.__getitem__)
        high = max((at for at in range(len(group)) if at != low), key=values.__getitem__)
        return [group[at] for at in sorted((low, high))]

    return halve


def notable(rank: Callable[[T], int]) -> Halve[T]:
    """The two that rank highest, in their order."""

    def halve(group: list[T]) -> list[T]:
        best = sorted(range(len(group)), key=lambda at: -rank(group[at]))[: GROUP // 2]
        return [group[at] for at in sorted(best)]

    return halve


class Newest(Bounded, Generic[T]):
    """The newest entry of each name, in the order in which they came."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[str, T] = {}
        self._dropped = 0

    def add(self, name: str, entry: T) -> None:
        self._kept.pop(name, None)
        self._kept[name] = entry
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
            self._dropped += 1
        self.count = len(self._kept) + self._dropped

    def get(self, name: str) -> T | None:
        return self._kept.get(name)

    def drop(self, name: str) -> None:
        if self._kept.pop(name, None) is not None:
            self.count -= 1

    def __iter__(self) -> Iterator[T]:
        return iter(self._kept.values())

    @property
    def left_out(self) -> int:
        return self._dropped


class Sampled(Bounded, Generic[T]):
    """The first and the newest entries of each kind, and how many there were."""

    def __init__(self, *, first: int, newest: int) -> None:
        self.counts: dict[str, int] = {}
        self._room = first, newest
        self._first: dict[str, list[tuple[int, T]]] = {}
        self._newest: dict[str, deque[tuple[int, T]]] = {}

    def add(self, kind: str, entry: T) -> None:
        first, newest = self._room
        self.count += 1
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] <= first:
            self._first.setdefault(kind, []).append((self.count, entry))
        else:
            self._newest.setdefault(kind, deque(maxlen=newest)).append((self.count, entry))

    @property
    def kept(self) -> tuple[T, ...]:
        """In the order in which they came."""
        found = [one for kept in (*self._first.values(), *self._newest.values()) for one in kept]
        return tuple(entry for _, entry in sorted(found, key=lambda one: one[0]))

    @property
    def left_out(self) -> int:
        return self.count - len(self.kept)
