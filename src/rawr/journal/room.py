"""Room in SQLite's log, made before it is needed.

To sync what was written over is quicker than to sync what made the file longer, by about a third here: the file
system need not record the growth as well. SQLite writes over its log from the second round on; this is for the first.
What it finds there is no frame of its own and ends the log, as what is left from an earlier round does.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STRETCH = 1024 * 1024
"""Bytes at a time. The next sync takes them along."""


class Room:
    """The log of an open database, by the path of it."""

    def __init__(self, db: sqlite3.Connection, log: Path) -> None:
        self._db = db
        self._log = log
        self._end = 0

    def is_used_up(self, size: int) -> bool:
        """Return True if SQLite has made its log longer than we did."""
        return size > self._end

    def make(self, identity: tuple[int, int]) -> None:
        """Another stretch. Where there is no place for it, or somebody else writes, the log grows as it needs to.

        ``identity`` is the device and inode of the log that is open: another file at its path is left alone.
        """
        with suppress(sqlite3.OperationalError), self._alone():
            self._end = _lengthened(self._log, identity)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A writer of the log holds this lock, so nothing else can write where we do."""
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
    """How long the file is then."""
    # SQLite locks the database and the index, never the log, so closing this takes no lock away.
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
