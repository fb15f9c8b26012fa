"""Walk a workspace that someone else fills (C15): bounded in time and entries, plain files only.

It opens nothing through a link that leads out of the workspace, waits for nothing, and never raises because a folder is
huge, unreadable or missing.
"""

import os
import stat
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

MAX_DEPTH = 12
SKIPPED = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "target", "dist", "build", "__pycache__", ".tox",
        ".mypy_cache", ".ruff_cache", ".pytest_cache", "vendor", ".next", ".gradle", ".idea", "site-packages",
    }
)  # fmt: skip
"""Folders whose content is generated or fetched."""


class Allowance:
    """The time and entries allowed for one survey; once they are used up, everything stops where it is."""

    def __init__(self, *, seconds: float, entries: int) -> None:
        self._until = time.monotonic() + seconds
        self.entries = entries
        self.cut = False
        """Something was left out for lack of either."""

    @property
    def left(self) -> float:
        return max(self._until - time.monotonic(), 0.0)

    def take(self) -> bool:
        """One more entry, if there is still room."""
        self.entries -= 1
        if self.entries < 0 or not self.left:
            self.cut = True
            return False
        return True


class Found(Struct, frozen=True):
    """A plain file in the workspace."""

    path: Path
    name: str
    """With its folders, relative to the workspace."""


def files(root: Path, allowance: Allowance) -> Iterator[Found]:
    """The plain files, folder by folder, outer ones first. Links are not followed."""
    folders = deque([(root, "", 0)])
    while folders:
        folder, prefix, depth = folders.popleft()
        for entry in entries(folder, allowance):
            name = f"{prefix}{entry.name}"
            kind = kind_of(entry)
            if kind == "file":
                yield Found(Path(entry.path), name)
            elif kind == "folder" and entry.name not in SKIPPED:
                if depth < MAX_DEPTH:
                    folders.append((Path(entry.path), f"{name}/", depth + 1))
                else:
                    allowance.cut = True


def entries(folder: Path, allowance: Allowance) -> "Iterator[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as found:
            for entry in found:
                if not allowance.take():
                    return
                yield entry
    except OSError:
        return


def kind_of(entry: "os.DirEntry[str]") -> str:
    """``file``, ``folder``, ``link``, or ``other``: a pipe, a device, or an unreadable entry."""
    try:
        if entry.is_symlink():
            return "link"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else "other"
    except OSError:
        return "other"


def inside(root: Path, path: Path) -> Path | None:
    """Where a path really leads; None if that is outside the workspace."""
    try:
        real = Path(os.path.realpath(path, strict=True))
    except (OSError, ValueError):
        return None
    return real if real.is_relative_to(root) else None


def read_text(path: Path, limit: int) -> str | None:
    """The beginning of a plain text file; None for a link, a pipe, or a file that is not text."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = os.pread(descriptor, limit, 0)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None if b"\0" in data else data.decode("utf-8", "replace")
