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


_EMPHASIS = "*_"
_BETWEEN = "[^a-z0-9]+"
_NOTHING = "(?!)"


def stated(text: str, phrases: Iterable[str]) -> str:
    """The first phrase that the text states; empty if it states none."""
    # Sentences are examined only if they may contain a phrase: usually none does, and messages are long.
    plain = _plain(text)
    near = [one for telling, group in _read(tuple(phrases)) if telling in plain for one in group]
    wanted = sorted((one for one in near if one.pattern.search(plain)), key=attrgetter("place")) if near else None
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


@lru_cache(maxsize=4)
def _plain(text: str) -> str:
    """The text without emphasis and case."""
    for mark in _EMPHASIS:
        text = text.replace(mark, "")
    return text.replace("’", "'").lower()


class _Phrase(Struct, frozen=True):
    place: int
    """Its index among the given phrases."""
    text: str
    parts: list[str]
    telling: str
    """Its longest word. A text without it does not state the phrase, and a search for one word is quick."""
    pattern: re.Pattern[str]


@lru_cache(maxsize=16)
def _read(phrases: tuple[str, ...]) -> tuple[tuple[str, list[_Phrase]], ...]:
    """The phrases by their telling word: many share one."""
    groups: dict[str, list[_Phrase]] = {}
    for place, text in enumerate(phrases):
        one = _phrase(place, text)
        groups.setdefault(one.telling, []).append(one)
    return tuple(groups.items())


def _phrase(place: int, text: str) -> _Phrase:
    parts = _words(text)
    return _Phrase(place, text, parts, max(parts, key=len, default=""), re.compile(_BETWEEN.join(parts) or _NOTHING))


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
    phrases: tuple[tuple[BoundaryKind, tuple[str, ...]], ...] = (
        ("agent_done", markers.agent_done),
        ("topic_shift", markers.topic_shift),
        ("concluding", markers.concluding),
    )
    found = [(kind, stated(text, those)) for kind, those in phrases if kind in kinds]
    return [(kind, phrase) for kind, phrase in found if phrase]
