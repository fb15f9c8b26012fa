"""Finds session files, and reads them line by line in bounded memory, packed ones too."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from datetime import datetime
from io import BytesIO
from pathlib import Path

from msgspec import Struct

from rawr.history.compressed import MAGIC, CannotUnpack, opened
from rawr.history.portion import ARCHIVE, LIVE

MAX_LINE = 64 * 1024 * 1024
"""A longer line is counted and not read."""
_BLOCK = 256 * 1024
_NAMED = re.compile(r"rollout-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})")
ENDINGS = (".jsonl", ".jsonl.zst")
_TAIL = 64 * 1024
_TIMES = re.compile(rb'^\{"timestamp":"([0-9T:.-]{19,27}Z)"', re.MULTILINE)


class SessionFile(Struct, frozen=True, order=True):
    """Ordered by when the session began, so that a resumed session comes after the one it repeats."""

    began: str
    """As its name says, in local time; else when it was last written."""
    path: str
    size: int = 0
    written: int = 0
    """When it was last written, in ms since the epoch."""


class Cut(Struct, frozen=True):
    """Bytes that are no whole line: the last one was never finished, or one was too long."""

    size: int


Lost = Callable[[str, str], object] | None
"""Called with each folder that cannot be read, and the reason."""


def in_codex_home(home: Path, lost: Lost = None) -> list[SessionFile]:
    """All sessions of a Codex home, those in the archive too."""
    return sorted([one for folder in (LIVE, ARCHIVE) for one in _below(home / folder, lost)])


def at(path: Path, lost: Lost = None) -> list[SessionFile]:
    """One session file, or all below a folder. Raises ``OSError`` if there is nothing."""
    if path.is_dir():
        if (path / LIVE).is_dir() or (path / ARCHIVE).is_dir():
            return in_codex_home(path, lost)
        return sorted(_below(path, lost))
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is not a file")
    return [_file(str(path), found)]


def since(files: list[SessionFile], ms: int) -> list[SessionFile]:
    """Those that began after a moment, or went on after it."""
    try:
        day = datetime.fromtimestamp(ms / 1000).isoformat()  # noqa: DTZ006 - names have local time
    except (ValueError, OverflowError, OSError):
        # Before the first day, or after the last, that a calendar has.
        return files if ms < 0 else []
    return [one for one in files if one.began >= day or (one.written >= ms and _newest(one) >= ms)]


def _newest(file: SessionFile) -> int:
    """When the last of its lines with a time was written, in ms since the epoch. Copies are younger than what is in
    them; where the lines do not say, that is all that is known."""
    try:
        with Path(file.path).open("rb") as opened_file:
            opened_file.seek(max(file.size - _TAIL, 0))
            times = _TIMES.findall(opened_file.read(_TAIL))
        return int(datetime.fromisoformat(times[-1].decode()).timestamp() * 1000)
    except (OSError, IndexError, ValueError):
        return file.written


def _below(folder: Path, lost: Lost = None) -> Iterator[SessionFile]:
    pending = [str(folder)]
    while pending:
        name = pending.pop()
        try:
            with os.scandir(name) as inside:
                entries = list(inside)
        except OSError as error:
            if lost is not None and not isinstance(error, FileNotFoundError):
                lost(name, error.strerror or str(error))
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif entry.name.endswith(ENDINGS) and entry.is_file():
                yield _file(entry.path, entry.stat())


def _file(path: str, found: os.stat_result) -> SessionFile:
    named = _NAMED.search(Path(path).name)
    written = datetime.fromtimestamp(found.st_mtime).isoformat()  # noqa: DTZ006
    began = f"{named[1]}T{named[2]}:{named[3]}:{named[4]}" if named is not None else written
    return SessionFile(began, path, found.st_size, int(found.st_mtime * 1000))


def lines_of(path: str) -> Iterator[bytes | Cut]:
    """The lines of a file, without their newlines. Raises ``OSError`` or ``CannotUnpack``."""
    for batch in batches_of(path):
        if isinstance(batch, Cut):
            yield batch
        else:
            yield from (line[:-1] for line in batch)


def batches_of(path: str) -> Iterator[list[bytes] | Cut]:
    """The lines of a file, many at a time, each with a newline. Raises ``OSError`` or ``CannotUnpack``."""
    with Path(path).open("rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a regular file")
        packed = file.read(len(MAGIC)) == MAGIC
        file.seek(0)
        if not packed:
            yield from _batches(file.read)
            return
        try:
            with opened(file) as stream:
                # Not `read`, which keeps to itself what came before an error.
                yield from _batches(stream.read1)
        except (CannotUnpack, OSError):
            raise
        except Exception as error:  # whatever is wrong with the bytes
            raise CannotUnpack(f"it cannot be unpacked: {error}") from error


def _batches(read: Callable[[int], bytes]) -> Iterator[list[bytes] | Cut]:
    """Block by block, in memory: the quickest way to find where lines end. The newline after a line that is too long
    ends it."""
    # A line over many blocks grows in place: to copy it for each of them takes seconds if it is long.
    rest, lost, breaks_off = bytearray(), 0, False
    while True:
        try:
            block = read(_BLOCK)
        except EOFError:
            block, breaks_off = b"", True
        if not block:
            break
        lines = BytesIO(block).readlines()
        last = lines.pop() if not lines[-1].endswith(b"\n") else b""
        if not lines:
            rest += last
            if lost or len(rest) > MAX_LINE:
                lost += len(rest)
                rest.clear()
            continue
        if lost:
            yield Cut(lost + len(lines.pop(0)))
            lost = 0
        elif rest:
            lines[0] = bytes(rest) + lines[0]
        rest[:] = last
        yield lines
    if lost or breaks_off:
        yield Cut(lost or len(rest))
    elif rest:
        # Codex ends every line: without an end it may be half of one.
        yield [bytes(rest) + b"\n"] if rest.rstrip(b"\x00").endswith(b"}") else Cut(len(rest))
