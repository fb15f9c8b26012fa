"""Secrets in a table: the header names the column, and only commas or lines separate the cells of a row."""

import re
from collections.abc import Generator, Iterator

from rawr.journal.names import classify, is_reference
from rawr.journal.rules.beside import tells_of_password
from rawr.journal.rules.rule import LINE_END, Span

_NAME = r"\\*\"?[A-Za-z_][\w .-]{0,40}\\*\"?"
# A name may end with blanks, so none are allowed before the line: a text must match in one way only.
_DELIMITER = r"(?P<delimiter>[,;]|\t|\\t|\|[ ]*)"
_BEGINS = r"(?:\A|[\r\n\"'`]|\\n)[ ]*(?:[>+][ ]?)?"
_HEADER = re.compile(rf"{_BEGINS}(?P<header>(?:\|[ ]*)?{_NAME}(?:{_DELIMITER}{_NAME}){{1,40}}\|?)[ ]*{LINE_END}")
_SPOKEN = r"[^\W\d][^\r\n|\"'\\:={}<>]{0,40}"
# Only between vertical lines: a sentence has commas as well.
_SPOKEN_HEADER = re.compile(
    rf"{_BEGINS}(?P<header>\|[ ]*{_SPOKEN}(?:(?P<delimiter>\|[ ]*){_SPOKEN}){{1,40}}\|?)[ ]*{LINE_END}"
)
_CELLS = re.compile(r"[,;|\t]\\{0,8}\"?[A-Za-z_]|\|[ ]{2,4}[A-Za-z]|\|[ ]?:?--|-\+-|\\t\\{0,8}\"?[A-Za-z_]").search
_LINE = re.compile(r"[^\r\n\\]*(?:\\(?!r?\\?n)[^\r\n\\]*)*")
_RULE = re.compile(r"[-+|:= ]{3,}")
"""The line under a header."""
_END = re.compile(LINE_END)
_ROWS = 2000


def _delimiter(header: re.Match[str]) -> str:
    """Between vertical lines a cell has blanks around it."""
    delimiter: str = header["delimiter"]
    return delimiter.strip(" ")


class Columns:
    """The values of every column with a telling name."""

    header = _HEADER
    clues: tuple[str, ...] = ("key", "token", "secret", "pass", "pwd", "pw", "psk", "auth")

    def _promise(self, name: str) -> tuple[str, str] | None:
        return classify(name)

    def meets(self, text: str) -> bool:
        # In prose and in code, a blank follows a comma.
        return _CELLS(text) is not None and any(self._telling(found) for found in self.header.finditer(text))

    def find(self, text: str) -> Iterator[Span]:
        done = 0
        for found in self.header.finditer(text):
            telling = self._telling(found)
            if not telling or found.start() < done:
                continue
            done = yield from self._rows(text, found, telling)

    def _telling(self, found: re.Match[str]) -> dict[int, str]:
        """The kinds of the telling columns, by number."""
        names = [name.strip(' "\\') for name in found["header"].split(_delimiter(found))]
        promises = {at: self._promise(name) for at, name in enumerate(names)}
        return {at: promise[0] for at, promise in promises.items() if promise and (promise[1] == "strong" or names[at])}

    def _rows(self, text: str, header: re.Match[str], telling: dict[int, str]) -> Generator[Span, None, int]:
        """Yield the cells of its rows; return where the table ends."""
        at = header.end()
        delimiter = _delimiter(header)
        width = header["header"].count(delimiter)
        for _ in range(_ROWS):
            line = _LINE.match(text, at)
            if line is None:
                break
            if not _RULE.fullmatch(line[0]):
                if line[0].count(delimiter) != width:
                    break
                yield from self._cells(line, delimiter, telling)
            end = _END.match(text, line.end())
            if end is None:
                break
            at = end.end()
        return at

    def _cells(self, line: re.Match[str], delimiter: str, telling: dict[int, str]) -> Iterator[Span]:
        start = line.start()
        for number, cell in enumerate(line[0].split(delimiter)):
            inner = cell.strip(' "\\')
            if number in telling and inner and not is_reference(inner):
                first = start + cell.index(inner)
                yield Span(first, first + len(inner), telling[number])
            start += len(cell) + len(delimiter)


class SpokenColumns(Columns):
    """The same where the header has words of any language: ``| Benutzer | Kennwort |``."""

    clues = ("|--", "| --", "|:-", "| :-")
    header = _SPOKEN_HEADER

    def _promise(self, name: str) -> tuple[str, str] | None:
        return ("password", "strong") if tells_of_password(name) else None
