"""Find the repository that a directory belongs to (B6), from files only.

Does what git does: walk up, take a ``.git`` directory or the one that a ``.git`` file names, or a bare repository.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from rawr.observe.files import read_small

MAX_FAMILY = 64


class Repository(Struct, frozen=True):
    root: Path
    """The working tree; for a bare repository, its own directory."""
    git_dir: Path
    """Where HEAD and its log are; each worktree and submodule has its own."""
    common_dir: Path
    """Where branches, objects and the configuration are."""
    bare: bool = False


def locate(directory: Path) -> Repository | None:
    """The repository around a directory; None if there is none, or no such directory."""
    try:
        start = Path(os.path.realpath(directory, strict=True))
    except (OSError, ValueError):
        return None
    if not start.is_dir():
        return None
    for folder in (start, *start.parents):
        found = _at(folder)
        if found is not None:
            return found
    return None


def _at(folder: Path) -> Repository | None:
    dot = folder / ".git"
    git_dir = dot if dot.is_dir() else _named_in(dot)
    if git_dir is not None and _is_git_dir(git_dir):
        return Repository(folder, git_dir, _common(git_dir))
    if _is_git_dir(folder):
        if folder.name == ".git":
            return Repository(folder.parent, folder, _common(folder))
        return Repository(folder, folder, _common(folder), bare=True)
    return None


def _named_in(file: Path) -> Path | None:
    """The directory that a ``.git`` file of a worktree or submodule names."""
    text = read_small(file)
    if text is None or not text.startswith(b"gitdir:"):
        return None
    return _real(file.parent / os.fsdecode(text[len(b"gitdir:") :].strip()))


def _common(git_dir: Path) -> Path:
    text = read_small(git_dir / "commondir")
    if text is None:
        return git_dir
    return _real(git_dir / os.fsdecode(text.strip())) or git_dir


def _is_git_dir(path: Path) -> bool:
    """It has its own HEAD, and objects and refs here or in the common directory."""
    if not os.path.lexists(path / "HEAD"):
        return False
    common = _common(path)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def _real(path: Path) -> Path | None:
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return None


def family(repository: Repository) -> tuple[Repository, ...]:
    """The repository, its main one and their worktrees and submodules: all that a command in one of them may move.

    Bounded; a submodule that is not checked out does not count.
    """
    found: dict[Path, Repository] = {repository.git_dir: repository}
    for member in _members(repository):
        if len(found) >= MAX_FAMILY:
            break
        found.setdefault(member.git_dir, member)
    return tuple(found.values())


def _members(repository: Repository) -> Iterator[Repository]:
    common = repository.common_dir
    if common.name == ".git" and (main := _at(common.parent)) is not None:
        yield main
    for folder in _subfolders(common / "worktrees"):
        # The file names the worktree's own ".git" file.
        pointer = read_small(folder / "gitdir")
        if pointer is not None and (member := _at(Path(os.fsdecode(pointer.strip())).parent)) is not None:
            yield member
    yield from _submodules(common / "modules", depth=4)


def _submodules(modules: Path, *, depth: int) -> Iterator[Repository]:
    for folder in _subfolders(modules):
        if _is_git_dir(folder):
            yield Repository(_worktree_of(folder), folder, _common(folder))
            if depth > 0:
                yield from _submodules(folder / "modules", depth=depth - 1)
        elif depth > 0:  # a submodule's name may contain slashes
            yield from _submodules(folder, depth=depth - 1)


def _worktree_of(git_dir: Path) -> Path:
    """``core.worktree`` of a submodule, as git writes it there."""
    for line in (read_small(git_dir / "config") or b"").splitlines():
        name, equals, value = line.strip().partition(b"=")
        if equals and name.strip().lower() == b"worktree":
            return _real(git_dir / os.fsdecode(value.strip().strip(b'"'))) or git_dir
    return git_dir


def _subfolders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))[:MAX_FAMILY]
    except OSError:
        return []
