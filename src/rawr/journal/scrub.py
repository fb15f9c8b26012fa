"""Check every row of a journal against its checksum, and every link between rows.

It reads in pages, so that it never holds up a writer, and asks after each page if it should continue. Findings are
sentences for a person; it knows tables and checksums, not what rows mean.
"""

import sqlite3
from collections.abc import Callable, Container, Iterator
from typing import Any, NamedTuple

from rawr.journal.checksums import FIRST, escaped, of_cells, of_ending, of_fact
from rawr.journal.pruning import cuts

PAGE = 2_000
SHOWN = 10
"""How many findings of a kind are listed individually."""

Pace = Callable[[int, int], bool]
"""Receives the number of rows checked and their total; returns True if there is time for more."""

Cells = tuple[Any, ...]


def unhurried(_done: int, _total: int) -> bool:
    return True


class _Table(NamedTuple):
    name: str
    one: str
    """What a row is called."""
    columns: str
    key: int
    """The column that identifies a row to a person."""
    check: "Callable[[Container[int]], Callable[[Cells], str]]"
    """Makes a check for one reading, given the rows whose predecessor was pruned; the check returns what is wrong with
    a row, or an empty string. A row begins with its number."""


class Scrub:
    """One reading of a journal from beginning to end."""

    def __init__(self, db: sqlite3.Connection, *, pace: Pace = unhurried, lists: bool = True) -> None:
        """``lists``: the journal is of a version that can have been pruned."""
        self._db = db
        self._lists = lists
        self._pace = pace
        self.total = sum(self._size(table.name) for table in _TABLES)
        self.done = 0
        self.stopped = False

    def problems(self) -> Iterator[str]:
        # A cell that is not text is damage like any other.
        text, self._db.text_factory = self._db.text_factory, escaped
        try:
            for table in _TABLES:
                yield from self._table(table)
        finally:
            self._db.text_factory = text
        if not self.stopped:
            yield from self._ends()

    def _table(self, table: _Table) -> Iterator[str]:
        check = table.check(cuts(self._db, table.name) if self._lists else frozenset())
        found = 0
        for row in self._rows(table):
            problem = check(row)
            if problem:
                found += 1
                if found <= SHOWN:
                    yield f"{table.one} {row[1 + table.key]} {problem}."
        if found > SHOWN:
            yield f"{found - SHOWN} more of {table.name} are damaged."

    def _rows(self, table: _Table) -> Iterator[Cells]:
        query = f"SELECT rowid, {table.columns} FROM {table.name} WHERE rowid > ? ORDER BY rowid LIMIT {PAGE}"  # noqa: S608
        after = -(2**63)
        while not self.stopped:
            page = self._db.execute(query, (after,)).fetchall()
            yield from page
            self.done += len(page)
            if len(page) < PAGE or page[-1][0] <= after:
                return
            after = page[-1][0]
            self.stopped = not self._pace(self.done, self.total)

    def _size(self, table: str) -> int:
        """The approximate number of rows: they are numbered without gaps."""
        first, last = self._db.execute(f"SELECT min(rowid), max(rowid) FROM {table}").fetchone()  # noqa: S608
        return last - first + 1 if isinstance(first, int) and isinstance(last, int) and last >= first else 0

    def _ends(self) -> Iterator[str]:
        """Facts missing at the end have no successor that would show it, so look at the tables that refer to facts."""
        [(last,)] = self._db.execute("SELECT coalesce(max(seq), 0) FROM facts").fetchall()
        for table in ("decisions", "effects", "boundaries"):
            newest = self._db.execute(f"SELECT seq FROM {table} ORDER BY rowid DESC LIMIT 1").fetchone()  # noqa: S608
            if newest is not None and isinstance(newest[0], int) and newest[0] > last:
                yield f"Facts are missing after number {last}: {table} go on to number {newest[0]}."


def _facts(cut: Container[int]) -> Callable[[Cells], str]:
    heads: dict[object, object] = {}

    def check(cells: Cells) -> str:
        number, *row, prior, crc = cells
        thread = row[2]
        before = heads.get(thread, FIRST)
        if of_fact(prior, row) != crc:
            heads[thread] = None
            return f"({row[3]}, thread {thread or 'rawr itself'}) is damaged: its checksum does not match"
        heads[thread] = crc
        if before is not None and prior != before and number not in cut:
            return f"has facts of thread {thread or 'rawr itself'} missing before it"
        return ""

    return check


def _chained(width: int) -> Callable[[Container[int]], Callable[[Cells], str]]:
    """``width`` is how many cells the checksum covers; after them come the prior checksum, the row's own, and more."""

    def begin(cut: Container[int]) -> Callable[[Cells], str]:
        before: object = FIRST

        def check(row: Cells) -> str:
            nonlocal before
            number, *cells = row
            prior, crc = cells[width : width + 2]
            if of_cells(prior, *cells[:width]) != crc:
                before = None
                return _DAMAGED
            expected, before = before, crc
            if expected is not None and prior != expected and number not in cut:
                return "has rows missing before it"
            return _ending(row[1:]) if len(cells) > width + 2 else ""

        return check

    return begin


def _ending(cells: Cells) -> str:
    effect, state, seq, detail, ending = (cells[0], *cells[-4:])
    return "" if of_ending(effect, state, seq, detail) == ending else f"({effect}) has a damaged outcome"


def _alone(_cut: Container[int]) -> Callable[[Cells], str]:
    return lambda row: "" if of_cells(*row[1:-1]) == row[-1] else _DAMAGED


_DAMAGED = "is damaged: its checksum does not match"
_TABLES = (
    _Table("facts", "Fact", "seq, at, thread, kind, body, prior, crc", 0, _facts),
    _Table("decisions", "Decision", "id, seq, at, thread, reason, policy, logic, evidence, prior, crc", 0, _chained(8)),
    _Table(
        "effects",
        "Effect",
        "id, seq, thread, kind, body, prior, crc, state, outcome_seq, detail, ending",
        0,
        _chained(5),
    ),
    _Table("boundaries", "Boundary", "id, seq, at, thread, turn, kind, source, detail, prior, crc", 0, _chained(8)),
    _Table("snapshots", "The snapshot of thread", "thread, seq, at, shape, body, crc", 0, _alone),
    _Table("frames", "The raw frame of", "at, direction, thread, method, size, body, crc", 0, _alone),
)
