"""The tokens of a command line as the strict reader sees them (C10): words, redirections and operators.

A word may have holes, where the line uses the value of a variable. It is not known until they are filled: by the loop
around it, or by an assignment before it.
"""

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from rawr.approvals.judgment import shown

HOLE = "\1"
"""In a word's template, the place of a value. No line holds this character."""
MAX_FILLED = 4_096
"""Characters of all values in one word: each could hold the one before it twice."""
_ONE_WORD = re.compile(r"(?!.*\*\*)[A-Za-z0-9_./,:@%+*?\[\]-][A-Za-z0-9_./,:@%+=~^*?\[\]-]*")
"""A value that stays one word without quotes around the variable; it may become a pattern."""


class Hole(Struct, frozen=True):
    name: str
    quoted: bool


class Word(Struct, frozen=True):
    text: str | None
    """What the program receives; ``None`` if that is not known (there is then a reason, or a hole)."""
    at: int
    raw: str
    quoted: bool = False
    shape: str = ""
    """For a pattern: its letters, with a NUL for each quoted one, which matches only itself. Otherwise empty."""
    once: str = ""
    """The shape of a pattern that matches nothing now, and so is a plain word, unless files come that it matches."""
    varying: str = ""
    """If a loop puts what a pattern matches into the word: the pattern's shape, or what the word begins with."""
    counted: bool = False
    """Holds an exit code (``$?``), here written as ``0``."""
    looked_for: str = ""
    """The part of the word before a ``~``, ``^`` or brace. zsh may be set to replace the word with files that begin so;
    to all other shells it is a plain word, such as ``HEAD~1``."""
    holes: tuple[Hole, ...] = ()
    template: str = ""
    """With holes: the letters, with ``HOLE`` for each of them."""

    @property
    def bare(self) -> str:
        """The word if it was written plainly, without quotes and escapes; otherwise empty."""
        return "" if self.quoted or self.text is None else self.raw


class Redirect(Struct, frozen=True):
    operator: str
    target: Word
    descriptor: str = ""


class Operator(Struct, frozen=True):
    text: str
    at: int


Token = Word | Redirect | Operator


def filled(word: Word, values: Mapping[str, str]) -> tuple[Word, list[str]]:
    """The word with the values of its variables, and why it is not known."""
    if not word.holes:
        return word, []
    problems: list[str] = []
    for hole in word.holes:
        value = values.get(hole.name)
        if value is None:
            problems.append(f"The value of ${hole.name} is not known.")
        elif not hole.quoted and not _ONE_WORD.fullmatch(value):
            problems.append(f"The value of ${hole.name}, {shown(value)}, may be more than one word without quotes.")
    if problems:
        return word, problems
    given = [values[hole.name] for hole in word.holes]
    if sum(map(len, given)) > MAX_FILLED:
        return word, [f"The values in {shown(word.raw)} are longer than {MAX_FILLED} characters."]
    text = _put(word.template, word.template, given)
    plain = word.shape or "\0" * len(word.template)
    shapes = ["\0" * len(value) if hole.quoted else value for hole, value in zip(word.holes, given, strict=True)]
    shape = _put(word.template, plain, shapes)
    is_pattern = not set("*?[").isdisjoint(shape)
    return replace(word, text=text, shape=shape if is_pattern else "", quoted=True, holes=(), template=""), []


def _put(template: str, letters: str, values: list[str]) -> str:
    """``letters`` with the values at the places where the template has holes."""
    left = iter(values)
    return "".join(next(left) if mark == HOLE else letter for mark, letter in zip(template, letters, strict=True))
