"""Reads a session file on from where the last read ended, whatever became of it in the meantime.

A place in the file is an offset and a digest of the bytes before it. The digest says if it is still the same file: it
may have been moved, packed or unpacked since, which changes nothing; or replaced or truncated, and then the place
means nothing. Everything here blocks, and reads a bounded part.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rawr.history.compressed import MAGIC, CannotUnpack, unpacked

LIMIT = 32 * 1024 * 1024
"""Bytes to read at once. Of a file that grew by more, the newest."""
CHECKED = 256
ARCHIVE = "archived_sessions"
LIVE = "sessions"

_HOW = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC

Trouble = Literal["", "missing", "unreadable", "truncated", "replaced", "skipped"]


class Place(Struct, frozen=True):
    offset: int = 0
    check: str = ""


class Portion(Struct, frozen=True):
    """Whole lines, and the place after them."""

    data: bytes = b""
    start: int = 0
    before: bytes = b""
    end: Place = Place()
    trouble: Trouble = ""
    problem: str = ""

    def lines(self) -> Iterator[bytes]:
        return (line for line in self.data.split(b"\n") if line)

    def until(self, length: int) -> "Portion":
        """The first ``length`` bytes of it."""
        return replace(self, data=self.data[:length], end=self.place_before(length))

    def place_before(self, length: int) -> Place:
        """The place after the first ``length`` bytes of it."""
        return self.end if length >= len(self.data) else _place(self.start + length, self.before + self.data[:length])


def read_portion(path: str, place: Place, *, limit: int = LIMIT) -> Portion:
    """What is new since ``place``. It does not raise: ``trouble`` and ``problem`` say what is wrong."""
    try:
        with _opened(path) as file:
            if os.pread(file, len(MAGIC), 0) == MAGIC:
                return _packed(file, place, limit)
            return _plain(file, place, limit)
    except FileNotFoundError:
        return Portion(end=place, trouble="missing", problem="there is no such file")
    except (OSError, CannotUnpack, ValueError) as error:
        return Portion(end=place, trouble="unreadable", problem=str(error))


def candidates(path: str) -> tuple[str, ...]:
    """Where the file may be by now: packed, archived, or brought back from the archive."""
    at = Path(path)
    plain = at.with_suffix("") if at.suffix == ".zst" else at
    found = [plain, plain.with_name(f"{plain.name}.zst")]
    for parent in plain.parents:
        if parent.name in (LIVE, ARCHIVE):
            archived = parent.parent / ARCHIVE / plain.name
            found += [archived, archived.with_name(f"{archived.name}.zst")]
            break
    return tuple(dict.fromkeys(map(str, found)))


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    """The first of the candidates that is there. A pipe or a device must not hold up the reader."""
    file = _descriptor(path)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError("it is not a regular file")
        yield file
    finally:
        os.close(file)


def _descriptor(path: str) -> int:
    try:
        return os.open(path, _HOW)
    except FileNotFoundError:
        for candidate in candidates(path):
            with contextlib.suppress(FileNotFoundError):
                return os.open(candidate, _HOW)
        raise


def _plain(file: int, place: Place, limit: int) -> Portion:
    size = os.fstat(file).st_size
    trouble = _moved(place, size, os.pread(file, min(place.offset, CHECKED), max(place.offset - CHECKED, 0)))
    begin = 0 if trouble else place.offset
    start = max(begin, size - limit)
    before = os.pread(file, min(start, CHECKED), max(start - CHECKED, 0))
    return _portion(_read(file, start, size - start), start, before=before, begin=begin, trouble=trouble)


def _packed(file: int, place: Place, limit: int) -> Portion:
    with os.fdopen(os.dup(file), "rb") as stream:
        stream.seek(0)
        packed = BytesIO(stream.read(limit * 4))
    from_ = max(place.offset - CHECKED, 0)
    data, first, size = unpacked(packed, offset=from_, limit=limit + CHECKED)
    trouble = _moved(place, size, data[: place.offset - first]) if first <= from_ else ""
    if trouble:
        packed.seek(0)
        data, first, size = unpacked(packed, offset=0, limit=limit)
    begin = 0 if trouble else place.offset
    start = max(begin, first)
    before = data[max(start - first - CHECKED, 0) : start - first]
    return _portion(data[start - first :], start, before=before, begin=begin, trouble=trouble)


def _moved(place: Place, size: int, before: bytes) -> Trouble:
    """Return why the place means nothing in this file; empty if it does."""
    if size < place.offset:
        return "truncated"
    return "replaced" if place.offset and _digest(before) != place.check else ""


def _portion(data: bytes, start: int, *, before: bytes, begin: int, trouble: Trouble) -> Portion:
    """Cut to whole lines. The last one may be half written; it is read next time."""
    skipped = start > begin
    if skipped:
        cut = data.find(b"\n") + 1
        before, data, start = (before + data[:cut])[-CHECKED:], data[cut:], start + cut
    data = data[: data.rfind(b"\n") + 1]
    end = _place(start + len(data), before + data[-CHECKED:])
    problems = {
        "truncated": "it is shorter than when it was last read",
        "replaced": "it is another file than when it was last read",
    }
    if skipped and not trouble:
        return Portion(data, start, before, end, "skipped", f"{start - begin} bytes were too many to read at once")
    return Portion(data, start, before, end, trouble, problems.get(trouble, ""))


def _read(file: int, start: int, size: int) -> bytes:
    pieces: list[bytes] = []
    while size > 0 and (piece := os.pread(file, size, start)):
        pieces.append(piece)
        start, size = start + len(piece), size - len(piece)
    return b"".join(pieces)


def _place(offset: int, before: bytes) -> Place:
    return Place(offset, _digest(before))


def _digest(before: bytes) -> str:
    return blake2b(before[-CHECKED:], digest_size=8).hexdigest() if before else ""
