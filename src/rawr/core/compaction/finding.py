"""How phrases are found in a message: in one that has none of them, which is most, as soon as possible.

The phrases themselves are in the files of ``words``; ``phrasebook`` has them as patterns, each with the words by which
it is told. So a text is split into words once, and a pattern is tried only around a word by which it is told.
"""

import re
from collections.abc import Iterator, Mapping
from operator import add

from msgspec import Struct

from rawr.core.compaction.phrasebook import BOOK

_NO_WORD = bytes(code if chr(code).isalnum() or code >= 0x80 else 0x20 for code in range(0x100))
"""What stands for each byte of UTF-8, so that only words are left."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts whose words are not told apart by spaces, or run on into endings."""
_BEFORE, _AFTER = 70, 110
"""Characters around the word by which a phrase is told, in which the phrase is."""
_BREAK = re.compile(
    "[.!?;:](?=\\s)|[\n\u3002\uff01\uff1f\uff1b]|,? (?:but|however|although|though|yet|except|aber|jedoch|cependant|però|ma|mas"
    "|pero|но|однако|nhưng) "
    # In Portuguese it is "more".
    "| mais (?=(?:ils?|elles?|l[ae]|les|je|on|pas|une?|ce|ça|deux|reste|encore|toujours|sans|certain\\w+)\\b|[lcjn]')"
    "|但是?|不过|ただし?|が、|지만"
)
"""Where one statement ends and the next begins."""


class Hit(Struct, frozen=True):
    """A phrase in a text."""

    signal: str
    start: int
    end: int

    def overlaps(self, other: "Hit") -> bool:
        return self.start < other.end and other.start < self.end


class _Phrase:
    """Compiled when it is needed for the first time: most never are."""

    __slots__ = ("_others", "_pattern", "parts", "pattern", "signal")

    def __init__(self, signal: str, pattern: str, others: tuple[str, ...]) -> None:
        self.signal, self._pattern, self._others = signal, pattern, others
        self.pattern: re.Pattern[str] | None = None
        self.parts: tuple[frozenset[str], ...] = ()

    def read(self) -> re.Pattern[str]:
        self.parts = tuple(frozenset(one.split()) for one in self._others)
        self.pattern = re.compile(self._pattern)
        return self.pattern


class Finder:
    """The phrases of some signals, in one look at a text."""

    def __init__(self, *signals: str) -> None:
        self._words: dict[str, list[_Phrase]] = {}
        self._stems: dict[str, list[_Phrase]] = {}
        self._runs: dict[str, list[_Phrase]] = {}
        for signal in signals:
            spaced, unspaced = BOOK[signal]
            for pattern, told, others in spaced:
                phrase = _Phrase(signal, pattern, others)
                for word in told.split():
                    kept = self._stems if word.endswith("*") else self._words
                    kept.setdefault(word.rstrip("*"), []).append(phrase)
            for pattern, told, others in unspaced:
                phrase = _Phrase(signal, pattern, others)
                for word in told.split():
                    self._runs.setdefault(word, []).append(phrase)
        self._telling = frozenset(self._words)
        self._telling_runs = frozenset(self._runs)

    def hits(self, text: str, parts: Mapping[str, range] | None = None) -> Iterator[Hit]:
        """All phrases in the text, which is in lower case, in no order. ``parts`` says where those of a signal count:
        everywhere, unless it is named there."""
        words = frozenset(text.encode("utf-8", "replace").translate(_NO_WORD).decode().split())
        for word in self._telling & words:
            yield from _told(word, self._words[word], words, text, parts)
        for stem in self._stems:
            if stem in text:
                yield from _told(stem, self._stems[stem], words, text, parts)
        if self._runs and not text.isascii() and _UNSPACED.search(text):
            runs = frozenset(map(add, text, text[1:])).union(text)
            for run in self._telling_runs & runs:
                yield from _told(run, self._runs[run], runs, text, parts)

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


def _told(
    word: str, told: list[_Phrase], words: frozenset[str], text: str, parts: Mapping[str, range] | None
) -> Iterator[Hit]:
    """The phrases that are told by a word in the text."""
    places: list[int] | None = None
    for phrase in told:
        pattern = phrase.pattern or phrase.read()
        if any(map(words.isdisjoint, phrase.parts)):
            continue
        if places is None:
            places = list(_places(word, text))
        part = parts.get(phrase.signal) if parts is not None else None
        start, stop = (part.start, part.stop) if part is not None else (0, len(text))
        done = start
        for at in places:
            if at < done:
                continue
            found = pattern.search(text, max(at - _BEFORE, done), min(at + _AFTER, stop + _AFTER))
            if found is not None and found.start() < stop:
                yield Hit(phrase.signal, found.start(), found.end())
                done = found.end()


def _places(word: str, text: str) -> Iterator[int]:
    """Where the word is; where words are parted by spaces, not inside a longer one."""
    alone, size = word.isascii(), len(word)
    at = text.find(word)
    while at >= 0:
        if not (alone and at and text[at - 1].isalnum()):
            yield at
        at = text.find(word, at + size)
