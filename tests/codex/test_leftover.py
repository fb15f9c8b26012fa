"""A Codex that a killed rawr left behind is gone before the next one starts; nobody else's process is touched (D5)."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from rawr.codex import leftover
from rawr.codex.leftover import Process, began, forget, name_of, note, see_off

STAYS = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator["subprocess.Popen[bytes]"]:
    """One that ends neither by itself nor when it is asked to."""
    monkeypatch.setattr(leftover, "PATIENCE", 0.2)
    monkeypatch.setattr(leftover, "GRACE", 0.5)
    running = subprocess.Popen([sys.executable, "-c", STAYS], stdout=subprocess.PIPE, start_new_session=True)
    assert running.stdout is not None
    running.stdout.readline()
    yield running
    running.kill()
    running.wait()
    running.stdout.close()


async def test_it_is_waited_for_and_then_ended(tmp_path: Path, process: "subprocess.Popen[bytes]") -> None:
    path = tmp_path / leftover.FILE
    note(path, process.pid)
    assert path.stat().st_mode & 0o777 == 0o600
    assert await see_off(path)
    assert process.wait(5) == -signal.SIGKILL
    assert not path.exists()


async def test_one_that_has_ended_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / leftover.FILE
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    note(path, gone.pid)
    await gone.wait()
    assert not await see_off(path)
    assert not path.exists()


async def test_another_process_with_its_number_is_left_alone(
    tmp_path: Path, process: "subprocess.Popen[bytes]"
) -> None:
    path = tmp_path / leftover.FILE
    path.write_bytes(msgspec.json.encode(Process(process.pid, "another time")))
    assert not await see_off(path)
    assert process.poll() is None


@pytest.mark.parametrize("content", [b"", b"{", b'{"pid":"x"}', b"\xff"])
async def test_a_note_that_cannot_be_read_says_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / leftover.FILE
    path.write_bytes(content)
    assert not await see_off(path)
    forget(tmp_path / "never there")


def test_a_name_is_one_processs_own() -> None:
    assert name_of(os.getpid()) == f"{os.getpid()}/{began(os.getpid())}"
    assert name_of(0) == ""
