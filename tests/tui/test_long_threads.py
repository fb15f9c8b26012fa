"""A thread of many items: opened at its end, scrolled through page by page, and never held whole (C18)."""

from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from rawr.tui.history import Pages
from rawr.tui.rendering.entries import Agent
from rawr.tui.widgets.conversation import MOST, Conversation
from rawr.views.events import AgentSaid
from tests.tui.screens import Seat, seat
from tests.tui.told_rawr import ToldRawr

pytestmark = pytest.mark.mission("C18")
ITEMS = 1_500


def long(rawr: ToldRawr) -> None:
    rawr.take("t", facts.UserSubmitted(text="Count."))
    rawr.begins("t", "T1")
    for number in range(ITEMS):
        rawr.says("t", "T1", f"number {number} of many")


def shown(it: Seat) -> list[int]:
    """The numbers that are held, in order."""
    entries = it.app.query_one(Conversation).entries
    return [int(one.text.split()[1]) for one in entries if isinstance(one, Agent)]


async def test_it_opens_at_its_end_with_one_page(tmp_path: Path) -> None:
    async with seat(tmp_path, long, thread="t") as it:
        assert f"number {ITEMS - 1} of many" in it.text
        assert shown(it) == list(range(ITEMS - len(shown(it)), ITEMS))
        assert len(shown(it)) < 450


async def test_scrolling_up_brings_every_item_once_and_what_one_reads_stays_put(tmp_path: Path) -> None:
    async with seat(tmp_path, long, thread="t", size=(80, 60)) as it:
        seen: set[int] = set()
        for _ in range(ITEMS):
            await it.pilot.press("pageup")
            held = shown(it)
            assert held == list(range(held[0], held[-1] + 1)), "nothing is missing, and nothing is there twice"
            assert len(it.app.query_one(Conversation).entries) <= MOST + 450
            seen.update(held)
            if held[0] == 0 and it.app.query_one(Conversation).scroll_offset.y == 0:
                break
            if pages := [one for one in it.app.workers if one.group == "page"]:
                await it.app.workers.wait_for_complete(pages)
        assert seen == set(range(ITEMS))
        assert "Count." in await it.settled()


async def test_home_and_end_jump(tmp_path: Path) -> None:
    async with seat(tmp_path, long, thread="t") as it:
        assert "number 0 of many" in await it.press("home")
        assert shown(it)[-1] < ITEMS - 1
        it.rawr.says("t", "T1", "number 9999 of many")
        text = await it.settled()
        assert "9999" not in text
        assert "new entry" in text
        assert "number 9999 of many" in await it.press("end")


async def test_pages_meet_without_gap_or_overlap(tmp_path: Path) -> None:
    with ToldRawr(tmp_path) as rawr:
        long(rawr)
        rawr.flush()
        pages = Pages(rawr.journal, "t")
        page = await pages.newest()
        told = list(page.told)
        while not page.first:
            page = await pages.before(page.after)
            told = [*page.told, *told]
        again = await pages.oldest()
        onward = list(again.told)
        while not again.last:
            again = await pages.after(again.until)
            onward += again.told
        assert told == onward
        said = [one.event.text for one in told if isinstance(one.event, AgentSaid)]
        assert said == [f"number {number} of many" for number in range(ITEMS)]
