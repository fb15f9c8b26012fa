"""One writer at a time: an exclusive lock on a file of its own beside the journal.

SQLite would let two writers take turns; rawr must not, because a second one would decide and act on the same threads.
The kernel drops the lock with the process, so a crash leaves nothing to clean up. The pid in the file is for
the message.
"""

import errno
import fcntl
import os
from pathlib import Path

from rawr.journal.errors import JournalBusy, JournalUnwritable, explain
from rawr.journal.home import FILE_MODE, not_a_file


class WriterLock:
    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, path: Path, *, guards: Path) -> "WriterLock":
        """Lock ``path``, or say which process has it. ``guards`` is the file that the message is about."""
        try:
            if problem := not_a_file(path):
                raise JournalUnwritable(path, problem)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
        except OSError as error:
            raise explain(error, path) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            holder = _pid(os.pread(descriptor, 32, 0))
            os.close(descriptor)
            if error.errno in {errno.EWOULDBLOCK, errno.EAGAIN}:
                raise JournalBusy(guards, pid=holder) from error
            if error.errno in {errno.ENOLCK, errno.EOPNOTSUPP}:
                raise JournalUnwritable(path, "the file system has no locks") from error
            raise explain(error, path) from error
        return cls(descriptor)

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _pid(content: bytes) -> int | None:
    text = content.strip()
    return int(text) if text.isdigit() else None
