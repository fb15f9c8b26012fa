"""What a git command that the user allows would run besides git: outside of Codex's sandbox, and perhaps written by the
agent (C10).

``git commit`` runs hooks, and ``git add`` runs filters. A hook may be a file of the workspace, or call one. So an
allowed git command is approved only where there are none, or where the user accepts them with a rule of its own.
"""

from pathlib import Path

from rawr.approvals.git.asking import subcommand
from rawr.approvals.git.helpers import settings_of_user
from rawr.approvals.git.repository import repository_at, unsafe_repository
from rawr.approvals.git.settings import Setting, settings
from rawr.approvals.judgment import shown
from rawr.approvals.places import Places
from rawr.approvals.programs.arguments import Call
from rawr.observe.repository.locating import Repository

ACCEPTED = ("git", "hooks")
"""The rule that accepts them. git has no such command."""
_HOOKS_TEXT = """
    applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
    pre-rebase post-checkout post-merge pre-push post-rewrite pre-auto-gc reference-transaction post-index-change
    fsmonitor-watchman query-watchman sendemail-validate
    """
HOOKS = frozenset(_HOOKS_TEXT.split())
_RUNS_FILTERS = frozenset({"add", "commit", "stage"})
_SETS = ("-c", "--config-env", "--exec-path")


def unsafe_when_allowed(call: Call) -> list[str]:
    """Why an allowed git command is not approved after all."""
    texts = call.texts()
    if any(text.startswith(_SETS) for text in texts[: _before_command(texts)]):
        return ["It changes the settings of git for this call."]
    found = [one for folder in sorted(call.folders) for one in _in_folder(folder, call, subcommand(("git", *texts)))]
    if not found:
        return []
    return [*dict.fromkeys(found), "The rule “git hooks” accepts what git runs in this repository."]


def _before_command(texts: tuple[str, ...]) -> int:
    return next((number for number, text in enumerate(texts) if not text.startswith("-")), len(texts))


def _in_folder(folder: Path, call: Call, words: tuple[str, ...]) -> list[str]:
    repository = repository_at(folder, call.places.look)
    if repository is None:
        return []
    problems = _hooks(repository, call.places)
    if len(words) > 1 and words[1] in _RUNS_FILTERS:
        problems += unsafe_repository(folder, call.places, looks_at_files=False)
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
        names = places.look.names(places.look.real(folder))
        problems += [f"The repository has the hook {name}." for name in names or () if name in HOOKS]
    return problems


def _folder(value: str, repository: Repository, places: Places) -> str:
    at_home = f"{places.around.home}{value.removeprefix('~')}" if value.startswith("~/") else value
    return at_home if at_home.startswith("/") else str(repository.root / at_home)
