"""Who is who among processes: one signs a file, and whoever reads it knows whether that process still lives.

A number alone may be another's by now, and a process that was forked does not carry the tag of its case.
"""

import contextlib
import os
from pathlib import Path


def sign(file: Path) -> None:
    """This process is the one that the file is about."""
    unfinished = file.with_name(f"{file.name}.new")
    unfinished.write_text(f"{os.getpid()} {_since(os.getpid())}")
    unfinished.replace(file)


def signed(file: Path) -> int:
    """The living process that signed; 0 if there is none."""
    with contextlib.suppress(OSError):
        pid, since = file.read_text().split()
        return int(pid) if _since(int(pid)) == since else 0
    return 0


def _since(pid: int) -> str:
    """When it began, in the kernel's ticks; empty if it has ended, waited for or not."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return fields[19] if fields[0] not in "ZX" else ""
    return ""
