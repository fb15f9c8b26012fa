"""Which git commands are safe (C10).

Aliases cannot replace git's own commands, so a name on this list is what it says. Two things must be true: all options
are known (none writes, starts a pager, runs an external diff or uses another configuration), and git runs nothing
else in this repository (``git.repository``).
"""

from pathlib import Path

from rawr.approvals.git.commands import COMMANDS, Reading
from rawr.approvals.git.contents import shows_secrets
from rawr.approvals.git.repository import unsafe_repository
from rawr.approvals.judgment import shown
from rawr.approvals.places import Folders, Places
from rawr.approvals.programs.arguments import Call, judge, readings
from rawr.approvals.programs.costs import costly_pattern
from rawr.approvals.reading.word import Word
from rawr.approvals.shadows import shadowed

_FILES = frozenset({"status", "diff", "diff-files", "diff-index", "describe", "grep", "stash"})
"""Commands for which git may look into submodules. ``ls-files`` reads at most which commit is checked out there."""
_LEFT_OUT = frozenset({"--ignore-submodules", "--ignore-submodules=all"})
_IGNORES = frozenset({"status", "diff", "diff-files", "diff-index"})
"""Commands that these options keep out of submodules altogether (measured)."""

_COMMITS = frozenset({"log", "show", "reflog", "stash"})
"""Commands that show commits, as ``log.*`` configures."""

_PATCHES = frozenset({"diff", "diff-files", "diff-index", "diff-tree", "show", "stash"})
_PATCHES_IF_ASKED = frozenset({"log", "reflog", "rev-list", "status"})
_AS_PATCH_TEXT = (
    "-p -u -U -v -c -m -L -W -t --patch --unified --cc --binary --word-diff --color-words --function-context --verbose"
)
_AS_PATCH = tuple(_AS_PATCH_TEXT.split())

_REFRESHES = frozenset({"status", "diff", "describe"})
"""Commands that rewrite the index if it is out of date."""
_QUIET_TEXT = (
    "branch tag rev-parse rev-list remote ls-tree merge-base config for-each-ref show-ref symbolic-ref worktree "
    "count-objects name-rev cat-file shortlog show-branch"
)
_QUIET = frozenset(_QUIET_TEXT.split())
"""Commands that neither compare files nor look at the work tree, and so run no filter, driver or watcher."""

_QUIET_OPTIONS = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"})


def subcommand(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a git command without the options before it, for rules: ``git -C x log`` is ``git log``."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env") and rest:
            rest.pop(0)
    return (*words[:1], *rest)


def judge_git(call: Call) -> list[str]:
    words = list(call.words)
    folders = call.folders
    problems: list[str] = []
    without_locks = False
    while words and (text := words[0].text) is not None and text.startswith("-"):
        words.pop(0)
        without_locks = without_locks or text == "--no-optional-locks"
        if text in ("--version", "-v") and not words:
            return problems
        if text == "-C" and words:
            folder = words.pop(0)
            problems += _enter(folder, call.places, folders)
            problems += _swayed(folder, call.places, folders)
            if folder.text is not None:
                folders = frozenset(Path(call.places.look.real(folder.text, within=one)) for one in folders)
        elif text not in _QUIET_OPTIONS:
            problems.append(f"`git` with {shown(text)} is not known to be safe.")
    if not words or words[0].text is None:
        return [*problems, "The git command is not known."]
    name = words[0].text
    reading = COMMANDS.get(name)
    if reading is None or words[0].shape or words[0].counted:
        return [*problems, f"`git {name}` is not known to only read."]
    # Only status is known to leave the index alone in that case.
    if call.places.read_only and name in _REFRESHES and not (name == "status" and without_locks):
        problems.append(f"`git {name}` may write git's index, and writing is not allowed.")
    inner = Call(f"git {name}", tuple(words[1:]), call.places, folders)
    problems += _arguments(inner, reading)
    if reading.needs_repository and not problems:
        for one in sorted(folders):
            problems += unsafe_repository(
                one,
                call.places,
                looks_at_files=_looks_at_files(name, inner.texts()),
                shows_commits=name in _COMMITS,
                runs_helpers=name not in _QUIET,
                compares=_compares(name, inner.texts()),
                refreshes=name in _REFRESHES and not (name == "status" and without_locks),
            )
        problems += shadowed("git-lfs", call.places, external=True)
    return problems


def _enter(folder: Word, places: Places, folders: Folders) -> list[str]:
    if folder.shape or folder.counted:
        return [f"The folder {shown(folder.raw)} is not known."]
    return [] if folder.text is None else places.outside(folder.text, folders)


def _swayed(folder: Word, places: Places, folders: Folders) -> list[str]:
    """The way there may be another by the time git goes it, or begin elsewhere."""
    text = folder.text or ""
    begins = () if text.startswith("/") else folders
    swayed = (
        places.reach.sways(text)
        if text.startswith("/")
        else any(places.reach.sways(text, within=one) for one in folders)
    )
    return (
        [f"The agent could change where {shown(text)} leads."]
        if swayed or any(map(places.reach.writes, begins))
        else []
    )


def _compares(name: str, texts: tuple[str, ...]) -> bool:
    """Return True if it may show a patch, and in it the commits between two states of a submodule."""
    return name in _PATCHES or (name in _PATCHES_IF_ASKED and any(text.startswith(_AS_PATCH) for text in texts))


def _looks_at_files(name: str, texts: tuple[str, ...]) -> bool:
    if name == "describe":
        return any(text.startswith("--dirty") for text in texts)
    options = texts[: texts.index("--")] if "--" in texts else texts
    said = [text for text in options if text.startswith("--ignore-submodules")]
    return name in _FILES and not (name in _IGNORES and len(said) == 1 and said[0] in _LEFT_OUT)


def _arguments(call: Call, reading: Reading) -> list[str]:
    problems = judge(call, reading.allowed)
    name = call.name.removeprefix("git ")
    for number, read in enumerate(readings(call, reading.allowed)):
        problems += reading.further(read) if reading.further is not None else []
        if number == 0 or name == "grep":  # all others accept options in any order
            problems += shows_secrets(call, name, read)
    problems += reading.words(call.texts()) if reading.words is not None else []
    for word in call.words:
        text = word.text
        # Given two files of which one is outside, git diff compares them without any repository.
        if text is not None and not text.startswith("-"):
            problems += call.places.outside(text, call.folders) + costly_pattern(text)
    return problems
