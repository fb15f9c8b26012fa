"""Reading a program's arguments by a list of what it may be given (C10).

Everything is named: an option that is not on a program's list is not safe, and neither is one in a shortened form. So
what a program can be made to do beyond its list never needs to be known.
"""

import re
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from rawr.observe.safety.globs import expand
from rawr.observe.safety.judgment import shown
from rawr.observe.safety.lexer import Word
from rawr.observe.safety.places import Folders, Places

Kind = Literal["text", "read", "number", "new"]
"""What an argument is: words for the program itself, a file that it reads, a number, a file that it makes."""

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?[A-Za-z%]{0,3}", re.ASCII)


class Call(Struct, frozen=True):
    """One program with its arguments, where it would run."""

    name: str
    words: tuple[Word, ...]
    """The arguments, without the name."""
    places: Places
    folders: Folders

    def texts(self) -> tuple[str, ...]:
        return tuple(word.text or "" for word in self.words)


Check = Callable[[Call], list[str]]
"""Why a call is not safe; an empty list if it is."""


class Spec(Struct, frozen=True, kw_only=True):
    flags: frozenset[str] = frozenset()
    values: dict[str, Kind] = {}
    optional: frozenset[str] = frozenset()
    """Long options that may have ``=text``, short ones that may have text right behind the letter."""
    first: tuple[Kind, ...] = ()
    """What the first operands are, where they differ from the rest."""
    operands: Kind = "read"
    most: int | None = None
    """Operands at most; a program may write to one too many."""
    numeric: bool = False
    """``-20`` is an option."""
    replaces_first: frozenset[str] = frozenset()
    """Options that stand in for the first operand, as ``-e`` does for a pattern."""
    texts: Callable[[str], list[str]] | None = None
    """Looks at each text that the program is given, and says what is wrong with it."""


def spec(
    flags: str = "",
    *,
    text: str = "",
    read: str = "",
    number: str = "",
    optional: str = "",
    first: tuple[Kind, ...] = (),
    operands: Kind = "read",
    most: int | None = None,
    numeric: bool = False,
    replaces_first: str = "",
    texts: Callable[[str], list[str]] | None = None,
) -> Spec:
    """A list in short: options as words, and ``-abc`` for three flags of one letter."""
    kinds: tuple[tuple[Kind, str], ...] = (("text", text), ("read", read), ("number", number))
    return Spec(
        flags=frozenset(single for word in flags.split() for single in _singles(word)),
        values={option: kind for kind, words in kinds for word in words.split() for option in _singles(word)},
        optional=frozenset(optional.split()),
        first=first,
        operands=operands,
        most=most,
        numeric=numeric,
        replaces_first=frozenset(replaces_first.split()),
        texts=texts,
    )


def _singles(word: str) -> list[str]:
    return [word] if word.startswith("--") else [f"-{letter}" for letter in word[1:]]


class Read(Struct, frozen=True):
    given: tuple[tuple[str, Word | None], ...]
    operands: tuple[Word, ...]
    problems: tuple[str, ...]

    def has(self, *options: str) -> bool:
        return any(option in options for option, _ in self.given)


def judge(call: Call, allowed: Spec) -> list[str]:
    """Why a call goes beyond its list."""
    read = read_arguments(call, allowed)
    problems = list(read.problems)
    for option, value in read.given:
        if value is not None:
            problems += _unsafe(value, allowed.values.get(option, "text"), call=call, allowed=allowed)
    kinds = () if read.has(*allowed.replaces_first) else allowed.first
    for at, operand in enumerate(read.operands):
        kind = kinds[at] if at < len(kinds) else allowed.operands
        problems += _unsafe(operand, kind, call=call, allowed=allowed)
    if allowed.most is not None and len(read.operands) > allowed.most:
        problems.append(f"{shown(call.name)} is given more than {allowed.most} arguments.")
    return problems


def read_arguments(call: Call, allowed: Spec) -> Read:
    """Options and operands, in any order, as GNU programs take them."""
    reader = _Reader(call, allowed)
    reader.run()
    return Read(tuple(reader.given), tuple(reader.operands), tuple(reader.problems))


class _Reader:
    def __init__(self, call: Call, allowed: Spec) -> None:
        self.call = call
        self.allowed = allowed
        self.words = list(call.words)
        self.given: list[tuple[str, Word | None]] = []
        self.operands: list[Word] = []
        self.problems: list[str] = []

    def run(self) -> None:
        while self.words:
            word = self.words.pop(0)
            text = word.text
            if text is None or not text.startswith("-") or text == "-":
                self.operands.append(word)
            elif word.shape or word.counted:
                self.problems.append(f"The option {shown(word.raw)} is not known.")
            elif text == "--":
                self.operands += self.words
                return
            elif text in self.allowed.flags or text in self.allowed.optional:
                self.given.append((text, None))
            elif text in self.allowed.values:
                self._value(text)
            elif text.startswith("--"):
                self._long(word, text)
            else:
                self._short(word, text)

    def _value(self, option: str) -> None:
        if not self.words:  # it fails, or has a default
            self.given.append((option, None))
            return
        value = self.words.pop(0)
        # Where a program does not take it for a value after all, it must not be an option either.
        if (value.text or "").startswith("-") and not _NUMBER.fullmatch(value.text or "") and value.text != "-":
            self.problems.append(
                f"The option {shown(option)} has the value {shown(value.raw)}, which looks like an option."
            )
        self.given.append((option, value))

    def _long(self, word: Word, text: str) -> None:
        name, equals, value = text.partition("=")
        if equals and (name in self.allowed.values or name in self.allowed.optional):
            self.given.append((name, Word(value, word.at, word.raw)))
        else:
            self._refuse(name)

    def _short(self, word: Word, text: str) -> None:
        """``-abn5`` is ``-a -b -n 5``."""
        if self.allowed.numeric and text[1:].isdecimal():
            return
        for at, letter in enumerate(text[1:], start=2):
            option = f"-{letter}"
            rest = text[at:]
            if option in self.allowed.values and rest:
                self.given.append((option, Word(rest, word.at, word.raw)))
                return
            if option in self.allowed.values:
                self._value(option)
                return
            if option in self.allowed.optional and rest:
                self.given.append((option, Word(rest, word.at, word.raw)))
                return
            if option not in self.allowed.flags and option not in self.allowed.optional:
                self._refuse(option if len(text) == 2 or letter.isalpha() else text)
                return
            self.given.append((option, None))

    def _refuse(self, option: str) -> None:
        self.problems.append(f"{shown(self.call.name)} with {shown(option)} is not known to be safe.")


def _unsafe(word: Word, kind: Kind, *, call: Call, allowed: Spec) -> list[str]:
    text = word.text
    if text is None:
        return []  # why it is not known has been said
    if kind == "read":
        if word.counted:
            return [f"{shown(word.raw)} is not a path that is known."]
        if word.shape:
            return expand(word, call.places, call.folders)[1]
        return call.places.unreadable(text, call.folders)
    if word.shape:
        return [f"The pattern {shown(word.raw)} may stand for any number of words."]
    if kind == "new":
        return call.places.unwritable(text, call.folders) if not word.counted else ["A path is not known."]
    if kind == "number" and not _NUMBER.fullmatch(text):
        return [f"{shown(text)} is not a number."]
    return allowed.texts(text) if allowed.texts is not None else []
