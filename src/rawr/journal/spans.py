"""The list of threads: from which fact to which each one reaches, and how many facts it has.

It follows from the facts, and is kept beside them so that nobody has to read them all to find the newest threads. The
writer brings it up to date now and then; a reader adds the few facts that came since. Every row has a checksum, and
whoever meets a damaged one counts the facts instead. This module knows which facts there are, not what they say.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from rawr.journal.checksums import escaped, of_cells

LISTED_EVERY = 2_000
"""Facts that may be missing from the list: what a reader has to add."""

Cells = tuple[Any, ...]
COUNTED = (
    "SELECT span.thread, span.first, head.at, span.last, tail.at, span.facts FROM"
    " (SELECT thread, min(seq) AS first, max(seq) AS last, count(*) AS facts FROM facts {where} GROUP BY {thread})"
    " AS span"
    " JOIN facts AS head ON head.seq = span.first JOIN facts AS tail ON tail.seq = span.last"
    " ORDER BY span.first"
)
"""Threads by their facts: it reads all of them, or those that ``where`` names."""
ALL = COUNTED.format(where="", thread="thread")
SINCE = COUNTED.format(where="WHERE seq > ?", thread="+thread")
"""The plus keeps SQLite from going through all of the index by thread for the sake of the groups."""
LISTED = "SELECT thread, first_seq, first_at, last_seq, last_at, facts, crc FROM threads"
TOTALS = (
    "SELECT listed.threads + (SELECT count(DISTINCT thread) FROM facts WHERE seq > listed.until AND thread <> ''"
    " AND thread NOT IN (SELECT thread FROM threads)),"
    " listed.facts + (SELECT count(*) FROM facts WHERE seq > listed.until) FROM"
    " (SELECT coalesce(sum(thread <> ''), 0) AS threads, coalesce(sum(facts), 0) AS facts,"
    " coalesce(max(last_seq), 0) AS until FROM threads) AS listed"
)
NEWEST = f"{LISTED} ORDER BY last_seq DESC LIMIT ?"
_PUT = "INSERT OR REPLACE INTO threads (thread, first_seq, first_at, last_seq, last_at, facts, crc)"
_PUT = f"{_PUT} VALUES (?, ?, ?, ?, ?, ?, ?)"


class Unlisted(Exception):
    """The list is not as it was written."""


def listed_until(db: sqlite3.Connection) -> int:
    """The newest fact that the list counts."""
    rows = db.execute(NEWEST, (1,)).fetchall()
    return checked(rows)[0][3] if rows else 0


def checked(rows: Sequence[Cells]) -> list[Cells]:
    """The rows without their checksums; raises if one does not fit."""
    if any(of_cells(*row[:-1]) != row[-1] for row in rows):
        raise Unlisted
    return [row[:-1] for row in rows]


def merged(listed: Iterable[Cells], since: Iterable[Cells]) -> list[Cells]:
    """The list with what came since."""
    spans = {row[0]: row for row in listed}
    for row in since:
        before = spans.get(row[0])
        spans[row[0]] = row if before is None else (*before[:3], *row[3:5], before[5] + row[5])
    return list(spans.values())


def catch_up(db: sqlite3.Connection) -> None:
    """Bring the list up to date, within the caller's transaction; if it is damaged, make it anew.

    A name that is not text comes from a damaged page, and is nobody's.
    """
    text, db.text_factory = db.text_factory, escaped
    try:
        try:
            rows = _behind(db)
        except Unlisted:
            db.execute("DELETE FROM threads")
            rows = _named(db.execute(ALL))
        db.executemany(_PUT, [(*row, of_cells(*row)) for row in rows])
    finally:
        db.text_factory = text


def relist(db: sqlite3.Connection, thread: str) -> None:
    """Count a thread's facts again, within the caller's transaction."""
    rows = db.execute(COUNTED.format(where="WHERE thread = ?", thread="thread"), (thread,)).fetchall()
    db.executemany(_PUT, [(*row, of_cells(*row)) for row in rows])


def _behind(db: sqlite3.Connection) -> list[Cells]:
    """The rows of the list that have to change."""
    since = _named(db.execute(SINCE, (listed_until(db),)))
    before = [row for (thread, *_) in since for row in db.execute(f"{LISTED} WHERE thread = ?", (thread,))]
    return merged(checked(before), since)


def _named(rows: Iterable[Cells]) -> list[Cells]:
    return [row for row in rows if isinstance(row[0], str) and row[0].isprintable()]
