"""Whether the repository that git takes is certain to be the same when the command runs (C10).

An agent can make a repository in any folder that it may write: a ``.git``, or just ``HEAD``, ``objects``, ``refs`` and
``config`` in the folder itself. git climbs from where it runs, takes the first one, and runs what its settings name. So
on the way from there to the repository that rawr has looked at, no folder may be one that the agent could make a
repository of, and nothing in that repository may be the agent's to write. Codex keeps it from ``.git`` right in the
workspace, which leaves the commands that run there. That git sees the same repository, it says itself (``answers``).
"""

from pathlib import Path

from rawr.approvals.judgment import shown
from rawr.approvals.places import Places, within
from rawr.observe.repository.locating import Repository

_DECIDE = ("HEAD", "config", "config.worktree", "index", "objects", "refs", "packed-refs", "hooks", "info", "modules")
"""What is in a repository, and decides what git does. Any of them may be a link."""


def loose(folder: Path, repository: Repository, places: Places) -> list[str]:
    """Why another repository may be in force by the time git runs in this folder."""
    reach = places.reach
    if reach.everywhere or not reach.roots:
        return []
    if reach.writes(repository.root / ".git") or (repository.bare and reach.fills(repository.root)):
        name = _named(repository.root, places)
        return [f"{name} is a repository that the agent could have made: git would run what its configuration names."]
    for one in (folder, *folder.parents):
        if one == repository.root:
            break
        if reach.writes(one / ".git") or reach.fills(one):
            return [_climbs(one, repository, places)]
    return _parts(repository, places)


def _climbs(folder: Path, repository: Repository, places: Places) -> str:
    if folder == places.workspace:
        return (
            f"The repository is {shown(str(repository.root))}, around the workspace: by the time git runs, the agent "
            "could make one of the workspace itself."
        )
    there = f" In the workspace itself it can be approved: `git -C {places.workspace} …`."
    return (
        f"The agent could make a repository of {_named(folder, places)} by the time git runs there, and git would run "
        f"what its configuration names.{there if repository.root == places.workspace else ''}"
    )


def _parts(repository: Repository, places: Places) -> list[str]:
    """What belongs to it, and is where the agent may write."""
    found: list[str] = []
    for folder in dict.fromkeys((repository.git_dir, repository.common_dir)):
        if places.reach.sways(folder) or places.reach.fills(folder) or _opened(folder, places):
            found.append(f"{shown(str(folder))}, where the repository is kept, is a folder that the agent can write.")
            continue
        for name in _DECIDE:
            real = places.look.real(folder / name)
            if places.reach.sways(folder / name) or places.reach.fills(real):
                found.append(f"{shown(str(folder / name))} leads to where the agent can write.")
    return found


def _opened(folder: Path, places: Places) -> bool:
    """Return True if the agent may write somewhere inside: a root may be anywhere."""
    return any(within(root, folder) for root in places.reach.roots)


def _named(folder: Path, places: Places) -> str:
    below = places.holds(folder) and folder != places.workspace
    return shown(str(folder.relative_to(places.workspace)) if below else str(folder))
