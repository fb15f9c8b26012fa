"""Is the open journal still the file at its path?

A file that is deleted, moved or replaced accepts writes as long as it is open somewhere, but nobody will ever read
them. So the names are checked around every commit: the file that each leads to, its size and when it was last
written. This module knows files, not what is in them.
"""

import os
import shlex
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from rawr.journal.errors import JournalLost, changed_by_another
from rawr.journal.home import companions

SMALLEST = 512
"""Bytes. SQLite treats a shorter file as a new one, and deletes the log beside it."""


_Seen = tuple[int, int, int, int, int]
"""Device, inode, mode, size, and time of the last write."""
_MODE, _SIZE = 2, 3


class Footing:
    """The files of an open journal as they were after its last commit.

    ``trouble`` reads the whole journal through its path and reports what is wrong with it. It is called only if another
    process has written to the files. A person's own SQLite session does that harmlessly when it folds the log in.
    """

    def __init__(self, path: Path, *, trouble: Callable[[], str]) -> None:
        self._path = path.absolute()
        self._trouble = trouble
        self._names = [os.fspath(one) for one in (self._path, *companions(self._path))]
        self._seen: list[_Seen] = []
        self._seen = self._look(self._names)

    def before(self) -> None:
        """Raise if something happened to the files since the last commit that makes them unusable."""
        now = self._look(self._names)
        if now == self._seen:
            return
        self._as_long(now)
        if now[:2] != self._seen[:2] and (problem := self._trouble()):
            raise changed_by_another(self._path, problem)
        self._seen = now

    def after(self) -> None:
        """Raise if the last commit is not at the path; remember the files as they are."""
        self._seen[:2] = self._look(self._names[:2])

    @property
    def log_size(self) -> int:
        """The size of the log after the last commit."""
        return self._seen[1][_SIZE]

    @property
    def log_identity(self) -> tuple[int, int]:
        """Device and inode of the open log."""
        return self._seen[1][:2]

    def failed(self) -> None:
        """Raise if the files are the reason why a commit failed."""
        self._as_long(self._look(self._names))

    def _look(self, names: list[str]) -> list[_Seen]:
        """Stat the files, the database first; raise if one is not the file that it was."""
        now: list[_Seen] = []
        for n, name in enumerate(names):
            try:
                found = os.stat(name)  # noqa: PTH116 - around every commit, and Path costs as much again
            except OSError as error:
                missing = isinstance(error, FileNotFoundError | NotADirectoryError)
                how = "was deleted or moved" if missing else f"cannot be reached ({os.strerror(error.errno or 0)})"
                raise JournalLost(self._path, how, part=self._part(name)) from error
            seen = (found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns)
            if self._seen and seen != self._seen[n]:
                self._same(name, self._seen[n], seen)
            now.append(seen)
        return now

    def _same(self, name: str, before: _Seen, found: _Seen) -> None:
        if before[:2] != found[:2]:
            raise JournalLost(self._path, "was replaced by another file", part=self._part(name))
        if before[_MODE] & stat.S_IWUSR and not found[_MODE] & stat.S_IWUSR:
            raise JournalLost(
                self._path,
                "was made read-only",
                part=self._part(name),
                way_out=f"Let rawr write to it again with chmod u+w {shlex.quote(name)}, and start rawr again.",
            )

    def _as_long(self, now: list[_Seen]) -> None:
        """A shorter database may be one that a person has tidied up; a shorter index would kill the process."""
        database, _, index = now
        if database[_SIZE] < SMALLEST:
            raise JournalLost(self._path, f"was cut short to {database[_SIZE]} bytes")
        if index[_SIZE] < self._seen[2][_SIZE]:
            # SQLite maps this file, and touching a missing page kills the process. It holds no data of its own.
            with suppress(OSError):
                os.truncate(self._names[2], self._seen[2][_SIZE])
            raise JournalLost(self._path, "was cut short", part=self._part(self._names[2]))

    def _part(self, name: str) -> str:
        return "" if name == self._names[0] else name.rpartition(os.sep)[2]
