"""Bars and small charts, which other pages are made of."""

from rawr.pages.html import document
from rawr.pages.parts.bars import Bar, Small, bars, multiples
from tests.pages.hostile import HOSTILE
from tests.pages.reading import Page


def test_the_longest_takes_the_whole_width() -> None:
    page = Page(document(bars([Bar("rawr", 4, kind="rawr"), Bar("Codex", 1, "one"), Bar("none", 0)])))
    assert [one.attributes["width"] for one in page.named("rect")] == ["100%", "25%", "0%"]
    assert [data for name, data in page.texts if name == "th"] == ["rawr", "Codex", "none"]
    assert [data for name, data in page.texts if name == "td"] == ["4", "one", "0"]


def test_small_charts_share_one_scale() -> None:
    small = [Small("a", ((0, 10), (5, 5)), "a note"), Small(HOSTILE, ((20, 0),)), Small("empty", ((),))]
    page = Page(document(multiples(small, names=("without rawr", "with rawr"))))
    assert [one.attributes["points"] for one in page.named("polyline")] == [
        "0.0,46.0 100.0,24.0",
        "0.0,35.0 100.0,35.0",
        "0.0,2.0 100.0,46.0",
    ]
    labels = [one.attributes["aria-label"] for one in page.named("svg")]
    assert (labels[0], labels[2]) == ("without rawr: up to 10, with rawr: up to 5", "empty")
    assert set(page.shapes) == {
        ("div", ("class",)),
        ("figure", ("class",)),
        ("svg", ("width", "height", "viewbox", "preserveaspectratio", "role", "aria-label")),
        ("polyline", ("points", "class")),
        ("figcaption", ()),
        ("span", ("class",)),
    }


def test_nothing_to_compare() -> None:
    assert Page(document(bars([]))).shapes == [("table", ("class",)), ("tbody", ())]
    assert Page(document(multiples([]))).shapes == [("div", ("class",))]
