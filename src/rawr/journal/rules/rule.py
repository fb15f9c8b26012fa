"""What a rule is, and the pieces that rules are made of.

A rule says where in a text one kind of secret stands, and never what becomes of it. Rules see text as it comes: a shell
line, a header, a config file, JSON, or any of them inside a string of another with its quotes and line ends escaped
once more.
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
        """In lower case. In a text without any of them there is nothing to find."""

    def meets(self, text: str) -> bool:
        """Return True if there may be something to find: the cheap half of ``find``."""

    def find(self, text: str) -> Iterator[Span]:
        """The secrets, from left to right, without overlap."""


class Pattern:
    """A regular expression that is compiled when it is first needed. There are hundreds, and few texts need any."""

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text = text
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def search(self, text: str) -> Found | None:
        return self._compiled.search(text)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Found]:
        return self._compiled.finditer(text, start, end)


class Rule(NamedTuple):
    """A secret that one pattern finds: it is the last named group of a match, if ``judge`` agrees."""

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
"""Stands for a placeholder in the texts that rules see: a sign like any other, so that it parts nothing in two and
shields nothing beside it. It is one of those that no alphabet has."""

# -- pieces ----------------------------------------------------------------------------------------------------------

LINE_END = r"(?:\r?\n|(?:\\+r)?\\+n)"

GAP = r"(?:\s|\\+[nrt])+"
"""Blanks, also as they are spelled out in JSON."""

QUOTE = (
    # An empty string is no quote: the same one twice, and no third.
    r"(?!(?P<empty>\\*[\"'])(?P=empty)(?![\"'\\]))"
    # Escaped, as in a string; or left and entered again, as a shell has it in a quoted line inside a quoted line.
    r"(?:\\+[\"']|'(?=[\"\\])[\\\"']{2,256}'|\"\"\"|''')"
)
"""A quote that is more than one character."""

VALUE = (
    # In quotes it ends at a quote that is escaped as often as the one that opened it, or where the text was cut off.
    rf"(?:(?P<open>{QUOTE})(?P<escaped>[^\r\n]{{1,4096}}?)(?:(?<!\\)(?P=open)|\Z)"
    r"|\"(?P<double>(?:\\.|[^\"\\\r\n]++)+)(?:\"|\Z)"
    r"|'(?P<single>(?:\\.|[^'\\\r\n]++)+)(?:'|\Z)"
    r"|(?P<bare>(?:[^\s\x07\x1b\"'`;&|<>(){}\[\]\\,]++|,(?=[^\s\"'\\])"
    # What a shell would take for its own is escaped, in JSON more than once.
    r"|(?<!\\)\\{1,8}[ $!&#*](?=\S))+))"
)

NEXT = r"(?:\s+|\\*[\"']\s*,\s*(?=\\*[\"']))"
"""Between a flag and its value: a blank in a shell line, or the next string of a JSON array."""

UP_TO = r"[^\r\n|;]{0,400}?(?:[\s\"']|(?<=\\n))"
"""A program's arguments so far, in one line."""

ENDS_COMMAND = r"(?=\s*(?:\Z|[|;&<>)])|[ \t]*[\r\n]|[\"'`]|\\+[nr\"'])"

_ESCAPES = (r"\\u[0-9A-Fa-f]{4}", r"\\x[0-9A-Fa-f]{2}", r"\\[0-7]{3}", r"\\[abefnrtv0]", r"%[0-9A-Fa-f]{2}")
"""How a character is spelled out in a string inside a string, in a shell's ``printf`` and in a URL. Each of one length,
because a look back has to be."""

SPELLED = f"(?:{'|'.join(_ESCAPES)})"
escapes = re.compile(SPELLED)


WORD = r"\w.-"
"""What a program's name is made of."""


def behind(characters: str, *, then: str = "") -> str:
    """True where none of the characters stands before, unless it is the end of one that is spelled out: the "n" of a
    line end is no letter. ``then`` is what the pattern has already gone past."""
    spelled = "".join(f"|(?<={escape}{then})" for escape in _ESCAPES)
    return f"(?:(?<![{characters}]{then}){spelled})"


NAME_BEFORE = behind(r"\w-")


def word(*words: str) -> str:
    """One of the words, patterns that begin with a letter, at its beginning. A pattern that begins with one of a few
    characters is found faster than one that begins with a look back."""
    firsts = "".join(sorted({one[0] for one in words}))
    rests = "|".join(f"(?<={one[0]}){one[1:]}" for one in words)
    return f"[{firsts}]{behind(WORD, then='.')}(?:{rests})"
