"""Where a home's sockets are, and who may use them: its owner, and nobody else."""

import asyncio
import os
import socket
import stat
import struct
import tempfile
from hashlib import sha256
from pathlib import Path

from rawr.errors import OutsideError

SOCKET = "control.sock"
"""Takes one command per connection."""
HOST_SOCKET = "host.sock"
"""Serves surfaces for as long as they stay."""
PROBE_DEADLINE = 2.0
MAX_ADDRESS = 100
"""Bytes in a unix socket's path that every system accepts."""


def address(home: Path) -> Path:
    return _socket_path(home, SOCKET)


def host_address(home: Path) -> Path:
    return _socket_path(home, HOST_SOCKET)


def _socket_path(home: Path, name: str) -> Path:
    """The path of a socket of a home: in the home or, if that path is too long, in a private folder of the user under
    the temporary one."""
    path = home / name
    if len(os.fsencode(path)) <= MAX_ADDRESS:
        return path
    digest = sha256(os.fsencode(home.resolve())).hexdigest()[:16]
    other = "" if name == SOCKET else f"-{name.removesuffix('.sock')}"
    return Path(tempfile.gettempdir()) / f"rawr-{os.getuid()}" / f"{digest}{other}.sock"


def host_answers(home: Path) -> bool:
    """Return True if a host accepts clients on this home."""
    return accepts(host_address(home))


def accepts(path: Path) -> bool:
    """Return True if somebody listens there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_DEADLINE)
        try:
            probe.connect(os.fspath(path))
        except OSError:
            return False
    return True


def own_folder(folder: Path) -> None:
    """Create the socket's folder for the user alone; refuse a folder that is not theirs alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise OutsideError(f"{folder} is not a private folder of yours.", way_out="Remove it, or set RAWR_HOME.")


def is_same_user(writer: asyncio.StreamWriter) -> bool:
    peer = writer.get_extra_info("socket")
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder is 0700, which ensures the same
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return bool(uid == os.getuid())
