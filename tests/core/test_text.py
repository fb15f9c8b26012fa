"""Bounding text: a cut is said, and nothing short is touched."""

import pytest

from rawr.core.text import head, tail


@pytest.mark.parametrize("text", ["", "a", "abcde", "äöü€𝄞"])
def test_what_fits_stays(text: str) -> None:
    assert head(text, 5) == tail(text, 5) == text


def test_a_cut_is_said() -> None:
    assert head("abcdefgh", 5) == "abcde […3 more characters]"
    assert tail("abcdefgh", 5) == "[3 earlier characters…] defgh"
    assert head("abc", 0) == " […3 more characters]"


MARK = "[redacted:api-key:0123456789abcdef]"


@pytest.mark.parametrize("before", range(8))
@pytest.mark.parametrize("cut", range(len(MARK) + 2))
def test_a_placeholder_is_kept_whole_or_left_out(before: int, cut: int) -> None:
    """D12: half of one would be sent as if somebody had written it."""
    text = "x" * before + MARK + "y" * 40
    shorter = head(text, before + cut).partition(" […")[0]
    assert shorter == text[: before + cut] if cut in (0, *range(len(MARK), len(MARK) + 2)) else shorter == "x" * before
    later = tail(text, len(text) - before - cut).partition("…] ")[2] or text
    assert later in (text[before + cut :], "y" * 40)
    assert MARK in later or "redacted" not in later + shorter.replace(MARK, "")


def test_brackets_that_are_no_placeholders_are_cut_as_ever() -> None:
    assert head("a [link](x) and more", 5) == "a [li […15 more characters]"
    assert tail("see [redacted", 3) == "[10 earlier characters…] ted"
