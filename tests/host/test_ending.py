"""When a host exits by itself (D7)."""

import asyncio

import pytest

from rawr.host.ending import Ending

pytestmark = pytest.mark.mission("D7")


class Work:
    """What keeps a host, as the test says."""

    def __init__(self) -> None:
        self.clients = 0
        self.hosting = self
        self.runs: tuple[str, ...] = ()
        self.watching = ""
        self.watched_is_there = False


async def test_with_nothing_to_do_after_a_while() -> None:
    work = Work()
    assert await Ending(linger=0.01).wait(work) == "nothing is left to do"  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "value"), [("clients", 1), ("runs", ("r1",)), ("watching", "/codex.sock")])
async def test_work_keeps_it(name: str, value: object) -> None:
    work, ending = Work(), Ending(linger=0.01, no_codex=60)
    setattr(work, name, value)
    waiting = asyncio.ensure_future(ending.wait(work))  # type: ignore[arg-type]
    await asyncio.sleep(0.1)
    assert not waiting.done()
    setattr(work, name, type(value)())
    ending.look()
    async with asyncio.timeout(10):
        assert await waiting == "nothing is left to do"


async def test_a_watch_without_a_codex_ends_at_last() -> None:
    work = Work()
    work.watching = "/codex.sock"
    assert await Ending(linger=60, no_codex=0.01).wait(work) == "nothing is left to do"  # type: ignore[arg-type]


async def test_told_to_stop_it_stops_whatever_it_does() -> None:
    work, ending = Work(), Ending(stay=True)
    work.runs = ("r1",)
    waiting = asyncio.ensure_future(ending.wait(work))  # type: ignore[arg-type]
    ending.stop()
    async with asyncio.timeout(10):
        assert await waiting == "it was told to stop"
