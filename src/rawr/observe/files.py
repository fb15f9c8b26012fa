"""Read small files that someone else controls (B6): bounded, never waiting, never raising.

A repository may hold a pipe, a device or a gigabyte where a file of forty characters belongs.
"""

import os
import stat
from pathlib import Path

from msgspec import Struct


class Chunk(Struct, frozen=True):
    data: bytes
    start: int
    size: int
    """The size of the whole file."""
    mtime: float


def read_small(path: str | Path, limit: int = 64 * 1024) -> bytes | None:
    """A whole file of at most ``limit`` bytes; None if it is missing, not a plain file, or larger."""
    chunk = read_range(path, 0, limit=limit)
    return None if chunk is None or chunk.size > limit else chunk.data


def read_range(path: str | Path, start: int, *, limit: int) -> Chunk | None:
    """Up to ``limit`` bytes from ``start``; a negative start counts from the end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        start = max(0, status.st_size + start) if start < 0 else start
        return Chunk(os.pread(descriptor, limit, start), start, status.st_size, status.st_mtime)
    except OSError:
        return None
    finally:
        os.close(descriptor)
