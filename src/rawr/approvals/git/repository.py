"""What must be true of a repository so that merely querying git runs nothing (C10).

Its own configuration names no program, no hook reacts to a change of the index, the ``.git`` that was found really
belongs to this folder, and the same is true of each submodule that git would look into. Only files are read; git does
not run.
"""

import os
from pathlib import Path

from rawr.approvals.git.config import unsafe_settings
from rawr.approvals.git.helpers import unsafe_user_settings
from rawr.approvals.git.index import gitlinks
from rawr.approvals.git.settings import HOOKS
from rawr.approvals.judgment import shown
from rawr.approvals.looking import Looking
from rawr.approvals.places import Places, within
from rawr.observe.files import read_small
from rawr.observe.repository.locating import Repository, locate

MAX_SUBMODULES = 64
MAX_DEPTH = 3


def repository_at(folder: Path, look: Looking) -> Repository | None:
    """The repository around a folder, searched for once."""
    look.enter(folder)
    return look.once(("repository", str(folder)), lambda: locate(folder))


def unsafe_repository(
    folder: Path, places: Places, *, looks_at_files: bool, shows_commits: bool = False, runs_helpers: bool = True
) -> list[str]:
    """Why querying git from this folder is not safe. ``looks_at_files``: submodules in the work tree count too."""
    wants = {"looks_at_files": looks_at_files, "shows_commits": shows_commits, "runs_helpers": runs_helpers}
    return places.look.once((str(folder), *wants.values()), lambda: _unsafe_repository(folder, places, **wants))


def _unsafe_repository(
    folder: Path, places: Places, *, looks_at_files: bool, shows_commits: bool, runs_helpers: bool
) -> list[str]:
    places.look.spend()
    if places.around.redirects_git:
        return [f"{name} points git somewhere else." for name in places.around.redirects_git]
    repository = repository_at(folder, places.look)
    if repository is None:
        return ["There is no repository here that rawr can inspect first."]
    if repository.bare:
        return ["The folder itself is a bare repository."]
    if within(places.around.home, repository.root):
        return ["The repository contains your whole home folder."]
    if not places.holds(repository.root) and not within(places.workspace, repository.root):
        return ["The repository is outside the workspace."]
    problems = unsafe_user_settings(places, shows_commits=shows_commits, runs_helpers=runs_helpers)
    return problems + _unsafe(repository, places.look, depth=0, looks_at_files=looks_at_files)


def _unsafe(repository: Repository, look: Looking, *, depth: int, looks_at_files: bool) -> list[str]:
    problems = _stray(repository)
    for file in (repository.common_dir / "config", repository.git_dir / "config.worktree"):
        problems += unsafe_settings(file, root=repository.root)
    if not (repository.common_dir / "config").is_file():
        problems.append("The repository has no configuration.")
    if os.path.lexists(repository.common_dir / "objects" / "info" / "alternates"):
        problems.append("The repository borrows objects from another one.")
    problems += [
        f"The repository has the hook {name}."
        for name in HOOKS
        if os.path.lexists(repository.common_dir / "hooks" / name)
    ]
    if looks_at_files:
        problems += _submodules(repository, look, depth=depth)
    return problems


def _stray(repository: Repository) -> list[str]:
    """A ``.git`` file may name any repository. A work tree's is named back; a submodule's is inside the outer one."""
    dot = repository.root / ".git"
    if dot.is_symlink():
        return ["The folder .git is a symlink."]
    if dot.is_dir():
        return (
            []
            if repository.common_dir == repository.git_dir
            else ["The repository takes its configuration from elsewhere."]
        )
    back = read_small(repository.git_dir / "gitdir")
    if back is not None and os.path.realpath(os.fsdecode(back.strip())) == str(dot):
        known = repository.common_dir / "worktrees"
        return [] if within(repository.git_dir, known) else ["The repository does not know this work tree."]
    outer = locate(repository.root.parent)
    if outer is not None and within(repository.git_dir, outer.common_dir / "modules"):
        return []
    return ["The file .git names a repository that does not know this folder."]


def _submodules(repository: Repository, look: Looking, *, depth: int) -> list[str]:
    links = gitlinks(repository.git_dir / "index", look)
    if links is None:
        return ["The index of the repository cannot be read."]
    look.spend(len(links))
    populated = [link for link in links if os.path.lexists(repository.root / link / ".git")]
    if len(populated) > MAX_SUBMODULES or (populated and depth >= MAX_DEPTH):
        return ["The repository has too many submodules to inspect."]
    problems: list[str] = []
    for link in populated:
        inner = locate(repository.root / link)
        if inner is None or inner.root != Path(os.path.realpath(repository.root / link)):
            problems.append(f"The submodule {shown(link)} cannot be inspected.")
        else:
            problems += [
                f"Submodule {shown(link)}: {problem}"
                for problem in _unsafe(inner, look, depth=depth + 1, looks_at_files=True)
            ]
    return problems
