"""What a commit changed, in numbers (B6): from git's objects, never through a program that the repository names.

``diff-tree`` compares two trees of the object database, so no file is read through a filter. Drivers for showing a
difference (``diff.*.command``, ``textconv``) are switched off, and renames are not looked for, which bounds the work.
"""

import os
import re

from msgspec import Struct

from rawr.observe.repository.gitrun import DEADLINE, run_git
from rawr.observe.repository.locating import Repository

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FILE = re.compile(rb"(\d+|-)\t(\d+|-)\t([^\0]+)\0")
_OPTIONS = (
    *("--numstat", "-z", "-r", "--root", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--no-renames"),
    *("--no-color", "--ignore-submodules=all"),
)


class FileStat(Struct, frozen=True):
    path: str
    added: int
    removed: int
    """Lines; zero for a file that is not text."""


def changed_by(repository: Repository, oid: str, *, deadline: float = DEADLINE) -> tuple[FileStat, ...] | None:
    """The files of a commit, with their lines; of a merge none. None if the commit cannot be read."""
    if not _OID.fullmatch(oid):
        return None
    listed = run_git(repository, "diff-tree", *_OPTIONS, oid, deadline=min(deadline, DEADLINE))
    if listed is None:
        return None
    return tuple(FileStat(os.fsdecode(path), _count(more), _count(less)) for more, less, path in _FILE.findall(listed))


def _count(cell: bytes) -> int:
    return 0 if cell == b"-" else int(cell)
