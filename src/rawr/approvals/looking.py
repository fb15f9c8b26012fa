"""The file system as one judgment sees it (C10): every look is counted, every answer is kept, and there is a limit.

A judge that can be kept busy is useless: it blocks the thread that watches everything. So every look is paid from a
budget of steps and time, and running out of it proves nothing.
"""

import os
import stat
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar, cast

from msgspec import Struct

from rawr.observe.files import read_small

STEPS = 100_000
"""Path components, folder entries and files that one judgment looks at. An ordinary line needs a few dozen."""
SECONDS = 0.6
"""For slow disks."""
MAX_PATH = 4_096
"""Characters; no system accepts a longer path."""
MAX_LINKS = 32
"""Symlinks along one path. Real trees have one or two, and the system gives up at 40."""
MAX_DEPTH = 128
"""Nested folders to search, or to walk up in search of a repository."""
MAX_NAMES = 20_000
"""In one folder."""

_OF_A_PROCESS = frozenset(
    ("/proc", "/sys", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/pts")
)
_ENDING = frozenset({0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK})
"""A pipe, a socket or a device may keep its reader waiting, or never end."""
_T = TypeVar("_T")


class Exhausted(Exception):
    """It cannot be judged within the limits; the text says which."""


class Resolved(Struct, frozen=True):
    real: str
    differs: bool = False
    """The path crosses a place that each process sees differently, or a maze of links."""


class Looking:
    def __init__(self) -> None:
        self.left = STEPS
        self._ends = time.monotonic() + SECONDS
        self._status: dict[str, os.stat_result | None] = {}
        self._resolved: dict[tuple[str, str], Resolved] = {}
        self._names: dict[str, list[str] | None] = {}
        self._known: dict[Hashable, object] = {}

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise Exhausted("rawr would have to look at too many files to judge it.")
        if time.monotonic() > self._ends:
            raise Exhausted("Looking at its files takes too long.")

    def enter(self, folder: Path | str) -> None:
        """Charge the budget for a search up or down from a folder at this depth."""
        depth = str(folder).count("/")
        if depth > MAX_DEPTH:
            raise Exhausted(f"A folder is more than {MAX_DEPTH} levels deep.")
        self.spend(depth)

    def once(self, key: Hashable, find: Callable[[], _T]) -> _T:
        """Compute a value once per judgment."""
        if key not in self._known:
            self._known[key] = find()
        return cast("_T", self._known[key])

    def resolve(self, path: Path | str, *, within: Path | str = "/") -> Resolved:
        """Where a path leads from a real folder, with every symlink followed; missing parts are kept as written."""
        key = (str(within), str(path))
        found = self._resolved.get(key)
        if found is None:
            found = self._resolved[key] = self._walk(*key)
        return found

    def real(self, path: Path | str, *, within: Path | str = "/") -> str:
        return self.resolve(path, within=within).real

    def _walk(self, within: str, path: str) -> Resolved:
        if len(path) > MAX_PATH:
            raise Exhausted(f"A path is longer than {MAX_PATH} characters.")
        here = "/" if path.startswith("/") else within
        waiting = path.split("/")[::-1]
        links = 0
        while waiting:
            part = waiting.pop()
            self.spend()
            if part in ("", "."):
                continue
            if part == "..":
                here = here.rpartition("/")[0] or "/"
                continue
            place = f"/{part}" if here == "/" else f"{here}/{part}"
            if place in _OF_A_PROCESS:
                return Resolved(place, differs=True)
            status = self.status(place)
            if status is None or not stat.S_ISLNK(status.st_mode):
                here = place
                continue
            links += 1
            if links > MAX_LINKS:
                return Resolved(place, differs=True)
            target = os.readlink(place)  # noqa: PTH115 - text in, text out
            here = "/" if target.startswith("/") else here
            waiting += target.split("/")[::-1]
        return Resolved(here)

    def status(self, path: str) -> os.stat_result | None:
        """The status of the path itself, not of a symlink's target; None if it does not exist."""
        if path not in self._status:
            self.spend()
            try:
                self._status[path] = os.lstat(path)
            except OSError:
                self._status[path] = None
        return self._status[path]

    def kind(self, path: Path | str) -> int:
        """The type of a real path, as in ``stat.S_IFMT``; 0 if it does not exist."""
        status = self.status(str(path))
        return 0 if status is None else stat.S_IFMT(status.st_mode)

    def ends(self, path: Path | str) -> bool:
        """Return True unless reading a real path may never end."""
        return self.kind(path) in _ENDING

    def names(self, folder: Path | str) -> list[str] | None:
        """The names in a folder, sorted; None if it is not a folder."""
        key = str(folder)
        if key not in self._names:
            self._names[key] = self._list(key)
        return self._names[key]

    def _list(self, folder: str) -> list[str] | None:
        found: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self.spend()
                    found.append(entry.name)
                    if len(found) > MAX_NAMES:
                        raise Exhausted(f"A folder holds more than {MAX_NAMES} files.")
        except OSError:
            return None
        return sorted(found)

    def read(self, file: Path | str, limit: int) -> bytes | None:
        """The content of a small file, as in ``read_small``."""

        def read() -> bytes | None:
            data = read_small(file, limit)
            self.spend(1 + len(data or b"") // 1024)
            return data

        return self.once(("read", str(file), limit), read)
