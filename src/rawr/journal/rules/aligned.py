"""Secrets in a table whose columns are only blanks apart: ``chap-secrets``, what ``column -t`` and many tools print.

The header names the column; in a row, the cell below it is the one at the same place, by its first character or, if
the rows are not aligned, by its number.
"""

import re
from collections.abc import Iterator

from rawr.journal.guess import Sure, guess, is_scrambled
from rawr.journal.names import classify, is_reference
from rawr.journal.rules.beside import tells_of_password
from rawr.journal.rules.rule import LINE_END, Span
from rawr.journal.values import looks_random

_HEADING = r"[^\W\d][\w./-]{0,30}(?:[ ][\w./-]{1,20})?"
_GAP = r"(?:[ ]{2,60}|[ ]{0,8}(?:\t|\\t)[\t ]{0,8})"
_HEADER = re.compile(
    rf"(?:\A|[\r\n\"'`]|\\n)(?P<header>[ ]{{0,8}}(?:#[ ]{{0,4}})?{_HEADING}(?:{_GAP}{_HEADING}){{1,12}})"
    rf"[ \t]*(?={LINE_END})"
)
_WHOSE = r"(?:client|user|username|login|host|server|name|account|realm|domain|id)"
_COMMENTED = re.compile(
    rf"(?:\A|[\r\n\"'`]|\\n)(?P<header>#[ ]{{0,4}}{_WHOSE}(?:[ ]+[A-Za-z][\w-]{{1,20}}){{1,6}})[ \t]*(?={LINE_END})"
)
_CELL = re.compile(r"(?:[^\s\\]|\\(?![nrt]))+(?:[ ](?:[^\s\\]|\\(?![nrt]))+)*")
_SINGLE = re.compile(r"(?:[^\s\\]|\\(?![nrt]))+")
_LINE = re.compile(r"[^\r\n\\]*(?:\\(?!r?\\?n)[^\r\n\\]*)*")
_END = re.compile(rf"[ \t]*{LINE_END}")
_ROWS = 200
_NONE = re.compile(r"[-*.<>\[\]()]*|(?i:none|null|n/?a|true|false|yes|no|unset|hidden)")


class Aligned:
    """The cells below a telling heading."""

    clues = ("  ", "\t", "\\t", "# ")

    def meets(self, text: str) -> bool:
        return any(self.find(text))

    def find(self, text: str) -> Iterator[Span]:
        done = 0
        for pattern in (_HEADER, _COMMENTED):
            for found in pattern.finditer(text):
                if found.start() < done:
                    continue
                cells = [*(_CELL if pattern is _HEADER else _SINGLE).finditer(found["header"].lstrip("#"))]
                first = found.start("header") + len(found["header"]) - len(found["header"].lstrip("#"))
                own = [at for at, cell in enumerate(cells) if _tells(cell[0])]
                if own and len(cells) > 1:
                    for span in _rows(
                        text, found.end(), [cell.start() for cell in cells], own, first - found.start("header")
                    ):
                        done = span.end
                        yield span


def _tells(heading: str) -> bool:
    promise = classify(heading.replace(" ", "_"))
    if promise and (promise[1] == "strong" or heading.lower() in {"pass", "pwd", "pw", "token"}):
        return True
    return tells_of_password(heading)


def _rows(text: str, at: int, starts: list[int], own: list[int], shift: int) -> Iterator[Span]:
    for _ in range(_ROWS):
        end = _END.match(text, at)
        if end is None:
            return
        line = _LINE.match(text, end.end())
        if line is None or not line[0].strip():
            return
        at = line.end()
        yield from _cells(text, line, starts, own, shift)


def _cells(text: str, line: re.Match[str], starts: list[int], own: list[int], shift: int) -> Iterator[Span]:
    wide = [*_CELL.finditer(text, *line.span())]
    cells = wide if len(wide) == len(starts) else [*_SINGLE.finditer(text, *line.span())]
    for number in own:
        place = line.start() + starts[number] + shift
        cell = next((one for one in cells if one.start() == place), None)
        if cell is None and (len(cells) == len(starts) or (number < len(cells) <= len(starts) + 1)):
            cell = cells[number]
        if cell is None:
            continue
        bare = cell[0].strip("\"'")
        start = cell.start() + cell[0].index(bare) if bare else cell.start()
        if _is_secret(bare):
            yield Span(start, start + len(bare), "password")


def _is_secret(cell: str) -> bool:
    if _NONE.fullmatch(cell) or is_reference(cell) or " " in cell:
        return False
    return guess(cell) >= Sure.LIKELY or is_scrambled(cell) or looks_random(cell) or (cell.isdigit() and len(cell) >= 6)


_COLUMNS = tuple(
    re.compile(rf"{word}(?:[ ]{{2,60}}|[ ]*(?:\t|\\t)[ \t]*|[ ]*(?:[\r\n]|\\+[nr]))").search
    for word in ("ss(?:w(?:or)?d|phrase|(?<=pass))", "cret", "en(?<=token)", "k(?:ey(?<=[ _-]key)|(?<=psk))")
)
_COMMENTS = re.compile(
    rf"#[ ]{{0,4}}{_WHOSE}(?: [a-z-]{{1,20}}){{0,5}} (?:secret|password|passwd|pass|token|psk)\b"
).search


def shows_columns(low: str) -> bool:
    """Return True if a text in lower case may have such a table. On the hot path."""
    if "  " not in low and "\t" not in low and "\\t" not in low and "# " not in low:
        return False
    return any(search(low) for search in _COLUMNS) or ("# " in low and _COMMENTS(low) is not None)
