"""A tap on the wire: a program in Codex's place that starts the real one, passes every byte on, and notes the times.

It is given to every side as the Codex to start, so all of them are measured at the same two points: the end of a turn
just before the line is handed to the client, the start of the next as soon as the whole line was read from it. Times
are of the system's monotonic clock. What the tap costs itself (two more pipes, one more process) all sides pay.

As a program it uses nothing but the standard library: ``python -ISE wire.py NOTES CODEX ARGUMENTS…``.
"""

import os
import re
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path

COMPLETED = re.compile(rb'"method":\s*"turn/completed"')
START = re.compile(rb'"method":\s*"turn/start"')
SIZE = 1 << 20


def tapped(binary: Path, wrapper: Path, notes: Path) -> Path:
    """Write a program that is this Codex with a tap on it. The times go to the file ``notes``."""
    words = [sys.executable, "-ISE", str(Path(__file__).resolve()), str(notes), str(binary)]
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    return wrapper


def gaps(notes: Path) -> list[float]:
    """Seconds from the end of each turn to the start of the next."""
    found, ended = [], None
    for line in notes.read_text(encoding="utf-8").splitlines():
        what, at = line.split()
        if what == "completed":
            assert ended is None, "two turns have ended and none was started in between"
            ended = int(at)
        elif ended is not None:
            found.append((int(at) - ended) / 1e9)
            ended = None
    return found


class _Lines:
    """Whether the bytes so far hold a whole line of the kind that is looked for."""

    def __init__(self, kind: re.Pattern[bytes]) -> None:
        self._kind = kind
        self._held = b""

    def seen(self, data: bytes) -> bool:
        *whole, self._held = (self._held + data).split(b"\n")
        return any(self._kind.search(line) for line in whole)


def _pass_on(notes: int, codex: "subprocess.Popen[bytes]") -> None:
    assert codex.stdin is not None
    assert codex.stdout is not None
    client, server = sys.stdin.fileno(), codex.stdout.fileno()
    completed, start = _Lines(COMPLETED), _Lines(START)
    reading = [client, server]
    while server in reading:
        ready, _, _ = select.select(reading, [], [])
        if server in ready:
            data = os.read(server, SIZE)
            ends = completed.seen(data)
            at = time.monotonic_ns()
            _write(sys.stdout.fileno(), data)
            if ends:
                os.write(notes, b"completed %d\n" % at)
            if not data:
                reading.remove(server)
        if client in ready:
            data = os.read(client, SIZE)
            at = time.monotonic_ns()
            _write(codex.stdin.fileno(), data)
            if start.seen(data):
                os.write(notes, b"start %d\n" % at)
            if not data:
                reading.remove(client)
                codex.stdin.close()


def _write(to: int, data: bytes) -> None:
    while data:
        data = data[os.write(to, data) :]


def _main(notes: str, *command: str) -> int:
    log = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as codex:
        _pass_on(log, codex)
    return codex.returncode


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
