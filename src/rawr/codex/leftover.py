"""The Codex that a killed rawr left behind must be gone before another one opens the same threads.

It sees the end of its input and finishes its work, which can take a while, and writes to the session file until then:
two processes on one file. So rawr writes down each Codex process that it starts, and looks there before it starts the
next. A process is identified by its number and its start time, because systems reuse numbers.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.bounded import SaidTooMuch, TookTooLong, ask
from rawr.programs import own_program

FILE = "codex-process.json"
FILES = "codex-process*.json"
PATIENCE = 3.0
"""Seconds it may take to exit by itself."""
GRACE = 2.0
LOOK = 0.02
PS_DEADLINE = 2.0


class Process(Struct, frozen=True):
    pid: int
    began: str
    by: str = ""
    """The rawr that started it, as ``name_of`` names it."""


def place(home: Path, name: str) -> Path:
    """Where to write down the Codex behind a connection of this name."""
    return home / (FILE if not name else f"codex-process-{name}.json")


def note(path: Path, pid: int) -> None:
    """Write down which Codex was started. If that fails, a later rawr does not know of it; nothing worse."""
    with contextlib.suppress(OSError):
        unfinished = path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(Process(pid, began(pid), name_of(os.getpid()))))
        unfinished.replace(path)


def forget(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


async def see_off_all(path: Path) -> None:
    """See off the Codex written down here, and those that another rawr on this home left behind. There is one rawr on
    a home at a time, so another one is dead."""
    us = name_of(os.getpid())
    others = [one for one in path.parent.glob(FILES) if one != path]
    for one in (path, *others):
        left = _read(one)
        if one == path or left is None or left.by != us:
            await see_off(one)


async def see_off(path: Path) -> bool:
    """Wait until the Codex written down here is gone, and kill it if it stays. Return True if there was one."""
    left = _read(path)
    if left is None or not left.began or not _alive(left):
        forget(path)
        return False
    for number, seconds in ((None, PATIENCE), (signal.SIGTERM, GRACE), (signal.SIGKILL, GRACE)):
        if number is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(left.pid, number)
        if await _gone(left, seconds):
            break
    forget(path)
    return True


def began(pid: int) -> str:
    """When a process began, in the system's own format; empty if there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] == "Z" else fields[19]
    except FileNotFoundError:
        return "" if Path("/proc/self").exists() else _by_ps(pid)
    except (OSError, IndexError):
        return ""


def name_of(pid: int) -> str:
    """A name that no other process ever has; empty if there is no such process."""
    since = began(pid) if pid > 0 else ""
    return f"{pid}/{since}" if since else ""


def _by_ps(pid: int) -> str:
    ps = own_program("ps")
    if ps is None:
        return ""
    try:
        said = ask([ps, "-p", str(pid), "-o", "lstart="], deadline=PS_DEADLINE)
    except (OSError, TookTooLong, SaidTooMuch, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()


def _read(path: Path) -> Process | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Process)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _alive(process: Process) -> bool:
    return began(process.pid) == process.began


async def _gone(process: Process, seconds: float) -> bool:
    """Poll until it is gone: it is no child of ours, so nothing reports its exit."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while _alive(process):  # noqa: ASYNC110 - nothing reports its exit
                await asyncio.sleep(LOOK)
            return True
    return False
