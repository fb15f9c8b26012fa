"""A watch belongs to the host, and ends when the last person who looks on says so."""

import asyncio
from pathlib import Path

from rawr.host.messages import Watch
from tests.host.serving import Serving, serving

DEADLINE = 10.0
WATCH = Watch(socket="/codex.sock")


async def left(it: Serving, *, clients: int) -> None:
    async with asyncio.timeout(DEADLINE):
        while it.server.clients > clients:  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0.01)


async def test_it_goes_on_when_a_terminal_closes_and_the_next_one_ends_it(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as it:
        first = await it.client()
        await first.watch(WATCH)
        await first.close()
        await left(it, clients=0)
        assert it.server.hosting.watching == WATCH.socket
        async with await it.client() as next_one:
            await next_one.watch(WATCH)
            await next_one.unwatch()
            assert it.server.hosting.watching == ""


async def test_it_goes_on_for_whoever_still_looks_on(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as it, await it.client() as ada, await it.client() as bob:
        await ada.watch(WATCH)
        await bob.watch(WATCH)
        await ada.unwatch()
        assert it.server.hosting.watching == WATCH.socket
        await bob.unwatch()
        assert it.server.hosting.watching == ""
