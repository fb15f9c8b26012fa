"""The user's own rules (C10): which commands besides the provably safe ones may run, and which never.

A rule is words. It matches a simple command that begins with the same words, after wrappers such as ``timeout`` are
taken off. A rule that allows opens a verb, with the arguments that are listed as harmless for it (``verbs``), and a few
variables before it (``variables``), never redirections or substitutions.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec
from msgspec import Struct

from rawr.approvals.programs.refused import RUNNERS
from rawr.approvals.verbs.opening import needs_a_command
from rawr.errors import ConfigError

Words = tuple[str, ...]

ANYTHING = "\0"
"""In place of a word that may become any word."""
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_NEVER_ALLOWED_TEXT = (
    "sudo doas su pkexec bash sh zsh dash ksh mksh ash fish eval exec source . trap alias xargs parallel env command "
    "builtin time timeout nohup nice stdbuf setsid ssh cd pushd popd set if for while until case function { } ( ) [ [["
    " ! coproc export declare typeset local readonly unset shopt enable hash bind"
)
_NEVER_ALLOWED = frozenset(_NEVER_ALLOWED_TEXT.split()) | RUNNERS
"""Commands that run others, or change how the rest of the line is read: allowing one would allow anything."""


class InvalidRule(ConfigError):
    """A rule that means nothing, or too much."""


class Rules(Struct, frozen=True):
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    """Takes precedence over ``allow`` and over what is provably safe."""
    protect: tuple[str, ...] = ()
    """Paths below the workspace that no change and no command may write, such as ``.github/workflows``."""
    not_secret: tuple[str, ...] = ()
    """Files that hold no credentials though their names suggest it, such as ``.env`` or ``certs/*.pem``."""

    def __post_init__(self) -> None:
        for rule in self.allow:
            _words(rule, "allow")
        for rule in self.deny:
            _words(rule, "deny")
        for path in self.protect:
            _relative(path, "protected path")
        for path in self.not_secret:
            _relative(path, "name")

    def allowing(self, words: Words) -> list[str]:
        """The rules that a command begins with, the longest, and so most specific, first."""
        found = [rule for rule in self.allow if _begins(words, tuple(rule.split()))]
        return sorted(found, key=len, reverse=True)

    def denying(self, words: Words) -> str | None:
        """The rule that denies a command, whatever path its program is called by. ``ANYTHING`` may be any word."""
        named = (PurePosixPath(words[0]).name, *words[1:]) if words else words
        return _matching(self.deny, words) or _matching(self.deny, named)


def rule_problems(
    allow: Sequence[str] = (),
    deny: Sequence[str] = (),
    *,
    protect: Sequence[str] = (),
    not_secret: Sequence[str] = (),
) -> tuple[str, ...]:
    """Why rules of the settings cannot be used, one text for each. If there are any, nothing at all is approved."""
    given = {"allow": allow, "deny": deny, "protect": protect, "not_secret": not_secret}
    problems: list[str] = []
    for kind, rules in given.items():
        for rule in rules:
            try:
                msgspec.convert({kind: (rule,)}, Rules)
            except InvalidRule as error:
                problems.append(str(error))
    return tuple(problems)


def _matching(rules: tuple[str, ...], words: Words) -> str | None:
    found = [rule for rule in rules if _begins(words, tuple(rule.split()))]
    return max(found, key=len, default=None)


def _begins(words: Words, wanted: Words) -> bool:
    return len(words) >= len(wanted) and all(
        given in (want, ANYTHING) for given, want in zip(words, wanted, strict=False)
    )


def _words(rule: str, kind: str) -> Words:
    words = tuple(rule.split())
    if not words:
        raise InvalidRule(f"An empty {kind} rule means nothing.", way_out="Write a command, such as 'npm test'.")
    for word in words:
        if not _PLAIN.fullmatch(word):
            raise InvalidRule(
                f"The {kind} rule {rule!r} contains {word!r}: a rule is plain words, without quotes, patterns, "
                "variables or shell operators.",
                way_out="Write the first words of one command, such as 'make check'.",
            )
    if kind == "allow" and not _NEVER_ALLOWED.isdisjoint((words[0], PurePosixPath(words[0]).name)):
        raise InvalidRule(
            f"The allow rule {rule!r} begins with {words[0]!r}, which runs other commands.",
            way_out="Name the command it would run instead.",
        )
    if kind == "allow" and needs_a_command(words):
        raise InvalidRule(
            f"The allow rule {rule!r} has {words[1]!r} before git's command, which makes git run elsewhere or "
            "with other settings.",
            way_out="Begin with the command, such as 'git push'.",
        )
    return words


def _relative(path: str, what: str) -> None:
    parts = PurePosixPath(path).parts
    if not path.strip() or path.startswith(("/", "~")) or ".." in parts or not parts:
        raise InvalidRule(
            f"The {what} {path!r} is not inside the workspace.", way_out="Write it relative to the workspace."
        )
