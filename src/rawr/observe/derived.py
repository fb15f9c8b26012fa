"""What a command did to a repository that nobody can look at any more: from its line, its exit code and its output.

For history. Live, the repository itself is asked (``watching``); here a commit is believed if the line meant one and
succeeded, and its output, if there is any, does not say otherwise. The fact says that it was derived.
"""

import re

from rawr.core.vocabulary.effects import ObserveCommand
from rawr.core.vocabulary.facts import CommandObserved, CommitSeen
from rawr.observe.intents.intent import Intent
from rawr.observe.intents.reading import intents
from rawr.observe.repository.pr_verdict import pull_request

WHY = "derived from the command and its output; the repository was not looked at"
_LOOKS = r"(?:status|diff|log|show|ls-files|rev-parse|blame|grep|describe|cat-file)"
"""What git has under these names changes nothing, and cannot be renamed."""
_MAY_MATTER = re.compile(rf"\bgit\b(?!(?: --no-pager)? {_LOOKS}(?![\w-]))|\b(?:gh|gt|glab|hub)\b")
"""Most lines have none of these words, and need not be read."""
_WORDS = ("git", "gh", "gt", "glab", "hub")
"""Quicker to look for, and in more lines."""


def _in_json(word: str, then: str = "") -> str:
    """A pattern for a word in a call as JSON writes it: a line's end is a backslash and a letter there. It begins with
    its letters, which is quick to look for."""
    return rf"{word}(?!\w){then}(?:(?<!\w{word})|(?<=\\[nrtbf]{word}))"


_NO_LOOK = rf"(?!(?: --no-pager)? {_LOOKS}(?![\w\x80-\xff-]))"
_MAY_MATTER_IN = re.compile(
    "|".join((_in_json("git", _NO_LOOK), *map(_in_json, ("gh", "gt", "glab", "hub")), "patch", r"\\u00")).encode()
)
"""Patches count too, and any letter can be written in hexadecimal."""
_GITS = re.compile(r"git\b(?<!\wgit)")
_ACTS = re.compile(r"\b(?=[abcrsw])(?:commit|cherry-pick|revert|am|branch|checkout|switch|worktree|stash|subtree)\b")
_MAKES = re.compile(r"\b(?=[acr])(?:commit|cherry-pick|revert|am)\b")
_FORGES = re.compile(r"(?<![-\w])(?=[gh])(?:gh|gt|graphite|glab|hub)\b")
"""Nothing else makes a commit or a pull request, makes a branch or moves to one."""
_SAYS = re.compile(r"^\[|://", re.MULTILINE)
"""A commit, or the address of a pull request."""
_COMMITTED = re.compile(r"^\[([^\]\s]+)(?: \([^)]*\))?(?: [^\]\s]+)* ([0-9a-f]{7,40})\] (.*)$", re.MULTILINE)
"""``[main 1a2b3c4] Subject``, ``[main (root-commit) 1a2b3c4] Subject``, ``[detached HEAD 1a2b3c4] Subject``"""
_NOTHING = re.compile(r"nothing (?:added )?to commit|no changes added to commit|already up to date", re.IGNORECASE)
_BRANCHES = re.compile(r"\|\||\b(?:if|while|until|for|case)\b")
"""In a line without any of these, everything ran if it succeeded: ``git add . && git commit``."""
_MADE = frozenset({"commit", "amend", "revert", "cherry_pick"})
"""Intents that make a commit if they succeed. A merge or a rebase may only move the branch."""


def may_matter(command: str) -> bool:
    return any(map(command.__contains__, _WORDS)) and _MAY_MATTER.search(command) is not None


def may_matter_in(call: bytes) -> bool:
    """The same for a call as it is in a session file, arguments and all: too often, and of patches too."""
    return _MAY_MATTER_IN.search(call) is not None


def may_make(command: str) -> bool:
    """Return True if a line may make a commit or a pull request."""
    return may_matter(command) and _does(command, _MAKES)


def _does(command: str, acts: re.Pattern[str] = _ACTS) -> bool:
    """Return True if a line may mean one of the things that are told. Parsing one costs far more."""
    for quote in "'\"\\":
        command = command.replace(quote, "")
    git = _GITS.search(command)
    if git is not None and acts.search(command, git.end()) is not None:
        return True
    return _FORGES.search(command) is not None


def derived(effect: ObserveCommand) -> CommandObserved:
    seen = CommandObserved(turn=effect.turn, item=effect.item, why=WHY)
    if effect.exit_code not in (0, None) and not _SAYS.search(effect.output):
        # It failed, and nothing that it printed says that a part of it did not.
        return seen
    if not may_matter(effect.command) or not _does(effect.command):
        return seen
    meant = tuple(one for one in intents(effect.command, home="~") if not one.dry_run)
    if not meant:
        return seen
    asked = pull_request(meant, effect.output, exit_code=effect.exit_code)
    commits = _commits(meant, effect)
    ok = effect.exit_code in (0, None)
    return CommandObserved(
        turn=effect.turn,
        item=effect.item,
        branch=_branch(effect.output) if commits else "",
        commits=commits,
        switched_to=_named(meant, "branch_switch") if ok else (),
        created=_named(meant, "branch_create") if ok else (),
        pull_request=asked.done,
        url=asked.url or "",
        why=WHY,
    )


def _commits(meant: tuple[Intent, ...], effect: ObserveCommand) -> tuple[CommitSeen, ...]:
    making = [one for one in meant if one.kind in _MADE]
    if not making:
        return ()
    printed = [CommitSeen(sha, subject.strip()) for _, sha, subject in _COMMITTED.findall(effect.output)]
    if printed:
        return tuple(printed[-len(making) :]) if len(printed) > len(making) else tuple(printed)
    ran = any(one.certain for one in making) or not _BRANCHES.search(effect.command)
    if effect.exit_code != 0 or not ran or _NOTHING.search(effect.output):
        return ()
    # ``git commit -q`` prints nothing. Its name is not known, but it is told apart from others.
    return (CommitSeen(f"{effect.item}", _subject(making[-1])),)


def _subject(intent: Intent) -> str:
    """The message in the line, if it is written there."""
    words = intent.argv
    for n, word in enumerate(words[:-1]):
        if word in ("-m", "--message", "-am", "-qm", "-aqm", "-qam"):
            return (words[n + 1] or "").split("\n", 1)[0]
    return next((word.partition("=")[2] for word in words if word and word.startswith("--message=")), "")


def _branch(output: str) -> str:
    found = _COMMITTED.search(output)
    return found.group(1) if found is not None and found.group(1) != "detached" else ""


def _named(meant: tuple[Intent, ...], kind: str) -> tuple[str, ...]:
    """The branch that a command names: its last word that is no option."""
    found = []
    for one in meant:
        if one.kind != kind:
            continue
        words = [word for word in one.argv[1:] if word and not word.startswith("-")]
        if len(words) > 1:
            found.append(words[-1])
    return tuple(found)
