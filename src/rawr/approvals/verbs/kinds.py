"""What operands and values may be (C10). None of them is a program, a place outside the workspace, or a secret."""

import re
from collections.abc import Callable

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call
from rawr.approvals.verbs.verb import Kind

_URL = re.compile(r"https?://\S*", re.IGNORECASE)
_PIECES = re.compile(r"[=,@:;]")
_REPEATED_AT = re.compile(r"@+")


def _fits(name: str, pattern: str) -> Kind:
    wanted = re.compile(pattern, re.ASCII)

    def check(text: str, call: Call) -> list[str]:
        return [] if wanted.fullmatch(text) else [f"{shown(text)} is not {name}."]

    return Kind(name, check)


def one_of(words: str) -> Kind:
    choices = words.split()

    def check(text: str, call: Call) -> list[str]:
        return [] if text in choices else [f"{shown(text)} is not one of {', '.join(choices)}."]

    return Kind(f"one of {', '.join(choices)}", check)


def either(one: Kind, other: Kind) -> Kind:
    def check(text: str, call: Call) -> list[str]:
        return one.check(text, call) and other.check(text, call)

    return Kind(f"{one.name} or {other.name}", check, files=one.files or other.files)


def _nothing(text: str, call: Call) -> list[str]:
    return []


TEXT = Kind("any text", _nothing, free=True)
"""It goes to the program as text, such as a message, and nowhere else."""
NUMBER = _fits("a number", r"[+-]?\d{1,9}(?:\.\d{1,6})?[smhdkKMGg%]?")
NAME = _fits("a plain name", r"[A-Za-z0-9_][A-Za-z0-9_.@+-]*")
NAMES = _fits("plain names", r"(?!.*\.\.)[A-Za-z0-9_.][A-Za-z0-9_.@+,/: -]*")
"""Labels, reviewers, features: several in one word."""
TARGET = _fits("a target's name", r"(?!\.\.)(?!.*/\.\./)[A-Za-z0-9_.][A-Za-z0-9_./%+:-]*")
TASK = _fits("a task's name", r"[A-Za-z0-9_:.][A-Za-z0-9_.:-]*")
PACKAGE = _fits(
    "a package of the registry", r"(?:@[a-z0-9_.-]+/)?[A-Za-z0-9_][A-Za-z0-9_.-]*(?:@[\^~]?[A-Za-z0-9_.+*-]+)?"
)
PYTHON_PACKAGE = _fits(
    "a package of the index",
    r"[A-Za-z0-9][A-Za-z0-9_.-]*(?:\[[A-Za-z0-9_.,-]+\])?(?:[=<>!~]=?=?[A-Za-z0-9_.*,<>=!~]+)?",
)
MODULE = _fits("a module", r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_./-]*(?:@[A-Za-z0-9_.+-]+)?")
SELECTOR = _fits("a selector", r"[A-Za-z0-9_][A-Za-z0-9_./=!,() -]*")
EXPRESSION = Kind("an expression", _nothing)
"""The program only matches with it."""
ASSIGNMENT = _fits("NAME=value", r"[A-Za-z_][A-Za-z0-9_]*=.*")


def _readable(text: str, call: Call) -> list[str]:
    if text.startswith("@"):
        return [f"{shown(text)} may name a file with more options."]
    if "://" in text:
        return [f"{shown(text)} is an address, not a file."]
    return call.places.unreadable(text, call.folders)


def _there(text: str, call: Call) -> list[str]:
    if not all(call.places.look.kind(call.places.look.real(text, within=folder)) for folder in call.folders):
        return [f"{shown(text)} is not a file or folder here."]
    return _readable(text, call)


def _writable(text: str, call: Call) -> list[str]:
    return call.places.unwritable(text, call.folders)


def _node(text: str, call: Call) -> list[str]:
    return _readable(text.partition("::")[0], call)


def _local(text: str, call: Call) -> list[str]:
    """``./cmd/x`` and ``./...``; any other word is a package from somewhere else."""
    if not re.fullmatch(r"\.(?:/[A-Za-z0-9_./-]*)?|[A-Za-z0-9_./-]+\.go", text):
        return [f"{shown(text)} is not a package of the workspace."]
    return _readable(text.removesuffix("/...") or ".", call)


def _argument(text: str, call: Call) -> list[str]:
    """It goes to a program of the workspace; where it looks like a path, it must not lead away or to a secret."""
    problems: list[str] = []
    for piece in _PIECES.split(_URL.sub("", text)):
        path = re.sub(r"^-[A-Za-z](?=[./~])", "", piece)
        if "/" in path or path.startswith(("~", ".")):
            problems += call.places.unreadable(path, call.folders)
        elif path and call.places.secret(f"{next(iter(call.folders))}/{path}"):
            problems.append(f"{shown(path)} may hold credentials.")
    return problems


FILE = Kind("a file of the workspace, not a secret", _readable, files=True)
THERE = Kind("a file or folder of the workspace that is there", _there)
CHANGED = Kind("a path of the workspace that the agent may write", _writable, files=True)
NODE = Kind("a test of the workspace", _node, files=True)
LOCAL = Kind("a package of the workspace", _local)
ARGUMENT = Kind("anything but a path that leads away or to a secret", _argument, files=True, free=True)


def number_or(words: str) -> Kind:
    return either(NUMBER, one_of(words))


def checked(name: str, check: Callable[[str, Call], list[str]], *, files: bool = False) -> Kind:
    return Kind(name, check, files=files)
