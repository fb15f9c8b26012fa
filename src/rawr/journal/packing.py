"""Bodies in less room: a long text is stored compressed, and a text that repeats its fact's is stored without the
repetition.

A packed body is a BLOB where a plain one is TEXT, so rows of both kinds stand side by side and short ones stay readable
with the sqlite3 program. This module knows texts and bytes, not what they mean.
"""

import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

Cell = str | bytes
"""A body as it is stored."""

LEAST = 1024
"""Characters. Below this, packing gains a few bytes and costs more time than writing them."""
MOST = 64 * 1024 * 1024
"""Bytes that a packed body may unfold to. Nothing rawr writes is near it; a damaged length may be."""
LEVEL = 6

_PLAIN, _SHARED = b"\x01", b"\x02"
_HEAD = struct.Struct("<IIII")
"""Of a shared body: where the shared part goes, where it begins in the fact's body, how long it is; and the checksum
of the whole."""
_PROBE = 48
"""Characters that two texts must have in common, somewhere in the middle of the shorter one, to be compared at all."""


class Unpackable(ValueError):
    """The bytes are not a packed body, or the body they share a part with is not as it was."""


class _Common(NamedTuple):
    here: int
    there: int
    length: int


def packed(text: str, *, least: int = LEAST) -> Cell:
    """The text as it is stored."""
    if len(text) < least:
        return text
    raw = text.encode()
    small = _PLAIN + zlib.compress(raw, LEVEL)
    return small if len(small) < len(raw) else text


def packed_beside(text: str, origin: str) -> Cell:
    """The text as it is stored in a row whose fact's body is ``origin``: what is there already is not stored again."""
    if len(text) < LEAST or len(origin) < LEAST:
        return packed(text)
    common = _common(text, origin)
    if common is None or common.length < LEAST:
        return packed(text)
    rest = text[: common.here] + text[common.here + common.length :]
    head = _HEAD.pack(*common, zlib.crc32(text.encode()))
    return _SHARED + head + zlib.compress(rest.encode(), LEVEL)


def unpacked(cell: object, origin: Callable[[], Cell | None] | None = None) -> str:
    """The text of a stored body. ``origin`` reads the stored body of its fact, which is asked for only if needed."""
    if isinstance(cell, str):
        return cell
    if not isinstance(cell, bytes):
        raise Unpackable("it is not text")
    if cell[:1] == _PLAIN:
        return _inflated(cell[1:])
    if cell[:1] == _SHARED and len(cell) > _HEAD.size and origin is not None:
        return _joined(cell, origin())
    raise Unpackable("it is packed in an unknown way")


def _joined(cell: bytes, origin: Cell | None) -> str:
    here, there, length, checksum = _HEAD.unpack_from(cell, 1)
    rest = _inflated(cell[1 + _HEAD.size :])
    whole = unpacked(origin) if origin is not None else ""
    text = rest[:here] + whole[there : there + length] + rest[here:]
    if zlib.crc32(text.encode(errors="surrogateescape")) != checksum:
        raise Unpackable("it shares a text with its fact, which is missing or damaged")
    return text


def _inflated(data: bytes) -> str:
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(data, MOST)
        if not inflater.eof:
            raise Unpackable("it is cut short")
        return raw.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise Unpackable(f"it cannot be unpacked ({error})") from error


def _common(text: str, origin: str) -> _Common | None:
    """A long part that both have: one around the middle of the shorter one, as far as it reaches."""
    short, long, swapped = (text, origin, False) if len(text) <= len(origin) else (origin, text, True)
    at = len(short) // 2
    found = long.find(short[at : at + _PROBE])
    if found < 0:
        return None
    before = _agree(short[:at][::-1], long[:found][::-1])
    after = _agree(short[at:], long[found:])
    here, there = (found - before, at - before) if swapped else (at - before, found - before)
    return _Common(here, there, before + after)


def _agree(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
