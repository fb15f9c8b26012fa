"""Reading the journal, beside a running writer or without one.

A damaged or strange row becomes an ``Unreadable`` in its place, or is left out if it could not be used anyway; either
way it is in ``JournalReader.unreadable``. A page that SQLite cannot read raises ``JournalCorrupt``.

The reader has its own connection, which cannot write. Reads come in pages, each in a short transaction, because a
long one would keep SQLite from ever folding the log into the file. It must not know how rows got there.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar

from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.facts import Recorded
from rawr.core.vocabulary.records import Decision
from rawr.journal import cells, spans
from rawr.journal.cells import Cells
from rawr.journal.checksums import FIRST, escaped
from rawr.journal.errors import JournalCorrupt, explain
from rawr.journal.home import journal_at
from rawr.journal.migrations import CHECKSUMS, LISTS, schema_version
from rawr.journal.opening import open_for_reading
from rawr.journal.packing import Cell
from rawr.journal.rows import Counts, Frame, Snapshot, StoredEffect, ThreadSpan, Unreadable

PAGE_ROWS = 1_000
FIRST_BACK = 16
"""Rows of the first page when reading back: most readers want only a few."""
Rare = Literal["PolicyAdopted", "DecisionLabelled"]
"""Kinds of facts that have an index of their own."""
_NO_END = 2**63 - 1

_FACTS = "SELECT seq, seq, at, thread, kind, body, {prior}, {crc} FROM facts WHERE seq > ? AND seq <= ?"
_DECISIONS = (
    "SELECT rowid, id, seq, at, thread, reason, policy, logic, evidence, {prior}, {crc} FROM decisions"
    " WHERE rowid > ? AND seq > ? AND seq <= ?"
)
_DECISIONS_BACK = (
    "SELECT rowid, id, seq, at, thread, reason, policy, logic, evidence, {prior}, {crc} FROM decisions WHERE rowid < ?"
)
_DECISIONS_NAMED = (
    "SELECT rowid, id, seq, at, thread, reason, policy, logic, evidence, {prior}, {crc} FROM decisions"
    " WHERE id >= ? AND id < ? ORDER BY rowid"
)
_BOUNDARIES = (
    "SELECT rowid, id, seq, at, thread, turn, kind, source, detail, {prior}, {crc} FROM boundaries"
    " WHERE rowid > ? AND seq > ? AND seq <= ?"
)
_EFFECT_CELLS = (
    "SELECT rowid, id, seq, thread, kind, body, state, outcome_seq, detail, {prior}, {crc}, {ending} FROM effects"
)
_EFFECTS = f"{_EFFECT_CELLS} WHERE rowid > ? AND seq > ? AND seq <= ?"
_UNFINISHED = f"{_EFFECT_CELLS} WHERE state = 'intended' ORDER BY seq, rowid"
_FRAMES = "SELECT n, n, at, direction, thread, method, size, body, {crc} FROM frames WHERE n > ?"
_SNAPSHOTS = (
    "SELECT thread, seq, at, shape, body, {crc} FROM snapshots WHERE thread = ? AND shape = ? ORDER BY seq DESC"
)
_SUMMED = {"prior": "prior", "crc": "crc", "ending": "ending"}
_UNSUMMED = {"prior": "NULL", "crc": "NULL", "ending": "NULL"}
"""Stand-ins for columns that an older journal does not have."""

Row = TypeVar("Row")


class JournalReader:
    """For use by one thread at a time. A file of an older version is read as it is; nothing is migrated here."""

    def __init__(self, path: Path, *, db: sqlite3.Connection, version: int) -> None:
        self.path = path
        self.schema_version = version
        self.unreadable: dict[tuple[str, str, str], Unreadable] = {}
        """What could not be used so far, by its table, its key and the thread that lacks it."""
        self._db = db
        self._summed = version >= CHECKSUMS
        self._columns = _SUMMED if self._summed else _UNSUMMED

    @classmethod
    def open(cls, place: Path | str, *, traceless: bool = False) -> "JournalReader":
        """``place`` is a RAWR_HOME, or a journal file by its own name, such as a kept copy. ``traceless``: nothing is
        left beside a file that nobody has open."""
        path = journal_at(place)
        with _explained(path):
            db = open_for_reading(path, traceless=traceless)
            try:
                version = schema_version(db, path)
            except BaseException:
                db.close()
                raise
        return cls(path, db=db, version=version)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- all threads -------------------------------------------------------------------------------------------------

    def threads(self) -> list[ThreadSpan]:
        """All threads, in the order in which they began."""
        listed = self._listed(spans.LISTED)
        rows = sorted(listed, key=lambda row: row[1]) if listed is not None else self._all(spans.ALL)
        return [span for span in (ThreadSpan(*row) for row in rows) if self._is_named(span)]

    def newest_threads(self, most: int) -> list[ThreadSpan]:
        """The threads in which something happened last, newest first, without a look at the others."""
        # One more, for rawr as a whole.
        listed = self._listed(spans.NEWEST, most + 1)
        found = [ThreadSpan(*row) for row in listed] if listed is not None else self.threads()
        newest = sorted((one for one in found if one.thread), key=lambda one: -one.last_seq)
        return [one for one in newest[:most] if self._is_named(one)]

    def oldest_threads(self, before: int) -> list[ThreadSpan]:
        """The threads on which nothing has happened since ``before``, in ms since the epoch, the oldest first."""
        found = sorted((one for one in self.threads() if one.thread), key=lambda one: one.last_seq)
        return [one for one in found if one.last_at < before]

    def facts_before(self, thread: str, seq: int) -> int:
        """How many facts of a thread come before a number."""
        [(count,)] = self._all("SELECT count(*) FROM facts WHERE thread = ? AND seq < ?", (thread, seq))
        return int(count)

    def seq_back(self, thread: str, *, before: int, facts: int) -> int:
        """The number of the fact that is so many facts of a thread before a number; 0 if there are fewer."""
        rows = self._all(
            "SELECT seq FROM facts WHERE thread = ? AND seq < ? ORDER BY seq DESC LIMIT 1 OFFSET ?",
            (thread, before, max(facts - 1, 0)),
        )
        return int(rows[0][0]) if rows else 0

    def seq_on(self, thread: str, *, after: int, facts: int) -> int | None:
        """The number of the fact that is so many facts of a thread after a number; None if there are fewer."""
        rows = self._all(
            "SELECT seq FROM facts WHERE thread = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ?",
            (thread, after, max(facts - 1, 0)),
        )
        return int(rows[0][0]) if rows else None

    def has(self, thread: str, kind: str, *, after: int) -> bool:
        query = "SELECT EXISTS (SELECT 1 FROM facts WHERE thread = ? AND seq > ? AND kind = ?)"
        return bool(self._all(query, (thread, after, kind))[0][0])

    def last_pruned(self) -> int:
        """When something was last pruned, in ms since the epoch; 0 if never."""
        rows = self._all("SELECT at FROM pruned") if self.schema_version >= LISTS else []
        return int(rows[0][0]) if rows else 0

    def free_pages(self) -> int:
        """Pages of the file that nothing is on, if they can be given back in small steps."""
        gradual = self._all("PRAGMA auto_vacuum")[0][0] == 2
        return int(self._all("PRAGMA freelist_count")[0][0]) if gradual else 0

    def span(self, thread: str) -> ThreadSpan | None:
        """One thread, by its full name."""
        listed = self._listed(f"{spans.LISTED} WHERE thread = ?", thread)
        found = [ThreadSpan(*row) for row in listed] if listed is not None else self.threads()
        return next((one for one in found if one.thread == thread), None)

    def _listed(self, query: str, *values: object) -> list[Cells] | None:
        """Rows of the list of threads, with the facts that it does not count yet; None if there is no sound list."""
        if self.schema_version < LISTS:
            return None
        try:
            # In one transaction: a writer that brings the list up to date meanwhile must not have facts counted twice.
            with self._at_once():
                until = spans.checked(self._all(spans.NEWEST, (1,)))
                rows = spans.checked(self._all(query, values))
                since = self._all(spans.SINCE, (until[0][3] if until else 0,))
                known = {row[0] for row in rows}
                for thread in [row[0] for row in since if row[0] not in known and cells.is_text(row[0])]:
                    rows += spans.checked(self._all(f"{spans.LISTED} WHERE thread = ?", (thread,)))
        except spans.Unlisted:
            return None
        return spans.merged(rows, since)

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        with _explained(self.path):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                if self._db.in_transaction:
                    self._db.execute("COMMIT")

    def touched(self, most: int) -> list[str]:
        """The newest of the threads that a start concerns."""
        if self.schema_version < LISTS:
            return [one.thread for one in self.newest_threads(most)]
        rows = self._all(
            "SELECT touched.thread FROM touched LEFT JOIN threads ON threads.thread = touched.thread"
            " ORDER BY coalesce(threads.last_seq, 9223372036854775807) DESC LIMIT ?",
            (most,),
        )
        return [row[0] for row in rows if cells.is_text(row[0])]

    def _is_named(self, span: ThreadSpan) -> bool:
        """Return True if it is a thread at all: a name in the index may come from a damaged page."""
        if cells.is_text(span.thread):
            return True
        for row in self._all("SELECT seq, seq, at, thread, kind FROM facts WHERE seq = ?", (span.first_seq,)):
            self._noted(cells.misplaced(row))
        return False

    def counts(self) -> Counts:
        [row] = self._all(
            "SELECT (SELECT count(*) FROM facts), (SELECT count(*) FROM decisions), (SELECT count(*) FROM effects),"
            " (SELECT count(*) FROM effects WHERE state = 'intended'), (SELECT count(*) FROM frames),"
            " (SELECT count(*) FROM snapshots)"
        )
        return Counts(*row)

    def totals(self) -> tuple[int, int]:
        """How many threads and how many facts there are, without a look at either."""
        if self.schema_version < LISTS:
            found = self.threads()
            return sum(bool(one.thread) for one in found), sum(one.facts for one in found)
        [row] = self._all(spans.TOTALS)
        return row[0], row[1]

    def first_at(self) -> int:
        """The time of the oldest fact; 0 if there is none."""
        rows = self._all("SELECT at FROM facts ORDER BY seq LIMIT 1")
        return int(rows[0][0]) if rows else 0

    def last_at(self) -> int:
        """The time of the newest fact; 0 if there is none."""
        rows = self._all("SELECT at FROM facts ORDER BY seq DESC LIMIT 1")
        return int(rows[0][0]) if rows else 0

    def last_seq(self) -> int:
        [(seq,)] = self._all("SELECT coalesce(max(seq), 0) FROM facts")
        return int(seq)

    # -- rows in their order -----------------------------------------------------------------------------------------

    def facts(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[Recorded | Unreadable]:
        """Facts with ``after < seq <= until``, of one thread or of all; the thread ``""`` is rawr as a whole."""
        end = _NO_END if until is None else until
        query = _FACTS if thread is None else f"{_FACTS} AND thread = ?"
        asked = () if thread is None else (thread,)
        rows = self._pages(query, after=after, bind=lambda at: (at, end, *asked))
        heads: dict[str, int | None] = {} if thread is None else {thread: self._head(thread, until=after)}
        start = cells.first_head(after)
        cuts = frozenset() if thread or self.schema_version < LISTS else self._cuts()
        linked = cells.linked(rows, heads, thread=thread, start=start, summed=self._summed, cuts=cuts)
        return map(self._noted, linked)

    def _cuts(self) -> frozenset[int]:
        return frozenset(row for (row,) in self._all("SELECT row FROM cuts WHERE name = 'facts'"))

    def facts_of_kind(self, kind: Rare, *, after: int = 0) -> Iterator[Recorded | Unreadable]:
        """The facts of a kind that has an index, without a look at the others."""
        query = f"{_FACTS} AND kind = '{kind}'"
        rows = self._pages(query, after=after, bind=lambda at: (at, _NO_END))
        return (self._noted(cells.recorded(row, summed=self._summed)) for row in rows)

    def around(self, kind: Rare, seq: int) -> tuple[int, int]:
        """The newest fact of such a kind before a fact, and the next one from there on; else 0, and the last fact."""
        [(before, following, last)] = self._all(
            f"SELECT (SELECT max(seq) FROM facts WHERE kind = '{kind}' AND seq < ?1),"  # noqa: S608
            f" (SELECT min(seq) FROM facts WHERE kind = '{kind}' AND seq >= ?1), (SELECT max(seq) FROM facts)",
            (seq,),
        )
        return before or 0, max(following if following is not None else last or 0, seq)

    def fact(self, seq: int) -> Recorded | Unreadable | None:
        """One fact, by its number."""
        rows = self._all(_FACTS, (seq - 1, seq))
        return self._noted(cells.recorded(rows[0], summed=self._summed)) if rows else None

    def newest_fact(self, thread: str, *, until: int) -> Recorded | Unreadable | None:
        """The last fact of a thread up to a number."""
        rows = self._all("SELECT max(seq) FROM facts WHERE thread = ? AND seq <= ?", (thread, until))
        return self.fact(rows[0][0]) if rows[0][0] is not None else None

    def newest_from(self, thread: str, most: int) -> int:
        """The number after which the newest facts of a thread come, ``most`` of them."""
        query = "SELECT min(seq) FROM (SELECT seq FROM facts WHERE thread = ? ORDER BY seq DESC LIMIT ?)"
        [(seq,)] = self._all(query, (thread, most))
        return int(seq) - 1 if seq is not None else 0

    def decisions(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[Decision | Unreadable]:
        """Decisions about the facts with ``after < seq <= until``."""
        return self._by_row(_DECISIONS, cells.decision, thread=thread, after=after, until=until)

    def decisions_back(self, thread: str | None = None) -> Iterator[Decision | Unreadable]:
        """Decisions from the newest to the oldest: for whoever wants a few of them."""
        where = "" if thread is None else " AND thread = ?"
        asked = () if thread is None else (thread,)
        at, most = _NO_END, FIRST_BACK
        while page := self._all(f"{_DECISIONS_BACK}{where} ORDER BY rowid DESC LIMIT ?", (at, *asked, most)):
            yield from (self._noted(cells.decision(row, summed=self._summed)) for row in page)
            if len(page) < most or page[-1][0] >= at:
                return
            at, most = page[-1][0], PAGE_ROWS

    def decisions_of(self, thread: str, seq: int) -> list[Decision | Unreadable]:
        """The decisions that one fact led to."""
        rows = self._all(_DECISIONS_NAMED, _names(thread, seq, "/"))
        return [self._noted(cells.decision(row, summed=self._summed)) for row in rows]

    def effects_of(self, thread: str, seq: int) -> list[StoredEffect | Unreadable]:
        """The effects that one fact led to."""
        rows = self._all(f"{_EFFECT_CELLS} WHERE id >= ? AND id < ? ORDER BY rowid", _names(thread, seq, "."))
        return [self._noted(self._effect(row, summed=self._summed)) for row in rows]

    def effects(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[StoredEffect | Unreadable]:
        """Effects of the facts with ``after < seq <= until``, in the order of their intention."""
        return self._by_row(_EFFECTS, self._effect, thread=thread, after=after, until=until)

    def boundaries(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[BoundaryEvent]:
        """Boundary events of the facts with ``after < seq <= until`` (B2).

        rawr itself derives them by folding the facts. These are for callers who do not want to fold.
        """
        rows = self.boundary_rows(thread, after=after, until=until)
        return (row[1] for row in rows if not isinstance(row, Unreadable))

    def boundary_rows(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[tuple[int, BoundaryEvent] | Unreadable]:
        """The same, each with the number of its fact."""
        return self._by_row(_BOUNDARIES, cells.boundary, thread=thread, after=after, until=until)

    def unfinished_effects(self) -> list[StoredEffect | Unreadable]:
        """Effects that were intended and have no outcome: after a restart, look these up in Codex's history."""
        return [self._noted(self._effect(row, summed=self._summed)) for row in self._all(_UNFINISHED)]

    def _effect(self, row: Cells, *, summed: bool) -> StoredEffect | Unreadable:
        return cells.effect(row, summed=summed, origin=self._body)

    def _body(self, seq: int) -> Cell | None:
        """The stored body of a fact, for an effect that shares a part of it."""
        rows = self._all("SELECT body FROM facts WHERE seq = ?", (seq,))
        return rows[0][0] if rows else None

    def frames(self, thread: str | None = None, *, after: int = 0) -> Iterator[Frame]:
        """The raw frames that are still kept, with ``n > after``.

        rawr itself never reads them again. They are for people who want to see what Codex really sent.
        """
        query = _FRAMES if thread is None else f"{_FRAMES} AND thread = ?"
        asked = () if thread is None else (thread,)
        for row in self._pages(query, after=after, bind=lambda at: (at, *asked)):
            found = self._noted(cells.frame(row, summed=self._summed))
            if not isinstance(found, Unreadable):
                yield found

    def latest_snapshot(self, thread: str, shape: str) -> Snapshot | None:
        """The newest sound snapshot of that shape; another shape is from another version of rawr and is skipped."""
        for row in self._all(_SNAPSHOTS, (thread, shape)):
            found = self._noted(cells.snapshot(row, summed=self._summed))
            if not isinstance(found, Unreadable):
                return found
        return None

    def mended(self, thread: str) -> int:
        """The number of the fact up to which a person has accepted damage in a thread; 0 if there was none."""
        if not self._summed:
            return 0
        rows = self._all("SELECT seq FROM mends WHERE thread = ?", (thread,))
        return rows[0][0] if rows and isinstance(rows[0][0], int) else 0

    # -- pages -------------------------------------------------------------------------------------------------------

    def _by_row(
        self,
        query: str,
        build: Callable[..., Row | Unreadable],
        *,
        thread: str | None,
        after: int,
        until: int | None,
    ) -> Iterator[Row | Unreadable]:
        """Rows of a table that is numbered in the order of its rows, which is also the order of their facts."""
        end = _NO_END if until is None else until
        asked = () if thread is None else (thread,)
        query = query if thread is None else f"{query} AND thread = ?"
        for row in self._pages(query, after=0, bind=lambda at: (at, after, end, *asked)):
            yield self._noted(build(row, summed=self._summed))

    def _pages(self, query: str, *, after: int, bind: Callable[[int], tuple[object, ...]]) -> Iterator[Cells]:
        """Rows in order, page by page. The first column of a row says where the next page starts."""
        query = f"{query} ORDER BY 1 LIMIT {PAGE_ROWS}"
        while True:
            page = self._all(query, bind(after))
            yield from page
            if len(page) < PAGE_ROWS:
                return
            if page[-1][0] <= after:
                # Otherwise reading would loop forever.
                raise JournalCorrupt(self.path, f"row {page[-1][0]} comes after row {after}")
            after = page[-1][0]

    def _head(self, thread: str, *, until: int) -> int | None:
        """The checksum of a thread's newest fact up to ``until``, as stored in the file."""
        if not (self._summed and until):
            return FIRST if self._summed else None
        rows = self._all(
            "SELECT crc FROM facts WHERE thread = ? AND seq <= ? ORDER BY seq DESC LIMIT 1", (thread, until)
        )
        return rows[0][0] if rows else FIRST

    def _noted(self, row: Row) -> Row:
        if isinstance(row, Unreadable):
            self.unreadable[row.table, row.key, row.thread] = row
        return row

    def _all(self, query: str, values: tuple[object, ...] = ()) -> list[Cells]:
        query = query.format_map(self._columns)
        with _explained(self.path):
            try:
                return self._db.execute(query, values).fetchall()
            except sqlite3.OperationalError as error:
                if hasattr(error, "sqlite_errorcode"):
                    raise
                # Python itself complains: a cell of the page is not text. Its checksum will tell which one.
            self._db.text_factory = escaped
            try:
                return self._db.execute(query, values).fetchall()
            finally:
                self._db.text_factory = str


def _names(thread: str, seq: int, mark: str) -> tuple[str, str]:
    """Between which names those lie that belong to a fact: a name is thread, number, mark and a count."""
    return f"{thread}:{seq}{mark}", f"{thread}:{seq}{chr(ord(mark) + 1)}"


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise explain(error, path) from error
