"""Does a text have one of many words? Asked of every text, so it must be cheap.

A pattern that begins with one rare letter is quick, whatever follows: all words with that letter in them share one.
"""

import re
from collections.abc import Callable, Iterable

_RARE = "kwvhpgdc"
"""The letters to search for."""


def seen(words: Iterable[str]) -> Callable[[str], bool]:
    """A look at a text in lower case for any of the words."""
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(next((one for one in _RARE if one in word), word[0]), []).append(word)
    searches = [re.compile(_around(letter, own)).search for letter, own in groups.items()]

    def look(low: str) -> bool:
        for search in searches:
            if search(low):
                return True
        return False

    return look


def _around(letter: str, words: list[str]) -> str:
    parts = (word.partition(letter) for word in words)
    return f"{letter}(?:{'|'.join(_one(*part) for part in parts)})"


def _one(head: str, letter: str, tail: str) -> str:
    return (f"(?<={re.escape(head + letter)})" if head else "") + re.escape(tail)
