"""Read a file that a person may have edited: bounded, never blocking, and every problem reported, not raised.

This module knows bytes and places in files, not what they mean.
"""

import os
import stat
from pathlib import Path

from msgspec import Struct

MAX_BYTES = 256 * 1024
"""A larger file is not read. Nobody writes that much by hand."""


class Warned(Struct, frozen=True):
    """Something that a person wrote and that could not be used."""

    file: Path | None
    """``None``: it was on the command line."""
    line: int | None
    key: str
    problem: str
    remedy: str = ""
    """What rawr does instead."""

    @property
    def place(self) -> str:
        if self.file is None:
            return "command line"
        return f"{self.file}:{self.line}" if self.line else str(self.file)

    def __str__(self) -> str:
        key = f" {self.key}:" if self.key else ""
        return f"{self.place}:{key} {self.told}"

    @property
    def told(self) -> str:
        """The problem, and what rawr does instead."""
        return f"{self.problem}; {self.remedy}" if self.remedy else self.problem


class Stamp(Struct, frozen=True):
    """Distinguishes one state of a file from the next without opening it."""

    inode: int
    size: int
    modified: int
    changed: int
    """Also changes with the rights on the file."""


class Unusable(Exception):
    """An unusable file, with the line of the problem, if there is one."""

    def __init__(self, problem: str, *, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def stamp_of(file: Path | str) -> Stamp | None:
    """``None`` if there is nothing to read."""
    try:
        found = os.stat(file)  # noqa: PTH116 - for every file at every turn's end, and Path costs as much again
    except (OSError, ValueError):
        return None
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def read_text(file: Path) -> str:
    """The file's text with plain line ends; raises ``FileNotFoundError`` if it is missing, else ``Unusable``."""
    raw = _read_bytes(file)
    if len(raw) > MAX_BYTES:
        raise Unusable(f"the file is larger than {MAX_BYTES // 1024} KiB; it was not read")
    nul = raw.find(b"\0")
    if nul >= 0:
        raise Unusable("this is not text: there is a NUL byte in it", line=raw.count(b"\n", 0, nul) + 1)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unusable("this is not UTF-8 text", line=raw.count(b"\n", 0, error.start) + 1) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_bytes(file: Path) -> bytes:
    """At most one byte more than allowed, so that the caller can tell. Does not wait for a pipe in its place."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise Unusable(f"the file cannot be read: {_cause(error)}") from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Unusable("this is not a file")
        if found.st_size > MAX_BYTES:
            raise Unusable(f"the file is larger than {MAX_BYTES // 1024} KiB; it was not read")
        with os.fdopen(descriptor, "rb", closefd=False) as opened:
            return opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unusable(f"the file cannot be read: {_cause(error)}") from error
    finally:
        os.close(descriptor)


def _cause(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
