"""Secrets beside a word that tells of one, in a sentence of any language: "contraseña olivar-Jaen_73, la otra ya no".

The grammar of thirty languages is not needed for this. After the word come words, and then something that is none:
the less it looks like one (``guess.py``), the farther away it may stand, and a sign, a quote or "is" before it makes
up for much. ``cues.py`` has the words.
"""

# ruff: noqa: RUF001 - signs of other languages that look like ours

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from rawr.journal.guess import Sure, guess, is_scrambled
from rawr.journal.names import classify, is_reference
from rawr.journal.rules import cues
from rawr.journal.rules.rule import LINE_END, Finder, Pattern, Rule, Span
from rawr.journal.rules.stems import Stems

_REACH = 220
"""Characters after a word in which its secret may stand."""
_REACH_BEFORE = 90
_MOST_WORDS = 16

_EAST = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u3005\u30fc"
"""Writing without blanks between words, or with endings behind a word in Latin letters."""
_QUOTES = "\"'`„“”«»‘’‚「」『』《》【】〈〉‹›"
_WIDE = "，。、；：！？（）【】"
_WORD = (
    rf"[^\W\d_]{{2,20}}(?=:[^\s:=/\\])|[:=]+(?:\*\*|(?=[^\s:=/])(?<=[^\s:=/][:=]))|(?:[^\s{_QUOTES}{_EAST}\\{_WIDE}]|\\{{1,4}}(?=[$!&#*])"
    # Inside a word, a quote and a backslash are signs like others.
    rf"|(?<=[^\s{_QUOTES}{_EAST}\\{_WIDE}])(?:\\{{0,4}}[\"'`](?=[\w#$%&@!^*+?~])"
    r"|\\{1,4}(?=[A-Zac-mo-qsu-z0-9#$%@])))+"
)
_ESCAPE = re.compile(r"\\+(?=[$!&#*])")
"""What a shell needs before some signs."""
_TOKEN = re.compile(
    # Before a line there may be the sign of a quotation, of a patch, or its number.
    rf"(?P<gap>(?:(?:\n|\\+n)[ \t]{{0,8}}(?:>[ >]{{0,4}}|\+|\d{{1,5}}[:→][ ]?)"
    rf"|\s|\\+[nrt]|\\+(?=[\"'`])|[{_QUOTES}(\[<{_WIDE}])*)(?P<word>{_WORD}|[{_EAST}]+)"
)
_LINE_ENDS = re.compile(LINE_END)
_MAY_COME = re.compile(r"\d|\w[!#$%&*+=?^~@.-]\w").search
"""No secret stands among words with letters alone."""
_IS_VALUE = re.compile(r"[^\s=>]").match
_IN_CODE_TOO = re.compile(r"pass(?:word|wd|phrase|code)?|pwd?|psk|key|token|secret").fullmatch
"""Words for a secret that code has as names."""
_GOES_ON = re.compile(r"[,.;)\"'`]").search
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+:?").fullmatch
_YEAR = re.compile(r"(?:19|20)\d\d").match
IS_ESCAPE = re.compile(r"\\[nrt]").match
_HAS_DIGIT = re.compile(r"\d").search
_SIGNED = re.compile(
    rf"(?:[:=：（【{_QUOTES}→]|->|=>|[ ][(\[]|\t|\\+t)(?:[\s{_QUOTES}*(]|\\+(?:[nrt\"']|\Z))*\Z|[ ]{{2}}\Z"
)
_ALONE = re.compile(rf"[.,;*_{_QUOTES}\\]{{0,3}}[ \t]*(?:\Z|\r|{LINE_END}|[\"'`])")
_ENDS_SENTENCE = re.compile(r"[.!?…](?:\Z|\s)")
_IN_CODE = re.compile(r"[(){}\[\];|<>=$@/]|\w\.\w|::")
_SENTENCE_END = re.compile(rf"[.!?。！？][\s{_QUOTES}]|[\r\n;{{}}]|\\n")
LONG_NUMBER = re.compile(r"\d{6,12}")
_GROUPS = re.compile(r"[A-Za-z0-9]{3,8}(?:[ ][A-Za-z0-9]{3,8}){2,15}(?![\w-])")
_NUMBER = re.compile(r"\d{4,8}|\d{3}[ -]\d{3}")
_CODE = re.compile(
    r"(?=[A-Z-]{0,8}\d)(?![A-Z]\d{1,3}\Z|\d{1,3}\Z)[A-Z0-9]{2,8}(?:-[A-Z0-9]{2,8}){0,5}|(?=[a-z-]{0,12}\d)[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){1,5}"
)
_NUMBER_BEFORE = re.compile(
    r"(?<![\w.-])(?:[A-Z]-)?(?P<secret>\d{4,8}|\d{3}[ -]\d{3})[ ](?:is|ist|es|est|è|é|to)[ ][^\r\n.\d]{0,60}\Z"
)
_IS_EAST = re.compile(rf"[{_EAST}]").match
_NAMES = re.compile(r"[\"'\]\\]{0,4}[ ]?[:=]")
_ENDING = re.compile(r"[^\W\d_]{0,6}")


class Candidate(NamedTuple):
    start: int
    end: int
    word: str
    between: int
    """How many words there are between the two."""
    told: bool
    """A sign, a quote or "is" comes right before it."""
    signed: bool
    """A sign or a quote does."""
    later: bool
    """It is in the next sentence."""
    alone: bool
    """It is all of the line."""
    numbers: int
    """How many numbers there are between the two."""
    groups: int = 0
    """If it is the first of several groups of the same length: how many."""


def _stems(table: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.replace("_", " ") for one in table.split()))


_WHOLE = frozenset(one.replace("_", " ") for one in cues.WHOLE)
_BEGIN = _WHOLE | frozenset(one.replace("_", " ") for one in cues.BEGIN)
PASSWORDS, KEYS, NUMBERS = _stems(cues.PASSWORDS), _stems(cues.KEYS), _stems(cues.NUMBERS)
OWNERS, PHRASES = _stems(cues.CODES), _stems(cues.PHRASES)
APP_PASSWORDS = _stems(cues.APP_PASSWORDS)
_CODE_WORDS = re.compile(
    rf"(?<![_\d])(?<!\ben)(?<!\bde)(?<!uni)(?<!\bop)(?<!\bbar)(?<!\bvs)(?<!byte)(?<!\bqr)(?<!\bsource)(?:{'|'.join(_stems(cues.CODE_WORDS))})(?!\w)"
)


def _is_password(found: Candidate) -> bool:
    sure = guess(found.word)
    if found.later:
        return sure >= Sure.LIKELY and found.told
    if found.told and (is_scrambled(found.word) or found.groups):
        return True
    if LONG_NUMBER.fullmatch(found.word):
        return (found.signed and found.between <= 5) or (found.told and found.between <= 2)
    match sure:
        case Sure.CERTAIN:
            return True
        case Sure.LIKELY:
            return True
        case Sure.MAYBE:
            told = (found.told and found.between <= 10) or found.between <= 1
            return told and (_HAS_DIGIT(found.word) is not None or (found.told and _is_phrase(found.word)))
        case _:
            return False


def _is_phrase(word: str) -> bool:
    """Three words or more, joined as no idiom is: ``quattro-gatti-tetto``, but not ``out-of-band``."""
    words = re.split(r"[-._+]", word)
    return len(words) > 2 and all(len(one) > 2 for one in words) and _SENTENCE.search(" ".join(words)) is None


def _is_key(found: Candidate) -> bool:
    sure = guess(found.word)
    if found.told and (is_scrambled(found.word) or found.groups):
        return not found.later
    return (sure is Sure.CERTAIN and (found.told or found.between <= 8)) or (
        sure is Sure.LIKELY and (found.told or found.between <= 3)
    )


def _is_number(found: Candidate) -> bool:
    if found.between > 10 or found.numbers or (found.later and not found.signed):
        return False
    near = found.told or found.between <= 2 or (len(found.word) > 4 and not found.later) or not _YEAR(found.word)
    return (near and _NUMBER.fullmatch(found.word) is not None) or _is_code(found)


def _is_code(found: Candidate) -> bool:
    if guess(found.word) >= Sure.LIKELY or (found.told and (found.groups or is_scrambled(found.word))):
        return not found.later or found.signed
    return (
        not found.numbers
        and (found.told or found.between <= 1)
        and (_NUMBER.fullmatch(found.word) is not None or (found.told and _CODE.fullmatch(found.word) is not None))
    )


def _is_assigned(found: Candidate) -> bool:
    """Behind "=" and no blank, where code has a variable."""
    return not found.between and (
        is_scrambled(found.word) or found.groups > 0 or LONG_NUMBER.fullmatch(found.word) is not None
    )


class Kind(NamedTuple):
    kind: str
    judge: Callable[[Candidate], bool]


_OF_PASSWORD, _OF_KEY = Kind("password", _is_password), Kind("key", _is_key)
_ASSIGNED = Kind("password", _is_assigned)
_OF_NUMBER, _OF_CODE = Kind("password", _is_number), Kind("password", _is_code)
KINDS = (
    dict.fromkeys(KEYS, _OF_KEY)
    | dict.fromkeys(NUMBERS, _OF_NUMBER)
    | dict.fromkeys((*PHRASES, *PASSWORDS), _OF_PASSWORD)
)
_WORDS = Stems(KINDS)


class Beside:
    """What stands beside a word that tells of a secret."""

    clues: tuple[str, ...] = ("",)

    def meets(self, text: str) -> bool:
        return True

    def cues(self, low: str) -> Iterator[tuple[int, int, "Kind"]]:
        return _cues(low)

    def find(self, text: str) -> Iterator[Span]:
        low = _lowered(text)
        found: set[Span] = set()
        for start, end, kind in self.cues(low):
            spoken = _spoken(text, start, end)
            if spoken is None:
                continue
            if text[spoken : spoken + 1] == "=" and _IN_CODE_TOO(text[start:end].lower()):
                kind = _ASSIGNED  # noqa: PLW2901
            if span := _after(text, spoken, kind):
                found.add(span)
            elif kind is _OF_CODE and (number := _NUMBER_BEFORE.search(text, max(0, start - 80), start)):
                found.add(Span(*number.span("secret"), "password"))
            elif kind is _OF_PASSWORD and (before := _before(text, start, kind)):
                found.add(before)
            if kind is _OF_PASSWORD and (phrase := _phrase(text, end)):
                found.add(phrase)
        done = 0
        for span in sorted(found):
            if span.start >= done:
                done = span.end
                yield span


def tells_of_password(name: str) -> bool:
    """Return True if a heading is a word for a password, in any language."""
    return any(KINDS[stem] is _OF_PASSWORD for _, stem in _WORDS.find(name.lower()))


def _lowered(text: str) -> str:
    """In lower case, with every character in its place."""
    low = text.lower()
    return low if len(low) == len(text) else "".join([one.lower() if len(one.lower()) == 1 else one for one in text])


def _cues(low: str) -> Iterator[tuple[int, int, Kind]]:
    for start, stem in _WORDS.find(low):
        end = start + len(stem)
        if stem in _BEGIN and low[start - 1 : start].isalnum() and start and not IS_ESCAPE(low, start - 2):
            continue
        if stem in _WHOLE and low[end : end + 1].isalnum():
            continue
        yield start, end, KINDS[stem]
    if "cod" in low or "kod" in low or not low.isascii():
        for found in _CODE_WORDS.finditer(low):
            around = near(low, found.start(), found.end())
            if find_owner(around):
                yield *found.span(), _OF_CODE


@lru_cache(maxsize=4096)
def find_owner(near: str) -> bool:
    """On the hot path: "code" is everywhere, and mostly in the same lines."""
    return any(owner in near for owner in OWNERS)


def near(low: str, start: int, end: int) -> str:
    """What is around a word in its own line."""
    before, after = low[max(0, start - 32) : start], low[end : end + 32]
    return _LINE_ENDS.split(before)[-1] + low[start:end] + _LINE_ENDS.split(after)[0]


def _spoken(text: str, start: int, end: int) -> int | None:
    """Where a word ends that somebody says, with its ending; None if it is part of a name in code."""
    if start and text[start - 1].isdigit():
        return None
    if start and text[start - 1] in "_.$/@" and text[start:end].isascii() and not _NAMES.match(text, end):
        return None
    ending = _ENDING.match(text, end) if not _IS_EAST(text, end - 1) else None
    end = ending.end() if ending else end
    following = text[end : end + 2]
    if (
        following[:1] in set("_(/[@$<>{")
        or (following[:1] == "=" and not _IS_VALUE(following[1:]))
        or (following[:1] in set(".-") and following[1:].isalnum())
        or following[:1].isdigit()
    ):
        return None
    return end


def _after(text: str, at: int, kind: Kind) -> Span | None:
    if not _MAY_COME(text, at, at + _REACH):
        return None
    best: tuple[Sure, Candidate] | None = None
    for found in _candidates(text, at):
        if (
            kind.judge(found)
            and not is_reference(found.word)
            and not (guess(found.word) is Sure.MAYBE and classify(found.word))
        ):
            sure = guess(found.word)
            if found.told:
                return Span(found.start, found.end, kind.kind)
            if best is None or sure > best[0]:
                best = sure, found
    return Span(best[1].start, best[1].end, kind.kind) if best else None


def _candidates(text: str, at: int) -> Iterator[Candidate]:
    """The words after a place, as far as somebody speaks."""
    between, numbers, later, crossed, until, before = 0, 0, False, False, at + _REACH, ""
    while between <= _MOST_WORDS and (token := _TOKEN.match(text, at)) and token.start("word") < until:
        gap, word = token["gap"], token["word"]
        ends = len(_LINE_ENDS.findall(gap))
        heads = between <= 2 and ends == 1 and not _IN_CODE.search(before) and not _GOES_ON(before + gap)
        if ends and (ends > 2 or not (before.rstrip("*").endswith((":", "：")) or ":" in gap or not before or heads)):
            return
        if before[-1:] in {";", "；"}:
            return
        if crossed:
            return
        crossed = ends > 0
        if before and not _IS_EAST(before) and _ENDS_SENTENCE.search(before):
            if later:
                return
            later = True
        start, end = _bare(text, token.start("word"), token.end("word"))
        plain = _ESCAPE.sub("", text[start:end])
        signed = _SIGNED.search(before + gap) is not None or before in {"|", "│"}
        told = signed or before.lower().strip("*_(") in cues.LINKS or (before != "" and _IS_EAST(before) is not None)
        groups = _groups(text, start) if told or ends else 0
        end = groups or end
        alone = _ALONE.match(text, end) is not None
        told = told or (alone and heads)
        if plain and "<" not in gap and not (ends and not alone):
            yield Candidate(start, end, plain, between, told, signed, later, alone, numbers, groups)
        if word[-1:] == "=" and len(word) > 1:
            return
        if _IN_CODE.search(plain) and not (
            word in {"|", "│", "=", "=>", "/"} or "://" in word or _ADDRESS(word) or not _IN_CODE.search(word[1:-1])
        ):
            return
        between += word[:1].isalnum()
        numbers += word[:1].isdigit()
        before, at = word, token.end()


def _groups(text: str, start: int) -> int:
    """Where groups of letters and digits of the same length end; 0 if words begin here."""
    found = _GROUPS.match(text, start)
    if found is None:
        return 0
    one, *others = groups = found[0].split(" ")
    same = 1 + next((at for at, other in enumerate(others) if len(other) != len(one)), len(others))
    last = groups[same : same + 1]
    if last and len(last[0]) < len(one) and len(groups) == same + 1 and any(map(str.isdigit, last[0])):
        same += 1
    groups = groups[:same]
    digits = sum(any(map(str.isdigit, group)) for group in groups)
    made = 2 * digits > len(groups) or (len(one) == 4 and digits and "".join(groups).isupper())
    return start + len(" ".join(groups)) if same > 2 and made else 0


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the signs that end a sentence or stand around a word."""
    while start < end and text[start] in "([*_~" and (text[start] in "([" or text[end - 1] == text[start]):
        start += 1
        end -= text[end - 1] in "*_~"
    while start < end and text[end - 1] in ".,;:)]>*…":
        end -= 1
    return start, end


def _before(text: str, at: int, kind: Kind) -> Span | None:
    """Told the other way round: "… ist das neue Passwort", "… を パスワードに"."""
    first = max(0, at - _REACH_BEFORE)
    if not _MAY_COME(text, first, at):
        return None
    tokens = [*_TOKEN.finditer(text, first, at)]
    linked = False
    for between, token in enumerate(reversed(tokens)):
        word = token["word"]
        start, end = _bare(text, token.start("word"), token.end("word"))
        if between > 4 or _SENTENCE_END.search(text, end, at):
            return None
        sure = guess(text[start:end])
        if sure is Sure.CERTAIN or (sure is Sure.LIKELY and linked):
            return None if start == first or is_reference(text[start:end]) else Span(start, end, kind.kind)
        if _IN_CODE.search(word):
            return None
        linked = linked or word.lower() in cues.LINKS
    return None


_PHRASE = re.compile(
    rf"(?:[^\r\n]{{0,90}}?(?<=[\w)'\"])[:：=][ ]*[{_QUOTES}]?"
    rf"|[^\r\n:]{{0,40}}?[\"“„«「『])[ ]?(?P<words>[^\W\d_]{{1,20}}(?:[ -][^\W\d_]{{1,20}}){{2,24}})"
    rf"[.!]?(?=[ \t]*(?:\Z|\r|{LINE_END}|[{_QUOTES}]|\\))"
)
_SENTENCE = re.compile(
    r"(?i)\b(?:an?|and|are|as|be|by|can|for|from|has|if|is|it|may|must|not|of|or|should|that|the|this|to|use[sd]?|was|when|will|with|you|your|please|enter)\b"
)


def _phrase(text: str, at: int) -> Span | None:
    found = _PHRASE.match(text, at)
    if found is None or _SENTENCE.search(found["words"]) or any(_WORDS.find(found["words"].lower())):
        return None
    return Span(*found.span("words"), "password")


_MADE_UP_BY_A_SERVICE = r"(?P<secret>[a-z]{4}(?P<gap>[ -])[a-z]{4}(?P=gap)[a-z]{4}(?P=gap)[a-z]{4})"
APP_PASSWORD = Rule(
    "password",
    APP_PASSWORDS,
    Pattern(
        rf"(?i:{'|'.join(map(re.escape, APP_PASSWORDS))})[\s\S]{{0,160}}?"
        rf"(?:(?:\r|{LINE_END})[ \t]{{0,8}}|[:{_QUOTES}][ ]?|[ ](?:is|ist|es"
        rf"|est)[ ])(?-i:{_MADE_UP_BY_A_SERVICE})(?![\w-]|[ ]\w)"
    ),
)
RULES: tuple[Finder, ...] = (Beside(), APP_PASSWORD)
