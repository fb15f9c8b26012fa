"""Writes ``core/compaction/phrasebook.py`` from the phrase files in ``core/compaction/words``.

The core can read no files, and should not spend a turn's end on reading phrases. So they are turned into patterns here:
for each signal, the words by which its phrases are told, each with the pattern to try where that word is. ``README.md``
beside the phrase files says how a phrase is written; a test fails if the module is not what the files say.
"""

import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

ROOT = Path(__file__).resolve().parent.parent / "src" / "rawr" / "core" / "compaction"
FILES = ROOT / "words"
MODULE = ROOT / "phrasebook.py"
SETTINGS = ("spaced", "numbers", "common", "needs")
"""Keys of a file that are no signals."""
_SIGN = re.compile(r"\.\.\.|[()\[\]|#^$]|\*|\s+|[^\W\d_]+|\d+|.")
_START = r"(?:(?<=[\n.!?:;,•（(-])|(?<=[\n.!?:;,•✅✔-] )|\A)"
_END = r"(?=\s*(?:[.!?:;,)\n]|\Z))"
_GAP = r"(?:\s+[^\s.!?;:]+){0,6}?"
_UNSPACED_START = r"(?:(?<=[\n。！？；：，、,.:;•-])|(?<=[\n.!?:;,•-] )|\A)"
_UNSPACED_END = r"(?=\s*(?:[。！？；：，、,.!?:;)）\n]|\Z))"
_UNSPACED_GAP = r"[^。！？；，,\n]{0,12}?"
_DIGITS = r"\d+"


_ANY_WORD, _ANY_WORDS = 16, 72
"""Characters of a word that may be any, and of several; a longer one is not found, which is worth the time."""


class BadPhrase(Exception):
    """A phrase is not written as ``README.md`` says; the message says which and why."""


class Language(Struct, frozen=True):
    name: str
    spaced: bool
    numbers: str
    """A pattern."""
    number_words: tuple[str, ...]
    common: frozenset[str]
    needs: str
    """Characters of which a text in the language has one."""
    signals: Mapping[str, tuple[str, ...]]


# -- reading ----------------------------------------------------------------------------------------------------------


def languages(folder: Path = FILES) -> list[Language]:
    return [_language(path) for path in sorted(folder.glob("*.toml"))]


def _language(path: Path) -> Language:
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    signals = {}
    for name, phrases in read.items():
        if name in SETTINGS:
            continue
        if not isinstance(phrases, list) or not all(isinstance(one, str) for one in phrases):
            message = f"{path.name}: {name} is not a list of phrases."
            raise BadPhrase(message)
        signals[name] = tuple(phrases)
    return Language(
        name=path.stem,
        spaced=bool(read.get("spaced", True)),
        numbers="|".join([_DIGITS, *map(re.escape, read.get("numbers", []))]),
        number_words=tuple(_telling_number(one) for one in read.get("numbers", [])),
        common=frozenset(read.get("common", [])),
        needs=" ".join(read.get("needs", [])),
        signals=signals,
    )


def _telling_number(words: str) -> str:
    """The last of several: "a few"."""
    return words.split()[-1]


# -- one phrase -------------------------------------------------------------------------------------------------------


class Part(Struct, frozen=True):
    """A piece of a phrase: a word, a group, or a sign with a meaning."""

    kind: str
    text: str = ""
    ways: tuple[tuple["Part", ...], ...] = ()
    apart: bool = False
    """There is a space before it."""


def parts(phrase: str) -> tuple[Part, ...]:
    found, rest = _sequence(list(_SIGN.findall(phrase)), phrase)
    if rest:
        message = f"{phrase!r} has {rest[0]!r} without a group that it would end."
        raise BadPhrase(message)
    return found


def _sequence(signs: list[str], phrase: str) -> tuple[tuple[Part, ...], list[str]]:
    found: list[Part] = []
    apart = False
    while signs and signs[0] not in (")", "]", "|"):
        sign, signs = signs[0], signs[1:]
        if sign.isspace():
            apart = True
            continue
        if sign in ("(", "["):
            ways, signs = _group(")" if sign == "(" else "]", signs, phrase)
            found.append(Part("group" if sign == "(" else "maybe", ways=ways, apart=apart))
        elif sign == "*":
            found.append(Part("any", apart=apart))
        elif sign in ("...", "#", "^", "$"):
            found.append(Part(sign, apart=apart))
        else:
            found.append(Part("word", sign, apart=apart))
        apart = False
    return tuple(found), signs


def _group(end: str, signs: list[str], phrase: str) -> tuple[tuple[tuple[Part, ...], ...], list[str]]:
    ways = []
    while True:
        way, signs = _sequence(signs, phrase)
        ways.append(way)
        if not signs:
            message = f"{phrase!r} has a group without its {end!r}."
            raise BadPhrase(message)
        sign, signs = signs[0], signs[1:]
        if sign == end:
            return tuple(ways), signs
        if sign != "|":
            message = f"{phrase!r} has a group that ends with {sign!r}."
            raise BadPhrase(message)


def pattern(those: tuple[Part, ...], language: Language) -> str:
    found = _pattern(those, language)
    if not language.spaced:
        return found
    last = those[-1]
    ends = last.kind in ("group", "maybe", "#") or (last.kind == "word" and last.text[-1].isalnum())
    return f"(?<!\\w){found}(?!\\w)" if ends else f"(?<!\\w){found}"


def _pattern(those: tuple[Part, ...], language: Language) -> str:
    made = ""
    for place, one in enumerate(those):
        gap = r"\s+" if one.apart and place and language.spaced and those[place - 1].kind != "^" else ""
        if not language.spaced and one.apart:
            gap = r"\s*"
        match one.kind:
            case "word":
                made += gap + re.escape(one.text)
            case "any":
                made += f"{gap}\\w+" if one.apart else r"\w*"
            case "#":
                made += f"{gap}(?:{language.numbers})"
            case "^":
                made += _START if language.spaced else _UNSPACED_START
            case "$":
                made += _END if language.spaced else _UNSPACED_END
            case "...":
                made += _GAP if language.spaced else _UNSPACED_GAP
            case "group":
                made += f"{gap}(?:{'|'.join(_pattern(way, language) for way in one.ways)})"
            case _:
                made += f"(?:{gap}(?:{'|'.join(_pattern(way, language) for way in one.ways)}))?"
    return made


# -- what a phrase is told by -----------------------------------------------------------------------------------------


class Telling(Struct, frozen=True):
    """Words of which a text with the phrase has one; with a star, beginnings of words. Where words are not parted, they
    are characters that follow each other."""

    words: frozenset[str]

    def rarity(self, common: frozenset[str]) -> tuple[bool, bool, int]:
        """The higher, the better a phrase is told by these."""
        stems = any(word.endswith("*") for word in self.words)
        return self.words.isdisjoint(common), not stems, min(map(len, self.words))


def tellings(those: tuple[Part, ...], language: Language, common: frozenset[str]) -> list[Telling]:
    """The best first: each part of a phrase that is always there has one."""
    found = []
    for place, one in enumerate(those):
        if language.spaced and _is_joined(those, place):
            continue
        follows = those[place + 1] if place + 1 < len(those) else None
        if one.kind == "word" and re.search(r"[^\W_]", one.text):
            goes_on = language.spaced and follows is not None and follows.kind == "any" and not follows.apart
            text = one.text if language.spaced or len(one.text) < 3 else one.text[:2]
            found.append(Telling(frozenset({f"{text}*" if goes_on else text})))
        elif one.kind == "group":
            best = [next(iter(tellings(way, language, common)), None) for way in one.ways]
            told = [telling for telling in best if telling is not None]
            if len(told) == len(best):
                found.append(Telling(frozenset().union(*(telling.words for telling in told))))
    return sorted(found, key=lambda telling: telling.rarity(common), reverse=True)


def _is_joined(those: tuple[Part, ...], place: int) -> bool:
    """Return True if the part is a word together with the one before it or after it."""
    follows = those[place + 1] if place + 1 < len(those) else None
    return (follows is not None and _goes_on(follows)) or (place > 0 and _goes_on(those[place], those[place - 1]))


def _goes_on(one: Part, before: Part | None = None) -> bool:
    """Return True if it is a group, or follows one, without anything between that ends a word."""
    if one.apart:
        return False
    if before is None:
        return one.kind in ("group", "maybe") and any(way and way[0].text[:1].isalnum() for way in one.ways)
    return before.kind in ("group", "maybe", "any") and one.text[:1].isalnum()


def reach(those: tuple[Part, ...], told: Telling, language: Language) -> int:
    """How many characters of a phrase may be before the word by which it is told: 0 if it begins with it."""
    length = 0
    for one in those:
        if one.kind in ("word", "group") and told in tellings((one,), language, frozenset()):
            return length + max((_before(way, told, language) for way in one.ways), default=0)
        length += _longest(one)
    return length


def _before(way: tuple[Part, ...], told: Telling, language: Language) -> int:
    """The same in one way of a group."""
    length = 0
    for one in way:
        if any(not telling.words.isdisjoint(told.words) for telling in tellings((one,), language, frozenset())):
            break
        length += _longest(one)
    return length


def _longest(one: Part) -> int:
    space = 1 if one.apart else 0
    match one.kind:
        case "any" | "#":
            return _ANY_WORD
        case "...":
            return _ANY_WORDS
        case "group" | "maybe":
            return space + max(sum(map(_longest, way)) for way in one.ways)
        case "word":
            return space + 1 + len(one.text)
        case _:
            return 0


# -- the module -------------------------------------------------------------------------------------------------------

Found = tuple[str, str, int, tuple[str, ...]]
"""Of a phrase: its pattern, the words by which it is told, how far in these may be, and for other parts of it the words
of which it has one."""


def signals(read: list[Language]) -> dict[str, tuple[list[Found], list[Found]]]:
    """By signal: the phrases of languages with spaces between words, and of the others."""
    common = frozenset(word for language in read for word in language.common)
    found: dict[str, tuple[list[Found], list[Found]]] = {}
    for language in read:
        for name, phrases in language.signals.items():
            spaced, unspaced = found.setdefault(name, ([], []))
            for phrase in phrases:
                (spaced if language.spaced else unspaced).extend(_found(phrase, language, common))
    return found


def _found(phrase: str, language: Language, common: frozenset[str]) -> list[Found]:
    if phrase != phrase.lower():
        message = f"{language.name}: {phrase!r} has capital letters; texts are compared in lower case."
        raise BadPhrase(message)
    found = []
    for those in _told_apart(parts(phrase), language, common):
        told = tellings(those, language, common)
        if not told:
            message = f"{language.name}: {phrase!r} can be said without any word."
            raise BadPhrase(message)
        if those[0].kind == "maybe":
            message = f"{language.name}: {phrase!r} begins with what may be missing: leave that out."
            raise BadPhrase(message)
        rest = [one for one in told[1:] if not any(word.endswith("*") for word in one.words)]
        others = [*([language.needs] if language.needs else []), *(_listed(one) for one in rest[:3])]
        if any(one.kind == "#" for one in those):
            others.append(" ".join(["0", *language.number_words]))
        found.append((pattern(those, language), _listed(told[0]), reach(those, told[0], language), tuple(others)))
    return found


def _told_apart(those: tuple[Part, ...], language: Language, common: frozenset[str]) -> list[tuple[Part, ...]]:
    """The phrase as several, if it is told by words that nearly every text has: the ways to say it that are, each for
    itself, so that its other words are looked for as well."""
    told = tellings(those, language, common)
    if not language.spaced or not told or told[0].words.isdisjoint(common):
        return [those]
    for place, one in enumerate(those):
        follows = those[place + 1] if place + 1 < len(those) else None
        if one.kind != "group" or (follows is not None and not follows.apart and follows.kind in ("group", "maybe")):
            continue
        best = [next(iter(tellings(way, language, common)), None) for way in one.ways]
        if any(telling is None for telling in best) or set(told[0].words) != {w for t in best if t for w in t.words}:
            continue
        rare = tuple(
            way for way, telling in zip(one.ways, best, strict=True) if telling and telling.words.isdisjoint(common)
        )
        apart = [way for way in one.ways if way not in rare]
        made = [(*those[:place], replace(one, ways=rare), *those[place + 1 :])] if rare else []
        return made + [(*those[:place], *_placed(way, one), *those[place + 1 :]) for way in apart]
    return [those]


def _placed(way: tuple[Part, ...], group: Part) -> tuple[Part, ...]:
    return (replace(way[0], apart=group.apart), *way[1:])


def _listed(telling: Telling) -> str:
    return " ".join(sorted(telling.words))


def module(read: list[Language]) -> str:
    lines = [
        '"""What agents and users say, ready to be looked for. Written by ``scripts/phrases.py``: edit the files in',
        "``words``, not this one.",
        "",
        "By signal: phrases of languages with spaces between words, and of the others. Each has its pattern, the words",
        "of which a text with it has one (beginnings of words with a star; characters where words are not parted),",
        "how far in that may be, and the same words for other parts of it.",
        '"""',
        "",
        "# Not formatted and not linted.",
        "Phrases = tuple[tuple[str, str, int, tuple[str, ...]], ...]",
        "BOOK: dict[str, tuple[Phrases, Phrases]] = {",
    ]
    for name, (spaced, unspaced) in sorted(signals(read).items()):
        lines += [f"    {name!r}: ((", *(f"        {one!r}," for one in spaced), "    ), ("]
        lines += [*(f"        {one!r}," for one in unspaced), "    )),"]
    lines.append("}")
    return "\n".join(lines) + "\n"


def main() -> int:
    try:
        text = module(languages())
    except BadPhrase as problem:
        print(problem, file=sys.stderr)
        return 1
    if "--check" in sys.argv and MODULE.read_text(encoding="utf-8") != text:
        print(f"{MODULE.name} is not what the phrase files say: run `python scripts/phrases.py`.", file=sys.stderr)
        return 1
    MODULE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
