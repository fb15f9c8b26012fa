"""Room in SQLite's log, made before it is needed.

Syncing overwritten bytes is quicker than syncing bytes that made the file longer, by about a third here: the file
system need not record the growth. SQLite overwrites its log from the second round on; this is for the first. The bytes
that it finds there are not one of its frames and so end the log, as remains of an earlier round do.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STRETCH = 1024 * 1024
"""Bytes at a time. The next sync includes them."""


class Room:
    """The log of an open database, by its path."""

    def __init__(self, db: sqlite3.Connection, log: Path) -> None:
        self._db = db
        self._log = log
        self._end = 0

    def is_used_up(self, size: int) -> bool:
        """Return True if SQLite has made its log longer than we did."""
        return size > self._end

    def make(self, identity: tuple[int, int]) -> None:
        """Add another stretch. If there is no space for it, or another process writes, the log grows as needed.

        ``identity`` is the device and inode of the open log: another file at its path is left alone.
        """
        with suppress(sqlite3.OperationalError), self._alone():
            self._end = _lengthened(self._log, identity)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock that a writer of the log needs, so that nobody else can write where we do."""
        wait: int = self._db.execute("PRAGMA busy_timeout").fetchone()[0]
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                self._db.execute("ROLLBACK")
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {wait}")


def _lengthened(log: Path, identity: tuple[int, int]) -> int:
    """Lengthen the file and return its size."""
    # SQLite locks the database and the index, never the log, so closing this drops no lock.
    with log.open("r+b", buffering=0) as file:
        found = os.fstat(file.fileno())
        end = found.st_size
        if (found.st_dev, found.st_ino) != identity:
            return end
        file.seek(end)
        try:
            file.write(bytes(STRETCH))
        except OSError:
            with suppress(OSError):
                file.truncate(end)
        return file.seek(0, os.SEEK_END)
