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
