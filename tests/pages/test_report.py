"""The report as a page: what is on it, and that no text on it is anything but text (D4, D12)."""

import re
from collections.abc import Callable

import pytest

from rawr.pages.report import report_page
from rawr.views.timeline import Timeline
from tests.pages.hostile import HOSTILE, hostile, long
from tests.pages.nights import night, own, with_rawr
from tests.pages.reading import Page

SECTIONS = [
    "goal",
    "context-over-time",
    "plan",
    "commits-and-files",
    "checks",
    "packet-against-facts",
    "approvals-and-questions",
    "decisions",
    "cost-and-time",
]


def test_its_sections() -> None:
    page = Page(report_page(night()))
    assert [one.attributes["id"] for one in page.named("section")] == SECTIONS
    assert len(page.named("h1")) == 1
    assert [data for name, data in page.texts if name == "h1"] == ["Thread 0199-3f2a"]


def test_the_chart_has_everything_on_it() -> None:
    """A4: bands of the tiers; A23: each compaction; B2: each boundary; a table for whoever cannot see it."""
    told = night()
    page = Page(report_page(told))
    kinds = [one.attributes.get("class") or "" for one in page.elements]
    assert [kind for kind in kinds if kind.startswith("band ")] == [
        "band early",
        "band ready",
        "band asap",
        "band emergency",
    ]
    lines = [one for one in page.named("line") if str(one.attributes.get("class")).startswith("compaction")]
    assert len(lines) == len(told.compactions)
    turns = [one for one in page.named("rect") if str(one.attributes.get("class")).startswith("turn ")]
    marks = [one for one in page.named("use") if str(one.attributes.get("class")).startswith("boundary ")]
    legend = 4  # a sample of each kind of turn
    assert len(turns) == len(told.turns) + legend
    assert len(marks) == len(told.boundaries) + 2
    said = page.text(inside="title")
    assert "Compacted by Codex itself" in said
    assert "in the middle of turn 24" in said
    assert "4:00:00 in which nothing happened, shortened" in said
    for name in ("Compactions: 6", "Turns: 46", "Boundaries: 16", f"Context: {len(told.points)}"):
        assert name in page.text(inside="summary")


def test_a_second_course_of_the_same_night() -> None:
    told = night()
    instead = with_rawr(told)
    page = Page(report_page(told, instead=instead))
    assert sum(one.attributes.get("class") == "line instead" for one in page.named("polyline")) == 1
    would = [one for one in page.named("line") if one.attributes.get("class") == "compaction would"]
    assert len(would) == len(instead.compactions) > 2
    assert "Would have compacted here, 66 % left: A boundary was reached." in page.text(inside="title")
    assert "compaction with rawr" in page.text(inside="li")
    assert f"Compactions with rawr: {len(instead.compactions)}" in page.text(inside="summary")


@pytest.mark.parametrize("say", [hostile, long], ids=["hostile", "long"])
def test_no_text_becomes_anything_else(say: Callable[[str], str]) -> None:
    """D12: the same elements with the same attributes, whatever everybody wrote."""
    plain, page = Page(report_page(night(own))), Page(report_page(night(say)))
    assert page.shapes == plain.shapes
    assert page.others == plain.others == []
    for one in page.elements:
        if "href" in one.attributes:
            assert re.fullmatch(r"#m-[a-z-]+|data:,", one.attributes["href"] or ""), one
    assert [one.attributes for one in page.named("meta")] == [one.attributes for one in plain.named("meta")]


def test_hostile_text_is_shown() -> None:
    text = report_page(night(hostile))
    page = Page(text)
    assert page.text().count("<script>window.owned=1</script>") > 100
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", text)
    assert HOSTILE not in text


def test_only_its_own_script_may_run() -> None:
    """The policy names digests, and they are those of what is in the page."""
    import base64
    import hashlib

    page = Page(report_page(night(hostile)))
    policy = next(one.attributes["content"] or "" for one in page.named("meta") if "http-equiv" in one.attributes)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name in ("style", "script"):
        (content,) = [data for inside, data in page.texts if inside == name]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert "http" not in page.text(inside="style")
    assert re.findall(r"https?://[^\s\"']+", page.text(inside="script")) == ["http://www.w3.org/2000/svg"]


def test_it_stays_small() -> None:
    """Words of a megabyte, in every field."""
    assert len(report_page(night(long))) < 3_000_000


def test_an_empty_thread() -> None:
    page = Page(report_page(Timeline(thread="t")))
    assert [one.attributes["id"] for one in page.named("section")] == ["context-over-time", "cost-and-time"]
    assert "Codex has not reported how full the context is." in page.text(inside="p")


def test_where_a_boundary_was_seen_in_words() -> None:
    page = Page(report_page(night()))
    said = page.text(inside="td")
    assert ("the plan" in said, "the repository" in said, "plan_tool" in said) == (True, True, False)


def test_the_header_ends_in_no_separator() -> None:
    page = Page(report_page(Timeline(thread="t", folder="/w")))
    header = [data.strip() for name, data in page.texts if name == "p"]
    assert not any(one.endswith("·") for one in header)


def test_every_label_has_a_ground() -> None:
    """Lines and bands are behind it."""
    page = Page(report_page(night(), instead=with_rawr(night())))
    labels = [one for one in page.named("text") if one.attributes.get("class") in ("amount", "tier")]
    grounds = [one for one in page.named("rect") if one.attributes.get("class") == "ground"]
    assert len(labels) == len(grounds) > 8


def test_numbers_that_are_left_out_are_named() -> None:
    assert "8 more decisions are left out, to keep this page small." in Page(report_page(night())).text(inside="p")
