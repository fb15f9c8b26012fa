"""Looks up what a packet names: files, and commits (D2). It blocks, for milliseconds mostly, and is called in a thread.

The names are a model's. They are looked at, never opened; whatever cannot be told counts as there, because a packet
must not be called wrong for want of knowledge.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from rawr.observe.repository.git import Repository, locate, look
from rawr.observe.repository.gitrun import run_git

SECONDS = 3.0
MOST_ENTRIES = 60_000
_PASSED_OVER = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", "target"})
_LONGEST = 400


class LookedUp(Struct, frozen=True):
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    branch: str = ""


def look_up(cwd: str, *, paths: tuple[str, ...], commits: tuple[str, ...], notes: str = "") -> LookedUp:
    """A path may be given as people name files: from the root of the repository, or by its last parts alone. Notes are
    where they were to be, or missing."""
    place = Path(cwd)
    repository = locate(place)
    view = look(repository) if repository is not None else None
    roots = tuple(dict.fromkeys([place, *([view.root] if view is not None else [])]))
    unfound = [one for one in paths if not _is_there(one, roots)]
    missing = _nowhere(unfound, roots) if unfound else ()
    if notes and not _is_plain(notes, place):
        missing = (*missing, notes)
    unknown = _unknown(repository, commits) if repository is not None and commits else ()
    return LookedUp(missing, unknown, (view.branch or "") if view is not None else "")


def _is_plain(path: str, place: Path) -> bool:
    """Return True if it is a file of the workspace: no pipe that holds up whoever opens it, no link that leads away."""
    try:
        real = (place / path).resolve()
        return real.is_file() and real.is_relative_to(place.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def _is_there(path: str, roots: tuple[Path, ...]) -> bool:
    if len(path) > _LONGEST or "\0" in path:
        return True
    try:
        return any(os.path.lexists(root / Path(path).expanduser()) for root in roots)
    except (OSError, ValueError, RuntimeError):
        return True


def _nowhere(paths: list[str], roots: tuple[Path, ...]) -> tuple[str, ...]:
    """Those that no file below the roots ends with. A tree that is too large to go through says nothing."""
    ends = {one: f"/{one.removeprefix('./').replace(os.sep, '/')}" for one in paths if not Path(one).is_absolute()}
    left = set(ends)
    until = time.monotonic() + SECONDS
    entries = 0
    for root in roots:
        for found in _files(root):
            entries += 1
            if entries > MOST_ENTRIES or time.monotonic() > until:
                return tuple(one for one in paths if one not in ends)
            left = {one for one in left if not found.endswith(ends[one])}
            if not left:
                break
    return tuple(one for one in paths if one in left or one not in ends)


def _files(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = [one for one in folders if one not in _PASSED_OVER]
        at = folder.replace(os.sep, "/").rstrip("/")
        yield from (f"{at}/{name}" for name in (*folders, *files))


def _unknown(repository: Repository, commits: tuple[str, ...]) -> tuple[str, ...]:
    said = run_git(repository, "rev-list", "--no-walk=unsorted", "--ignore-missing", *commits)
    if said is None:
        return ()
    known = said.decode("ascii", "replace").split()
    return tuple(one for one in commits if not any(each.startswith(one) for each in known))
