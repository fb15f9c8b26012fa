"""Unix sockets in a private folder: made and reached through a handle on the folder, and checked before the first byte.

A handle, because the folder cannot be swapped for another after it was checked; and because a socket's address has room
for about a hundred bytes, so that a deep folder needs a short way in. No folder that others can write to is ever used.
"""

import contextlib
import errno
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rawr.errors import OutsideError
from rawr.local.peers import EXITED, listener_problem, same_user

CONNECT_DEADLINE = 5.0
"""Seconds for a server with many clients at its door to take another one in."""
DYING_DEADLINE = 1.0
"""Seconds for the threads of a server that was killed to end: until the last one has, its socket still answers."""
LOOK = 0.02
BACKLOG = 256
_HANDLES = Path("/proc/self/fd")


class NotPrivate(OutsideError):
    """The folder, the socket or the process behind it is not the user's alone. Nothing was said to it."""


class NotYours(NotPrivate):
    """Another user, or an agent, is behind the socket."""


def bind(folder: Path, name: str) -> socket.socket:
    """Listen on a socket of this name in a private folder, in place of what a dead server left there."""
    with _opened(folder) as handle:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=handle)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _address(handle, name) as address:
                made.bind(address)
            os.chmod(name, 0o600, dir_fd=handle)
            made.listen(BACKLOG)
        except BaseException:
            made.close()
            raise
    made.setblocking(False)  # noqa: FBT003 - the shape of the standard library
    return made


def unlink(folder: Path, name: str) -> None:
    with contextlib.suppress(OSError):
        (folder / name).unlink(missing_ok=True)


def connect(folder: Path, name: str) -> socket.socket:
    """A connection to the socket of this name in a private folder. Raises ``OSError`` if nothing answers there, and
    ``NotPrivate`` or ``NotYours`` if it is not ours to speak to."""
    return _checked(lambda: _connected_in(folder, name), folder / name)


def connect_shared(path: Path) -> socket.socket:
    """A connection to a socket that another program of the user's listens on, wherever that has put it. A link is
    followed, at every call: the program may have moved."""
    return _checked(lambda: _connected_at(Path(os.path.realpath(path))), path)


def answers(folder: Path, name: str) -> bool:
    """Return True if somebody listens there. One who is not ours to speak to is an error."""
    try:
        connect(folder, name).close()
    except OSError:
        return False
    return True


def answers_shared(path: Path) -> bool:
    """The same, for another program's socket."""
    try:
        connect_shared(path).close()
    except OSError:
        return False
    return True


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, _FOLDER)
    try:
        found = os.fstat(handle)
        if found.st_uid != os.getuid():
            raise NotPrivate(f"{folder} belongs to another user.", way_out="Set RAWR_HOME to a folder of your own.")
        if found.st_mode & 0o077:
            raise NotPrivate(f"Other users can access {folder}.", way_out=f"Remove their access: chmod go= {folder}")
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _address(handle: int, name: str) -> Iterator[str]:
    """A short address of a socket in a folder that is open."""
    if _HANDLES.exists():
        yield str(_HANDLES / str(handle) / name)
        return
    # macOS has no way through a handle, but a name alone is short: go there for the moment of the call.
    here = os.open(".", _FOLDER)
    try:
        os.fchdir(handle)
        yield name
    finally:
        os.fchdir(here)
        os.close(here)


def _check_socket(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISSOCK(found.st_mode):
        raise NotPrivate(f"{path} is not a socket.", way_out="Remove it.")
    if found.st_uid != os.getuid():
        raise NotPrivate(f"{path} belongs to another user.", way_out="rawr told it nothing. Remove it.")


def _connected_in(folder: Path, name: str) -> socket.socket:
    (folder / name).lstat()  # nothing there is nothing to complain of
    with _opened(folder) as handle:
        _check_socket(folder / name, os.stat(name, dir_fd=handle, follow_symlinks=False))
        with _address(handle, name) as address:
            return _connected(address)


def _connected_at(path: Path) -> socket.socket:
    handle = os.open(path.parent, _FOLDER)
    try:
        _check_socket(path, os.stat(path.name, dir_fd=handle, follow_symlinks=False))
        with _address(handle, path.name) as address:
            return _connected(address)
    finally:
        os.close(handle)


def _connected(address: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    patience = time.monotonic() + CONNECT_DEADLINE
    made.setblocking(False)  # noqa: FBT003 - the shape of the standard library
    while True:
        code = made.connect_ex(address)
        if code == 0:
            return made
        if code not in (errno.EAGAIN, errno.EINTR) or time.monotonic() > patience:
            made.close()
            raise OSError(code, os.strerror(code))
        time.sleep(LOOK)  # its queue is full: it is busy


def _checked(connected: Callable[[], socket.socket], path: Path) -> socket.socket:
    """Nothing has been said yet: the other end must be our user's, and not an agent's.

    A server that was killed is not an intruder: connect again until nothing answers.
    """
    patience = time.monotonic() + DYING_DEADLINE
    while True:
        made = connected()
        try:
            if not same_user(made):
                raise NotYours(
                    f"Another user listens on {path}.", way_out="rawr told them nothing. Remove that socket."
                )
            problem = listener_problem(made)
            if not problem:
                return made
            if problem != EXITED or time.monotonic() > patience:
                raise NotYours(
                    f"{problem} listens on {path}.",
                    way_out="rawr told it nothing. End that process, and keep the folder out of the agent's reach.",
                )
        except BaseException:
            made.close()
            raise
        made.close()
        time.sleep(LOOK)
