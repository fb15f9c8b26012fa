"""Read a text past its colours: a terminal's control sequences can be in the middle of a secret, or next to it.

A ``Reading`` is a text without the sequences that remembers where each of its characters was. Sequences appear raw,
as a terminal receives them, or escaped as in JSON and source code. This module must not know why the text is read.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import NamedTuple

# A run of backslashes is matched from its beginning only, so that a long run is scanned once.
_SEQUENCE = re.compile(r"(?:\x1b|(?<!\\)\\++(?:u001[bB]|x1[bB]|033|e))(?:\[[0-?]*(?: q|[!-/]*[@-~])|\([0-9A-B])")

COLOUR = r"(?:(?<=\x1b.)|(?<=1[bB].)|(?<=\\e.)|(?<=033.))"
"""True after the bracket of a sequence. Nearly all have one; those without come next to one that has."""

coloured = re.compile(rf"\[{COLOUR}").search
"""Tells if a text may contain a sequence. No match clears it."""


class Reading(NamedTuple):
    text: str
    gaps: list[int]
    """Where in ``text`` a sequence was removed."""
    left_out: list[int]
    """How many characters were removed before the first gap, before the second, and so on; at the end, in total."""

    def start(self, index: int) -> int:
        """The original position of the character at ``index``."""
        return index + self.left_out[bisect_right(self.gaps, index)]

    def end(self, index: int) -> int:
        """The original position where the characters before ``index`` ended."""
        return index + self.left_out[bisect_left(self.gaps, index)]


Reader = Callable[[str], Reading]


def as_it_is(text: str) -> Reading:
    return Reading(text, [], [0])


def joined(text: str) -> Reading:
    """The text as a person sees it: the characters on both sides of a sequence are adjacent."""
    gaps: list[int] = []
    left_out = [0]
    for found in _SEQUENCE.finditer(text):
        gaps.append(found.start() - left_out[-1])
        left_out.append(left_out[-1] + len(found[0]))
    return Reading(_SEQUENCE.sub("", text), gaps, left_out)


def apart(text: str) -> Reading:
    """The text with blanks for the sequences: a secret after a coloured word is a separate word."""
    return as_it_is(_SEQUENCE.sub(lambda found: " " * len(found[0]), text))


def readers(text: str) -> tuple[Reader, ...]:
    """The ways to read a text."""
    return (joined, apart) if coloured(text) else (as_it_is,)
