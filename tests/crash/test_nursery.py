"""Victims out of the nursery are processes of their own."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from tests.crash.living import sign, signed
from tests.crash.nursery import NOT_KNOWN, Child, Nursery, NurseryGone
from tests.crash.victim import ORDERS, TAG, Orders


@asynccontextmanager
async def opened() -> AsyncIterator[Nursery]:
    nursery = await Nursery.open()
    try:
        yield nursery
    finally:
        await nursery.close()


async def born(nursery: Nursery, folder: Path, *words: str, terminal: str = "") -> Child:
    orders = Orders(trace=str(folder / "trace"))
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "RAWR_HOME": str(folder / "rawr"),
        ORDERS: msgspec.json.encode(orders).decode(),
        TAG: str(folder),
    }
    out, err = folder / "out", folder / "err"
    return await nursery.start(words, env=env, cwd=folder, out=out, err=err, terminal=terminal)


async def test_each_has_its_own_output_and_exit_code(tmp_path: Path) -> None:
    async with opened() as nursery:
        good, bad = tmp_path / "good", tmp_path / "bad"
        good.mkdir()
        bad.mkdir()
        first, second = await born(nursery, good, "--version"), await born(nursery, bad, "dance")
        assert (await first.wait(), await second.wait()) == (0, 64)
    assert (good / "out").read_text().startswith("rawr ")
    assert "dance" in (bad / "err").read_text()


async def test_one_in_a_terminal_has_its_output_there(tmp_path: Path) -> None:
    async with opened() as nursery:
        child = await born(nursery, tmp_path, "dance", terminal=str(tmp_path / "terminal"))
        assert await child.wait() == 64
    assert "dance" in (tmp_path / "out").read_text(), "both outputs are one there"
    assert (tmp_path / "err").read_text() == ""
    assert (tmp_path / "terminal").read_text().startswith(f"{child.pid} ")
    assert signed(tmp_path / "terminal") == 0


def test_a_signature_is_that_of_one_process(tmp_path: Path) -> None:
    file = tmp_path / "who"
    assert signed(file) == 0
    sign(file)
    assert signed(file) == os.getpid()
    file.write_text(f"{os.getpid()} 1")
    assert signed(file) == 0, "the number is another's by now"


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
