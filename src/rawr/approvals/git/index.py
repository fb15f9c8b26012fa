"""Which submodules a repository's index names (C10), because git looks into each, under that submodule's own
configuration; and which files in it may hold credentials.

Reads the file itself, versions 2 to 4, within bounds. ``None`` means that the answer is unknown.
"""

import re
from pathlib import Path

from msgspec import Struct

from rawr.approvals.credentials import suspect
from rawr.approvals.looking import Looking
from rawr.observe.repository.packs import Unreadable, distance

MAX_INDEX = 64 * 1024 * 1024
MAX_ENTRIES = 200_000

_FIXED = 62
_GITLINK = (0o160000).to_bytes(4, "big")
_SPLIT = b"link\0\0"
"""How the part of a split index that names the other file begins: a word, and a short length."""
_FOLDER = (0o040000).to_bytes(4, "big")
_TREES = re.compile(rb"([^\0]*)\0(-?\d{1,9}) (\d{1,9})\n")
_BETWEEN_LOOKS = 4_096


class Index(Struct, frozen=True):
    links: tuple[str, ...] = ()
    """Paths of submodules, relative to the work tree."""
    suspects: tuple[str, ...] = ()
    """Paths of files whose names need a closer look."""
    trees: frozenset[tuple[bytes, bytes]] = frozenset()
    """Folders that equal some tree, each as its path and the tree's id: everything in them has been checked."""


def gitlinks(index: Path, look: Looking | None = None) -> list[str] | None:
    """The paths of submodules, relative to the work tree. Empty if there is no index yet."""
    looking = look or Looking()
    data = _data(index, looking)
    if data is None or not data:
        return None if data is None else []
    if _GITLINK not in data and _SPLIT not in data and int.from_bytes(data[4:8], "big") != 4:
        return []  # nothing in it can be one, so there is no need to parse it
    found = _whole(index, data, looking)
    return None if found is None else list(found.links)


def read_index(index: Path, look: Looking) -> Index | None:
    """The index, with the tracked files that may hold credentials, by a quick look at their names."""
    data = _data(index, look)
    if data is None or not data:
        return None if data is None else Index()
    return _whole(index, data, look)


def _data(index: Path, look: Looking) -> bytes | None:
    """The file's content if the format is known; empty if there is no file."""
    if not index.exists():
        return b""
    data = look.read(index, MAX_INDEX)
    if data is None or len(data) < 12 or data[:4] != b"DIRC":
        return None
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    whole = len(data) >= 12 + count * _FIXED
    return data if version in (2, 3, 4) and count <= MAX_ENTRIES and whole else None


def _whole(index: Path, data: bytes, look: Looking) -> Index | None:
    return look.once(("index", str(index)), lambda: _entries(data, look))


def _entries(data: bytes, look: Looking) -> Index | None:
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    links: list[bytes] = []
    found: list[bytes] = []
    at = 12
    name = b""
    for number in range(count):
        if number % _BETWEEN_LOOKS == 0:
            look.spend(_BETWEEN_LOOKS // 8)
        start = at
        at += _FIXED + (
            2 if version >= 3 and data[start + 60 : start + 61] >= b"\x40" and data[start + 60] & 0x40 else 0
        )
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
        mode = data[start + 24 : start + 28]
        if mode == _GITLINK:
            links.append(name)
        elif mode == _FOLDER:  # a sparse index does not say what is in it
            return None
        elif suspect(name):
            found.append(name)
    if data[at : at + 4] == b"link":  # a split index keeps its entries in another file
        return None
    return Index(_texts(links), _texts(found), _trees(data, at))


def _trees(data: bytes, at: int) -> frozenset[tuple[bytes, bytes]]:
    """The cached trees after the entries: which folders equal a tree that git has written."""
    while data[at : at + 4] != b"TREE":
        if not data[at : at + 1].isalpha() or at + 28 > len(data):
            return frozenset()
        at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")
    end = at + 8 + int.from_bytes(data[at + 4 : at + 8], "big")
    at += 8
    found: set[tuple[bytes, bytes]] = set()
    above: list[tuple[bytes, int]] = []
    while at < end and (noted := _TREES.match(data, at, end)):
        while above and above[-1][1] == 0:
            above.pop()
        folder = above[-1][0] if above else b""
        if above:
            above[-1] = folder, above[-1][1] - 1
        path = folder + noted[1] + b"/" if noted[1] else folder
        at = noted.end()
        if not noted[2].startswith(b"-"):
            found.add((path, data[at : at + 20]))
            at += 20
        above.append((path, int(noted[3])))
    return frozenset(found)


def _texts(names: list[bytes]) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "surrogateescape") for name in names)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """An offset as git writes it; an unterminated one points beyond the end."""
    try:
        return distance(data, at)
    except Unreadable:
        return 1 << 62, at
