"""Lists that stay bounded, and keep what a reader would miss: the extremes, or the first and newest of each kind."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

PAIR = 2
"""Entries that are kept of each stretch."""
Choose = Callable[[list[T]], list[T]]
"""From some entries in a row, the pair that is kept, in order."""


class Bounded:
    """A list that may be shorter than what went into it."""

    count = 0
    """How many went into it."""

    @property
    def left_out(self) -> int:
        raise NotImplementedError


class Thinned(Bounded, Generic[T]):
    """Entries in order, thinned evenly over their whole length: a pair of each stretch, and the stretches grow. The
    first entry and the newest always stay."""

    def __init__(self, most: int, choose: Choose[T]) -> None:
        self._most = max(most // PAIR - 1, 1)
        self._choose = choose
        self._first: T | None = None
        self._newest: T | None = None
        self._pairs: list[list[T]] = []
        self._stretch = PAIR
        self._in_last = 0
        """Entries that the last pair stands for."""

    def add(self, entry: T) -> None:
        self.count += 1
        if self._first is None:
            self._first = entry
            return
        if self._newest is not None:
            self._put(self._newest)
        self._newest = entry

    def _put(self, entry: T) -> None:
        if not self._pairs or self._in_last == self._stretch:
            self._pairs.append([])
            self._in_last = 0
        self._in_last += 1
        self._pairs[-1] = self._chosen([*self._pairs[-1], entry])
        if len(self._pairs) > self._most:
            self._merge()

    def _merge(self) -> None:
        """Two stretches become one."""
        pairs = self._pairs
        self._in_last += self._stretch if len(pairs) % 2 == 0 else 0
        self._stretch *= 2
        self._pairs = [
            self._chosen([one for pair in pairs[at : at + 2] for one in pair]) for at in range(0, len(pairs), 2)
        ]

    def _chosen(self, entries: list[T]) -> list[T]:
        return self._choose(entries) if len(entries) > PAIR else entries

    def change_last(self, entry: T) -> None:
        if self._newest is None:
            self._first = entry
        else:
            self._newest = entry

    @property
    def last(self) -> T | None:
        return self._newest if self._newest is not None else self._first

    def __iter__(self) -> Iterator[T]:
        if self._first is not None:
            yield self._first
        for pair in self._pairs:
            yield from pair
        if self._newest is not None:
            yield self._newest

    @property
    def left_out(self) -> int:
        return self.count - sum(1 for _ in self)


def extremes(value: Callable[[T], int]) -> Choose[T]:
    """The lowest and the highest, in their order."""

    def choose(entries: list[T]) -> list[T]:
        values = [value(one) for one in entries]
        low = min(range(len(entries)), key=values.__getitem__)
        high = max((at for at in range(len(entries)) if at != low), key=values.__getitem__)
        return [entries[at] for at in sorted((low, high))]

    return choose


def notable(rank: Callable[[T], int]) -> Choose[T]:
    """The two that rank highest, in their order."""

    def choose(entries: list[T]) -> list[T]:
        best = sorted(range(len(entries)), key=lambda at: -rank(entries[at]))[:PAIR]
        return [entries[at] for at in sorted(best)]

    return choose


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
