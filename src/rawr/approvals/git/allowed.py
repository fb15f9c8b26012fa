"""What a git command that the user allows would run besides git: outside of Codex's sandbox, and perhaps written by the
agent (C10).

``git commit`` runs hooks, ``git add`` runs filters, and both look into every repository inside this one, with the
settings that they find there. Codex keeps the agent from writing the ``.git`` of the workspace, and of no other. So an
allowed git command is approved only in that repository, only if nothing in it or in the user's settings runs a program,
and only if there is no other repository inside. A rule of its own accepts all that. The options and operands of the
command itself are judged in ``verbs``.
"""

import os
import time
from pathlib import Path

from rawr.approvals.git.answers import git_disagrees
from rawr.approvals.git.helpers import settings_of_user
from rawr.approvals.git.repository import repository_at, unsafe_repository
from rawr.approvals.git.settings import Setting, settings
from rawr.approvals.git.standing import loose
from rawr.approvals.judgment import shown
from rawr.approvals.places import Places, within
from rawr.approvals.programs.arguments import Call
from rawr.approvals.verbs.git import FILES
from rawr.observe.repository.locating import Repository

MOST_FOLDERS = 100_000
MOST_SECONDS = 0.7
"""For a look at the whole workspace: any line is judged within a second."""
_HOOKS_TEXT = """
    applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
    pre-rebase post-checkout post-merge pre-push post-rewrite pre-auto-gc reference-transaction post-index-change
    fsmonitor-watchman query-watchman sendemail-validate
    """
HOOKS = frozenset(_HOOKS_TEXT.split())
_WITHOUT = frozenset({"clone", "init", "version", "help"})
"""Commands that take no settings from a repository around the folder (measured), so it does not matter if one comes."""
_KNOWN = FILES


def unsafe_when_allowed(call: Call) -> list[str]:
    """Why an allowed git command is not approved after all."""
    texts = call.texts()
    if texts[:1] and texts[0].startswith("-"):
        return ["Options before the command make git run elsewhere, or with other settings."]
    command = texts if call.name.endswith("git") else ("push",)
    found = [one for folder in sorted(call.folders) for one in _in_folder(folder, call.places, command)]
    if not found:
        return []
    return [*dict.fromkeys(found), "The rule “git hooks” accepts what git runs in this repository."]


def _in_folder(folder: Path, places: Places, words: tuple[str, ...]) -> list[str]:
    if places.reach.everywhere:
        return [places.reach.everywhere]
    repository = repository_at(folder, places.look)
    if repository is None:
        none_needed = words[:1] and words[0] in _WITHOUT
        return [] if none_needed else ["There is no repository here that rawr can inspect first."]
    if within(repository.root, places.workspace) and str(repository.root) != str(places.workspace):
        return ["The repository is inside the workspace, so the agent may have made it."]
    if problems := loose(folder, repository, places) or git_disagrees(folder, repository, places):
        return problems
    problems = _hooks(repository, places) + _others(repository, places)
    if words[:1] and words[0] in _KNOWN:
        problems += unsafe_repository(folder, places, looks_at_files=True)
    return problems


def _hooks(repository: Repository, places: Places) -> list[str]:
    files = (repository.common_dir / "config", repository.git_dir / "config.worktree")
    known = [settings(str(file), places.look) for file in files] + [settings_of_user(places)]
    problems = [one for one in known if isinstance(one, str)]
    given: list[Setting] = [setting for one in known if not isinstance(one, str) for setting in one]
    folders = [str(repository.common_dir / "hooks")]
    for setting in given:
        if setting.name == "core.hookspath":
            folders.append(_folder(setting.value, repository, places))
        elif setting.section.partition(".")[0] in ("hook", "include", "includeif"):
            problems.append(f"The configuration of git sets {shown(setting.name)}.")
    for folder in folders:
        real = places.look.real(folder)
        open_to_agent = places.reach.fills(real) or places.reach.sways(folder)
        inside = places.holds(real) and not within(real, Path(os.path.realpath(repository.common_dir)))
        if inside or open_to_agent:
            # An empty one may be filled between this look and the commit.
            problems.append("The hooks of the repository are in the workspace.")
        problems += [f"The repository has the hook {name}." for name in places.look.names(real) or () if name in HOOKS]
    return problems


def _folder(value: str, repository: Repository, places: Places) -> str:
    at_home = f"{places.around.home}{value.removeprefix('~')}" if value.startswith("~/") else value
    return at_home if at_home.startswith("/") else str(repository.root / at_home)


def _others(repository: Repository, places: Places) -> list[str]:
    """Repositories inside this one. ``git add`` makes them a part of it, and from then on git looks into them."""
    top = places.workspace if within(places.workspace, repository.root) else repository.root
    return places.look.once(("other repositories", str(top)), lambda: _found_inside(str(top), str(repository.root)))


def _found_inside(top: str, root: str) -> list[str]:
    waiting, looked_at, until = [top], 0, time.monotonic() + MOST_SECONDS
    while waiting:
        folder = waiting.pop()
        looked_at += 1
        if looked_at > MOST_FOLDERS or time.monotonic() > until:
            return ["The workspace has too many folders to look for other repositories in it."]
        try:
            entries = list(os.scandir(folder))
        except OSError:
            return [f"{shown(folder)} cannot be looked into."]
        for entry in entries:
            if entry.name.lower() == ".git":
                if folder != root:
                    return [f"There is another repository in {shown(folder)}."]
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
    return []
