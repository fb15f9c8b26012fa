"""Which submodules a repository's index names (C10): git looks into each, by that one's own configuration. And which
files in it may hold credentials.

Reads the file itself, versions 2 to 4, bounded. ``None`` means that it cannot be told.
"""

from pathlib import Path

from msgspec import Struct

from rawr.observe.safety.credentials import SUSPECT
from rawr.observe.safety.looking import Looking

MAX_INDEX = 64 * 1024 * 1024
MAX_ENTRIES = 200_000

_FIXED = 62
_GITLINK = (0o160000).to_bytes(4, "big")
_EXTENDED = b"\x40"


class Index(Struct, frozen=True):
    links: tuple[str, ...] = ()
    """Paths of submodules, relative to the work tree."""
    suspects: tuple[str, ...] = ()
    """Paths of files whose names must be looked at more closely."""


def gitlinks(index: Path) -> list[str] | None:
    """The paths of submodules. None at all if there is no index yet."""
    found = read_index(index, Looking())
    return None if found is None else list(found.links)


def read_index(index: Path, look: Looking) -> Index | None:
    return look.once(("index", str(index)), lambda: _read(index, look))


def _read(index: Path, look: Looking) -> Index | None:
    if not index.exists():
        return Index()
    data = look.read(index, MAX_INDEX)
    if data is None or len(data) < 12 or data[:4] != b"DIRC":
        return None
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if version not in (2, 3, 4) or count > MAX_ENTRIES:
        return None
    look.spend(count // 8)
    return _entries(data, version, count)


def _entries(data: bytes, version: int, count: int) -> Index | None:
    links: list[bytes] = []
    suspects: list[bytes] = []
    at = 12
    name = b""
    for _ in range(count):
        start = at
        extended = version >= 3 and data[at + 60 : at + 61] >= _EXTENDED and data[at + 60] & 0x40
        at += _FIXED + (2 if extended else 0)
        keep = 0
        if version == 4:
            strip, at = _varint(data, at)
            keep = len(name) - strip
        end = data.find(b"\0", at)
        if end < 0 or keep < 0:
            return None
        name = name[:keep] + data[at:end]
        at = end + 1
        if version != 4:  # padded with NULs to a multiple of eight
            at = start + (end - start + 8) // 8 * 8
        if data[start + 24 : start + 28] == _GITLINK:
            links.append(name)
        elif SUSPECT.search(name):
            suspects.append(name)
    if data[at : at + 4] == b"link":  # a split index keeps its entries in another file
        return None
    return Index(_texts(links), _texts(suspects))


def _texts(names: list[bytes]) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "surrogateescape") for name in names)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """As git writes offsets: seven bits a byte, the highest first."""
    value = 0
    for position in range(at, min(at + 8, len(data))):
        value = (value << 7) | (data[position] & 0x7F)
        if not data[position] & 0x80:
            return value, position + 1
        value += 1
    return 1 << 62, at
