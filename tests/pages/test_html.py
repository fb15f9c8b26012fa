"""Markup as a type: every text becomes text (D12)."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rawr.pages
from rawr.pages.html import document, joined, tag, text
from tests.pages.hostile import HOSTILE, LONG
from tests.pages.reading import Page

PACKAGE = Path(rawr.pages.__file__).parent
ANY = st.text(st.characters(), max_size=200)


@given(ANY, ANY)
def test_any_text_is_text(said: str, about: str) -> None:
    """One element in, one element out, whatever is in its text and its attributes."""
    page = Page(document(tag("p", {"title": about}, text(said))))
    assert page.shapes == [("p", ("title",))]
    assert page.others == []


def test_what_it_says_can_be_read() -> None:
    page = Page(document(tag("p", {"title": HOSTILE}, text(HOSTILE))))
    assert "<script>window.owned=1</script>" in page.text(inside="p")
    (one,) = page.elements
    for shown in (page.text(inside="p"), one.attributes["title"] or ""):
        assert "\\x00\\x07\\x1b[2J<U+202E>gnp.exe<U+2066><U+D800><U+DFFF><U+200B><U+FEFF>" in shown
        assert not set(shown) & set("\x00\x07\x1b\u202e\u2066\u200b\ufeff\r")
        shown.encode("utf-8")


def test_it_is_bounded() -> None:
    page = document(tag("p", {"title": LONG}, text(LONG)))
    assert len(page) < 5_000
    assert "more characters]" in page


@pytest.mark.parametrize("name", ["a b", "a>", "", "1", "a=b", "a\n"])
def test_names_are_names(name: str) -> None:
    with pytest.raises(AssertionError):
        tag(name)
    with pytest.raises(AssertionError):
        tag("p", {name: "x"})


@pytest.mark.parametrize("name", ["onclick", "onload", "style", "src", "srcdoc"])
def test_nothing_is_run_styled_or_loaded_by_an_attribute(name: str) -> None:
    with pytest.raises(AssertionError):
        tag("p", {name: "x"})


def test_attributes_that_do_not_apply() -> None:
    assert tag("details", {"open": True, "class": None, "hidden": False}) == "<details open></details>"
    assert joined((tag("br"), tag("p", None, text(1.5)))) == "<br><p>1.5</p>"


def test_no_other_module_makes_markup() -> None:
    """mypy refuses a ``str``; nobody else may say that one is ``Html``."""
    for path in PACKAGE.rglob("*.py"):
        if path.name != "html.py":
            assert not re.search(r"\bHtml\(|cast\(", path.read_text()), path
