"""Which commit a rebase or an ``--amend`` wrote anew (B6): the same work under another name, and no new commit.

A rebase keeps the author, the author's date and nothing else for certain, so these tell which commit became which.
"""

from collections.abc import Iterable, Mapping

from rawr.observe.files import read_small
from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.locating import Repository
from rawr.observe.repository.objects import Commit, read_commit
from rawr.observe.repository.reflog import Movement

MAX_OLD = 200


def rewritten(repository: Repository, moved: Iterable[Movement]) -> Mapping[str, str]:
    """By the new name of each, the old one; empty if that is not known."""
    moved = tuple(moved)
    amended = {one.after: one.before or "" for one in moved if one.made and one.kind == "amend"}
    picked = [one.after for one in moved if one.made and one.kind == "rebase"]
    if not picked:
        return amended
    before = {one.author: one.oid for one in _commits(repository, _left_behind(repository, picked[-1], moved))}
    return amended | {one.oid: before.get(one.author, "") for one in _commits(repository, picked)}


def _left_behind(repository: Repository, after: str, moved: tuple[Movement, ...]) -> list[str]:
    """What was on the branch before, and is not any more."""
    noted = (read_small(repository.git_dir / "ORIG_HEAD", 128) or b"").decode("ascii", "replace").strip()
    starts = {one.before for one in moved if one.kind == "rebase" and not one.made and one.before}
    old = [one for one in (*starts, noted) if one and read_commit(repository, one) is not None]
    if not old:
        return []
    listed = run_git(repository, "rev-list", f"--max-count={MAX_OLD}", *old, "--not", after, "--")
    return [] if listed is None else listed.decode().split()


def _commits(repository: Repository, names: Iterable[str]) -> list[Commit]:
    return [one for name in names if (one := read_commit(repository, name)) is not None and one.author]
