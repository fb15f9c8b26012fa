"""How phrases are found in a message: in one that has none of them, which is most, as soon as possible.

A phrase is a pattern in lower case that begins with letters, or with a group of such. ``Wording`` finds it by its first
letters, which suits a short text. ``Wordings`` looks at a whole message once, for the words by which phrases are told:
the first, unless that is a word that every message has; then ``<…>`` marks others, of which the phrase always has one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

_LETTERS = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts in which words are not told apart by spaces."""
_NO_OTHER_LETTERS = bytes(code for code in range(0x100) if not 0xC3 <= code <= 0xE1)
"""All bytes of UTF-8 but those with which letters of scripts with spaces begin, from U+00DF to U+1FFF. Without those a
text that is not ASCII has only signs, or words without spaces."""
_REACH = 100
"""Characters of a phrase before the word by which it is told, and after it if that is not the first."""
_KEY = 3
"""Letters by which a phrase is found."""
_MARKED = re.compile(r"<([^<>]*)>")
_WHOLE = re.compile(r"([^\W\d_]+)(?![^ ,:'-])")
_CONTINUED = re.compile(r"([^\W\d_]+)\\w")
_NO_WORD = bytes(code if chr(code).isalnum() and code < 0x80 else 0x20 for code in range(0x100))
"""What stands for each byte, so that only words of ASCII are left."""


class Wording:
    """Phrases to look for, in lower case. Most words of a message begin none of them, and are passed over at once."""

    def __init__(self, *lists: Iterable[str]) -> None:
        phrases = [phrase for words in lists for phrase in words]
        self.spaced = [phrase for phrase in phrases if not _UNSPACED.match(phrase)]
        by_key: dict[str, list[str]] = {}
        for phrase in phrases:
            if not _UNSPACED.match(phrase):
                pattern = _pattern(phrase)
                for key in dict.fromkeys(head[:_KEY] for head in _heads(unmarked(phrase))):
                    by_key.setdefault(key, []).append(pattern)
        self.by_key = {key: [re.compile(one) for one in patterns] for key, patterns in by_key.items()}
        self._any = {key: re.compile("|".join(patterns)) for key, patterns in by_key.items()}
        self.begins = re.compile(_one_of(by_key)) if by_key else None
        unspaced = [phrase for phrase in phrases if _UNSPACED.match(phrase)]
        self.unspaced = re.compile("|".join(unspaced)) if unspaced else None

    def search(self, text: str) -> str:
        """The first phrase in the text, which is in lower case; empty if there is none."""
        for begins in self.begins.finditer(text) if self.begins is not None else ():
            found = self._any[begins.group()].match(text, begins.start())
            if found is not None:
                return found.group()
        if self.unspaced is not None and _UNSPACED.search(text):
            found = self.unspaced.search(text)
            return found.group() if found is not None else ""
        return ""

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        for begins in self.begins.finditer(text) if self.begins is not None else ():
            key, start = begins.group(), begins.start()
            if self._any[key].match(text, start) is None:
                continue
            for pattern in self.by_key[key]:
                found = pattern.match(text, start)
                if found is not None:
                    yield found
        if self.unspaced is not None and not text.isascii() and _UNSPACED.search(text):
            yield from self.unspaced.finditer(text)

    def without(self, text: str) -> str:
        """The text without the phrases."""
        for found in sorted(self.matches(text), key=lambda one: -one.start()):
            text = f"{text[: found.start()]} {text[found.end() :]}"
        return text


_Placed = tuple[int, re.Pattern[str], bool]
"""Whose a phrase is, and whether it begins with the word by which it is told."""


class Wordings:
    """Several of them in one look at a text, each in its own part of it. Which ones, says the caller by place."""

    def __init__(self, *several: Wording) -> None:
        self._told_by: dict[bytes, list[_Placed]] = {}
        """By a word of the phrase."""
        self._continued: list[tuple[str, _Placed]] = []
        """By how a word begins that can go on in any way: few, so that each is looked for."""
        others: dict[str, list[_Placed]] = {}
        for place, one in enumerate(several):
            for phrase in one.spaced:
                placed = (place, re.compile(_pattern(phrase)), not _MARKED.search(phrase) or _leads(phrase))
                whole, continued = _tellings(phrase)
                for word in whole:
                    if word.isascii():
                        self._told_by.setdefault(word.encode(), []).append(placed)
                self._continued += [(word, placed) for word in continued if word.isascii()]
                if not all(word.isascii() for word in (*whole, *continued)):
                    for key in dict.fromkeys(head[:_KEY] for head in _heads(unmarked(phrase))):
                        others.setdefault(key, []).append(placed)
        self._telling = frozenset(self._told_by)
        self._others = others
        self._begin_others = re.compile(_one_of(others)) if others else None
        self._unspaced = [(place, one.unspaced) for place, one in enumerate(several) if one.unspaced is not None]

    def first(self, text: str, parts: Sequence[range]) -> int | None:
        """The place of the first of them that has a phrase in its part; None if none has. The parts are of the text,
        which is in lower case."""
        found: list[tuple[int, int]] = []
        coded = text.encode("utf-8", "replace")
        for telling in self._telling.intersection(coded.translate(_NO_WORD).split()):
            found += _around(telling.decode(), self._told_by[telling], text, parts)
        for begins, placed in self._continued:
            if begins in text:
                found += _around(begins, (placed,), text, parts, whole=False)
        if text.isascii():
            return min(found)[1] if found else None
        if self._begin_others is not None and coded.translate(None, _NO_OTHER_LETTERS):
            found += self._of_others(text, parts, self._begin_others)
        if found:
            return min(found)[1]
        if _UNSPACED.search(text):
            for place, unspaced in self._unspaced:
                if unspaced.search(text, parts[place].start, parts[place].stop):
                    return place
        return None

    def _of_others(self, text: str, parts: Sequence[range], begin: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        for begins in begin.finditer(text):
            start = begins.start()
            for place, pattern, _ in self._others[begins.group()]:
                if start in parts[place] and pattern.match(text, start):
                    yield start, place


def unmarked(phrase: str) -> str:
    return _MARKED.sub(r"(?:\1)", phrase)


def _pattern(phrase: str) -> str:
    return unmarked(phrase).replace(" ", r"\s+") + r"(?!\w)"


def _leads(phrase: str) -> bool:
    """Return True if a phrase begins with the only words that are marked."""
    marked = _MARKED.match(phrase)
    return marked is not None and not _MARKED.search(phrase, marked.end())


def _tellings(phrase: str) -> tuple[list[str], list[str]]:
    """The words of which a text with the phrase has one: whole ones, and beginnings of longer ones."""
    marked = _MARKED.findall(phrase)
    whole, continued = [], []
    for word in (one for group in marked for one in group.split("|")) if marked else (phrase,):
        if found := _WHOLE.match(word):
            whole.append(found[1])
        elif found := _CONTINUED.match(word):
            continued.append(found[1])
        else:
            message = f"no word tells the phrase {phrase!r}: mark those of which it always has one, as <one|other>"
            raise ValueError(message)
    return whole, continued


def _around(
    telling: str, those: Iterable[_Placed], text: str, parts: Sequence[range], *, whole: bool = True
) -> list[tuple[int, int]]:
    """Where phrases begin that have the word, each with whose it is. ``whole``: it is no part of a longer one."""
    found = []
    size, at = len(telling), text.find(telling)
    while at >= 0:
        end = at + size
        if not (at and text[at - 1].isalnum()) and not (whole and text[end : end + 1].isalnum()):
            for place, pattern, leads in those:
                part = parts[place]
                if leads:
                    if at in part and pattern.match(text, at):
                        found.append((at, place))
                elif part.start <= at < part.stop + _REACH:
                    start = _inside(pattern, text, at, part)
                    if start >= 0:
                        found.append((start, place))
        at = text.find(telling, end)
    return found


def _inside(pattern: re.Pattern[str], text: str, at: int, part: range) -> int:
    """Where the phrase begins that has the word here, but perhaps not as its first; -1 if there is none."""
    start = max(at - _REACH, part.start)
    while (found := _tried(pattern, text, start, at)) is not None:
        start = found.start()
        if start in part and (not start or not (text[start - 1].isalnum() or text[start - 1] == "_")):
            return start
        start += 1
    return -1


def _tried(pattern: re.Pattern[str], text: str, start: int, at: int) -> re.Match[str] | None:
    if start == at:
        return pattern.match(text, at)
    found = pattern.search(text, start, at + _REACH) if start < at else None
    return found if found is not None and found.start() <= at else None


def _one_of(keys: Iterable[str]) -> str:
    """A pattern for the words that begin with one of the keys, of which a shorter one is a whole word. By their first
    letters, which is quick: most words begin with another."""
    rests: dict[str, list[str]] = {}
    for key in keys:
        rests.setdefault(key[0], []).append(key[1:] if len(key) == _KEY else rf"{key[1:]}\b")
    begun = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in rests.items())
    return rf"\b(?=[{''.join(rests)}])(?:{begun})"


def _heads(phrase: str) -> list[str]:
    """The letters with which a phrase can begin: those of a group, if it begins with one."""
    if not phrase.startswith("(?:"):
        found = _LETTERS.match(phrase)
        assert found is not None, phrase  # noqa: S101 - a list of ours
        return [found.group()]
    depth, parts, part = 0, [], ""
    for at, char in enumerate(phrase):
        depth += (char == "(") - (char == ")")
        if depth == 1 and char == "|":
            parts.append(part)
            part = ""
        elif depth == 0:
            parts.append(part)
            rest = phrase[at + 1 :]
            break
        elif at > len("(?:") - 1:
            part += char
    heads = [head for one in parts for head in _heads(one)]
    return [*heads, *_heads(rest[1:].lstrip())] if rest.startswith("?") else heads
