"""One writer at a time: an exclusive lock on the journal's folder, and one on a lock file inside it.

SQLite would let two writers take turns; rawr must not, because a second one would decide and act on the same threads.
The folder's lock is the one that counts: removing or replacing the lock file lets nobody in, and removing the folder
removes the journal too, which the writer notices. The file names the holder, and keeps out older versions of rawr.
The kernel drops both locks with the process, so a crash leaves nothing to clean up. The journal file is not locked:
closing a descriptor of it would drop SQLite's own locks.
"""

import errno
import fcntl
import os
from pathlib import Path

from rawr.journal.errors import JournalBusy, JournalUnwritable, explain
from rawr.journal.home import FILE_MODE, not_a_file

_TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN}
_NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP}


class WriterLock:
    def __init__(self, *descriptors: int) -> None:
        self._descriptors = list(descriptors)

    @classmethod
    def take(cls, path: Path, *, guards: Path) -> "WriterLock":
        """Lock ``path`` and its folder, or say which process holds them. ``guards`` is the path that messages name."""
        lock = cls()
        try:
            lock._lock_file(path, guards=guards)
            lock._lock_folder(path.parent, guards=guards)
        except BaseException:
            lock.release()
            raise
        return lock

    def _lock_file(self, path: Path, *, guards: Path) -> None:
        try:
            if problem := not_a_file(path):
                raise JournalUnwritable(path, problem)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
        except OSError as error:
            raise explain(error, path) from error
        self._descriptors.append(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            if error.errno in _TAKEN:
                raise JournalBusy(guards, pid=_pid(os.pread(descriptor, 32, 0))) from error
            if error.errno in _NO_LOCKS:
                raise JournalUnwritable(path, "the file system has no locks") from error
            raise explain(error, path) from error

    def _lock_folder(self, folder: Path, *, guards: Path) -> None:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise explain(error, folder) from error
        self._descriptors.append(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _TAKEN:
                # The file that named the holder was removed or replaced.
                raise JournalBusy(guards) from error
            if error.errno not in {*_NO_LOCKS, errno.EBADF, errno.EINVAL}:
                raise explain(error, folder) from error
            # A network file system that locks only files; there, the file must be enough.

    def release(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())


def _pid(content: bytes) -> int | None:
    text = content.strip()
    return int(text) if text.isdigit() else None
