"""Stdout and stderr while the loop runs: nothing ever waits for printed output, whoever prints it."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import msgspec

from rawr.cli.terminal.outlet import Note, Outlet
from rawr.cli.terminal.output import counted, telling, warn

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Flow:
    """The outcome of the output, once the block has ended."""

    lost: OSError | None = None

    def check(self) -> None:
        """Raise the error of the output after the last line was printed, if any."""
        if self.lost is not None:
            with telling():
                raise self.lost


@contextmanager
def flowing(*, json: bool) -> Iterator[Flow]:
    """Around a loop. At the end, wait a few seconds at most for a reader that still reads."""
    flow = Flow()
    before = (sys.stdout, sys.stderr)
    out, err = _outlets(*before, json=json)
    sys.stdout, sys.stderr = _through(sys.stdout, out), _through(sys.stderr, err)
    try:
        yield flow
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        left = out.finish() if out is not None else 0
        if left and out is not err:
            warn(f"{counted(left, 'line')} of output not written: nothing is reading them")
        if err is not None and err is not out:
            err.finish()
        flow.lost = out.lost if out is not None else None
        # Stuck output stays queued: printing to it would wait after all.
        sys.stdout = sys.stdout if out is not None and out.stuck else before[0]
        sys.stderr = sys.stderr if err is not None and err.stuck else before[1]


def _outlets(stdout: TextIO, stderr: TextIO, *, json: bool) -> tuple[Outlet | None, Outlet | None]:
    """One for both if they lead to the same place, so that the output keeps its order."""
    first, second = _descriptor(stdout), _descriptor(stderr)
    out = Outlet(first, note=_as_json if json else _as_text(stdout)) if first is not None else None
    if first is not None and second is not None and os.path.sameopenfile(first, second):
        return out, out
    return out, Outlet(second, note=_as_text(stderr)) if second is not None else None


def _descriptor(stream: TextIO) -> int | None:
    try:
        stream.flush()
        return stream.fileno()
    except (OSError, ValueError):
        return None  # Not a system file, or one that accepts nothing: then nothing waits for it either.


def _as_json(lines: int) -> bytes:
    return msgspec.json.encode({"type": "dropped", "lines": lines}) + b"\n"


def _as_text(stream: TextIO) -> Note:
    # A live last line, which has no line end, must leave nothing before it.
    clear = "\r\x1b[K" if stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb", "unknown") else ""

    def note(lines: int) -> bytes:
        return f"{clear}rawr: {counted(lines, 'line')} of output dropped: nothing read them in time\n".encode()

    return note


class _Mouth(io.BufferedIOBase):
    """The bytes of a stream, passed on whenever it is flushed."""

    def __init__(self, over: TextIO, outlet: Outlet) -> None:
        self._over = over
        self._outlet = outlet
        self._pending = bytearray()

    @property
    def name(self) -> str:
        return self._over.name

    def writable(self) -> bool:
        return True

    def write(self, data: "Buffer", /) -> int:
        self._pending += memoryview(data)
        return memoryview(data).nbytes

    def flush(self) -> None:
        data = bytes(self._pending)
        self._pending.clear()
        self._outlet.put(data)

    def isatty(self) -> bool:
        return self._over.isatty()

    def fileno(self) -> int:
        return self._over.fileno()

    def close(self) -> None:
        """The descriptor is not ours."""


def _through(stream: TextIO, outlet: Outlet | None) -> TextIO:
    if outlet is None:
        return stream
    return io.TextIOWrapper(
        _Mouth(stream, outlet),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=True,
    )
