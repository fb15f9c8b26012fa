"""The journal's only writer: a queue, a thread that commits in groups, and futures that tell when a batch is safe.

It must not know what facts mean. It never waits for a reader, and callers wait for it no longer than a commit takes:
after a failure, every batch, waiting or new, fails at once with the same cause.
"""

import ctypes
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from rawr.errors import RawrError
from rawr.journal.commit import Committer
from rawr.journal.errors import JournalClosed, JournalLost, explain
from rawr.journal.home import LOCK, database, prepare_home
from rawr.journal.lock import WriterLock
from rawr.journal.opening import open_for_writing
from rawr.ports.memory import Batch

FRAME_BYTES = 4 * 1024
"""Of a raw frame. A longer one is long because of an output or a history, which the fact has, or Codex's own record."""
FRAMES_KEPT = 500
"""Raw frames, of some twenty-five turns. Nothing that rawr does needs them, and Codex's own record holds what was in
them."""

GROUP_ROWS = 20_000
"""A group takes no further batch beyond this many rows: the log stays small, and early futures resolve early."""

_Entry = tuple[Batch, "Future[None]"]


class _Promise(Future[None]):
    def cancel(self) -> bool:
        return False


class Journal:
    """The journal of one RAWR_HOME, open for writing. Close it, or use it in a ``with`` statement."""

    def __init__(self, path: Path, *, db: sqlite3.Connection, committer: Committer, lock: WriterLock) -> None:
        self.path = path
        self._db = db
        self._committer = committer
        self._lock = lock
        self._queue: SimpleQueue[_Entry | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._failure: RawrError | None = None
        # A daemon, so that it does not keep a program from exiting; batches that were not awaited were not promised.
        self._thread = threading.Thread(target=self._run, name="rawr-journal", daemon=True)

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        frame_bytes: int = FRAME_BYTES,
        frames_kept: int = FRAMES_KEPT,
        max_bytes: int | None = None,
    ) -> "Journal":
        """Create or check, migrate, lock and start. A journal that is refused stays as it was.

        ``max_bytes`` limits the database file; reaching it is the same as a full disk.
        """
        path = database(prepare_home(home))
        lock = WriterLock.take(home / LOCK, guards=path)
        try:
            db = open_for_writing(path, max_bytes=max_bytes)
            try:
                committer = Committer(db, path, frame_bytes=frame_bytes, frames_kept=frames_kept)
            except BaseException:
                db.close()
                raise
        except (sqlite3.Error, OSError) as error:
            lock.release()
            raise explain(error, path) from error
        except BaseException:
            lock.release()
            raise
        journal = cls(path, db=db, committer=committer, lock=lock)
        journal._thread.start()
        return journal

    def append(self, batch: Batch) -> "Future[None]":
        """Queue a batch. The future resolves once the batch is committed; the batch is the journal's from here on.

        Batches are committed in the order of their calls. The future cannot be cancelled, because a queued batch is
        written even if nobody waits for it.
        """
        future = _Promise()
        with self._gate:
            if self._closed:
                future.set_exception(self._failure or JournalClosed(self.path))
            elif self._failure is not None:
                future.set_exception(self._failure)
            else:
                self._queue.put((batch, future))
        return future

    def flush(self) -> None:
        """Return once everything appended so far is committed and on the disk."""
        self.append(Batch(durable=True)).result()

    def last_seq(self) -> int:
        """The number of the last committed fact, 0 if there is none."""
        return self._committer.last_seq

    @property
    def failure(self) -> RawrError | None:
        """Why the journal accepts no more batches; None while it does."""
        return self._failure

    def close(self) -> None:
        """Write the remaining batches, fold the log into the file and release it. A second call does nothing."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- the writer thread -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        running = True
        while running:
            if self._queue.empty():
                self._rest()
            group, running = self._take_group()
            if group:
                self._settle(group)
        if isinstance(self._failure, JournalLost):
            # Left open until the process exits: to close it, SQLite would fold its log into whatever file is there now,
            # and delete the log.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._db))
            return
        # Without it, the next reader has a little more to read.
        with suppress(sqlite3.Error, RawrError):
            if self._failure is None:
                self._committer.close()
        # A failing checkpoint loses nothing: its pages stay in the log and are read from there.
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        with suppress(sqlite3.Error):
            self._db.close()

    def _take_group(self) -> tuple[list[_Entry], bool]:
        """Wait for one batch, then take all that wait behind it. False means that no more will come."""
        group: list[_Entry] = []
        rows = 0
        entry = self._queue.get()
        while entry is not None:
            group.append(entry)
            rows += entry[0].rows
            if rows >= GROUP_ROWS:
                return group, True
            try:
                entry = self._queue.get_nowait()
            except Empty:
                return group, True
        return group, False

    def _rest(self) -> None:
        if self._failure is None:
            try:
                self._committer.rest()
            except Exception as error:
                self._fail(error)

    def _fail(self, error: Exception) -> None:
        failure = explain(error, self.path)
        if failure is not error:
            failure.__cause__ = error
        self._failure = failure

    def _settle(self, group: Sequence[_Entry]) -> None:
        if self._failure is None:
            try:
                self._committer.commit([batch for batch, _ in group])
            except Exception as error:
                self._fail(error)
        if self._failure is None:
            for _, future in group:
                future.set_result(None)
        else:
            for _, future in group:
                future.set_exception(self._failure)
