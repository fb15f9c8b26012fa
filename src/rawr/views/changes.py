"""What a run left in its repository: its commits in numbers, and what is not committed.

The commits are those that rawr recorded. Only the numbers come from the repository as it is now, and nothing in it is
run: see ``observe.repository``.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from rawr.observe.repository.diffstat import FileStat, changed_by
from rawr.observe.repository.git import Repository, family, locate
from rawr.observe.workspace import uncommitted
from rawr.observe.workspace.walking import Allowance

SECONDS = 5.0
ENTRIES = 20_000
MAX_NAMES = 20


class Committed(Struct, frozen=True):
    """A commit as rawr saw it being made."""

    sha: str
    subject: str
    at: int
    root: str = ""
    """The repository in which the command ran."""


class CommitView(Struct, frozen=True):
    sha: str
    subject: str
    at: int
    files: int | None = None
    """None, here and below: the commit is not in the repository now, or there was no time to look."""
    added: int | None = None
    removed: int | None = None


class Uncommitted(Struct, frozen=True):
    """Files in the folder of the run that are not committed now; the first names of each kind."""

    files: int = 0
    changed: tuple[str, ...] = ()
    staged: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()


class ChangesView(Struct, frozen=True):
    commits: tuple[CommitView, ...] = ()
    files: int = 0
    """Different files in these commits; lines are added up over the commits."""
    added: int = 0
    removed: int = 0
    uncommitted: Uncommitted = Uncommitted()
    problem: str = ""
    """Why there are no numbers, as a sentence; empty if there are."""


def changes_of(cwd: str, commits: Iterable[Committed], *, seconds: float = SECONDS) -> ChangesView:
    """It takes no longer than ``seconds``, and never raises because a repository is odd."""
    made = tuple(commits)
    unknown = tuple(CommitView(one.sha, one.subject, one.at) for one in made)
    root = _real(cwd)
    if root is None:
        return ChangesView(unknown, problem=f"The folder {cwd or '(unknown)'} no longer exists.")
    repository = locate(root)
    if repository is None:
        return ChangesView(unknown, problem=f"{cwd} is not in a git repository.")
    allowance = Allowance(seconds=seconds, entries=ENTRIES)
    found = [(one, _files(one, repository, allowance)) for one in made]
    everything = [file for _, files in found for file in files or ()]
    return ChangesView(
        commits=tuple(_view(one, files) for one, files in found),
        files=len({file.path for file in everything}),
        added=sum(file.added for file in everything),
        removed=sum(file.removed for file in everything),
        uncommitted=_uncommitted(repository, root, allowance),
    )


def _real(cwd: str) -> Path | None:
    try:
        root = Path(os.path.realpath(cwd, strict=True)) if cwd else None
    except (OSError, ValueError):
        return None
    return root if root is not None and root.is_dir() else None


def _files(one: Committed, repository: Repository, allowance: Allowance) -> tuple[FileStat, ...] | None:
    for place in _places(one, repository):
        if not allowance.left:
            return None
        files = changed_by(place, one.sha, deadline=allowance.left)
        if files is not None:
            return files
    return None


def _places(one: Committed, repository: Repository) -> Iterator[Repository]:
    """Where a commit may be: in the repository of its command, or in one that belongs to it."""
    own = locate(Path(one.root)) if one.root else None
    yield own or repository
    yield from family(own or repository)[1:]


def _view(one: Committed, files: tuple[FileStat, ...] | None) -> CommitView:
    if files is None:
        return CommitView(one.sha, one.subject, one.at)
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    return CommitView(one.sha, one.subject, one.at, files=len(files), added=added, removed=removed)


def _uncommitted(repository: Repository, root: Path, allowance: Allowance) -> Uncommitted:
    changed = uncommitted.changed(repository, root, allowance) or []
    staged = uncommitted.staged(repository, root, allowance) or []
    untracked = uncommitted.untracked(repository, root, allowance) or []
    return Uncommitted(
        files=len({*changed, *staged, *untracked}),
        changed=tuple(changed[:MAX_NAMES]),
        staged=tuple(staged[:MAX_NAMES]),
        untracked=tuple(untracked[:MAX_NAMES]),
    )
