"""Phrases are found where they are words of their own, in any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.compaction.wordings import NOTHING_REMAINS, OPENS, REMAINS, UNABLE, WAITS, Wording

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
