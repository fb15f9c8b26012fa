"""What a git command that the user allows would run besides git: outside of Codex's sandbox, and perhaps written by the
agent (C10).

``git commit`` runs hooks, ``git add`` runs filters, and both look into every repository inside this one, with the
settings that they find there. Codex keeps the agent from writing the ``.git`` of the workspace, and of no other. So an
allowed git command is approved only in that repository, only if nothing in it or in the user's settings runs a program,
only if there is no other repository inside, and only with options that run nothing either. A rule of its own accepts
all that.
"""

import os
import re
import time
from pathlib import Path

from rawr.approvals.git.helpers import settings_of_user
from rawr.approvals.git.repository import repository_at, unsafe_repository
from rawr.approvals.git.settings import Setting, settings
from rawr.approvals.judgment import shown
from rawr.approvals.places import Places, within
from rawr.approvals.programs.arguments import Call
from rawr.observe.repository.locating import Repository

ACCEPTED = ("git", "hooks")
"""The rule that accepts them. git has no such command."""
MOST_FOLDERS = 100_000
MOST_SECONDS = 0.7
"""For a look at the whole workspace: any line is judged within a second."""
_HOOKS_TEXT = """
    applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
    pre-rebase post-checkout post-merge pre-push post-rewrite pre-auto-gc reference-transaction post-index-change
    fsmonitor-watchman query-watchman sendemail-validate
    """
HOOKS = frozenset(_HOOKS_TEXT.split())
_ADDS = re.compile(r"-[Aunvf]+|--(?:all|no-all|update|verbose|dry-run|intent-to-add|force|ignore-errors)|--")
_COMMITS = re.compile(
    r"-[aqnvs]*m?|--(?:all|quiet|no-verify|verbose|allow-empty|allow-empty-message|amend|no-edit|signoff|message)|--"
    r"|--message=.*",
    re.DOTALL,
)
_TAKES_WORDS = re.compile(r"-[aqnvs]*m|--message")
_WITH_WORDS = re.compile(r"-[aqnvs]*m|--message(?:=.*)?|--no-edit", re.DOTALL)
_KNOWN = {"add": _ADDS, "stage": _ADDS, "commit": _COMMITS}
"""Options that run nothing: no editor, no signature, no trailer, no patch to choose from."""


def unsafe_when_allowed(call: Call) -> list[str]:
    """Why an allowed git command is not approved after all."""
    texts = call.texts()
    if texts[:1] and texts[0].startswith("-"):
        return ["Options before the command make git run elsewhere, or with other settings."]
    found = _options(texts) + [one for folder in sorted(call.folders) for one in _in_folder(folder, call.places, texts)]
    if not found:
        return []
    return [*dict.fromkeys(found), "The rule “git hooks” accepts what git runs in this repository."]


def _options(words: tuple[str, ...]) -> list[str]:
    """Whatever is not known to run nothing may run something."""
    command, *rest = words or ("",)
    known = _KNOWN.get(command)
    if known is None:
        return []
    options: list[str] = []
    before = ""
    for text in rest:
        # The text of a message may be anything; after a plain ``--`` come paths, whatever they look like.
        if not _TAKES_WORDS.fullmatch(before):
            if text == "--":
                break
            options += [text] if text.startswith("-") else []
            before = text
        else:
            before = ""
    unknown = [text for text in options if not known.fullmatch(text)]
    problems = [f"`git {command}` with {shown(text)} may run something else." for text in unknown]
    if command == "commit" and not any(map(_WITH_WORDS.fullmatch, options)):
        problems.append("`git commit` without a message opens an editor.")
    return problems


def _in_folder(folder: Path, places: Places, words: tuple[str, ...]) -> list[str]:
    repository = repository_at(folder, places.look)
    if repository is None:
        return []
    if within(repository.root, places.workspace) and str(repository.root) != str(places.workspace):
        return ["The repository is inside the workspace, so the agent may have made it."]
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
        if places.holds(real) and not within(real, Path(os.path.realpath(repository.common_dir))):
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
