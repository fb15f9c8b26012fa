"""``rawr`` out of a process that has read its code already: a start in a tenth of the time.

What runs is a process of its own, with its own environment, folder and output, and runs ``rawr`` from its first line
(``tests.crash.nursery``). What depends on how Python itself starts does not belong here.
"""

import atexit
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tests.crash.nursery import Kill, News, Order, code_path

_idle: list["_Forker"] = []
"""Each has one child at a time, so that tests may start several."""


def run(
    words: Sequence[str], *, env: Mapping[str, str], deadline: float, cwd: Path | None = None
) -> tuple[int, str, str]:
    """The exit code and both outputs, as ``subprocess.run`` has them."""
    forker = _idle.pop() if _idle else _Forker()
    with tempfile.TemporaryDirectory(prefix="rawr-warm-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        order = Order(list(words), dict(env), str(cwd or Path.cwd()), str(out), str(err))
        code = forker.run(order, deadline=deadline)
        _idle.append(forker)
        return code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")


class _Forker:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "PYTHONPATH": code_path()},
        )
        self._heard = b""
        atexit.register(self._close)

    def run(self, order: Order, *, deadline: float) -> int:
        until = time.monotonic() + deadline
        self._send(order)
        pid = self._news(until=time.monotonic() + 60).pid
        try:
            ended = self._news(until=until)
        except TimeoutError:
            self._send(Kill(pid, signal.SIGKILL))
            self._news(until=time.monotonic() + 60)
            raise subprocess.TimeoutExpired(["rawr", *order.words], deadline) from None
        assert ended.pid == pid
        assert ended.code is not None
        return ended.code

    def _send(self, order: Order | Kill) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")

    def _news(self, *, until: float) -> News:
        assert self._process.stdout is not None
        while b"\n" not in self._heard:
            ready, _, _ = select.select([self._process.stdout], [], [], max(until - time.monotonic(), 0))
            if not ready:
                raise TimeoutError
            data = self._process.stdout.read(65_536)
            assert data, "the process that forks has ended"
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        return msgspec.json.decode(line, type=News)

    def _close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()
