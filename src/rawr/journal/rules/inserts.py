"""Secrets in a statement that names its columns first: ``INSERT INTO users (name, password) VALUES ('bob', '…')``."""

import re
from collections.abc import Iterator

from rawr.journal.names import classify, is_reference
from rawr.journal.rules.rule import Span

_HEAD = re.compile(
    r"[iI](?i:nsert\s{1,40}into)\s{1,40}[^\s(]{1,128}\s{0,40}"
    r"\((?P<columns>[^()]{1,2000})\)\s{0,40}(?i:values)\s{0,40}(?=\()"
)
_VALUE = r"(?:\\*'(?:[^'\\]|''|\\(?!'))*+\\*'|\\*\"(?:[^\"\\]|\\(?!\"))*+\\*\"|[^,()'\"\s][^,()'\"]{0,200})"
_ROW = re.compile(rf"[,\s]{{0,40}}\((?P<values>\s*{_VALUE}(?:\s*,\s*{_VALUE}){{0,80}})\s*\)")
_EACH = re.compile(_VALUE)
_ROWS = 2000


class Inserts:
    """The values of every column with a telling name."""

    clues = ("insert",)

    def meets(self, text: str) -> bool:
        return _HEAD.search(text) is not None

    def find(self, text: str) -> Iterator[Span]:
        for head in _HEAD.finditer(text):
            names = [name.strip(" \t\r\n`\"'\\[]") for name in head["columns"].split(",")]
            telling: dict[int, str] = {at: promise[0] for at, name in enumerate(names) if (promise := classify(name))}
            if telling:
                yield from self._rows(text, head.end(), telling)

    def _rows(self, text: str, at: int, telling: dict[int, str]) -> Iterator[Span]:
        for _ in range(_ROWS):
            row = _ROW.match(text, at)
            if row is None:
                return
            for number, value in enumerate(_EACH.finditer(text, *row.span("values"))):
                inner = value[0].strip(" \t\r\n\"'\\")
                quoted = value[0].strip()[:1] in {"'", '"', "\\"}
                if number in telling and quoted and inner and not is_reference(inner):
                    start = value.start() + value[0].index(inner)
                    yield Span(start, start + len(inner), telling[number])
            at = row.end()
