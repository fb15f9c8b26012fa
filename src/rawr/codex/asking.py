"""Ask a program something and read what it prints, within a bound of time and of size.

The program may be anything that somebody called ``codex``: it may never end, never stop printing, or leave others
running. It knows nothing of what the answer means.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import IO

from msgspec import Struct

MAX_OUTPUT = 64 * 1024
"""Bytes that are read of stdout, and of stderr. What prints more is ended."""
READ_SIZE = 8 * 1024


class Said(Struct, frozen=True):
    code: int
    stdout: str
    stderr: str


class TookTooLong(Exception):
    pass


class SaidTooMuch(Exception):
    """Has the beginning of it."""

    def __init__(self, beginning: str) -> None:
        super().__init__(f"it printed more than {MAX_OUTPUT // 1024} KiB")
        self.beginning = beginning


def ask(command: Sequence[str], *, deadline: float) -> Said:
    """Run a program to its end. Raises ``TookTooLong``, ``SaidTooMuch``, or ``OSError`` if it cannot be started."""
    until = time.monotonic() + deadline
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # So that whatever it starts can be ended with it.
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = _read(process, until)
            code = process.wait(max(until - time.monotonic(), 0))
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise TookTooLong(f"it took more than {deadline:g} seconds") from None
            raise
    return Said(code, stdout.decode(errors="replace"), stderr.decode(errors="replace"))


def _read(process: "subprocess.Popen[bytes]", until: float) -> tuple[bytes, bytes]:
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
                if len(heard[key.fd]) > MAX_OUTPUT:
                    raise SaidTooMuch(bytes(heard[key.fd][:READ_SIZE]).decode(errors="replace"))
    stdout, stderr = heard.values()
    return bytes(stdout), bytes(stderr)
