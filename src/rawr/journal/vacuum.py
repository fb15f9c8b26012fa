"""Giving the room of pruned rows back to the file system: the whole file is written anew, without the holes.

Only while nobody else writes, and only if the disk has room for the copy that SQLite makes. A crash leaves the file as
it was, or as it is to be. A journal from before retention can be shrunk in small steps from then on.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from rawr.journal.errors import explain
from rawr.journal.home import LOCK, companions, database, prepare_home
from rawr.journal.lock import WriterLock
from rawr.journal.opening import open_for_writing

COPIES = 2
"""How often the file is on the disk, besides itself, at the worst moment: as a copy and in the log."""


def size_of(home: Path) -> int:
    """Bytes of a journal with everything that belongs to it."""
    path = database(home)
    return sum(one.stat().st_size for one in (path, companions(path)[0]) if one.exists())


def has_room(home: Path) -> bool:
    return shutil.disk_usage(home).free > COPIES * size_of(home)


def compact(home: Path) -> None:
    """Write the journal anew. Raises if a rawr is running."""
    path = database(prepare_home(home))
    lock = WriterLock.take(home / LOCK, guards=path)
    try:
        with closing(open_for_writing(path)) as db:
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except (sqlite3.Error, OSError) as error:
        raise explain(error, path) from error
    finally:
        lock.release()
