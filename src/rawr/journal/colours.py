"""Reading a text past its colours: a terminal's control sequences can stand in the middle of a secret, or touch it.

A ``Reading`` is a text with the sequences out of the way, and where each of its characters stood. Sequences come as the
terminal gets them, or spelled out in JSON and in source code. It must not know what is read for.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import NamedTuple

# A run of backslashes is tried from its beginning only, so that a long one is gone through once.
_SEQUENCE = re.compile(r"(?:\x1b|(?<!\\)\\++(?:u001[bB]|x1[bB]|033|e))(?:\[[0-?]*[ -/]*[@-~]|\([0-9A-B])")

COLOUR = r"(?:(?<=\x1b.)|(?<=1[bB].)|(?<=\\e.)|(?<=033.))"
"""True after the bracket of a sequence. Nearly all have one, and those that do not come beside one that has."""

coloured = re.compile(rf"\[{COLOUR}").search
"""Finds out if a sequence may be in a text. No match clears it."""


class Reading(NamedTuple):
    text: str
    gaps: list[int]
    """Where in ``text`` something was left out."""
    left_out: list[int]
    """How many characters were left out before the first gap, the second, and so on, and in all."""

    def start(self, index: int) -> int:
        """Where the character at ``index`` stood."""
        return index + self.left_out[bisect_right(self.gaps, index)]

    def end(self, index: int) -> int:
        """Where the characters before ``index`` ended."""
        return index + self.left_out[bisect_left(self.gaps, index)]


Reader = Callable[[str], Reading]


def as_it_is(text: str) -> Reading:
    return Reading(text, [], [0])


def joined(text: str) -> Reading:
    """What a person sees: the characters around a sequence stand side by side."""
    gaps: list[int] = []
    left_out = [0]
    for found in _SEQUENCE.finditer(text):
        gaps.append(found.start() - left_out[-1])
        left_out.append(left_out[-1] + len(found[0]))
    return Reading(_SEQUENCE.sub("", text), gaps, left_out)


def apart(text: str) -> Reading:
    """With blanks for the sequences: a secret after a coloured word is a word of its own."""
    return as_it_is(_SEQUENCE.sub(lambda found: " " * len(found[0]), text))


def readers(text: str) -> tuple[Reader, ...]:
    """The ways in which a text has to be read."""
    return (joined, apart) if coloured(text) else (as_it_is,)
