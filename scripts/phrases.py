"""Writes ``core/compaction/phrasebook.py`` from the phrase files in ``core/compaction/words``.

The core can read no files, and should not spend a turn's end on reading phrases. So they are turned into patterns here:
for each signal, the words by which its phrases are told, each with the pattern to try where that word is. ``README.md``
beside the phrase files says how a phrase is written; a test fails if the module is not what the files say.
"""

import itertools
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).resolve().parent.parent / "src" / "rawr" / "core" / "compaction"
FILES = ROOT / "words"
MODULE = ROOT / "phrasebook.py"
SETTINGS = ("spaced", "numbers", "common")
"""Keys of a file that are no signals."""
_TOKEN = re.compile(r"\.\.\.|[()\[\]|#^$]|\*|\s+|[^\W\d_]+|\d+|.")
_START = r"(?:(?<=[\n.!?:;,•（(-])|(?<=[\n.!?:;,•✅✔-] )|\A)"
_END = r"(?=\s*(?:[.!?:;,)\n]|\Z))"
_GAP = r"(?:\s+[^\s.!?;:]+){0,6}?"
_UNSPACED_START = r"(?:(?<=[\n。！？；：，、,.:;•-])|(?<=[\n.!?:;,•-] )|\A)"
_UNSPACED_END = r"(?=\s*(?:[。！？；：，、,.!?:;)）\n]|\Z))"
_UNSPACED_GAP = r"[^。！？；\n]{0,12}?"
_DIGITS = r"\d+"
_MOST = 20_000
"""Ways to read one phrase; a phrase with more should be two."""


class BadPhrase(Exception):
    """A phrase is not written as ``README.md`` says; the message says which and why."""


class Language(Struct, frozen=True):
    name: str
    spaced: bool
    numbers: str
    common: frozenset[str]
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
        common=frozenset(read.get("common", [])),
        signals=signals,
    )


# -- one phrase -------------------------------------------------------------------------------------------------------


class Part(Struct, frozen=True):
    """A piece of a phrase: a word, a group, or a sign with a meaning."""

    kind: str
    text: str = ""
    ways: tuple[tuple["Part", ...], ...] = ()
    apart: bool = False
    """There is a space before it."""


def parts(phrase: str) -> tuple[Part, ...]:
    tokens = [one for one in _TOKEN.findall(phrase)]
    found, rest = _sequence(tokens, phrase)
    if rest:
        message = f"{phrase!r} has {rest[0]!r} without a group that it would end."
        raise BadPhrase(message)
    return found


def _sequence(tokens: list[str], phrase: str) -> tuple[tuple[Part, ...], list[str]]:
    found: list[Part] = []
    apart = False
    while tokens and tokens[0] not in (")", "]", "|"):
        token, tokens = tokens[0], tokens[1:]
        if token.isspace():
            apart = True
            continue
        if token in ("(", "["):
            ways, tokens = _group(")" if token == "(" else "]", tokens, phrase)
            found.append(Part("group" if token == "(" else "maybe", ways=ways, apart=apart))
        elif token == "*":
            found.append(Part("any", apart=apart))
        elif token in ("...", "#", "^", "$"):
            found.append(Part(token, apart=apart))
        else:
            found.append(Part("word", token, apart=apart))
        apart = False
    return tuple(found), tokens


def _group(end: str, tokens: list[str], phrase: str) -> tuple[tuple[tuple[Part, ...], ...], list[str]]:
    ways = []
    while True:
        way, tokens = _sequence(tokens, phrase)
        ways.append(way)
        if not tokens:
            message = f"{phrase!r} has a group without its {end!r}."
            raise BadPhrase(message)
        token, tokens = tokens[0], tokens[1:]
        if token == end:
            return tuple(ways), tokens
        if token != "|":
            message = f"{phrase!r} has a group that ends with {token!r}."
            raise BadPhrase(message)


def pattern(phrase: str, language: Language) -> str:
    found = _pattern(parts(phrase), language)
    if not language.spaced:
        return found
    return f"(?<!\\w){found}(?!\\w)" if phrase[-1].isalnum() or phrase[-1] in ")]#" else f"(?<!\\w){found}"


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
                made += f"{gap}({language.numbers})"
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


def readings(those: tuple[Part, ...]) -> Iterator[str]:
    """All ways in which the phrase can be said, with a star where anything may follow, and a space for a gap."""
    choices: list[list[str]] = []
    for one in those:
        space = " " if one.apart else ""
        match one.kind:
            case "word":
                choices.append([space + one.text])
            case "any":
                choices.append([f"{space}*"])
            case "group":
                choices.append([space + said for way in one.ways for said in readings(way)])
            case "maybe":
                # What may be missing tells nothing.
                choices.append([" "])
            case _:
                choices.append([" "])
    size = 1
    for choice in choices:
        size *= len(choice)
    if size > _MOST:
        message = f"{size} ways to say one phrase: write it as several."
        raise BadPhrase(message)
    return ("".join(said) for said in itertools.product(*choices))


def told_by(phrase: str, common: frozenset[str]) -> set[str]:
    """Words of which a text with the phrase has one; with a star, beginnings of words."""
    found = set()
    for said in readings(parts(phrase)):
        words = [word for word in re.findall(r"\*?[^\W_]+\*?", said) if not word.startswith("*")]
        if not words:
            message = f"{phrase!r} can be said without any word."
            raise BadPhrase(message)
        found.add(max(words, key=lambda word: _rarity(word, common)))
    return found


def _rarity(word: str, common: frozenset[str]) -> tuple[bool, bool, int]:
    return word not in common, not word.endswith("*"), len(word)


# -- the module -------------------------------------------------------------------------------------------------------


class Signal(Struct):
    """How the phrases of a signal are found, in all languages together: words, and beginnings of words, each with the
    places of the patterns to try where one is."""

    words: dict[str, list[int]] = {}
    stems: dict[str, list[int]] = {}
    unspaced: list[str] = []


def signals(read: list[Language]) -> tuple[dict[str, Signal], list[str]]:
    """The signals, and the patterns that they name by place."""
    common = frozenset(word for language in read for word in language.common)
    found: dict[str, Signal] = {}
    patterns: dict[str, int] = {}
    for language in read:
        for name, phrases in language.signals.items():
            signal = found.setdefault(name, Signal())
            for phrase in phrases:
                if phrase != phrase.lower():
                    message = f"{language.name}: {phrase!r} has capital letters; texts are compared in lower case."
                    raise BadPhrase(message)
                made = pattern(phrase, language)
                if not language.spaced:
                    signal.unspaced.append(made)
                    continue
                place = patterns.setdefault(made, len(patterns))
                for word in told_by(phrase, common):
                    kept = signal.stems if word.endswith("*") else signal.words
                    places = kept.setdefault(word.removesuffix("*"), [])
                    if place not in places:
                        places.append(place)
    return found, list(patterns)


def module(read: list[Language]) -> str:
    found, patterns = signals(read)
    lines = [
        '"""What agents and users say, ready to be looked for. Written by ``scripts/phrases.py``: edit the files in',
        "``words``, not this one.",
        "",
        "``BOOK`` has, by signal, the words by which its phrases are told, with the places in ``PATTERNS`` of those to try",
        "where one is; the same for beginnings of words; and one pattern for the languages that do not part their words.",
        '"""',
        "",
        "# fmt: off",
        "# ruff: noqa: E501, RUF001",
        "Places = dict[str, tuple[int, ...]]",
        "PATTERNS: tuple[str, ...] = (",
        *(f"    {one!r}," for one in patterns),
        ")",
        "BOOK: dict[str, tuple[Places, Places, str]] = {",
    ]
    for name, signal in sorted(found.items()):
        lines.append(f"    {name!r}: ({{")
        lines += [f"        {word!r}: {tuple(ones)!r}," for word, ones in sorted(signal.words.items())]
        lines.append("    }, {")
        lines += [f"        {word!r}: {tuple(ones)!r}," for word, ones in sorted(signal.stems.items())]
        lines.append(f"    }}, {'|'.join(dict.fromkeys(signal.unspaced))!r}),")
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
