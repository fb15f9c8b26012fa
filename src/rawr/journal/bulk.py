"""Insert many rows into a table with few statements.

Python releases the interpreter at every statement, and a thread that is busy elsewhere keeps it for 5 ms before the
writer gets it back. With one statement per row, such a thread would slow the writer down to 200 rows per second.
This module knows SQL text and rows, not what they mean.
"""

import sqlite3
from collections.abc import Sequence
from itertools import chain

_SIZES = (256, 32, 8, 4, 3, 2, 1)
"""Rows per statement, largest first; SQLite keeps each size prepared."""


class Insert:
    """An INSERT into some columns of a table, for any number of rows."""

    def __init__(self, table: str, columns: Sequence[str]) -> None:
        head = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "  # noqa: S608
        row = f"({', '.join('?' * len(columns))})"
        self._statements = [(size, head + ", ".join([row] * size)) for size in _SIZES]

    def run(self, db: sqlite3.Connection, rows: Sequence[tuple[object, ...]]) -> int:
        """Insert the rows and return how many are in the table: fewer than given if a trigger dropped some."""
        start = kept = 0
        for size, statement in self._statements:
            while len(rows) - start >= size:
                kept += db.execute(statement, tuple(chain.from_iterable(rows[start : start + size]))).rowcount
                start += size
        return kept
