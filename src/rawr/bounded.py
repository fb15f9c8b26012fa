"""Ask a program something and read what it prints, within a bound of time and of size.

The program may be anything that somebody called ``codex`` or ``git``: it may never exit, never stop printing, or leave
others running. What the answer means is not known here. (A done check is run elsewhere, ``runtime.checking``: there the
end of the output counts, and whoever waits can be cancelled.)
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from msgspec import Struct

MAX_OUTPUT = 64 * 1024
"""Bytes that are read of stdout, and of stderr, unless the caller says otherwise. What prints more is ended."""
READ_SIZE = 8 * 1024


class Said(Struct, frozen=True):
    code: int
    output: bytes
    errors: bytes

    @property
    def stdout(self) -> str:
        return self.output.decode(errors="replace")

    @property
    def stderr(self) -> str:
        return self.errors.decode(errors="replace")


class TookTooLong(Exception):
    """Has how long it was given."""

    def __init__(self, deadline: float) -> None:
        super().__init__(f"it took more than {deadline:g} seconds")


class SaidTooMuch(Exception):
    """Has the beginning of it."""

    def __init__(self, beginning: str, *, most: int) -> None:
        super().__init__(f"it printed more than {most // 1024} KiB")
        self.beginning = beginning


def ask(
    command: Sequence[str],
    *,
    deadline: float,
    most: int = MAX_OUTPUT,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Said:
    """Run a program to its end. Raises ``TookTooLong``, ``SaidTooMuch``, or ``OSError`` if it cannot be started."""
    until = time.monotonic() + deadline
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        # So that whatever it starts can be ended with it.
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = _read(process, until, most)
            code = process.wait(max(until - time.monotonic(), 0))
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise TookTooLong(deadline) from None
            raise
    return Said(code, stdout, stderr)


def _read(process: "subprocess.Popen[bytes]", until: float, most: int) -> tuple[bytes, bytes]:
    """Both outputs to their ends, side by side, so that neither holds the program up."""
    streams: list[IO[bytes]] = [one for one in (process.stdout, process.stderr) if one is not None]
    heard: dict[int, bytearray] = {one.fileno(): bytearray() for one in streams}
    with selectors.DefaultSelector() as selector:
        for one in streams:
            selector.register(one, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(until - time.monotonic(), 0))
            if not ready:
                raise subprocess.TimeoutExpired(process.args, 0)
            for key, _ in ready:
                data = os.read(key.fd, READ_SIZE)
                if not data:
                    selector.unregister(key.fileobj)
                heard[key.fd] += data
                if len(heard[key.fd]) > most:
                    raise SaidTooMuch(bytes(heard[key.fd][:READ_SIZE]).decode(errors="replace"), most=most)
    stdout, stderr = heard.values()
    return bytes(stdout), bytes(stderr)
