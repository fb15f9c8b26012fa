"""Which submodules a repository's index names (C10): git looks into each, by that one's own configuration.

Reads the file itself, versions 2 to 4, bounded. ``None`` means that it cannot be told.
"""

from pathlib import Path

from rawr.observe.files import read_small

MAX_INDEX = 64 * 1024 * 1024
MAX_ENTRIES = 200_000

_FIXED = 62
_GITLINK = 0o160000
_EXTENDED = 0x4000


def gitlinks(index: Path) -> list[str] | None:
    """The paths of submodules, relative to the work tree. None at all if there is no index yet."""
    if not index.exists():
        return []
    data = read_small(index, MAX_INDEX)
    if data is None or len(data) < 12 or data[:4] != b"DIRC":
        return None
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if version not in (2, 3, 4) or count > MAX_ENTRIES:
        return None
    return _entries(data, version, count)


def _entries(data: bytes, version: int, count: int) -> list[str] | None:
    found: list[str] = []
    at = 12
    name = b""
    for _ in range(count):
        start = at
        mode = int.from_bytes(data[at + 24 : at + 28], "big")
        flags = int.from_bytes(data[at + 60 : at + 62], "big")
        at += _FIXED + (2 if version >= 3 and flags & _EXTENDED else 0)
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
        if mode == _GITLINK:
            found.append(name.decode("utf-8", "surrogateescape"))
    # A split index keeps its entries in another file.
    return None if data[at : at + 4] == b"link" else found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """As git writes offsets: seven bits a byte, the highest first."""
    value = 0
    for position in range(at, min(at + 8, len(data))):
        value = (value << 7) | (data[position] & 0x7F)
        if not data[position] & 0x80:
            return value, position + 1
        value += 1
    return 1 << 62, at
