"""Session files that Codex has packed with zstd. Reading them needs a package that not everybody has."""

import contextlib
import importlib
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from backports.zstd import ZstdFile

MAGIC = b"\x28\xb5\x2f\xfd"
MOST = 512 * 1024 * 1024
"""Bytes to unpack: a small file can say that it is endless."""
_STEP = 1024 * 1024


class CannotUnpack(Exception):
    pass


def unpacked(file: BinaryIO, *, offset: int, limit: int) -> tuple[bytes, int, int]:
    """The last ``limit`` bytes from ``offset`` on, the offset of the first of them, and the size of it all, unpacked.

    Raises ``CannotUnpack``.
    """
    kept = bytearray()
    size = 0
    try:
        with opened(file) as stream:
            while piece := stream.read(_STEP):
                size += len(piece)
                if size > MOST:
                    raise CannotUnpack(f"it holds more than {MOST >> 20} MB")
                kept += piece[max(offset - (size - len(piece)), 0) :]
                del kept[: max(len(kept) - limit, 0)]
    except CannotUnpack:
        raise
    except Exception as error:  # whatever is wrong with the bytes
        raise CannotUnpack(f"it cannot be unpacked: {error}") from error
    return bytes(kept), size - len(kept), size


def opened(file: BinaryIO) -> "ZstdFile":
    """Reading raises ``EOFError`` where it breaks off, and other errors if it is damaged."""
    for package in _PACKAGES:
        with contextlib.suppress(ImportError):
            return cast("ZstdFile", importlib.import_module(package).ZstdFile(file))
    raise CannotUnpack("it is packed with zstd; rawr's extra `history` reads such files")


_PACKAGES = ("compression.zstd", "backports.zstd")
"""Python has its own from 3.14 on; the other is the same for older ones."""
