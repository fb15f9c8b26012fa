"""The shape of the journal file, as numbered steps from nothing to now.

A step is a function ``m<number>_<what>`` in ``MIGRATIONS``; it is never edited once released. The file carries its
version in ``PRAGMA user_version`` and names its owner in ``PRAGMA application_id``. Bodies are JSON text, so that
anyone can read them with the sqlite3 program; long ones are packed. Nothing here knows what is in the bodies.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from rawr.journal.checksums import CHAINED, sum_all
from rawr.journal.errors import JournalTooNew, NotAJournal
from rawr.journal.home import create_private, put_in_place
from rawr.journal.spans import catch_up

APPLICATION_ID = 0x52415752
"""The letters RAWR."""


def m001_initial(db: sqlite3.Connection) -> None:
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(
        "CREATE TABLE facts (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, thread TEXT NOT NULL,"
        " kind TEXT NOT NULL, body TEXT NOT NULL)"
    )
    # SQLite keeps the row number in every index, and seq is the row number: this one is (thread, seq).
    db.execute("CREATE INDEX facts_by_thread ON facts (thread)")
    db.execute(
        "CREATE TABLE decisions (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL,"
        " thread TEXT NOT NULL, reason TEXT NOT NULL, policy TEXT NOT NULL, logic INTEGER NOT NULL,"
        " evidence TEXT NOT NULL)"
    )
    db.execute("CREATE INDEX decisions_by_thread ON decisions (thread)")
    db.execute(
        "CREATE TABLE effects (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, thread TEXT NOT NULL, kind TEXT NOT NULL,"
        " body TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('intended', 'done', 'failed')),"
        " outcome_seq INTEGER, detail TEXT NOT NULL)"
    )
    db.execute("CREATE INDEX effects_by_thread ON effects (thread)")
    db.execute(
        "CREATE TABLE frames (n INTEGER PRIMARY KEY, at INTEGER NOT NULL,"
        " direction TEXT NOT NULL CHECK (direction IN ('in', 'out')), thread TEXT NOT NULL, method TEXT NOT NULL,"
        " size INTEGER NOT NULL, body TEXT NOT NULL)"
    )
    db.execute(
        "CREATE TABLE snapshots (thread TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,"
        " shape TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (thread, seq))"
    )


def m002_unfinished_effects(db: sqlite3.Connection) -> None:
    """A restart first asks for intended effects without an outcome; that must be quick among a million done ones."""
    db.execute("CREATE INDEX effects_unfinished ON effects (seq) WHERE state = 'intended'")


def m003_boundaries(db: sqlite3.Connection) -> None:
    """Boundary events in a separate table: people ask for them first."""
    db.execute(
        "CREATE TABLE boundaries (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL, thread TEXT NOT NULL,"
        " turn TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL, detail TEXT NOT NULL)"
    )
    db.execute("CREATE INDEX boundaries_by_thread ON boundaries (thread)")


def m004_checksums(db: sqlite3.Connection) -> None:
    """A checksum for each row and, in the tables that only grow, the checksum of the row before it."""
    for table in ("facts", *CHAINED):
        db.execute(f"ALTER TABLE {table} ADD COLUMN prior INTEGER NOT NULL DEFAULT 0")
        db.execute(f"ALTER TABLE {table} ADD COLUMN crc INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE effects ADD COLUMN ending INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE frames ADD COLUMN crc INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE snapshots ADD COLUMN crc INTEGER NOT NULL DEFAULT 0")
    sum_all(db)
    # Up to which fact a person allowed a thread to continue despite damage.
    db.execute("CREATE TABLE mends (thread TEXT PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL)")


def m005_bounded_reading(db: sqlite3.Connection) -> None:
    """What a start and ``rawr status`` ask for, without a look at every fact; and bodies that may be packed."""
    db.execute(
        "CREATE TABLE threads (thread TEXT PRIMARY KEY, first_seq INTEGER NOT NULL, first_at INTEGER NOT NULL,"
        " last_seq INTEGER NOT NULL, last_at INTEGER NOT NULL, facts INTEGER NOT NULL, crc INTEGER NOT NULL)"
        " WITHOUT ROWID"
    )
    db.execute("CREATE INDEX threads_by_last ON threads (last_seq)")
    # The threads that a start concerns. Of an older journal nobody knows, so the next start looks at the newest.
    db.execute("CREATE TABLE touched (thread TEXT PRIMARY KEY) WITHOUT ROWID")
    db.execute("CREATE INDEX facts_policies ON facts (seq) WHERE kind = 'PolicyAdopted'")
    db.execute("CREATE INDEX facts_labels ON facts (seq) WHERE kind = 'DecisionLabelled'")
    catch_up(db)
    # What retention has taken out: which rows it left without their predecessor, and how many facts are gone.
    db.execute("CREATE TABLE cuts (name TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (name, row)) WITHOUT ROWID")
    db.execute(
        "CREATE TABLE pruned (id INTEGER PRIMARY KEY, facts INTEGER NOT NULL, until INTEGER NOT NULL,"
        " at INTEGER NOT NULL)"
    )
    db.execute("INSERT INTO touched SELECT thread FROM threads WHERE thread <> '' ORDER BY last_seq DESC LIMIT 64")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    m001_initial,
    m002_unfinished_effects,
    m003_boundaries,
    m004_checksums,
    m005_bounded_reading,
)
SCHEMA_VERSION = len(MIGRATIONS)
BOUNDARIES = 3
"""The first version with a table of boundary events."""
CHECKSUMS = 4
"""The first version whose rows have checksums."""
LISTS = 5
"""The first version with a list of threads."""


def schema_version(db: sqlite3.Connection, path: Path) -> int:
    """The file's version, after a check that it is a journal that this rawr can read."""
    application: int = db.execute("PRAGMA application_id").fetchone()[0]
    found: int = db.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise NotAJournal(path, f"its application id is {application:#x}, not {APPLICATION_ID:#x}")
    if found > SCHEMA_VERSION:
        raise JournalTooNew(path, found=found, known=SCHEMA_VERSION)
    return found


def migrate(db: sqlite3.Connection, *, start: int, until: int = SCHEMA_VERSION) -> None:
    """Run the steps after ``start``, each in its own transaction together with its number."""
    for number, step in enumerate(MIGRATIONS[start:until], start + 1):
        db.execute("BEGIN IMMEDIATE")
        try:
            step(db)
            db.execute(f"PRAGMA user_version = {number}")
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                if db.in_transaction:
                    db.execute("ROLLBACK")
            raise


def keep_copy(db: sqlite3.Connection, path: Path, *, version: int) -> Path:
    """Copy the file page by page before a migration. Only a complete copy gets the final name."""
    copy = path.with_name(f"{path.name}.v{version}.bak")
    unfinished = path.with_name(f"{copy.name}.part")
    unfinished.unlink(missing_ok=True)
    create_private(unfinished)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as target:
        db.backup(target)
        # The copy is a single file that can be moved around, so it must not depend on a log beside it.
        target.execute("PRAGMA journal_mode = DELETE")
    return put_in_place(unfinished, copy)


def has_data(db: sqlite3.Connection) -> bool:
    return any(
        db.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0]  # noqa: S608
        for table in ("facts", "frames", "snapshots")
    )
