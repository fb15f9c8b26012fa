"""Checksums of rows, to detect rows that are not as they were written.

Every row has the CRC-32 of its contents. In the tables that only grow, it also covers the checksum of the row before it
(for facts, of the same thread), which is written beside it. A missing or inserted row therefore shows, and a damaged
row does not make its neighbours look damaged. A CRC detects accidents, every single flipped bit among them, at a
quarter of the cost of a cryptographic digest; a person who changes a row on purpose can change its checksum too.
This module knows cells and their order, not what they mean.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

from rawr.journal.packing import Cell
from rawr.ports.memory import BoundaryRow, OutcomeRow

FIRST = 0
"""Used as the previous checksum by the first row."""

FrameCells = tuple[int, str, str, str, int, Cell]
CHAINED = ("decisions", "effects", "boundaries")
"""Tables in which each row covers the row before it; facts do so within a thread."""

_PAGE = 1_000


def of_fact(prior: object, cells: Sequence[object]) -> int:
    return of_cells(prior, *cells)


def of_cells(*cells: object) -> int:
    """Of text and numbers; the last cell may be a packed body, which is summed as it is stored."""
    body = cells[-1]
    if isinstance(body, bytes):
        # One more separator than text has: a text that is taken for bytes must not have the same sum.
        head = "".join(f"{cell}\0" for cell in cells[:-1]) + "\0"
        return crc32(body, crc32(head.encode(errors="surrogateescape")))
    return crc32("\0".join(map(str, cells)).encode(errors="surrogateescape"))


def of_ending(effect: object, state: object, seq: object, detail: object) -> int:
    """The checksum of an effect's outcome: separate, because the outcome changes after the effect was written."""
    return of_cells(effect, state, seq, detail)


class Chains:
    """The newest checksums of an open journal, used to compute those of the rows to be written next."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._threads: dict[str, int] = {}
        self._tables = {table: _newest(db, f"{table} ORDER BY rowid DESC") for table in CHAINED}

    def facts(self, rows: Iterable[tuple[int, int, str, str, Cell]]) -> list[tuple[object, ...]]:
        summed: list[tuple[object, ...]] = []
        threads = self._threads
        for seq, at, thread, kind, body in rows:
            prior = threads.get(thread)
            if prior is None:
                prior = _newest(self._db, "facts WHERE thread = ? ORDER BY seq DESC", thread)
            if isinstance(body, str):
                # Inlined, because most rows pass through here.
                crc = crc32(f"{prior}\0{seq}\0{at}\0{thread}\0{kind}\0{body}".encode())
            else:
                crc = of_cells(prior, seq, at, thread, kind, body)
            threads[thread] = crc
            summed.append((seq, at, thread, kind, body, prior, crc))
        return summed

    def decisions(self, rows: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
        return self._chained("decisions", rows)

    def boundaries(self, rows: Iterable[BoundaryRow]) -> list[tuple[object, ...]]:
        return self._chained("boundaries", rows)

    def effects(self, rows: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
        """Effects that are only intended so far."""
        return [
            (*row, "intended", "", of_ending(row[0], "intended", None, "")) for row in self._chained("effects", rows)
        ]

    def _chained(self, table: str, rows: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
        summed: list[tuple[object, ...]] = []
        prior = self._tables[table]
        for row in rows:
            crc = of_cells(prior, *row)
            summed.append((*row, prior, crc))
            prior = crc
        self._tables[table] = prior
        return summed


def outcome(row: OutcomeRow) -> tuple[object, ...]:
    state, seq, detail, effect = row
    return state, seq, detail, of_ending(effect, state, seq, detail), effect


def snapshot(row: tuple[object, ...]) -> tuple[object, ...]:
    return *row, of_cells(*row)


def frame(cells: FrameCells) -> tuple[object, ...]:
    return *cells, of_cells(*cells)


def _newest(db: sqlite3.Connection, where: str, *values: object) -> int:
    found = db.execute(f"SELECT crc FROM {where} LIMIT 1", values).fetchone()  # noqa: S608
    # If the checksum itself is damaged, nothing can tell, and nothing will ask.
    return found[0] if found is not None and isinstance(found[0], int) else FIRST


# -- rows from before checksums ---------------------------------------------------------------------------------------


def sum_all(db: sqlite3.Connection) -> None:
    """Add a checksum to every row of a journal that has none yet. Damage from before then goes unnoticed."""
    text = db.text_factory
    # A cell that is not text does not matter here, and must not prevent opening the journal.
    db.text_factory = escaped
    try:
        _sum_facts(db)
        _sum_chained(db, "decisions", "id, seq, at, thread, reason, policy, logic, evidence")
        _sum_chained(db, "boundaries", "id, seq, at, thread, turn, kind, source, detail")
        _sum_chained(db, "effects", "id, seq, thread, kind, body")
        _sum_each(db, "effects", "id, state, outcome_seq, detail", into="ending")
        _sum_each(db, "frames", "at, direction, thread, method, size, body", into="crc")
        _sum_each(db, "snapshots", "thread, seq, at, shape, body", into="crc")
    finally:
        db.text_factory = text


def escaped(raw: bytes) -> str:
    """The bytes of the file as a string, even if they are not valid text."""
    return raw.decode(errors="surrogateescape")


def _sum_facts(db: sqlite3.Connection) -> None:
    threads: dict[str, int] = {}
    for page in _pages(db, "facts", "seq, at, thread, kind, body"):
        sums = []
        for rowid, *cells in page:
            prior = threads.get(cells[2], FIRST)
            threads[cells[2]] = crc = of_fact(prior, cells)
            sums.append((prior, crc, rowid))
        db.executemany("UPDATE facts SET prior = ?, crc = ? WHERE rowid = ?", sums)


def _sum_chained(db: sqlite3.Connection, table: str, columns: str) -> None:
    prior = FIRST
    for page in _pages(db, table, columns):
        sums = []
        for rowid, *cells in page:
            crc = of_cells(prior, *cells)
            sums.append((prior, crc, rowid))
            prior = crc
        db.executemany(f"UPDATE {table} SET prior = ?, crc = ? WHERE rowid = ?", sums)  # noqa: S608


def _sum_each(db: sqlite3.Connection, table: str, columns: str, *, into: str) -> None:
    for page in _pages(db, table, columns):
        sums = [(of_cells(*cells), rowid) for rowid, *cells in page]
        db.executemany(f"UPDATE {table} SET {into} = ? WHERE rowid = ?", sums)  # noqa: S608


def _pages(db: sqlite3.Connection, table: str, columns: str) -> Iterable[list[tuple[Any, ...]]]:
    query = f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT {_PAGE}"  # noqa: S608
    after = -(2**63)
    while page := db.execute(query, (after,)).fetchall():
        yield page
        after = page[-1][0]
