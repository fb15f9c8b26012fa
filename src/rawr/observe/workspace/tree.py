"""The state of a working tree as one digest (C6): did a turn change anything, by whatever means?

In a git repository the files are those that git tracks or would track; ignored ones do not count. Elsewhere they are
found by walking. Content counts, not times: rewriting a file with what it held is no change. The first look only notes
sizes and times, so that it is quick in a large tree; later ones read what is different since, and remember it.

Time, entries and bytes are bounded. Where a bound cuts a look short, a change can be seen where there is none; a run
then goes on for longer than it would have, and that is the safe side.
"""

import os
import stat
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from threading import Lock

from msgspec import Struct

from rawr.observe.files import read_range
from rawr.observe.repository.git import Repository, locate
from rawr.observe.repository.gitrun import run_git
from rawr.observe.workspace.walking import Allowance, files

SECONDS = 3.0
MAX_FILES = 100_000
MAX_LISTED = 16 * 1024 * 1024
"""Bytes of git's list."""
MAX_READ = 64 * 1024 * 1024
"""Bytes read in one look, over all files."""
MAX_FILE = 1024 * 1024
"""Bytes read of one file: of a longer one the beginning, the end and the size count."""
UNREAD = ""


class Tree(Struct, frozen=True):
    digest: str
    files: int
    cut: bool = False
    """Not everything was looked at."""


class _File(Struct, frozen=True, gc=False):
    size: int
    time: int
    mark: str
    """A digest of its content; nothing for one that is as it was at the first look."""


class TreeWatch:
    """One for all threads. It remembers, for each tree, how every file was at the last look."""

    def __init__(self) -> None:
        self._seen: dict[Path, dict[str, _File]] = {}
        self._lock = Lock()

    def look(self, cwd: str) -> Tree:
        allowance = Allowance(seconds=SECONDS, entries=MAX_FILES)
        root, names = _names(Path(cwd), allowance)
        with self._lock:
            before = self._seen.get(root)
        reader = _Reader(root, allowance, first=before is None)
        now: dict[str, _File] = {}
        for name in names:
            if not allowance.left:
                allowance.cut = True
                break
            found = reader.file(name, (before or {}).get(name))
            if found is not None:
                now[name] = found
        with self._lock:
            self._seen[root] = now
        return Tree(_digest(now), len(now), cut=allowance.cut or reader.left < 0)


def _names(cwd: Path, allowance: Allowance) -> tuple[Path, Iterable[str]]:
    """The folder that is looked at, and the files in it."""
    repository = locate(cwd)
    if repository is not None and not repository.bare and repository.root is not None:
        listed = _listed(repository, repository.root, allowance)
        if listed is not None:
            return repository.root, listed
    return cwd, (found.name for found in files(cwd, allowance))


def _listed(repository: Repository, root: Path, allowance: Allowance) -> list[str] | None:
    options = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--no-recurse-submodules")
    place = ("-C", str(root), f"--work-tree={root}", "-c", "submodule.recurse=false")
    said = run_git(repository, *place, *options, deadline=allowance.left, most=MAX_LISTED)
    if said is None:
        return None
    names = list(dict.fromkeys(os.fsdecode(name) for name in said.split(b"\0") if name))
    allowance.cut = allowance.cut or len(names) > MAX_FILES
    return names[:MAX_FILES]


class _Reader:
    def __init__(self, root: Path, allowance: Allowance, *, first: bool) -> None:
        self._root = str(root)
        self._allowance = allowance
        self._first = first
        self.left = MAX_READ

    def file(self, name: str, before: _File | None) -> _File | None:
        """How it is now; nothing if it is gone."""
        path = os.path.join(self._root, name)  # noqa: PTH118 - a hundred thousand of them
        try:
            now = os.lstat(path)
        except (OSError, ValueError):
            return None
        if before is not None and (before.size, before.time) == (now.st_size, now.st_mtime_ns):
            return before
        if self._first:
            return _File(now.st_size, now.st_mtime_ns, UNREAD)
        return _File(now.st_size, now.st_mtime_ns, self._mark(path, now))

    def _mark(self, path: str, now: os.stat_result) -> str:
        self.left -= min(now.st_size, MAX_FILE)
        if self.left < 0 or not self._allowance.left:
            self._allowance.cut = True
            return f"{now.st_size} {now.st_mtime_ns}"
        try:
            if stat.S_ISLNK(now.st_mode):
                return "-> " + sha256(os.fsencode(Path(path).readlink())).hexdigest()
            return _content(path, now.st_mode) if stat.S_ISREG(now.st_mode) else f"mode {now.st_mode}"
        except (OSError, ValueError):
            return f"unreadable, {now.st_size} {now.st_mtime_ns}"


def _content(path: str, mode: int) -> str:
    half = MAX_FILE // 2
    start, end = read_range(path, 0, limit=half), read_range(path, -half, limit=half)
    if start is None or end is None:
        raise OSError
    known = sha256(f"{start.size} {mode & 0o111}\n".encode())
    known.update(start.data)
    known.update(end.data)
    return known.hexdigest()


def _digest(found: dict[str, _File]) -> str:
    known = sha256()
    for name in sorted(found):
        known.update(os.fsencode(name))
        known.update(b"\0")
        known.update(found[name].mark.encode())
        known.update(b"\0")
    return known.hexdigest()[:16]
