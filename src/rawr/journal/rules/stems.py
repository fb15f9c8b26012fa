"""Where in a text are which of many words? Asked of every text, so it must be cheap.

A pattern that begins with one rare letter is quick, whatever follows: all words with that letter in them share one.
Words of other scripts are looked for only in a text that has one of their signs.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_RARE = "kwvhplgdc"
"""The letters to search for."""
_ASCII = bytes(range(128))


class _Group(NamedTuple):
    letter: str
    pattern: re.Pattern[str]
    heads: dict[str, list[tuple[int, str]]]
    """By the letter and the next: the words, and how many characters they have before the letter."""


class Stems:
    """Many words, to be found in texts in lower case."""

    def __init__(self, words: Iterable[str]) -> None:
        groups: dict[str, list[str]] = {}
        self._by_sign: dict[str, list[str]] = {}
        for word in dict.fromkeys(words):
            sign = next((one for one in word if not one.isascii()), None)
            if sign is not None:
                self._by_sign.setdefault(sign, []).append(word)
            else:
                groups.setdefault(next((one for one in _RARE if one in word), word[0]), []).append(word)
        self._groups = [_group(letter, own) for letter, own in groups.items()]
        self._searches = [group.pattern.search for group in self._groups]

    def seen(self, low: str) -> bool:
        for search in self._searches:
            if search(low):
                return True
        return not low.isascii() and any(word in low for word in self._foreign(low))

    def find(self, low: str) -> Iterator[tuple[int, str]]:
        """Every place of every word, word by word or letter by letter."""
        for group in self._groups:
            for found in group.pattern.finditer(low):
                at = found.start()
                for before, word in group.heads.get(low[at : at + 2], ()):
                    if at >= before and low.startswith(word, at - before):
                        yield at - before, word
                for before, word in group.heads.get(group.letter, ()):
                    if at >= before and low.startswith(word, at - before):
                        yield at - before, word
        if not low.isascii():
            for word in self._foreign(low):
                at = low.find(word)
                while at >= 0:
                    yield at, word
                    at = low.find(word, at + len(word))

    def _foreign(self, low: str) -> Iterator[str]:
        """The words of other scripts that may be there. Most texts have few such signs, so these come first."""
        signs = set(low.encode("utf-8", "replace").translate(None, _ASCII).decode("utf-8", "replace"))
        for sign in self._by_sign.keys() & signs:
            yield from self._by_sign[sign]


def _group(letter: str, words: list[str]) -> _Group:
    parts = [word.partition(letter) for word in words]
    heads_of: dict[str, list[str]] = {}
    for head, _, tail in parts:
        heads_of.setdefault(tail, []).append(head)
    # Tails that begin with the same letter share a branch: most places are told from all of them by one look.
    by_first: dict[str, list[str]] = {}
    for tail, heads in sorted(heads_of.items()):
        by_first.setdefault(tail[:1], []).append(re.escape(tail[1:]) + _behind(heads, letter + tail))
    branches = [f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first.items()]
    # A look ahead: within a word another one may begin.
    pattern = re.compile(f"{re.escape(letter)}(?=(?:{'|'.join(branches)}))")
    by_next: dict[str, list[tuple[int, str]]] = {}
    for (head, _, tail), word in zip(parts, words, strict=True):
        by_next.setdefault(letter + tail[:1], []).append((len(head), word))
    return _Group(letter, pattern, by_next)


def _behind(heads: list[str], rest: str) -> str:
    """What must come before the letter, looked for after all of the tail matched."""
    if "" in heads:
        return ""
    lasts = "".join(re.escape(last) for last in sorted({head[-1] for head in heads}))
    all_of_them = "|".join(f"(?<={re.escape(head + rest)})" for head in heads)
    return f"(?<=[{lasts}]{re.escape(rest)})(?:{all_of_them})"
