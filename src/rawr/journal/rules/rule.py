"""What a rule is, and the building blocks of rules.

A rule says where in a text one kind of secret is, never what becomes of it. Rules see text as it comes: a shell line,
a header, a config file, JSON, or any of these inside a string of another, with quotes and line ends escaped once more.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, Protocol

from rawr.journal.names import is_reference

Found = re.Match[str]


class Span(NamedTuple):
    start: int
    end: int
    kind: str


class Finder(Protocol):
    @property
    def clues(self) -> tuple[str, ...]:
        """In lower case. A text without any of them has nothing to find."""

    def meets(self, text: str) -> bool:
        """Return True if there may be something to find: the cheap half of ``find``."""

    def find(self, text: str) -> Iterator[Span]:
        """The secrets, from left to right, without overlap."""


class Pattern:
    """A regular expression compiled on first use. There are hundreds, and few texts need any."""

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text = text
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> Found | None:
        return self._compiled.search(text, start, end)

    def match(self, text: str, start: int) -> Found | None:
        return self._compiled.match(text, start)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Found]:
        return self._compiled.finditer(text, start, end)


class Rule(NamedTuple):
    """A secret that one pattern finds: the last named group of a match, if ``judge`` agrees."""

    kind: str | Callable[[Found], str]
    clues: tuple[str, ...]
    pattern: Pattern
    judge: Callable[[Found], bool] = lambda _: True

    def meets(self, text: str) -> bool:
        return self.pattern.search(text) is not None

    def find(self, text: str) -> Iterator[Span]:
        for found in self.pattern.finditer(text):
            if self.judge(found):
                kind = self.kind if isinstance(self.kind, str) else self.kind(found)
                yield Span(*found.span(found.lastgroup or 0), kind)


class Within(NamedTuple):
    """Several secrets in one place: ``head`` finds the place, its group ``body``, and ``item`` each secret in it."""

    kind: str
    clues: tuple[str, ...]
    head: Pattern
    item: Pattern
    judge: Callable[[Found], bool] = lambda _: True

    def meets(self, text: str) -> bool:
        return self.head.search(text) is not None

    def find(self, text: str) -> Iterator[Span]:
        for place in self.head.finditer(text):
            for found in self.item.finditer(text, *place.span("body")):
                if self.judge(found):
                    yield Span(*found.span(found.lastgroup or 0), self.kind)


def secret_of(found: Found) -> str:
    return found[found.lastgroup or 0]


def is_literal(found: Found) -> bool:
    return not is_reference(secret_of(found))


HIDDEN = "\ue000"
"""Replaces a placeholder in the texts that rules see: a character like any other, so that it neither splits a text nor
shields its neighbours. No alphabet contains it."""

# -- pieces ----------------------------------------------------------------------------------------------------------

LINE_END = r"(?:\r?\n|(?:\\+r)?\\+n)"

GAP = r"(?:\s|\\+[nrt])+"
"""Blanks, also escaped as in JSON."""

QUOTE = (
    # An empty string is not a quote: the same character twice, and no third.
    r"(?!(?P<empty>\\*[\"'])(?P=empty)(?![\"'\\]))"
    # Escaped, as in a string; or closed and opened again, as in a quoted shell line inside another.
    r"(?:\\+[\"']|'(?=[\"\\])[\\\"']{2,256}'|\"\"\"|''')"
)
"""A quote of more than one character."""

VALUE = (
    # It ends at a quote that is escaped as often as the opening one, or where the text was cut off.
    rf"(?:(?P<open>{QUOTE})(?P<escaped>[^\r\n]{{1,4096}}?)(?:(?<!\\)(?P=open)|\Z)"
    r"|\"(?P<double>(?:\\.|[^\"\\\r\n]++)+)(?:\"|\Z)"
    r"|'(?P<single>(?:\\.|[^'\\\r\n]++)+)(?:'|\Z)"
    r"|(?P<bare>(?:[^\s\x07\x1b\"'`;&|<>(){}\[\]\\,]++|,(?=[^\s\"'\\])"
    # Characters special to a shell are escaped, in JSON more than once.
    r"|(?<!\\)\\{1,8}[ $!&#*](?=\S))+))"
)

NEXT = r"(?:\s+|\\*[\"']\s*,\s*(?=\\*[\"']))"
"""Between a flag and its value: a blank in a shell line, or the next string of a JSON array."""

UP_TO = r"[^\r\n|;]{0,400}?(?:[\s\"']|(?<=\\n))"
"""A program's arguments up to here, on one line."""

ENDS_COMMAND = r"(?=\s*(?:\Z|[|;&<>)])|[ \t]*[\r\n]|[\"'`]|\\+[nr\"'])"

_ESCAPES = (r"\\u[0-9A-Fa-f]{4}", r"\\x[0-9A-Fa-f]{2}", r"\\[0-7]{3}", r"\\[abefnrtv0]", r"%[0-9A-Fa-f]{2}")
"""How a character is escaped in a string inside a string, in a shell's ``printf`` and in a URL. Each has a fixed
length, as a lookbehind requires."""

SPELLED = f"(?:{'|'.join(_ESCAPES)})"
escapes = re.compile(SPELLED)


WORD = r"\w.-"
"""The characters of a program's name."""


def behind(characters: str, *, then: str = "") -> str:
    """True if none of the characters comes before, unless it is the end of an escape: the "n" of a line end is not a
    letter. ``then`` is what the pattern has already consumed."""
    spelled = "".join(f"|(?<={escape}{then})" for escape in _ESCAPES)
    return f"(?:(?<![{characters}]{then}){spelled})"


NAME_BEFORE = behind(r"\w-")


def word(*words: str) -> str:
    """The beginning of one of the words, which are patterns that begin with a letter. A pattern that begins with one
    of a few characters is found faster than one that begins with a lookbehind."""
    firsts = "".join(sorted({one[0] for one in words}))
    rests = "|".join(f"(?<={one[0]}){one[1:]}" for one in words)
    return f"[{firsts}]{behind(WORD, then='.')}(?:{rests})"
