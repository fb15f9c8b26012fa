"""How phrases are found in a message: in one that has none of them, which is most, as soon as possible.

The phrases themselves are in the files of ``words``; ``phrasebook`` has them as patterns, each with the words by which
it is told. So a text is split into words once, and a pattern is tried only around a word by which it is told.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import add

from msgspec import Struct

from rawr.core.compaction.phrasebook import BOOK

_NO_WORD = bytes(code if chr(code).isalnum() or code >= 0x80 else 0x20 for code in range(0x100))
"""What stands for each byte of UTF-8, so that only words are left."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts whose words are not told apart by spaces, or run on into endings."""
_SENTENCE = re.compile("[.!?;:](?=\\s)|[\n\u3002\uff01\uff1f\uff1b]")
_CONTRAST = re.compile(
    ",? (?:but|however|although|though|yet|except|aber|jedoch|cependant|però|ma|mas|pero|но|однако|nhưng) "
    # In Portuguese it is "more".
    "|,? mais (?!(?:n[ao]s?|em|com|de|por|para|nada|nenhum\\w*|uma?|tarde|e|ou|rápid\\w+|que|os|as|o"
    "|aceit[ao]s?|\\w+[ai]d[ao]s?)\\b)"
    "|但是?|不过|ただし?|が、|지만"
)
"""Where one statement ends and the next begins."""
_LONG = 240
"""Characters to each side of a phrase in which its statement is."""


_ON = 120
"""Characters in which a phrase ends that has the word, where words are not parted."""
_DIGIT = re.compile(r"\d")
_A_NUMBER = "0"
"""Among the words of a text: it has a number in digits."""


class Hit(Struct, frozen=True):
    """A phrase in a text."""

    signal: str
    start: int
    end: int

    def overlaps(self, other: "Hit") -> bool:
        return self.start < other.end and other.start < self.end


class _Phrase:
    """Compiled when it is needed for the first time: most never are."""

    __slots__ = ("_others", "_pattern", "parts", "pattern", "reach", "signal")

    def __init__(self, signal: str, pattern: str, others: tuple[str, ...], *, reach: int) -> None:
        self.signal, self._pattern, self._others, self.reach = signal, pattern, others, reach
        self.pattern: re.Pattern[str] | None = None
        self.parts: tuple[frozenset[str], ...] | None = None

    def read(self) -> tuple[frozenset[str], ...]:
        self.parts = tuple(frozenset(one.split()) for one in self._others)
        return self.parts

    def compiled(self) -> re.Pattern[str]:
        self.pattern = re.compile(self._pattern)
        return self.pattern


_Told = dict[str, list[_Phrase]]


class Finder:
    """The phrases of some signals, in one look at a text."""

    def __init__(self, *signals: str) -> None:
        self._words: _Told = {}
        self._stems: _Told = {}
        self._runs: _Told = {}
        for signal in signals:
            spaced, unspaced = BOOK[signal]
            for pattern, told, reach, others in spaced:
                phrase = _Phrase(signal, pattern, others, reach=reach)
                for word in told.split():
                    kept = self._stems if word.endswith("*") else self._words
                    kept.setdefault(word.rstrip("*"), []).append(phrase)
            for pattern, told, reach, others in unspaced:
                phrase = _Phrase(signal, pattern, others, reach=reach)
                for word in told.split():
                    self._runs.setdefault(word, []).append(phrase)
        self._telling = frozenset(self._words)
        self._ascii_stems = tuple(stem for stem in self._stems if stem.isascii())
        self._all_stems = tuple(self._stems)
        self._begun: dict[str, tuple[str, ...]] = {}
        """The runs by their first character."""
        for run in self._runs:
            self._begun[run[0]] = (*self._begun.get(run[0], ()), run)
        self._beginnings = frozenset(self._begun)

    def hits(self, text: str) -> Iterator[Hit]:
        """All phrases in the text, which is in lower case, in no order. A phrase is in one sentence."""
        words = _words_of(text)
        for word in self._telling & words:
            if those := _possible(self._words[word], words):
                yield from _around(word, those, text)
        is_ascii = text.isascii()
        for stem in self._ascii_stems if is_ascii else self._all_stems:
            if stem in text and (those := _possible(self._stems[stem], words)):
                yield from _around(stem, those, text)
        if is_ascii or not self._runs or _UNSPACED.search(text) is None:
            return
        runs: frozenset[str] | None = None
        for first in self._beginnings & frozenset(text):
            for run in self._begun[first]:
                if run in text:
                    runs = runs or _runs_of(text, words)
                    if those := _possible(self._runs[run], runs):
                        yield from _around(run, those, text)

    def first(self, text: str) -> str:
        """The earliest phrase, of several the longest: a replay must find the same. Empty if there is none."""
        found = min(self.hits(text), key=lambda hit: (hit.start, -hit.end), default=None)
        return text[found.start : found.end] if found is not None else ""


def statement(text: str, hit: Hit) -> range:
    """Where the statement is that has the phrase."""
    sentence = _around_hit(_SENTENCE, text, hit, range(max(hit.start - _LONG, 0), min(hit.end + _LONG, len(text))))
    return _around_hit(_CONTRAST, text, hit, sentence)


def turns_at(text: str, hit: Hit) -> bool:
    """Return True if the phrase is where a statement turns: "but" speaks of what comes after it."""
    return _CONTRAST.match(text, hit.start - 1 if hit.start else 0) is not None


def _around_hit(what: re.Pattern[str], text: str, hit: Hit, part: range) -> range:
    start, stop = part.start, part.stop
    for found in what.finditer(text, start, stop):
        if found.end() <= hit.start:
            start = found.end()
        elif found.start() >= hit.end - 1:
            stop = found.end()
            break
    return range(start, stop)


@lru_cache(maxsize=4)
def _words_of(text: str) -> frozenset[str]:
    """A message is looked at for several signals in a row."""
    return _words(text)


def _runs_of(text: str, words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(add, text, text[1:])).union(text, words & {_A_NUMBER})


def _words(sentence: str) -> frozenset[str]:
    found = sentence.encode("utf-8", "replace").translate(_NO_WORD).decode().split()
    if _DIGIT.search(sentence):
        found.append(_A_NUMBER)
    return frozenset(found)


def _possible(told: list[_Phrase], words: frozenset[str]) -> list[_Phrase]:
    """Those whose other words are there as well."""
    found = []
    for phrase in told:
        for part in phrase.read() if phrase.parts is None else phrase.parts:
            if words.isdisjoint(part):
                break
        else:
            found.append(phrase)
    return found


def _around(word: str, those: list[_Phrase], text: str) -> Iterator[Hit]:
    """The phrases that are told by a word."""
    places = list(_places(word, text))
    spaced = _UNSPACED.match(word) is None
    for phrase in those:
        pattern = phrase.pattern or phrase.compiled()
        done = 0
        for at in places:
            if at < done:
                continue
            found = pattern.match(text, at)
            if found is None and phrase.reach:
                lowest = max(at - phrase.reach, done, text.rfind("\n", 0, at) + 1, text.rfind(". ", 0, at) + 1)
                found = _begun_before(pattern, text, at, lowest) if spaced else pattern.search(text, lowest, at + _ON)
            if found is not None:
                yield Hit(phrase.signal, found.start(), found.end())
                done = found.end()


def _begun_before(pattern: re.Pattern[str], text: str, at: int, lowest: int) -> re.Match[str] | None:
    """The phrase that begins with one of the words right before the one by which it is told."""
    while at > lowest:
        at = max(text.rfind(" ", lowest, at - 1), lowest - 1) + 1
        found = pattern.match(text, at)
        if found is not None:
            return found
    return None


def _places(word: str, text: str) -> Iterator[int]:
    """Where the word is; where words are parted by spaces, not inside a longer one."""
    alone, size = word.isascii(), len(word)
    at = text.find(word)
    while at >= 0:
        if not (alone and at and text[at - 1].isalnum()):
            yield at
        at = text.find(word, at + size)
