"""A thread is joined in its first turn, however soon that comes after the thread itself (D1)."""

import asyncio
from pathlib import Path

from tests.e2e.beside import MORNING, person, rawr_watch, served

THREADS = 15


async def test_every_thread_is_joined_in_its_first_turn(tmp_path: Path) -> None:
    """The first attempt is refused, because Codex has no history yet; what happens meanwhile must not be missed."""
    async with (
        served(MORNING, tmp_path) as (codex, server),
        rawr_watch(codex, tmp_path / "rawr", server=server) as watching,
    ):
        for _ in range(THREADS):
            async with person(server, codex.home.workspace) as ada, asyncio.timeout(30):
                await ada.until_over(await ada.say("good morning"))
                await watching.fact("ThreadJoined", thread=ada.thread)
