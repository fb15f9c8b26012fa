"""Read a command as the shell that it is given to will read it: without the quotes that carry it there.

A program that reports ``bash -lc SCRIPT`` as one text has to quote the script, and does so piece by piece, in single
and in double quotes by turns: ``'pa$$word'`` becomes ``'pa"'$$word'"'``, and no rule sees a password in that. This
module must not know why the text is read.
"""

import re
from collections.abc import Iterator

from rawr.journal.colours import Reading

_HEAD = re.compile(r"(?:/[\w./-]{1,100}/)?(?:ba|z|da|k)?sh -l?c (?=[\"'])").match


def is_carried(text: str) -> bool:
    """Return True for such a text. A script that stands in single quotes alone is carried as it is."""
    return _HEAD(text) is not None and ("\\" in text or "'\"" in text or "\"'" in text)


_PIECE = re.compile(r"\"(?P<double>(?:[^\"\\]|\\.)*)\"?|'(?P<single>[^']*)'?|(?P<bare>(?:[^\s\"'\\]|\\.)+)", re.DOTALL)
_ESCAPED = re.compile(r"\\(?=[\"$`\\])")


def unquoted(text: str) -> Reading:
    """The script in its own words. What comes after it stays as it is."""
    gaps: list[int] = []
    left_out = [0]
    kept: list[str] = []
    done = 0
    for start, end in _quotes(text):
        kept.append(text[done:start])
        gaps.append(start - left_out[-1])
        left_out.append(left_out[-1] + end - start)
        done = end
    return Reading("".join((*kept, text[done:])), gaps, left_out)


def _quotes(text: str) -> Iterator[tuple[int, int]]:
    """Where the quotes are, and the backslashes that escape in them."""
    head = _HEAD(text)
    at = head.end() if head else len(text)
    while piece := _PIECE.match(text, at):
        inside = piece.span(piece.lastgroup or 0)
        if piece["bare"] is None:
            yield piece.start(), inside[0]
        if piece["single"] is None:
            yield from (found.span() for found in _escapes(text, *inside))
        if inside[1] < piece.end():
            yield inside[1], piece.end()
        at = piece.end()


def _escapes(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Of two backslashes only the first escapes."""
    while found := _ESCAPED.search(text, start, end):
        yield found
        start = found.end() + 1
