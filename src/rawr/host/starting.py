"""Finds the host of a home, or starts one in the background: in a session of its own, so that a closed terminal does
not reach it."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from rawr.errors import JournalError, OutsideError
from rawr.host import messages as m
from rawr.host.client import HostClient, NoHost
from rawr.host.faults import raised

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "rawr", "host", "serve")
"""``-P``: not a single module comes from the current folder."""
LOG = "host.log"
START_DEADLINE = 30.0
"""Seconds for a host to begin to serve: it may have a long journal to open."""
BUSY_DEADLINE = 3.0
"""Seconds for another rawr on the home to become a host that answers, or to be gone."""
LOOK = 0.1


class Ready(Struct, frozen=True):
    """What a host says on the way up: that it serves, or why it does not."""

    pid: int = 0
    failed: m.Failed | None = None
    busy: bool = False
    """Another rawr owns the home."""
    notice: str = ""
    """What the person who starts it should know."""


async def find_or_start(home: Path, *, surface: str = "cli") -> HostClient:
    """A client of this home's host. Two commands that start one at the same time share the one that came first."""
    patience = time.monotonic() + BUSY_DEADLINE
    while True:
        with contextlib.suppress(NoHost):
            return await HostClient.open(home, surface=surface)
        ready = await _started(home)
        if ready.failed is None:
            client = await HostClient.open(home, surface=surface)
            client.notice = ready.notice
            return client
        if not ready.busy or time.monotonic() > patience:
            raise raised(ready.failed)
        # The owner may be a host that is coming up, or one that is about to be gone.
        await asyncio.sleep(LOOK)


async def _started(home: Path) -> Ready:
    """Start a host, and wait until it serves or says why not."""
    reading, writing = os.pipe()
    try:
        _spawn(home, writing)
    except OSError as error:
        os.close(reading)
        raise OutsideError(f"rawr could not start its host: {error.strerror}.", way_out="Try --foreground.") from error
    finally:
        os.close(writing)
    try:
        said = await asyncio.wait_for(asyncio.to_thread(_all_of, reading), START_DEADLINE)
        return msgspec.json.decode(said, type=Ready)
    except (TimeoutError, msgspec.MsgspecError) as error:
        message = f"rawr's host did not come up; {home / LOG} may say why."
        raise JournalError(message, way_out="Try --foreground.") from error


def _spawn(home: Path, ready: int) -> None:
    log = os.open(home / LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        subprocess.Popen(
            [*COMMAND, "--ready", str(ready)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=home,
            env=_environment(home),
            pass_fds=(ready,),
            start_new_session=True,
        )
    finally:
        os.close(log)


def _environment(home: Path) -> dict[str, str]:
    """The client's, without the folders in PYTHONPATH that rawr needs nothing from: a host outlives the command that
    starts it, and works for terminals in other folders, where any of these may be an agent's to write. What a run
    needs of the variable comes with its client."""
    env = {**os.environ, "RAWR_HOME": str(home)}
    loaded = [Path(file) for one in (*sys.modules.values(),) if (file := getattr(one, "__file__", None))]
    entries = [one for one in env.pop("PYTHONPATH", "").split(os.pathsep) if one]
    if needed := [one for one in entries if any(file.is_relative_to(Path(one).absolute()) for file in loaded)]:
        env["PYTHONPATH"] = os.pathsep.join(str(Path(one).absolute()) for one in needed)
    return env


def _all_of(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as pipe:
        return pipe.read(1 << 20)


def say_ready(descriptor: int, ready: Ready) -> None:
    """For the process that is starting us; it may be gone."""
    with contextlib.suppress(OSError), os.fdopen(descriptor, "wb") as pipe:
        pipe.write(msgspec.json.encode(ready))
