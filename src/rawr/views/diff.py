"""What is changed in a workspace, as the lines of a diff: what is not committed, then the newest commits.

Nothing that the repository names is run: blobs and trees come from git's objects, files are read as they are, and the
difference is made here. Everything is bounded.
"""

import difflib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.observe.repository.git import Repository, locate
from rawr.observe.repository.gitrun import run_git
from rawr.observe.workspace import uncommitted
from rawr.observe.workspace.walking import Allowance, inside, read_text

Kind = Literal["file", "hunk", "added", "removed", "same", "note"]
SECONDS = 3.0
ENTRIES = 20_000
MOST_FILES = 40
MOST_BYTES = 200_000
"""Of one file."""
MOST_LINES = 4_000
MOST_COMMITS = 3
LONGEST = 500
"""Characters of a line."""
_OPTIONS = ("-p", "-r", "--root", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color")
_OID = re.compile(r"[0-9a-f]{7,64}")


class DiffLine(Struct, frozen=True, gc=False):
    kind: Kind
    text: str


def diff_of(cwd: str, commits: tuple[tuple[str, str], ...] = ()) -> tuple[DiffLine, ...]:
    """``commits``: the newest commits of the thread, each with its subject, the newest last. Never raises because a
    repository is odd, and takes a few seconds at most."""
    try:
        root = Path(os.path.realpath(cwd, strict=True)) if cwd else None
    except (OSError, ValueError):
        root = None
    repository = locate(root) if root is not None and root.is_dir() else None
    if root is None or repository is None:
        return (DiffLine("note", f"{cwd or 'The folder'} is not in a git repository."),)
    lines: list[DiffLine] = []
    for line in _lines(repository, root, commits):
        if len(lines) == MOST_LINES:
            lines.append(DiffLine("note", f"More than {MOST_LINES} lines: the rest is left out."))
            break
        lines.append(line)
    return tuple(lines) or (DiffLine("note", "Nothing is changed."),)


def _lines(repository: Repository, root: Path, commits: tuple[tuple[str, str], ...]) -> Iterator[DiffLine]:
    allowance = Allowance(seconds=SECONDS, entries=ENTRIES)
    changed = uncommitted.changed(repository, root, allowance) or []
    staged = uncommitted.staged(repository, root, allowance) or []
    untracked = uncommitted.untracked(repository, root, allowance) or []
    names = tuple(dict.fromkeys((*changed, *staged, *untracked)))
    for name in names[:MOST_FILES]:
        yield from _file(repository, root, name)
    if len(names) > MOST_FILES:
        yield DiffLine("note", f"{len(names) - MOST_FILES} more files are changed.")
    for sha, subject in reversed(commits[-MOST_COMMITS:]):
        if _OID.fullmatch(sha):
            yield DiffLine("note", f"commit {sha[:8]} {subject}")
            shown = run_git(repository, "diff-tree", *_OPTIONS, sha)
            yield from _of_git(shown) if shown is not None else ()


def _file(repository: Repository, root: Path, name: str) -> Iterator[DiffLine]:
    yield DiffLine("file", name)
    if name.endswith("/"):
        return
    place = ("-C", str(root), f"--work-tree={repository.root}")
    old = run_git(repository, *place, "cat-file", "blob", f"HEAD:./{name}", most=MOST_BYTES)
    new = _content(root, name)
    before = _text(old or b"")
    if before is None or new is None:
        yield DiffLine("note", "It is not text, or not a plain file.")
        return
    for line in difflib.unified_diff(before, new, lineterm="", n=2):
        if not line.startswith(("---", "+++")):
            yield _diff_line(line)


def _content(root: Path, name: str) -> list[str] | None:
    path = root / name
    if inside(root, path.parent) is None:
        return None
    if not os.path.lexists(path):
        return []
    text = read_text(path, MOST_BYTES)
    return None if text is None else text.splitlines()


def _text(content: bytes) -> list[str] | None:
    return None if b"\0" in content else content.decode("utf-8", "replace").splitlines()


def _of_git(shown: bytes) -> Iterator[DiffLine]:
    for line in shown.decode("utf-8", "replace").splitlines():
        if line.startswith("diff --git "):
            yield DiffLine("file", line.rpartition(" b/")[2])
        elif not line.startswith(("index ", "--- ", "+++ ", "new file", "deleted file", "old mode", "new mode")):
            yield _diff_line(line)


def _diff_line(line: str) -> DiffLine:
    kinds: dict[str, Kind] = {"+": "added", "-": "removed", "@": "hunk"}
    return DiffLine(kinds.get(line[:1], "same"), line[:LONGEST])
