"""Words as signals: the last resort, after plan steps, commits and explicit marks (B8).

A marker matches whole words in the agent's own prose: not in code, quotations or questions, and not where it is negated
or hoped for ("not done yet", "once this is done"). rawr's own text must trigger nothing; a test feeds it through here.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from operator import attrgetter

from msgspec import Struct

from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.policy.markers import Markers

OPENING, CLOSING = 500, 1_500
"""An agent says what it has finished, or turns to, where its message begins or ends; the middle is about the work."""

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_QUOTED = re.compile(r"^\s*>.*$|“[^”\n]*”|\"[^\"\n]*\"", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")

# fmt: off
_UNDOING = frozenset({
    "after", "almost", "aren't", "barely", "before", "can", "can't", "cannot", "could", "didn't", "doesn't",
    "don't", "half", "hardly", "hasn't", "haven't", "isn't", "let", "may", "might", "must", "nearly",
    "neither", "never", "no", "not", "nothing", "partly", "should", "to", "wasn't",
    "weren't", "without", "won't", "would",
})
"""Close before a marker, in the same sentence, one of these reverses it or turns it into a hope."""
_HOPING = frozenset({"if", "once", "unless", "until", "when", "whenever", "whether", "will"})
"""The same, however far before it in the sentence."""
_NARROWING = frozenset({
    "after", "at", "before", "by", "during", "except", "for", "from", "if", "in", "inside", "on", "once", "only",
    "through", "unless", "until", "using", "via", "when", "with", "yet",
})
"""A marker right before one of these says how or when something happens ("is done in the loader"), not that it did."""
# fmt: on
_NEAR = 4
_TOLD_BY = 5
"""Letters of a word that are looked for: enough to be rare."""

_EMPHASIS = b"*_"
_LOWER_CASE = bytes(range(0x100)).lower()
_ASCII_IN_LOWER_CASE = ("\u0130", "\u212a")
"""All letters that become ASCII in lower case and are not themselves: a dotted I and the sign of the unit kelvin."""
_BETWEEN = b"[^a-z0-9]+"


def stated(text: str, phrases: Iterable[str]) -> str:
    """The first phrase that the text states; empty if it states none."""
    return _stated(text, _letters(text), tuple(phrases))


def _stated(text: str, letters: bytes, phrases: tuple[str, ...]) -> str:
    # Sentences are examined only if they may contain a phrase: usually none does, and messages are long.
    near = [group for begins, group in _read(phrases).items() if begins in letters]
    if not near:
        return ""
    wanted = sorted((one for group in near for one in group if one.pattern.search(letters)), key=attrgetter("place"))
    if not wanted:
        return ""
    for words in _spoken(text):
        for phrase in wanted:
            if _occurs(words, phrase.parts):
                return phrase.text
    return ""


@lru_cache(maxsize=4)
def _spoken(text: str) -> tuple[list[str], ...]:
    """The words of each sentence that is not a question. A message is examined several times in a row."""
    return tuple(_words(sentence) for sentence in _sentences(text) if not sentence.rstrip().endswith("?"))


def _letters(text: str) -> bytes:
    """The text without emphasis and case, as far as it is ASCII: phrases consist of nothing else, and to make this
    takes half of the time for text in other scripts."""
    if not text.isascii():
        if any(letter in text for letter in _ASCII_IN_LOWER_CASE):
            text = text.lower()
        text = text.replace("’", "'")
    return text.encode("ascii", "replace").translate(_LOWER_CASE, _EMPHASIS)


class _Phrase(Struct, frozen=True):
    place: int
    """Its index among the given phrases."""
    text: str
    parts: list[str]
    begins: bytes
    """How its longest word begins. A text without that does not state the phrase, and a search for one is quick."""
    pattern: re.Pattern[bytes]


@lru_cache(maxsize=16)
def _read(phrases: tuple[str, ...]) -> dict[bytes, list[_Phrase]]:
    """The phrases by how their longest word begins: many share one. One without a word is never stated."""
    groups: dict[bytes, list[_Phrase]] = {}
    read = [_phrase(place, text) for place, text in enumerate(phrases) if not wordless(text)]
    for one in sorted(read, key=lambda one: len(one.begins)):
        shared = next((begins for begins in groups if begins in one.begins), one.begins)
        groups.setdefault(shared, []).append(one)
    return groups


def _phrase(place: int, text: str) -> _Phrase:
    parts = _words(text)
    pattern = re.compile(_BETWEEN.join(part.encode() for part in parts))
    return _Phrase(place, text, parts, max(parts, key=len)[:_TOLD_BY].encode(), pattern)


def wordless(phrase: str) -> bool:
    """Return True if a phrase has no word in it, so that it can never be stated."""
    return not _words(phrase)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))


def _sentences(text: str) -> list[str]:
    prose = _QUOTED.sub("", _CODE.sub("", _FENCED.sub("", text)))
    return [sentence for sentence in _SENTENCE.split(prose) if sentence.strip()]


def _occurs(words: list[str], parts: list[str]) -> bool:
    size = len(parts)
    for start in range(len(words) - size + 1):
        if words[start : start + size] != parts:
            continue
        near = words[max(start - _NEAR, 0) : start]
        after = words[start + size : start + size + 1]
        if not (_UNDOING.intersection(near) or _HOPING.intersection(words[:start]) or _NARROWING.intersection(after)):
            return True
    return False


KINDS: tuple[BoundaryKind, ...] = ("agent_done", "topic_shift", "concluding")


def words(text: str, markers: Markers, kinds: tuple[BoundaryKind, ...] = KINDS) -> list[tuple[BoundaryKind, str]]:
    """The word signals in an agent's message, each with the phrase that was found."""
    if len(text) > OPENING + CLOSING:
        text = f"{text[:OPENING]}\n{text[-CLOSING:]}"
    letters = _letters(text)
    of_kind = {"agent_done": markers.agent_done, "topic_shift": markers.topic_shift, "concluding": markers.concluding}
    found = [(kind, _stated(text, letters, of_kind[kind])) for kind in kinds]
    return [(kind, phrase) for kind, phrase in found if phrase]
