"""Phrases are found where they are words of their own, in any language, and as the files say."""

import re

import pytest
from scripts.phrases import FILES, MODULE, BadPhrase, Language, _found, languages, module, parts, pattern

from rawr.core.compaction.finding import Finder, Hit, statement
from rawr.core.compaction.phrasebook import BOOK

ENGLISH = Language(
    "english",
    spaced=True,
    numbers=r"\d+|two",
    number_words=("two",),
    common=frozenset({"the", "is"}),
    needs="",
    signals={},
)
CHINESE = Language(
    "chinese", spaced=False, numbers=r"\d+|两", number_words=("两",), common=frozenset(), needs="", signals={}
)


def test_the_module_is_what_the_files_say() -> None:
    """Run `python scripts/phrases.py`."""
    assert MODULE.read_text(encoding="utf-8") == module(languages())


def test_every_list_is_explained() -> None:
    explained = (FILES / "README.md").read_text(encoding="utf-8")
    assert [name for name in BOOK if f"`{name}`" not in explained] == []


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("still (fails|crashes)", "it still  fails here", "still  fails"),
        ("still (fails|crashes)", "it still failsafe", ""),
        ("not [been] tested", "has not tested", "not tested"),
        ("not [been] tested", "has not been tested", "not been tested"),
        ("fail*", "it failed", "failed"),
        ("without *", "without any", "without any"),
        ("we ... wait", "we will have to wait", "we will have to wait"),
        ("we ... wait", "we are done. they wait", ""),
        ("# of the", "two of the", "two of the"),
        ("yet$", "not done yet.", "yet"),
        ("yet$", "not yet done", ""),
        ("^next", "done. next, the rest", "next"),
        ("^next", "the next one", ""),
    ],
)
def test_how_a_phrase_is_written(phrase: str, text: str, found: str) -> None:
    match = re.search(pattern(parts(phrase), ENGLISH), text)
    assert (match.group() if match else "") == found


def test_where_words_are_not_parted_characters_do() -> None:
    match = re.search(pattern(parts("还(剩|差)#个"), CHINESE), "现在还剩两个")
    assert match is not None
    assert match.group() == "还剩两个"


@pytest.mark.parametrize(
    "phrase",
    ["(a|b", "a|b)", "Left", "[not] done", "...", "#"],
    ids=["open", "closed", "capital", "maybe", "gap", "number"],
)
def test_what_is_not_a_phrase_is_refused(phrase: str) -> None:
    with pytest.raises(BadPhrase):
        _found(phrase, ENGLISH, ENGLISH.common)


def test_every_phrase_is_found_by_the_words_that_tell_it() -> None:
    """A text that a phrase matches has a word by which it is looked for: nothing is passed over."""
    for signal, (spaced, _) in BOOK.items():
        finder = Finder(signal)
        for made, told, _, _ in spaced:
            for word in told.split()[:3]:
                text = f"so, {word.rstrip('*')} it is"
                match = re.search(made, text)
                if match is not None:
                    assert Hit(signal, match.start(), match.end()) in list(finder.hits(text)), (signal, made)


def test_a_statement_ends_where_a_contrast_begins() -> None:
    text = "the parser is fixed, but the printer fails. done."
    where = statement(text, Hit("trouble", text.index("fails"), text.index("fails") + 5))
    assert text[where.start : where.stop] == "the printer fails."
