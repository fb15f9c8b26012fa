"""What is not committed yet (C15), without letting git read the files.

``git status`` reads changed files through the filters that a repository's configuration names, which are programs. So
git only reports the index; a file's size and time show whether it has changed since.
"""

import os
import re
import stat
from pathlib import Path

from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.locating import Repository
from rawr.observe.workspace.walking import Allowance, inside

MAX_SECONDS = 2.0
_ENTRY = re.compile(
    rb"(\d{6}) [0-9a-f]{40,64} \d\t([^\0]+)\0  ctime: [^\n]*\n  mtime: (\d+):(\d+)\n  dev: [^\n]*\n  uid: [^\n]*\n"
    rb"  size: (\d+)\tflags: ([0-9a-f]+)\n"
)
_GITLINK = b"160000"
_NOT_CHECKED_OUT = 0x4000_8000
"""Flags of entries that are not checked out, or that git was told to treat as unchanged."""


def changed(repository: Repository, root: Path, allowance: Allowance) -> list[str] | None:
    """Files that changed since git last saw them, including deleted ones; None if that is unknown."""
    listed = _ask(repository, root, allowance, "ls-files", "--no-recurse-submodules", "-z", "--stage", "--debug")
    if listed is None:
        return None
    found: list[str] = []
    folders: dict[str, bool] = {}
    for mode, name, *rest in _ENTRY.findall(listed):
        if not allowance.take():
            break
        seconds, nanoseconds, size, flags = rest
        path = os.fsdecode(name)
        if mode == _GITLINK or int(flags, 16) & _NOT_CHECKED_OUT:
            continue
        folder = path.rpartition("/")[0]
        if folder not in folders:
            folders[folder] = inside(root, root / folder) is not None
        if not folders[folder] or _differs(root / path, int(seconds), int(nanoseconds), size=int(size)):
            found.append(path)
    return found


def _differs(path: Path, seconds: int, nanoseconds: int, *, size: int) -> bool:
    try:
        now = path.lstat()
    except (OSError, ValueError):
        return True
    if not (stat.S_ISREG(now.st_mode) or stat.S_ISLNK(now.st_mode)) or now.st_size & 0xFFFF_FFFF != size:
        return True
    at = divmod(now.st_mtime_ns, 10**9)
    return at != (seconds, nanoseconds) if nanoseconds else at[0] != seconds


def untracked(repository: Repository, root: Path, allowance: Allowance) -> list[str] | None:
    """Files and whole folders that git neither tracks nor ignores."""
    options = ("--no-recurse-submodules", "--others", "--exclude-standard", "--directory", "--no-empty-directory")
    listed = _ask(repository, root, allowance, "ls-files", *options, "-z")
    return None if listed is None else [os.fsdecode(name) for name in listed.split(b"\0") if name]


def staged(repository: Repository, root: Path, allowance: Allowance) -> list[str] | None:
    """What the next commit would contain."""
    options = ("--cached", "--no-renames", "--ignore-submodules=all", "--name-only", "--relative", "-z")
    listed = _ask(repository, root, allowance, "diff-index", *options, "HEAD")
    return None if listed is None else [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _ask(repository: Repository, root: Path, allowance: Allowance, *arguments: str) -> bytes | None:
    if repository.bare or not allowance.left:
        return None
    place = ("-C", str(root), f"--work-tree={repository.root}", "-c", "submodule.recurse=false")
    return run_git(repository, *place, *arguments, deadline=min(allowance.left, MAX_SECONDS))
