"""Where a folder really is, also behind a bind mount: which file system, and which path in it."""

import os
import re
from pathlib import Path

from msgspec import Struct

_TABLE = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")


class _Mount(Struct, frozen=True):
    device: str
    root: str
    """What is mounted: a path within the file system."""
    point: str


class Mounts:
    """The mounts of this process. Elsewhere than on Linux there is no table of them, and a path is what it is."""

    def __init__(self, table: str | None = None) -> None:
        self._mounts = [found for line in (_read() if table is None else table).splitlines() if (found := _mount(line))]

    def place_of(self, path: str) -> tuple[str, str]:
        """``path`` is absolute, with its links followed. Two paths to one place give the same result."""
        best: _Mount | None = None
        for mount in self._mounts:
            # A later mount on the same point hides an earlier one.
            if within(path, mount.point) and (best is None or len(mount.point) >= len(best.point)):
                best = mount
        if best is None:
            return "", path
        rest = os.path.relpath(path, best.point)
        return best.device, best.root if rest == "." else os.path.join(best.root, rest)  # noqa: PTH118 - names of any kind


def within(path: str, folder: str) -> bool:
    """Return True for the folder itself as well. Both are absolute and normal."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _read() -> str:
    try:
        return os.fsdecode(_TABLE.read_bytes())
    except OSError:
        return ""


def _mount(line: str) -> _Mount | None:
    fields = line.split(" ")
    if len(fields) < 5:
        return None
    root, point = (_ESCAPED.sub(lambda found: chr(int(found[1], 8)), one) for one in fields[3:5])
    return _Mount(fields[2], root, point)
