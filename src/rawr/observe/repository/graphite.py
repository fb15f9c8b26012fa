"""The stack of branches that Graphite keeps beside the repository (B3, B6). Tolerant: its files are its own business.

Newer versions keep a small SQLite database, older ones a JSON file; both name a parent for each branch.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct

from rawr.observe.files import read_small
from rawr.observe.repository.locating import Repository
from rawr.observe.repository.refs import head_of

MAX_STACK = 64
_MAX_FILE = 16 << 20
_MAX_BRANCHES = 20_000
_MAX_WORK = 200
"""Thousands of database steps: a large repository needs a few dozen."""

Parents = dict[str, str | None]


class _Branch(Struct, rename="camel"):
    parent_branch_name: str | None = None


class _Cache(Struct):
    branches: list[tuple[str, _Branch]] = []


def graphite_stack(repository: Repository) -> tuple[str, ...] | None:
    """From the trunk up to the current branch, and beyond while there is only one way. Empty if Graphite does not track
    the branch; ``None`` if it is not used here."""
    parents = _from_database(repository.common_dir / ".graphite_metadata.db")
    if parents is None:
        parents = _from_cache(repository.common_dir / ".graphite_cache_persist")
    if parents is None:
        return () if (repository.common_dir / ".graphite_repo_config").is_file() else None
    branch, _ = head_of(repository)
    if branch is None or branch not in parents:
        return ()
    upward = [*_below(branch, parents), branch]
    return (*upward, *_above(upward, parents))


def _below(branch: str, parents: Parents) -> list[str]:
    below: list[str] = []
    parent = parents.get(branch)
    while parent and parent not in below and parent != branch and len(below) < MAX_STACK:
        below.insert(0, parent)
        parent = parents.get(parent)
    return below


def _above(upward: list[str], parents: Parents) -> list[str]:
    above: list[str] = []
    top = upward[-1]
    while len(above) < MAX_STACK:
        children = [child for child, parent in parents.items() if parent == top]
        if len(children) != 1 or children[0] in (*upward, *above):
            break
        top = children[0]
        above.append(top)
    return above


def _from_cache(path: Path) -> Parents | None:
    data = read_small(path, _MAX_FILE)
    if data is None:
        return None
    try:
        cache = msgspec.json.decode(data, type=_Cache)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return {name: branch.parent_branch_name for name, branch in cache.branches[:_MAX_BRANCHES]}


def _from_database(path: Path) -> Parents | None:
    if not path.is_file() or path.stat().st_size > _MAX_FILE:
        return None
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=0.05)) as database:
            work = iter(range(_MAX_WORK))
            database.set_progress_handler(lambda: next(work, None) is None, 1000)
            rows = database.execute(
                "SELECT branch_name, parent_branch_name FROM branch_metadata LIMIT ?", (_MAX_BRANCHES,)
            ).fetchall()
    except (sqlite3.Error, OSError):
        return None
    return {
        name: parent if isinstance(parent, str) and parent else None for name, parent in rows if isinstance(name, str)
    }
