"""Output that nobody reads holds nothing up: real programs on the real Codex, with a pipe that is full (C18)."""

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.beside import MORNING, person, served
from tests.e2e.test_run_program import DEADLINE, DONE, FREE, HANGS, Desk, desk, working
from tests.soaking import soak

SMALL = 4096
RAWR = (sys.executable, "-c", "from rawr.cli.main import main; main()")
LONG = f'- {{ say: "{"There is more to say about it. " * 600}" }}\n'
TURNS = '- { run: "touch before" }\n' + LONG + '- { run: "touch after" }\n' + DONE


@asynccontextmanager
async def unread(
    it: Desk, *words: str, terminal: bool = False
) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """The program, its stdout and stderr a small pipe, or a terminal that was stopped, and the other end of that."""
    reader, writer = pty.openpty() if terminal else os.pipe()
    if terminal:
        termios.tcflow(writer, termios.TCOOFF)
    else:
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, SMALL)
    process = await asyncio.create_subprocess_exec(
        *RAWR,
        *words,
        env=it._env(),
        cwd=it.workspace,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
    )
    os.close(writer)
    try:
        yield process, reader
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        os.close(reader)


async def full(reader: int) -> None:
    """The pipe takes nothing more."""
    async with asyncio.timeout(DEADLINE):
        # Nobody tells when a pipe is full.
        while struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, bytes(4)))[0] < SMALL // 2:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("how", ["--json", soak("--plain"), soak("")])
async def test_a_run_goes_on_to_its_end(tmp_path: Path, how: str) -> None:
    """C18: far more is printed than the pipe takes, on stdout and stderr; the job is done, checked, and rawr ends."""
    async with desk(TURNS, tmp_path) as it:
        flags = (*FREE, "--done", "test -e after", *([how] if how else []), *it.codex_flags())
        async with unread(it, "run", "Build it.", *flags) as (process, _), asyncio.timeout(DEADLINE):
            assert await process.wait() == 0
        assert (it.workspace / "after").exists()
        thread = (await it.rawr("status", "--json")).lines[0]
        assert isinstance(thread["run"], dict)
        assert thread["run"]["status"] == "done"


async def test_a_run_goes_on_behind_a_terminal_that_was_stopped(tmp_path: Path) -> None:
    """C18: as Ctrl-S does; its last line is drawn all the time."""
    async with desk(TURNS, tmp_path) as it:
        flags = (*FREE, "--done", "test -e after", *it.codex_flags())
        async with unread(it, "run", "Build it.", *flags, terminal=True) as (process, _), asyncio.timeout(DEADLINE):
            assert await process.wait() == 0
        assert (it.workspace / "after").exists()


async def test_a_slow_reader_gets_every_line(tmp_path: Path) -> None:
    """C18: what fits into the queue is not dropped, however late it is read."""
    async with desk(TURNS, tmp_path) as it:
        flags = (*FREE, "--done", "test -e after", "--json", *it.codex_flags())
        async with unread(it, "run", "Build it.", *flags) as (process, reader):
            # By then most of it has been printed, and nothing was read.
            await working(it, 4)
            data = await asyncio.to_thread(_slowly, reader)
            assert await process.wait() == 0
    lines = [json.loads(line) for line in data.decode().splitlines()]
    assert [line["type"] for line in lines if line["type"] != "fact"][-1] == "summary"
    numbers = [line["seq"] for line in lines if line["type"] == "fact"]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert "dropped" not in {line["type"] for line in lines}


def _slowly(reader: int) -> bytes:
    data = b""
    while piece := os.read(reader, 100):
        data += piece
    return data


async def test_ctrl_c_is_heard_by_a_run_that_nobody_reads(tmp_path: Path) -> None:
    """C5, C13: exit code 2, as ever."""
    flags = (*FREE, "--json")
    async with (
        desk(LONG + HANGS, tmp_path) as it,
        unread(it, "run", "Build it.", *flags, *it.codex_flags()) as (process, reader),
    ):
        await full(reader)
        await working(it, 2)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(DEADLINE):
            assert await process.wait() == 2


@pytest.mark.soak
async def test_the_demo_and_a_watch_end_though_nobody_reads(tmp_path: Path) -> None:
    async with served(MORNING, tmp_path) as (codex, server):
        it = Desk(codex, tmp_path / "rawr")
        async with unread(it, "demo", "--json") as (process, _), asyncio.timeout(DEADLINE):
            assert await process.wait() == 0
        flags = ("--socket", str(server.path), "--notices", "all", "--json")
        async with unread(it, "watch", *flags) as (process, reader), person(server, codex.home.workspace) as ada:
            await ada.say("good morning")
            await full(reader)
            process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(DEADLINE):
                assert await process.wait() == 130
