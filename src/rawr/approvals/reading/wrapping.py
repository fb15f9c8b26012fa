"""Take wrappers off a command (C10): ``timeout 5 ls`` is ``ls``, ``bash -lc 'ls'`` is a separate line.

Unlike ``observe.shell.wrappers``, which tries to find everything that may run, this takes off only wrappers that it
fully understands; any other use of a wrapper is a reason against the line.
"""

import re

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.approvals.reading.lexer import Shell
from rawr.approvals.reading.structure import is_assignment
from rawr.approvals.reading.word import Word

SHELLS: dict[str, Shell] = {
    f"{folder}{name}": name
    for name in ("bash", "sh", "zsh")
    for folder in ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
}
"""The only programs that may be called by their paths: Codex calls shells that way."""

_SHELL_FLAGS = re.compile(r"-[leuxc]+")
_SHELL_NAMED = re.compile(r"-[leux]*o")
_SHELL_WORDS = frozenset({"--login", "--noprofile", "--norc"})
_SHELL_NAMES = frozenset({"pipefail", "errexit", "nounset"})
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?", re.ASCII)
_BUFFER = re.compile(r"-[ioe](?:0|L|\d+[KMG]?)|--(?:input|output|error)=(?:0|L|\d+[KMG]?)", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,3}", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9.]+")


class Wrapped(Struct, frozen=True, kw_only=True):
    words: tuple[Word, ...] = ()
    """The command inside."""
    code: str | None = None
    """The line inside, for a shell."""
    shell: Shell = "bash"
    assignments: tuple[Word, ...] = ()
    """The variables that it sets for the command."""
    problems: tuple[str, ...] = ()


def unwrap(words: tuple[Word, ...]) -> Wrapped | None:
    """What a wrapper runs; None if the command is not a wrapper."""
    name = words[0].text or ""
    if name in SHELLS:
        return _shell(words, SHELLS[name])
    match name:
        case "env":
            return _env(words)
        case "time":
            return _rest(words, 2 if _text(words, 1) == "-p" else 1)
        case "command" if not _text(words, 1).startswith("-"):
            return _rest(words, 1)
        case "nice":
            return _nice(words)
        case "timeout":
            return _timeout(words)
        case "stdbuf":
            at = 1
            while _BUFFER.fullmatch(_text(words, at)):
                at += 1
            return _rest(words, at)
        case _:
            return None


def _text(words: tuple[Word, ...], at: int) -> str:
    return (words[at].text or "") if at < len(words) else ""


def _rest(words: tuple[Word, ...], at: int) -> Wrapped:
    rest = words[at:]
    name = words[0].text or ""
    if not rest:
        return Wrapped(problems=(f"{shown(name)} has no command.",))
    if _text(rest, 0).startswith("-"):
        return Wrapped(problems=(f"{shown(name)} with {shown(rest[0].raw)} is not known to be safe.",))
    return Wrapped(words=rest)


def _env(words: tuple[Word, ...]) -> Wrapped:
    at = 1
    while at < len(words) and is_assignment(words[at]):
        at += 1
    if at == len(words):
        return Wrapped(problems=("`env` prints all variables, including secrets.",))
    inner = _rest(words, at)
    return Wrapped(words=inner.words, assignments=words[1:at], problems=inner.problems)


def _nice(words: tuple[Word, ...]) -> Wrapped:
    option = _text(words, 1)
    if option == "-n" and _NUMBER.fullmatch(_text(words, 2)):
        return _rest(words, 3)
    return _rest(words, 2 if re.fullmatch(r"(?:-n|--adjustment=)-?\d{1,3}", option) else 1)


def _timeout(words: tuple[Word, ...]) -> Wrapped:
    at = 1
    while (option := _text(words, at)).startswith("-"):
        if option in ("-k", "-s", "--kill-after", "--signal") and _PLAIN.fullmatch(_text(words, at + 1)):
            at += 2
        elif option in ("--foreground", "--preserve-status", "-v", "--verbose"):
            at += 1
        else:
            return Wrapped(problems=(f"`timeout` with {shown(option)} is not known to be safe.",))
    if not _DURATION.fullmatch(_text(words, at)):
        return Wrapped(problems=("`timeout` has no duration.",))
    return _rest(words, at + 1)


def _shell(words: tuple[Word, ...], shell: Shell) -> Wrapped:
    at = 1
    code = False
    while not code and (option := _text(words, at)).startswith("-"):
        if _SHELL_FLAGS.fullmatch(option):
            code = "c" in option  # shells differ on options that follow it
            at += 1
        elif _SHELL_NAMED.fullmatch(option) and _text(words, at + 1) in _SHELL_NAMES:
            at += 2
        elif option in _SHELL_WORDS:
            at += 1
        else:
            return Wrapped(problems=(f"{shown(words[0].raw)} with {shown(option)} is not known to be safe.",))
    if not code or at >= len(words):
        return Wrapped(problems=(f"{shown(words[0].raw)} runs a script that rawr cannot see.",))
    if len(words) > at + 1:
        return Wrapped(problems=(f"{shown(words[0].raw)} has arguments besides its command line.",))
    if words[at].shape or words[at].counted:
        return Wrapped(problems=(f"{shown(words[0].raw)} runs a command line that is not known.",))
    return Wrapped(code=words[at].text, shell=shell)
