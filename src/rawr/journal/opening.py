"""From a path to a connection: create the file, inspect it without changing it, open it for reading or for writing.

No function here reads the database file directly. POSIX locks belong to the process and are dropped when any descriptor
of the file is closed, so a plain ``open()`` beside a running writer would drop SQLite's locks.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from rawr.journal.errors import JournalCorrupt, JournalMissing, JournalUnwritable, NotAJournal
from rawr.journal.footing import SMALLEST
from rawr.journal.home import companions, create_private, not_a_file, put_in_place
from rawr.journal.migrations import SCHEMA_VERSION, has_data, keep_copy, migrate, schema_version

WAIT_S = 10.0
"""How long to wait for another program's lock, for example a person's sqlite3 session."""

CHECKED_ON_OPENING = 1024 * 1024
"""Files up to this size are checked page by page whenever they are opened for writing; it takes a few milliseconds.
Damage in a larger file shows when the page is read, or in ``check``."""

_LOG_PAGES = 4_000
_LOG_BYTES = 64 * 1024 * 1024


def create(path: Path) -> None:
    """Make a journal of the current version. Only a complete file gets the name, so a crash leaves no partial one."""
    log, _ = companions(path)
    if log.exists() and log.stat().st_size:
        # SQLite would delete this log because it is not the new file's, and with it the last writes to the lost file.
        raise JournalCorrupt(path, f"it is missing, but its log {log.name} holds {log.stat().st_size} bytes")
    unfinished = path.with_name(path.name + ".new")
    for leftover in (unfinished, *companions(unfinished)):
        leftover.unlink(missing_ok=True)
    create_private(unfinished)
    with closing(_connect(unfinished, mode="rw")) as db:
        # So that what retention frees can be given back in small steps. It has to come first.
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL")
        migrate(db, start=0)
    put_in_place(unfinished, path)


def open_for_reading(path: Path, *, traceless: bool = False) -> sqlite3.Connection:
    """A connection that cannot change the file and never blocks the writer.

    SQLite makes companions beside a file in WAL mode even to read it. ``traceless``: not if the file has no log, and so
    no writer; a writer that comes later is not noticed.
    """
    for file in (path, *companions(path)):
        if problem := not_a_file(file):
            raise NotAJournal(file, problem)
    if not path.exists():
        raise JournalMissing(path)
    if traceless and not companions(path)[0].exists():
        return _connect(path, mode="ro&immutable=1")
    db = _connect(path, mode="ro")
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("PRAGMA schema_version")
    except sqlite3.OperationalError as error:
        db.close()
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or companions(path)[0].exists():
            raise
        # The folder cannot hold a -shm file, and without a log there is nothing for such a file to coordinate.
        return _connect(path, mode="ro&immutable=1")
    except BaseException:
        db.close()
        raise
    return db


def open_for_writing(path: Path, *, max_bytes: int | None = None) -> sqlite3.Connection:
    """A connection to a sound journal of the current version. The caller holds the lock."""
    for file in (path, *companions(path)):
        if problem := not_a_file(file):
            raise JournalUnwritable(file, problem)
    if not path.exists():
        create(path)
    version = _inspect(path)
    db = _connect(path, mode="rw")
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
        db.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
        if version < SCHEMA_VERSION:
            if has_data(db):
                keep_copy(db, path, version=version)
            migrate(db, start=version)
        if max_bytes is not None:
            page_size: int = db.execute("PRAGMA page_size").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {max_bytes // page_size}")
    except BaseException:
        db.close()
        raise
    return db


def _inspect(path: Path) -> int:
    """Refuse a file that is not a sound journal, before a connection exists that could write to it."""
    size = path.stat().st_size
    if size < SMALLEST:
        # SQLite treats such a file as a new one.
        raise JournalCorrupt(path, f"it holds {size} bytes, which is less than any journal")
    with closing(open_for_reading(path)) as db:
        version = schema_version(db, path)
        if size <= CHECKED_ON_OPENING:
            verdict: str = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise JournalCorrupt(path, verdict.replace("\n", " ").strip("* "))
    return version


def _connect(path: Path, *, mode: str) -> sqlite3.Connection:
    # The callers spell out transactions; connections move between threads, but only one thread uses them at a time.
    return sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=WAIT_S,
    )
