"""The state of a working tree (C6, B6): did a turn change anything, by whatever means, and which files?

In a git repository the files are those that git tracks or would track; ignored ones do not count. Elsewhere they are
found by walking. Content counts, not times: rewriting a file with what it held is no change. The first look reads what
it can in a moment, and of the rest of a large tree notes sizes and times; later ones read what is different since, and
remember it.

Time, entries and bytes are bounded. Where a bound cuts a look short, a change can be seen where there is none; a run
then goes on for longer than it would have, and that is the safe side.
"""

import os
import stat
import time
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock

from msgspec import Struct

from rawr.core.vocabulary.items import Change
from rawr.observe.files import read_range
from rawr.observe.repository.git import LogPosition, Repository, locate, look, movements
from rawr.observe.repository.gitrun import run_git
from rawr.observe.workspace import uncommitted
from rawr.observe.workspace.changes import File, between, is_leftover
from rawr.observe.workspace.walking import Allowance, files

SECONDS = 3.0
MAX_FILES = 100_000
MAX_LISTED = 16 * 1024 * 1024
"""Bytes of git's list."""
MAX_READ = 64 * 1024 * 1024
"""Bytes read in one look, over all files."""
FIRST_READ = 16 * 1024 * 1024
FIRST_SECONDS = 0.3
"""Bytes, and time, to read at the first look."""
MAX_FILE = 1024 * 1024
"""Bytes read of one file: of a longer one the beginning, the end and the size count."""
UNREAD = ""


_BRINGS = frozenset({"checkout", "reset", "pull", "merge", "rebase", "clone"})
"""Movements of HEAD that write files which were not worked on."""


class Tree(Struct, frozen=True):
    root: Path
    digest: str
    files: int
    changes: tuple[Change, ...] = ()
    """Since the last look, by whoever."""
    cut: bool = False
    """Not everything was looked at."""


class _Seen(Struct, frozen=True):
    files: dict[str, File]
    position: LogPosition | None
    """Where HEAD was."""


class TreeWatch:
    """One for all threads. It remembers, for each tree, how every file was at the last look."""

    def __init__(self) -> None:
        self._seen: dict[Path, _Seen] = {}
        self._foreign: dict[Path, set[str]] = {}
        """Files that were last written outside of turns: by a person, or by the check."""
        self._lock = Lock()

    def known(self, cwd: str) -> tuple[Path, int] | None:
        """The tree's root, and how many files it had at the last look; None before the first."""
        root = _root(Path(cwd))
        seen = self._seen.get(root)
        return (root, len(seen.files)) if seen is not None else None

    def look(self, cwd: str, *, turn: bool = True, since: float = 0) -> Tree:
        """``turn``: what changed, changed in a turn. Other changes do not count for the digest: a check that writes a
        log is no progress. ``since``: at the first look, files whose time is later count as changed; in seconds since
        the epoch."""
        allowance = Allowance(seconds=SECONDS, entries=MAX_FILES)
        root, names, repository = _names(Path(cwd), allowance)
        with self._lock:
            before = self._seen.get(root)
        reader = _Reader(root, allowance, first=before is None, since=since)
        now: dict[str, File] = {}
        known = before.files if before is not None else {}
        for name, tracked in names:
            if not allowance.left:
                allowance.cut = True
                break
            found = reader.file(name, known.get(name), tracked=tracked)
            if found is not None:
                now[name] = found
        moved, position = _moved(repository, before)
        with self._lock:
            self._seen[root] = _Seen(now, position)
        changes = between(known, now, root=str(root)) if before is not None else reader.recent
        names_of = {name for one in changes for name in (one.path, one.moved_to) if name}
        foreign = self._foreign.get(root, set())
        foreign = foreign - names_of if turn else foreign | names_of
        self._foreign[root] = foreign
        if moved and repository is not None:
            changes = _worked_on(changes, repository, allowance)
        digest = _digest({name: file for name, file in now.items() if name not in foreign} if foreign else now)
        return Tree(root, digest, len(now), tuple(changes), cut=allowance.cut or reader.left < 0)


def _moved(repository: Repository | None, before: _Seen | None) -> tuple[bool, LogPosition | None]:
    """Return True if HEAD moved since in a way that brings files along."""
    if repository is None:
        return False, None
    if before is None or before.position is None:
        return False, look(repository).log_position
    found, position = movements(repository, before.position)
    return any(one.kind in _BRINGS for one in found), position


def _worked_on(changes: Iterable[Change], repository: Repository, allowance: Allowance) -> list[Change]:
    """Without the files that git itself has just written: what it would commit is somebody's work."""
    root = repository.root
    names = [
        name
        for found in (
            uncommitted.changed(repository, root, allowance),
            uncommitted.staged(repository, root, allowance),
            uncommitted.untracked(repository, root, allowance),
        )
        for name in found or ()
    ]
    folders = tuple(name for name in names if name.endswith("/"))
    plain = frozenset(names)
    return [
        one for one in changes if (name := one.moved_to or one.path) in plain or (folders and name.startswith(folders))
    ]


def _root(cwd: Path) -> Path:
    repository = locate(cwd)
    return repository.root if repository is not None and not repository.bare else cwd


def _names(cwd: Path, allowance: Allowance) -> tuple[Path, Iterable[tuple[str, bool]], Repository | None]:
    """The folder that is looked at, the files in it, each with whether git tracks it, and the repository."""
    repository = locate(cwd)
    if repository is not None and not repository.bare:
        listed = _listed(repository, repository.root, allowance)
        if listed is not None:
            return repository.root, listed, repository
    return cwd, ((found.name, False) for found in files(cwd, allowance)), None


def _listed(repository: Repository, root: Path, allowance: Allowance) -> list[tuple[str, bool]] | None:
    options = ("ls-files", "-t", "-z", "--cached", "--others", "--exclude-standard", "--no-recurse-submodules")
    place = ("-C", str(root), f"--work-tree={root}", "-c", "submodule.recurse=false")
    said = run_git(repository, *place, *options, deadline=allowance.left, most=MAX_LISTED)
    if said is None:
        return None
    names = {os.fsdecode(line[2:]): not line.startswith(b"?") for line in said.split(b"\0") if len(line) > 2}
    allowance.cut = allowance.cut or len(names) > MAX_FILES
    return list(names.items())[:MAX_FILES]


class _Reader:
    def __init__(self, root: Path, allowance: Allowance, *, first: bool, since: float) -> None:
        self._root = str(root)
        self._allowance = allowance
        self._first = first
        self._since = since
        self.left = FIRST_READ if first else MAX_READ
        self._until = time.monotonic() + FIRST_SECONDS
        self.recent: list[Change] = []
        """At the first look: what is newer than it should be."""

    def file(self, name: str, before: File | None, *, tracked: bool) -> File | None:
        """How it is now; nothing if it is gone."""
        path = os.path.join(self._root, name)  # noqa: PTH118 - a hundred thousand of them
        try:
            now = os.lstat(path)
        except (OSError, ValueError):
            return None
        if before is not None and _is_as_before(before, now):
            return before
        mark = self._first_mark(path, now) if self._first else self._mark(path, now)
        found = File(now.st_size, now.st_mtime_ns, now.st_ctime_ns, mark, tracked)
        if self._first and self._since and now.st_ctime >= self._since and not is_leftover(name, found):
            self.recent.append(Change(name, "update"))
        return found

    def _first_mark(self, path: str, now: os.stat_result) -> str:
        if self.left < min(now.st_size, MAX_FILE) or time.monotonic() > self._until:
            return UNREAD
        mark = self._mark(path, now)
        # A turn may be at work already: what it wrote just now is a change, and not how the file was.
        return mark if _touched(path) == now.st_ctime_ns else UNREAD

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


def _is_as_before(before: File, now: os.stat_result) -> bool:
    """Of a file that was not read, nobody can tell what changed about it beyond size and time."""
    same = (before.size, before.time) == (now.st_size, now.st_mtime_ns)
    return same and (before.mark == UNREAD or before.touched == now.st_ctime_ns)


def _touched(path: str) -> int:
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return 0


def _content(path: str, mode: int) -> str:
    half = MAX_FILE // 2
    start, end = read_range(path, 0, limit=half), read_range(path, -half, limit=half)
    if start is None or end is None:
        raise OSError
    known = sha256(f"{start.size} {mode & 0o111}\n".encode())
    known.update(start.data)
    known.update(end.data)
    return known.hexdigest()


def _digest(found: Mapping[str, File]) -> str:
    known = sha256()
    for name in sorted(found):
        known.update(os.fsencode(name))
        known.update(b"\0")
        known.update(found[name].mark.encode())
        known.update(b"\0")
    return known.hexdigest()[:16]
