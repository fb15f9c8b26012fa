"""Keeps account of which bytes of a command line have been read (B6, C10).

Two readers share the work: the grammar and our own word reader. A byte that both or neither claim means that they
disagree, and then nothing in the line counts as understood.
"""

import re

from rawr.observe.shell.context import Gathered

_IGNORED = re.compile(rb"(?:[ \t\n]|\\\n)*")
_LEFTOVER = re.compile(rb"[^ \t\n;&|(){}!]")


class Coverage:
    def __init__(self, source: bytes, gathered: Gathered) -> None:
        self.source = source
        self.gathered = gathered
        self._covered = bytearray(len(source))

    def read(self, start: int, end: int) -> None:
        if self._covered.find(1, start, end) >= 0:
            self.gathered.problem(f"read in two ways at byte {start}: {quoted(self.source[start:end])}")
        self._covered[start:end] = b"\1" * (end - start)

    def left(self) -> bytes:
        """The text that neither has read, in its place among blanks. Empty if it means nothing."""
        if 0 not in self._covered:
            return b""
        left = bytes(32 if read else byte for read, byte in zip(self._covered, self.source, strict=True))
        ignored = _IGNORED.match(left)
        at = ignored.end() if ignored else 0
        if at >= len(left):
            return b""
        self.gathered.problem(f"not understood at byte {at}: {quoted(self.source[at:])}")
        return left


def next_beginning(left: bytes, at: int) -> int | None:
    """Where a command may begin in text that was not understood."""
    found = _LEFTOVER.search(left, at)
    return None if found is None else found.start()


def quoted(data: bytes) -> str:
    return repr(data[:24].decode("utf-8", "surrogateescape"))[:60]
