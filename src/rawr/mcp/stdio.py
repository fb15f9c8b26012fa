"""The server on stdin and stdout. Nothing but the protocol reaches stdout; it ends with stdin."""

import os

from rawr.codex.rpc import LineFramer
from rawr.mcp.protocol import Server

MAX_LINE = 1024 * 1024
"""Bytes. The longest that the tools take is far below it; a longer line is refused, and read past."""
READ_SIZE = 64 * 1024
STDIN, STDOUT, STDERR = 0, 1, 2


def serve(server: Server) -> None:
    """Until the client closes its end. One that no longer reads is a broken pipe, as for every command."""
    out = _own_stdout()
    framer = LineFramer(limit=MAX_LINE)
    try:
        while data := os.read(STDIN, READ_SIZE):
            for frame in framer.feed(data):
                answer = server.answer(frame)
                if answer is not None:
                    _write(out, answer + b"\n")
    finally:
        os.close(out)


def _own_stdout() -> int:
    """A stdout that nobody else has: what any library prints goes to stderr instead."""
    own = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    return own


def _write(out: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(out, left) :]
