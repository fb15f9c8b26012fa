"""What followed from facts, read beside them: rows in the order of their facts, handed out fact by fact."""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from msgspec import Struct

from rawr.core.replay import What
from rawr.journal.rows import Unreadable

T = TypeVar("T")


class Lonely(Struct, Generic[T], frozen=True):
    """A row whose fact did not come."""

    seq: int
    thread: str
    row: T


class Beside(Generic[T]):
    """``rows`` has the number of the fact, the thread, and the row itself."""

    def __init__(self, what: What, rows: Iterable[tuple[int, str, T] | Unreadable]) -> None:
        self.what = what
        self.left: list[Lonely[T] | Unreadable] = []
        """What nobody asked for, or cannot be read. Whoever looks at it empties it."""
        self._rows = iter(rows)
        self._next: tuple[int, str, T] | None = None
        self._advance()

    @property
    def next(self) -> T | None:
        """The row that comes after those handed out."""
        return self._next[2] if self._next is not None else None

    def is_at(self, seq: int) -> bool:
        """Return True if the next row is of this fact, or of one before it."""
        return self._next is not None and self._next[0] <= seq

    def of(self, seq: int) -> tuple[T, ...]:
        """The rows of this fact. Those of facts before it are left over."""
        found: list[T] = []
        while (coming := self._next) is not None and coming[0] <= seq:
            number, thread, row = coming
            if number == seq:
                found.append(row)
            else:
                self.left.append(Lonely(number, thread, row))
            self._advance()
        return tuple(found)

    def rest(self) -> None:
        """No more facts will come."""
        while (coming := self._next) is not None:
            self.left.append(Lonely(*coming))
            self._advance()

    def take_left(self) -> Iterator[Lonely[T] | Unreadable]:
        left, self.left = self.left, []
        yield from left

    def _advance(self) -> None:
        for row in self._rows:
            if not isinstance(row, Unreadable):
                self._next = row
                return
            self.left.append(row)
        self._next = None
