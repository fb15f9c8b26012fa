"""The page in a real browser: it runs nothing but its own script, asks for nothing, and fits a phone (D4, D12)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from rawr.pages.report import report_page
from tests.pages.browser import PROGRAM, Tab, tab
from tests.pages.hostile import hostile, long
from tests.pages.nights import night, with_rawr

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(PROGRAM is None, reason="no chromium here; `make browser` installs it"),
]
LIGHT, DARK = "rgb(251, 250, 247)", "rgb(21, 24, 28)"
PHONE, DESK = 375, 1100


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Tab]:
    with tab(tmp_path) as opened:
        yield opened


def written(folder: Path, text: str) -> Path:
    place = folder / "page.html"
    place.write_text(text, encoding="utf-8")
    return place


def kept(browser: Tab, name: str) -> None:
    """Pictures for people, where somebody wants them."""
    if folder := os.environ.get("RAWR_SHOTS"):
        browser.picture(Path(folder) / f"{name}.png")


@pytest.mark.parametrize(("scheme", "paper"), [("light", LIGHT), ("dark", DARK)])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_a_night(browser: Tab, tmp_path: Path, width: int, scheme: Literal["light", "dark"], paper: str) -> None:
    place = written(tmp_path, report_page(night()))
    browser.open(place, width=width, scheme=scheme)
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == paper
    assert browser.ask("document.documentElement.scrollWidth") == width
    kept(browser, f"{'phone' if width == PHONE else 'desktop'}-{scheme}")
    browser.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.ask("document.documentElement.scrollWidth") == width
    kept(browser, f"{'phone' if width == PHONE else 'desktop'}-{scheme}-open")
    assert browser.logged == []
    assert browser.requested == [place.as_uri()]


@pytest.mark.parametrize("width", [900, PHONE])
def test_our_own_words_stay_whole(browser: Tab, tmp_path: Path, width: int) -> None:
    """A column of words is as wide as its longest one."""
    browser.open(written(tmp_path, report_page(night())), width=width, scheme="light")
    browser.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    kept(browser, f"words-{width}")
    cut = (
        "[...document.querySelectorAll('td.words')].filter((one) => {"
        " const words = document.createRange(); words.selectNodeContents(one.querySelector('.badge') ?? one);"
        " const lines = new Set([...words.getClientRects()].map((place) => Math.round(place.bottom / 8)));"
        " return lines.size > one.textContent.trim().split(/\\s+/).length; }).map((one) => one.textContent)"
    )
    assert browser.ask("document.querySelectorAll('td.words').length") > 50
    assert browser.ask(cut) == []


def test_the_numbers_at_the_pointer(browser: Tab, tmp_path: Path) -> None:
    """Its own script is allowed by the policy, and works, with the pointer and with keys."""
    browser.open(written(tmp_path, report_page(night())), width=DESK, scheme="light")
    x, y = browser.ask(
        "(() => { const place = document.querySelector('svg.context').getBoundingClientRect();"
        " return [place.left + place.width / 2, place.top + 100]; })()"
    )
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    read = "document.querySelector('.readout').textContent"
    first = browser.ask(read)
    assert first.endswith("turn 21"), first
    browser.ask("document.querySelector('svg.context').focus()")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight")
    assert browser.ask(read) != first
    assert browser.logged == []


@pytest.mark.parametrize("say", [hostile, long], ids=["hostile", "long"])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_text_is_only_text(browser: Tab, tmp_path: Path, say: object, width: int) -> None:
    """D12: no script in it runs, no address in it is asked for, and no word of it breaks the page."""
    assert callable(say)
    told = night(say)
    place = written(tmp_path, report_page(told, instead=with_rawr(told)))
    browser.open(place, width=width, scheme="light")
    browser.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.ask("typeof window.owned") == "undefined"
    assert browser.ask("document.querySelectorAll('img, iframe, base, a, form').length") == 0
    assert browser.ask("document.scripts.length") == 1
    assert browser.ask("document.documentElement.scrollWidth") == width
    assert browser.logged == []
    assert browser.requested == [place.as_uri()]


def test_a_script_that_got_in_would_not_run(browser: Tab, tmp_path: Path) -> None:
    """The policy holds even where the markup would not: this one is put there by force."""
    page = report_page(night()).replace("</main>", "<script>window.owned=1</script><p onclick='1'></p></main>")
    browser.open(written(tmp_path, page), width=DESK, scheme="light")
    assert browser.ask("typeof window.owned") == "undefined"
    assert any("Content Security Policy" in one for one in browser.logged), browser.logged
