"""What must be true of a repository so that merely querying git runs nothing (C10).

It is out of the agent's reach (``standing``), its own configuration names no program, no hook reacts to a change of the
index, the ``.git`` that was found really belongs to this folder, and git would look into no other repository on the
way. In the end git itself must name the same repository and the same settings (``answers``).
"""

import os
from pathlib import Path

from rawr.approvals.git.answers import git_disagrees, settings_read
from rawr.approvals.git.config import unsafe_settings
from rawr.approvals.git.helpers import files_of_user, unsafe_user_settings
from rawr.approvals.git.index import gitlinks
from rawr.approvals.git.settings import HOOKS, settings
from rawr.approvals.git.standing import loose
from rawr.approvals.judgment import shown
from rawr.approvals.looking import Looking
from rawr.approvals.places import Places, within
from rawr.observe.files import read_small
from rawr.observe.repository.locating import Repository, locate


def repository_at(folder: Path, look: Looking) -> Repository | None:
    """The repository around a folder, searched for once."""
    look.enter(folder)
    return look.once(("repository", str(folder)), lambda: locate(folder))


def unsafe_repository(
    folder: Path,
    places: Places,
    *,
    looks_at_files: bool,
    shows_commits: bool = False,
    runs_helpers: bool = True,
    refreshes: bool = True,
    compares: bool = True,
) -> list[str]:
    """Why querying git from this folder is not safe.

    ``looks_at_files``: git would look into submodules too. ``refreshes``: it may write the index. ``compares``: it
    shows what has changed.
    """
    wants = {
        "looks_at_files": looks_at_files,
        "shows_commits": shows_commits,
        "runs_helpers": runs_helpers,
        "refreshes": refreshes,
        "compares": compares,
    }
    return places.look.once((str(folder), *wants.values()), lambda: _unsafe_repository(folder, places, **wants))


def _unsafe_repository(
    folder: Path,
    places: Places,
    *,
    looks_at_files: bool,
    shows_commits: bool,
    runs_helpers: bool,
    refreshes: bool,
    compares: bool,
) -> list[str]:
    places.look.spend()
    if places.reach.everywhere:
        return [places.reach.everywhere]
    if places.around.redirects_git:
        return [f"{name} points git somewhere else." for name in places.around.redirects_git]
    repository = repository_at(folder, places.look)
    if repository is None:
        return ["There is no repository here that rawr can inspect first."]
    if within(places.around.home, repository.root):
        return ["The repository contains your whole home folder."]
    if not places.holds(repository.root) and not within(places.workspace, repository.root):
        return ["The repository is outside the workspace."]
    if problems := loose(folder, repository, places):
        return problems
    if repository.bare:
        return ["The folder itself is a bare repository."]
    problems = unsafe_user_settings(places, shows_commits=shows_commits, runs_helpers=runs_helpers, compares=compares)
    problems += _unsafe(repository, places, looks_at_files=looks_at_files, refreshes=refreshes)
    # Only now is git asked: in what the agent has made, its answer would not count.
    return (
        problems
        or git_disagrees(folder, repository, places)
        or _unexpected(folder, repository, places, shows_commits=shows_commits, runs_helpers=runs_helpers)
    )


def _unsafe(repository: Repository, places: Places, *, looks_at_files: bool, refreshes: bool) -> list[str]:
    problems = _stray(repository)
    for file in settings_of_repository(repository):
        problems += unsafe_settings(file, root=repository.root)
        problems += _hooks_to_come(file, repository, places) if refreshes else []
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
        problems += _submodules(repository, places)
    return problems


def settings_of_repository(repository: Repository) -> tuple[Path, Path]:
    return repository.common_dir / "config", repository.git_dir / "config.worktree"


def _hooks_to_come(file: Path, repository: Repository, places: Places) -> list[str]:
    """Hooks in the work tree, as husky has them: one that runs whenever the index is written may come any time."""
    known = settings(str(file), places.look)
    folders = [one.value for one in known if one.name == "core.hookspath"] if not isinstance(known, str) else []
    return [
        f"The hooks of the repository are in {shown(folder)}, and the agent could put one there that git runs."
        for folder in folders
        if places.reach.fills(places.look.real(folder, within=repository.root))
    ]


def _unexpected(
    folder: Path, repository: Repository, places: Places, *, shows_commits: bool, runs_helpers: bool
) -> list[str]:
    """Settings that git says it reads, and rawr has not."""
    reads = settings_read(folder, repository, places)
    if isinstance(reads, str):
        return [reads]
    expected = (*map(str, settings_of_repository(repository)), *files_of_user(places))
    known = set(map(os.path.realpath, expected))
    if others := [file for file in reads.own if file not in known]:
        return [f"git also takes settings from {shown(file)}." for file in others]
    system = tuple(file for file in reads.system if file not in known)
    if not system:
        return []
    return unsafe_user_settings(places, shows_commits=shows_commits, runs_helpers=runs_helpers, also=system)


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


def _submodules(repository: Repository, places: Places) -> list[str]:
    """git looks into each of them by its own settings. One that is empty now need not be when git runs."""
    links = gitlinks(repository.git_dir / "index", places.look)
    if links is None:
        return ["The index of the repository cannot be read."]
    return [
        f"git would look into the submodule {shown(link)}, whose settings the agent may have written; "
        "`--ignore-submodules=all` keeps it out."
        for link in links[:3]
    ]
