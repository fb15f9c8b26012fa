"""How phrases are found in a message: in one that has none of them, which is most, as soon as possible.

The phrases themselves are in the files of ``words``; ``phrasebook`` has them as patterns, each under the words by which it
is told. So a text is split into words once, and a pattern is tried only around a word by which it is told.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from rawr.core.compaction.phrasebook import BOOK, PATTERNS

_NO_WORD = bytes(code if chr(code).isalnum() or code >= 0x80 else 0x20 for code in range(0x100))
"""What stands for each byte of UTF-8, so that only words are left."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts whose words are not told apart by spaces, or run on into endings."""
_BEFORE, _AFTER = 140, 180
"""Characters around the word by which a phrase is told, in which the phrase is."""
_BREAK = re.compile(r"[.!?;:](?=\s)|[\n。！？；]|(?:,? (?:but|however|although|though|yet|except|aber|jedoch|mais|cependant|però|ma|mas|pero|но|однако|nhưng) )|但是?|不过|ただし?|が、|지만")
"""Where one statement ends and the next begins."""


class Hit(Struct, frozen=True):
    """A phrase in a text."""

    signal: str
    start: int
    end: int
    groups: tuple[str | None, ...]
    """Its numbers, as they are said."""


class Finder:
    """The phrases of some signals, in one look at a text."""

    def __init__(self, *signals: str) -> None:
        self._words: dict[bytes, list[tuple[str, int]]] = {}
        self._stems: dict[str, list[tuple[str, int]]] = {}
        self._unspaced: list[tuple[str, str]] = []
        for signal in signals:
            words, stems, unspaced = BOOK[signal]
            for word, places in words.items():
                self._words.setdefault(word.encode(), []).extend((signal, place) for place in places)
            for stem, places in stems.items():
                self._stems.setdefault(stem, []).extend((signal, place) for place in places)
            if unspaced:
                self._unspaced.append((signal, unspaced))
        self._telling = frozenset(self._words)

    def hits(self, text: str, parts: Mapping[str, range] | None = None) -> Iterator[Hit]:
        """All phrases in the text, which is in lower case, in no order. ``parts`` says where those of a signal count:
        everywhere, unless it is named there."""
        coded = text.encode("utf-8", "replace")
        for telling in self._telling.intersection(coded.translate(_NO_WORD).split()):
            word = telling.decode()
            for signal, place in self._words[telling]:
                yield from _around(word, signal, PATTERNS[place], text, parts)
        for stem, those in self._stems.items():
            if stem in text:
                for signal, place in those:
                    yield from _around(stem, signal, PATTERNS[place], text, parts)
        if self._unspaced and not text.isascii() and _UNSPACED.search(text):
            for signal, pattern in self._unspaced:
                part = parts.get(signal) if parts is not None else None
                start, stop = (part.start, part.stop) if part is not None else (0, len(text))
                for found in _compiled(pattern).finditer(text, start, stop):
                    yield Hit(signal, found.start(), found.end(), found.groups())

    def first(self, text: str) -> str:
        """The earliest phrase in the text; empty if there is none."""
        found = min(self.hits(text), key=lambda hit: hit.start, default=None)
        return text[found.start : found.end] if found is not None else ""


def statement(text: str, hit: Hit) -> range:
    """Where the statement is that has the phrase."""
    start, stop = 0, len(text)
    for found in _BREAK.finditer(text, max(hit.start - 400, 0), min(hit.end + 300, len(text))):
        if found.end() <= hit.start:
            start = found.end()
        elif found.start() >= hit.end - 1:
            stop = found.end()
            break
    return range(start, stop)


def _around(word: str, signal: str, pattern: str, text: str, parts: Mapping[str, range] | None) -> Iterator[Hit]:
    part = parts.get(signal) if parts is not None else None
    start, stop = (part.start, part.stop) if part is not None else (0, len(text))
    at, done = text.find(word, max(start - _BEFORE, 0)), start
    while 0 <= at < stop + _BEFORE:
        found = _compiled(pattern).search(text, max(at - _BEFORE, done), at + _AFTER)
        if found is not None and start <= found.start() < stop:
            done = found.end()
            yield Hit(signal, found.start(), found.end(), found.groups())
        at = text.find(word, max(at + 1, done))


_COMPILED: dict[str, re.Pattern[str]] = {}


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is needed for the first time: most never are."""
    found = _COMPILED.get(pattern)
    if found is None:
        found = _COMPILED[pattern] = re.compile(pattern)
    return found
