"""Phrases are found where they are words of their own, in any language."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.core.compaction.finding import Wording, Wordings, unmarked
from rawr.core.compaction.wordings import NOTHING_REMAINS, OPENS, REMAINS, UNABLE, WAITS

FRUIT = Wording((r"apples?", r"a (?:pear|plum)", r"to eat"), ("苹果",))
WORDS = (
    "next",
    "up",
    "phase",
    "is",
    "to",
    "do",
    "done",
    "remaining",
    "work",
    "not",
    "yet",
    "i",
    "'ll",
    "à",
    "faire",
    "まだ",
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("an apple a day", "apple"),
        ("pineapples", ""),
        ("apple_pie", ""),
        ("a  plum", "a  plum"),
        ("data pear", ""),
        ("nice to eat", "to eat"),
        ("tomato eat", ""),
        ("两个苹果", "苹果"),
        ("", ""),
    ],
)
def test_a_phrase_is_found_only_as_words(text: str, found: str) -> None:
    assert FRUIT.search(text) == found


@given(st.lists(st.sampled_from((*WORDS, "\n", ", ", "x")), max_size=20).map(" ".join))
def test_the_first_match_is_what_a_search_finds(text: str) -> None:
    for wording in (WAITS, UNABLE, REMAINS, NOTHING_REMAINS, OPENS):
        assert wording.search(text) == next((one.group() for one in wording.matches(text)), "")


PLACES = {"UNABLE": UNABLE, "WAITS": WAITS, "REMAINS": REMAINS}
PHRASES = [(place, phrase) for place, one in enumerate(PLACES.values()) for phrase in one.spaced]


@pytest.mark.parametrize(("place", "phrase"), PHRASES, ids=[phrase for _, phrase in PHRASES])
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_every_phrase_is_told_by_the_words_that_are_marked(place: int, phrase: str, data: st.DataObject) -> None:
    one = Wording((phrase,))
    without_gaps = re.sub(r"\\b\.\{\d+,\d+\}(?:\\b)?", " ", unmarked(phrase))
    said = data.draw(st.from_regex(without_gaps, fullmatch=True))
    text = f"so, {said} ...".lower()
    if one.search(text):
        parts = [range(0)] * place + [range(len(text))]
        assert Wordings(*[Wording()] * place, one).first(text, parts) == place


def test_a_phrase_that_no_word_tells_is_refused() -> None:
    with pytest.raises(ValueError, match="no word tells the phrase"):
        Wordings(Wording((r"apples?",)))
