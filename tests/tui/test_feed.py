"""However much streams in, the app hears of it a few times a second, and what is kept for it is bounded (C18)."""

import asyncio
from pathlib import Path

import pytest
from textual.message import Message

from rawr.ports.surface import Delta
from rawr.tui.feed import EVERY, MOST_EVENTS, MOST_ITEMS, MOST_TEXT, Feed
from rawr.tui.messages import Happened, Streamed
from tests.tui import stories
from tests.tui.told_rawr import ToldRawr

pytestmark = pytest.mark.mission("C18")


async def test_a_flood_is_told_in_few_batches_and_its_end_is_kept(tmp_path: Path) -> None:
    told: list[Message] = []
    with ToldRawr(tmp_path) as rawr:
        feed = Feed(rawr, told.append)
        feed.open()
        for number in range(200_000):
            for reader in rawr.readers:
                reader(Delta("t", "T", "m", "message", f"{number} "))
        assert told == []
        await asyncio.sleep(EVERY * 3)
        [batch] = told
        assert isinstance(batch, Streamed)
        assert batch.pieces[0].text.endswith("199999 ")
        assert len(batch.pieces[0].text) <= MOST_TEXT


async def test_items_and_events_that_wait_are_bounded(tmp_path: Path) -> None:
    told: list[Message] = []
    with ToldRawr(tmp_path) as rawr:
        feed = Feed(rawr, told.append)
        feed.open()
        for number in range(1_000):
            for reader in rawr.readers:
                reader(Delta("t", "T", f"m{number}", "message", "x"))
        stories.working(rawr)
        for _ in range(MOST_EVENTS + 5):
            rawr.says("thread-one", "T1", "again")
        await asyncio.sleep(EVERY * 3)
        happened, streamed = told
        assert isinstance(streamed, Streamed)
        assert isinstance(happened, Happened)
        assert len(streamed.pieces) == MOST_ITEMS
        assert len(happened.told) == MOST_EVENTS
        assert happened.missed


async def test_a_closed_feed_hears_nothing_more(tmp_path: Path) -> None:
    told: list[Message] = []
    with ToldRawr(tmp_path) as rawr:
        feed = Feed(rawr, told.append)
        feed.open()
        feed.close()
        stories.working(rawr)
        rawr.writes("thread-one", "m", "x", kind="message")
        await asyncio.sleep(EVERY * 2)
        assert told == []
