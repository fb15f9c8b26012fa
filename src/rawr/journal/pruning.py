"""Taking out what is no longer needed: whole threads, and the oldest sessions of rawr itself.

A thread goes in one transaction, with everything about it, or stays. Rows are chained, so the journal remembers which
rows are left without their predecessor (``cuts``) and how many facts are gone (``pruned``): what is missing for any
other reason still shows. This module deletes what it is told to; ``rawr.runtime.retention`` says what may go.
"""

import sqlite3
from collections.abc import Sequence

from rawr.journal.checksums import CHAINED
from rawr.journal.spans import relist
from rawr.ports.memory import Pruning

_LEFT = "INSERT OR IGNORE INTO cuts (name, row) VALUES (?, ?)"


def prune(db: sqlite3.Connection, wanted: Pruning) -> bool:
    """Delete a thread, within the caller's transaction; False if something has happened there since it was chosen.

    For rawr itself, delete its facts before ``wanted.seq``. The newest fact is never deleted: its number would be used
    again.
    """
    [(newest,)] = db.execute("SELECT coalesce(max(seq), 0) FROM facts").fetchall()
    [(last,)] = db.execute("SELECT coalesce(max(seq), 0) FROM facts WHERE thread = ?", (wanted.thread,)).fetchall()
    if wanted.thread and (last != wanted.seq or last == newest):
        return False
    until = wanted.seq if wanted.thread else min(wanted.seq, newest) - 1
    for table in CHAINED:
        _delete_chained(db, table, wanted.thread, until)
    gone = _delete_facts(db, wanted.thread, until)
    db.execute("DELETE FROM snapshots WHERE thread = ? AND seq <= ?", (wanted.thread, until))
    if wanted.thread:
        for table in ("mends", "touched", "threads"):
            db.execute(f"DELETE FROM {table} WHERE thread = ?", (wanted.thread,))  # noqa: S608
    elif gone:
        relist(db, "")
    db.execute(
        "INSERT INTO pruned (id, facts, until, at) VALUES (1, ?1, max(?2, 0), ?3) ON CONFLICT (id) DO UPDATE"
        " SET facts = facts + ?1, until = max(until, ?2), at = ?3",
        (gone, until, wanted.at),
    )
    return True


def _delete_facts(db: sqlite3.Connection, thread: str, until: int) -> int:
    gone = db.execute("DELETE FROM facts WHERE thread = ? AND seq <= ?", (thread, until)).rowcount
    if not thread and gone:
        # A whole thread leaves nobody behind who names a predecessor; rawr itself goes on.
        db.execute("DELETE FROM cuts WHERE name = 'facts'")
        following = db.execute("SELECT min(seq) FROM facts WHERE thread = ''").fetchone()[0]
        if following is not None:
            db.execute(_LEFT, ("facts", following))
    return int(gone)


def _delete_chained(db: sqlite3.Connection, table: str, thread: str, until: int) -> None:
    """Delete rows, and note the ones whose predecessor is gone."""
    query = f"SELECT rowid FROM {table} WHERE thread = ? AND seq <= ? ORDER BY rowid"  # noqa: S608
    rows = [row for (row,) in db.execute(query, (thread, until))]
    left = [_following(db, table, row) for row in _ends(rows)]
    # All that go are gone before the next ones are looked at, so that only those who stay are noted.
    db.execute(f"DELETE FROM {table} WHERE thread = ? AND seq <= ?", (thread, until))  # noqa: S608
    db.executemany("DELETE FROM cuts WHERE name = ? AND row = ?", [(table, row) for row in rows])
    gone = set(rows)
    db.executemany(_LEFT, [(table, row) for row in left if row is not None and row not in gone])


def _ends(rows: Sequence[int]) -> list[int]:
    """The last row of every stretch without a gap."""
    return [row for n, row in enumerate(rows) if n + 1 == len(rows) or rows[n + 1] != row + 1]


def _following(db: sqlite3.Connection, table: str, row: int) -> int | None:
    found = db.execute(f"SELECT min(rowid) FROM {table} WHERE rowid > ?", (row,)).fetchone()  # noqa: S608
    return found[0] if found is not None else None


def cuts(db: sqlite3.Connection, table: str) -> frozenset[int]:
    """The rows of a table whose predecessor was pruned."""
    return frozenset(row for (row,) in db.execute("SELECT row FROM cuts WHERE name = ?", (table,)))


def pruned_facts(db: sqlite3.Connection) -> tuple[int, int]:
    """How many facts were pruned, and up to which number."""
    found = db.execute("SELECT facts, until FROM pruned").fetchone()
    return (found[0], found[1]) if found is not None else (0, 0)
