"""Read git's objects from its files (C10): loose ones, and those in packs. git does not run.

Every object is paid for before it is read, so a malicious repository cannot keep its reader busy. Only objects that
name others are read in full: of a blob, only the kind. Knows no revisions and no paths.
"""

import re
import struct
import zlib
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.observe.files import read_range

Kind = Literal["commit", "tree", "blob", "tag"]

MAX_OBJECT = 4 << 20
MAX_PACKS = 128
MAX_CHAIN = 256
"""Deltas on deltas; git makes at most 50 by default."""
COST = 40
"""Steps for one object. Reading it takes about as long as forty looks at a path."""

_KINDS: dict[int, Kind] = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_NAMED: dict[bytes, Kind] = {b"commit": "commit", b"tree": "tree", b"blob": "blob", b"tag": "tag"}
_OFFSET_DELTA, _NAMED_DELTA = 6, 7
_RAW = 20
_FANOUT = 8 + 1024
_OID = re.compile(r"[0-9a-f]{40}")
_FIRST = 4_096


class Unreadable(Exception):
    """An object is missing, or malformed; the text says which."""


class Found(Struct, frozen=True):
    kind: Kind
    data: bytes = b""
    """Empty for a blob."""


class _Entry(Struct, frozen=True):
    code: int
    size: int
    data: int
    """Where in the pack the compressed bytes begin."""
    base: int | str | None = None
    """What a delta builds on: a position in the same pack, or an object."""


class Objects:
    def __init__(self, common_dir: Path, spend: Callable[[int], None]) -> None:
        self._folder = common_dir / "objects"
        self._spend = spend
        self._kept: dict[str, Found] = {}
        self._built: dict[tuple[Path, int], Found] = {}
        self._packs: list[tuple[Path, tuple[int, ...]]] | None = None

    def read(self, oid: str) -> Found:
        if oid not in self._kept:
            self._kept[oid] = self._read(oid, depth=0)
        return self._kept[oid]

    def has(self, oid: str) -> bool:
        self._spend(COST)
        return oid in self._kept or (self._folder / oid[:2] / oid[2:]).exists() or self._where(oid) is not None

    def beginning(self, prefix: str) -> list[str]:
        """The objects whose names begin with ``prefix``, loose and packed; it has at least four digits."""
        if len(prefix) == 2 * _RAW:
            return [prefix]
        self._spend(COST)
        loose = [prefix[:2] + path.name for path in self._folder.glob(f"{prefix[:2]}/{prefix[2:]}*")]
        low = bytes.fromhex(prefix.ljust(2 * _RAW, "0"))
        found = set(loose)
        for index, fanout in self._all_packs():
            names = self._bucket(index, fanout, low[0])
            at = _search(names, low)
            while (name := names[at * _RAW : (at + 1) * _RAW].hex()).startswith(prefix):
                found.add(name)
                at += 1
        return sorted(found)

    def _read(self, oid: str, *, depth: int) -> Found:
        if not _OID.fullmatch(oid):
            raise Unreadable(f"{oid[:80]} names no object.")
        self._spend(COST)
        loose = read_range(self._folder / oid[:2] / oid[2:], 0, limit=MAX_OBJECT)
        if loose is not None:
            return _loose(loose.data)
        where = self._where(oid)
        if where is None:
            raise Unreadable(f"The object {oid[:10]} is not there.")
        return self._packed(*where, depth=depth)

    def _where(self, oid: str) -> tuple[Path, int] | None:
        packs = self._all_packs()
        for number, (index, fanout) in enumerate(packs):
            at = self._offset(index, fanout, bytes.fromhex(oid))
            if at is not None:
                packs.insert(0, packs.pop(number))  # related objects tend to be in the same pack
                return index.with_suffix(".pack"), at
        return None

    # -- indexes of packs -----------------------------------------------------------------------------------------

    def _all_packs(self) -> list[tuple[Path, tuple[int, ...]]]:
        if self._packs is None:
            paths = sorted((self._folder / "pack").glob("*.idx"))
            if len(paths) > MAX_PACKS:
                raise Unreadable(f"The repository has more than {MAX_PACKS} packs.")
            self._packs = [(path, _fanout(path)) for path in paths]
        self._spend(len(self._packs))
        return self._packs

    def _bucket(self, index: Path, fanout: tuple[int, ...], first: int) -> bytes:
        """The names in a pack that begin with this byte, in order, concatenated."""
        low, high = fanout[first - 1] if first else 0, fanout[first]
        length = (high - low) * _RAW
        if not 0 <= length <= MAX_OBJECT:
            raise Unreadable("An index of a pack is not understood.")
        return _exactly(index, _FANOUT + low * _RAW, length)

    def _offset(self, index: Path, fanout: tuple[int, ...], oid: bytes) -> int | None:
        first = oid[0]
        low, high, count = fanout[first - 1] if first else 0, fanout[first], fanout[255]
        if high <= low:
            return None
        names = self._bucket(index, fanout, first)
        at = _search(names, oid)
        if names[at * _RAW : (at + 1) * _RAW] != oid:
            return None
        offsets = _FANOUT + count * (_RAW + 4)
        near = int.from_bytes(_exactly(index, offsets + (low + at) * 4, 4), "big")
        if near < 1 << 31:
            return near
        return int.from_bytes(_exactly(index, offsets + count * 4 + (near & 0x7FFFFFFF) * 8, 8), "big")

    # -- packs ----------------------------------------------------------------------------------------------------

    def _packed(self, pack: Path, at: int, *, depth: int) -> Found:
        chain: list[tuple[int, _Entry]] = []
        base: Found | None = None
        while base is None:
            if (base := self._built.get((pack, at))) is not None:
                break
            if len(chain) + depth > MAX_CHAIN:
                raise Unreadable("An object in a pack builds upon too many others.")
            self._spend(COST)
            entry = _entry(pack, at)
            if entry.code in _KINDS:
                kind = _KINDS[entry.code]
                base = Found(kind, b"" if kind == "blob" else _inflated(pack, entry))
                self._built[pack, at] = base
                break
            chain.append((at, entry))
            if isinstance(entry.base, str):
                base = self._read(entry.base, depth=depth + len(chain))
            else:
                at = entry.base or 0
        for place, entry in reversed(chain):
            data = b"" if base.kind == "blob" else _applied(base.data, _inflated(pack, entry))
            base = self._built[pack, place] = Found(base.kind, data)
            self._spend(1 + len(data) // 256)
        return base


def _search(names: bytes, oid: bytes) -> int:
    """The position of a name, or where it would be."""
    return bisect_left(range(len(names) // _RAW), oid, key=lambda at: names[at * _RAW : (at + 1) * _RAW])


def _exactly(path: Path, start: int, length: int) -> bytes:
    chunk = read_range(path, start, limit=length)
    if chunk is None or len(chunk.data) != length:
        raise Unreadable("A pack is shorter than its index says.")
    return chunk.data


def _fanout(index: Path) -> tuple[int, ...]:
    head = _exactly(index, 0, _FANOUT)
    counts = struct.unpack(">256I", head[8:])
    if head[:8] != b"\xfftOc\0\0\0\2" or list(counts) != sorted(counts):
        raise Unreadable("An index of a pack is not understood.")
    return counts


def _loose(data: bytes) -> Found:
    try:
        reader = zlib.decompressobj()
        whole = reader.decompress(data, 64)
        kind = _NAMED.get(whole.partition(b" ")[0])
        if kind == "blob":
            return Found(kind)
        whole += reader.decompress(reader.unconsumed_tail, MAX_OBJECT)
    except zlib.error as error:
        raise Unreadable("An object is damaged.") from error
    head, nul, content = whole.partition(b"\0")
    if kind is None or not nul or head.partition(b" ")[2] != str(len(content)).encode():
        raise Unreadable("An object is damaged.")
    return Found(kind, content)


def _entry(pack: Path, at: int) -> _Entry:
    chunk = read_range(pack, at, limit=64)
    data = b"" if chunk is None else chunk.data
    if len(data) < 2:
        raise Unreadable("A pack is shorter than its index says.")
    code, size, place = (data[0] >> 4) & 7, data[0] & 15, 1
    if data[0] & 0x80:
        more, place = _number(data, 1)
        size |= more << 4
    if code == _OFFSET_DELTA:
        back, place = distance(data, place)
        if not 0 < back <= at:
            raise Unreadable("A delta in a pack builds upon nothing.")
        return _Entry(code, size, at + place, at - back)
    if code == _NAMED_DELTA:
        return _Entry(code, size, at + place + _RAW, data[place : place + _RAW].hex())
    if code not in _KINDS:
        raise Unreadable("An object in a pack is not understood.")
    return _Entry(code, size, at + place)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Seven bits per byte, the lowest first."""
    value = 0
    for place in range(at, min(at + 9, len(data))):
        value |= (data[place] & 0x7F) << (7 * (place - at))
        if not data[place] & 0x80:
            return value, place + 1
    raise Unreadable("A number in a pack does not end.")


def distance(data: bytes, at: int) -> tuple[int, int]:
    """Seven bits per byte, the highest first, plus one for each byte that follows."""
    value = 0
    for place in range(at, min(at + 9, len(data))):
        value = (value << 7) | (data[place] & 0x7F)
        if not data[place] & 0x80:
            return value, place + 1
        value += 1
    raise Unreadable("A number in a pack does not end.")


def _inflated(pack: Path, entry: _Entry) -> bytes:
    if entry.size > MAX_OBJECT:
        raise Unreadable("An object is too large to look at.")
    length = min(entry.size + 512, _FIRST)
    while True:
        chunk = read_range(pack, entry.data, limit=length)
        try:
            reader = zlib.decompressobj()
            found = reader.decompress(b"" if chunk is None else chunk.data, entry.size + 1)
        except zlib.error as error:
            raise Unreadable("An object is damaged.") from error
        if len(found) == entry.size:
            return found
        if len(found) > entry.size or chunk is None or len(chunk.data) < length or length > 2 * MAX_OBJECT:
            raise Unreadable("An object is damaged.")
        length *= 8


def _applied(base: bytes, delta: bytes) -> bytes:
    """A delta copies parts of its base, and contains the rest."""
    before, at = _number(delta, 0)
    after, at = _number(delta, at)
    if before != len(base) or after > MAX_OBJECT:
        raise Unreadable("A delta does not fit what it builds upon.")
    built = bytearray()
    while at < len(delta) and len(built) <= after:
        code = delta[at]
        at += 1
        if not code & 0x80:
            built += delta[at : at + code]
            at += code
            if not code:
                raise Unreadable("A delta is not understood.")
            continue
        values = []
        for first, count in ((0, 4), (4, 3)):
            value = 0
            for bit in range(count):
                if code & 1 << (first + bit):
                    value |= int.from_bytes(delta[at : at + 1]) << (8 * bit)
                    at += 1
            values.append(value)
        start, length = values[0], values[1] or 0x10000
        built += base[start : start + length]
    if len(built) != after:
        raise Unreadable("A delta does not fit what it builds upon.")
    return bytes(built)
