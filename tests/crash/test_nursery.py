"""Victims out of the nursery are processes of their own."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from tests.crash.nursery import NOT_KNOWN, Child, Nursery, NurseryGone
from tests.crash.victim import ORDERS, TAG, Orders


@asynccontextmanager
async def opened() -> AsyncIterator[Nursery]:
    nursery = await Nursery.open()
    try:
        yield nursery
    finally:
        await nursery.close()


async def born(nursery: Nursery, folder: Path, *words: str) -> Child:
    orders = Orders(trace=str(folder / "trace"))
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "RAWR_HOME": str(folder / "rawr"),
        ORDERS: msgspec.json.encode(orders).decode(),
        TAG: str(folder),
    }
    return await nursery.start(words, env=env, cwd=folder, out=folder / "out", err=folder / "err")


async def test_each_has_its_own_output_and_exit_code(tmp_path: Path) -> None:
    async with opened() as nursery:
        good, bad = tmp_path / "good", tmp_path / "bad"
        good.mkdir()
        bad.mkdir()
        first, second = await born(nursery, good, "--version"), await born(nursery, bad, "dance")
        assert (await first.wait(), await second.wait()) == (0, 64)
    assert (good / "out").read_text().startswith("rawr ")
    assert "dance" in (bad / "err").read_text()


async def test_a_kill_is_seen_and_hits_nobody_twice(tmp_path: Path) -> None:
    async with opened() as nursery:
        child = await born(nursery, tmp_path, "watch", "--socket", str(tmp_path / "none.sock"))
        child.send_signal(signal.SIGKILL)
        assert await child.wait() == -signal.SIGKILL
        with pytest.raises(ProcessLookupError):
            child.send_signal(signal.SIGKILL)


async def test_a_nursery_that_is_gone_is_not_waited_for(tmp_path: Path) -> None:
    async with opened() as nursery:
        child = await born(nursery, tmp_path, "watch", "--socket", str(tmp_path / "none.sock"))
        nursery._process.kill()
        assert await child.wait() == NOT_KNOWN
        os.kill(child.pid, signal.SIGKILL)
        with pytest.raises(NurseryGone):
            await born(nursery, tmp_path, "--version")
