"""Reading the journal, beside a running writer or without one.

A connection of its own that cannot write. Reads come in pages, each a short transaction of its own, because one
that stays open would keep SQLite from ever folding the log into the file. It must not know how rows got there.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

from rawr.core.boundaries import BoundaryEvent
from rawr.core.effects import AnyEffect
from rawr.core.facts import AnyFact, Recorded
from rawr.core.reasons import Reason
from rawr.core.records import Decision, Evidence, Record
from rawr.journal.errors import explain
from rawr.journal.home import journal_at
from rawr.journal.migrations import schema_version
from rawr.journal.opening import open_for_reading
from rawr.journal.rows import Counts, Frame, Snapshot, StoredEffect, ThreadSpan, Unreadable

PAGE_ROWS = 1_000
_NO_END = 2**63 - 1

_FACT: msgspec.json.Decoder[AnyFact] = msgspec.json.Decoder(AnyFact)
_EFFECT: msgspec.json.Decoder[AnyEffect] = msgspec.json.Decoder(AnyEffect)
_EVIDENCE = msgspec.json.Decoder(dict[str, Evidence])

_FACTS = "SELECT seq, seq, at, thread, kind, body FROM facts WHERE seq > ? AND seq <= ?"
_DECISIONS = (
    "SELECT rowid, id, seq, at, thread, reason, policy, logic, evidence FROM decisions"
    " WHERE rowid > ? AND seq > ? AND seq <= ?"
)
_BOUNDARIES = (
    "SELECT rowid, id, at, thread, turn, kind, source, detail FROM boundaries WHERE rowid > ? AND seq > ? AND seq <= ?"
)
_EFFECTS = (
    "SELECT rowid, id, seq, thread, kind, body, state, outcome_seq, detail FROM effects"
    " WHERE rowid > ? AND seq > ? AND seq <= ?"
)
_FRAMES = "SELECT n, n, at, direction, thread, method, size, body FROM frames WHERE n > ?"

Cells = tuple[Any, ...]
"""A row as SQLite gives it. The builders at the end are the edge where its columns get their types."""

Row = TypeVar("Row")


class JournalReader:
    """For one thread at a time. A file of an older version is read as it is; nothing is migrated from here."""

    def __init__(self, path: Path, *, db: sqlite3.Connection, version: int) -> None:
        self.path = path
        self.schema_version = version
        self._db = db

    @classmethod
    def open(cls, place: Path | str) -> "JournalReader":
        """``place`` is a RAWR_HOME, or a journal file by its own name, a kept copy for example."""
        path = journal_at(place)
        with _explained(path):
            db = open_for_reading(path)
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
        rows = self._all(
            "SELECT span.thread, span.first, head.at, span.last, tail.at, span.facts FROM"
            " (SELECT thread, min(seq) AS first, max(seq) AS last, count(*) AS facts FROM facts GROUP BY thread)"
            " AS span"
            " JOIN facts AS head ON head.seq = span.first JOIN facts AS tail ON tail.seq = span.last"
            " ORDER BY span.first"
        )
        return [ThreadSpan(*row) for row in rows]

    def counts(self) -> Counts:
        [row] = self._all(
            "SELECT (SELECT count(*) FROM facts), (SELECT count(*) FROM decisions), (SELECT count(*) FROM effects),"
            " (SELECT count(*) FROM effects WHERE state = 'intended'), (SELECT count(*) FROM frames),"
            " (SELECT count(*) FROM snapshots)"
        )
        return Counts(*row)

    def last_seq(self) -> int:
        [(seq,)] = self._all("SELECT coalesce(max(seq), 0) FROM facts")
        return int(seq)

    # -- rows in their order -----------------------------------------------------------------------------------------

    def facts(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[Recorded | Unreadable]:
        """Facts with ``after < seq <= until``, of one thread or of all; the thread ``""`` is rawr as a whole."""
        end = _NO_END if until is None else until
        if thread is None:
            return self._pages(_FACTS, _recorded, after=after, bind=lambda at: (at, end))
        return self._pages(f"{_FACTS} AND thread = ?", _recorded, after=after, bind=lambda at: (at, end, thread))

    def decisions(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[Decision | Unreadable]:
        """Decisions about the facts with ``after < seq <= until``."""
        return self._by_row(_DECISIONS, _decision, thread=thread, after=after, until=until)

    def effects(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[StoredEffect | Unreadable]:
        """Effects of the facts with ``after < seq <= until``, in the order in which they were intended."""
        return self._by_row(_EFFECTS, _effect, thread=thread, after=after, until=until)

    def boundaries(
        self, thread: str | None = None, *, after: int = 0, until: int | None = None
    ) -> Iterator[BoundaryEvent]:
        """Boundary events of the facts with ``after < seq <= until``."""
        return self._by_row(_BOUNDARIES, _boundary, thread=thread, after=after, until=until)

    def unfinished_effects(self) -> list[StoredEffect | Unreadable]:
        """What was intended and has no outcome. After a restart this is what must be looked up in Codex's history."""
        rows = self._all(
            "SELECT rowid, id, seq, thread, kind, body, state, outcome_seq, detail FROM effects"
            " WHERE state = 'intended' ORDER BY seq, rowid"
        )
        return [_effect(row) for row in rows]

    def frames(self, thread: str | None = None, *, after: int = 0) -> Iterator[Frame]:
        """The raw frames that are still kept, with ``n > after``."""
        if thread is None:
            return self._pages(_FRAMES, _frame, after=after, bind=lambda at: (at,))
        query = f"{_FRAMES} AND thread = ?"
        return self._pages(query, _frame, after=after, bind=lambda at: (at, thread))

    def latest_snapshot(self, thread: str, shape: str) -> Snapshot | None:
        """The newest snapshot of that shape; one of another shape belongs to another version and is passed over."""
        rows = self._all(
            "SELECT thread, seq, at, shape, body FROM snapshots WHERE thread = ? AND shape = ?"
            " ORDER BY seq DESC LIMIT 1",
            (thread, shape),
        )
        return Snapshot(*rows[0]) if rows else None

    # -- pages -------------------------------------------------------------------------------------------------------

    def _by_row(
        self,
        query: str,
        build: Callable[[Cells], Row],
        *,
        thread: str | None,
        after: int,
        until: int | None,
    ) -> Iterator[Row]:
        """Rows of a table that is numbered as its rows came, which is also the order of the facts behind them."""
        end = _NO_END if until is None else until
        if thread is None:
            return self._pages(query, build, after=0, bind=lambda row: (row, after, end))
        query = f"{query} AND thread = ?"
        return self._pages(query, build, after=0, bind=lambda row: (row, after, end, thread))

    def _pages(
        self,
        query: str,
        build: Callable[[Cells], Row],
        *,
        after: int,
        bind: Callable[[int], tuple[object, ...]],
    ) -> Iterator[Row]:
        """Rows in order, page by page. The first column of a row is where the next page goes on."""
        query = f"{query} ORDER BY 1 LIMIT {PAGE_ROWS}"
        while True:
            page = self._all(query, bind(after))
            yield from map(build, page)
            if len(page) < PAGE_ROWS:
                return
            after = page[-1][0]

    def _all(self, query: str, values: tuple[object, ...] = ()) -> list[Cells]:
        with _explained(self.path):
            return self._db.execute(query, values).fetchall()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise explain(error, path) from error


# -- from cells to values --------------------------------------------------------------------------------------------


def _recorded(cells: Cells) -> Recorded | Unreadable:
    _, seq, at, thread, kind, body = cells
    try:
        return Recorded(seq=seq, at=at, thread=thread, fact=_FACT.decode(body))
    except msgspec.MsgspecError as error:
        return Unreadable(table="facts", key=str(seq), seq=seq, thread=thread, kind=kind, body=body, problem=str(error))


def _decision(cells: Cells) -> Decision | Unreadable:
    _, key, seq, at, thread, reason, policy, logic, evidence = cells
    try:
        record = Record(reason=msgspec.convert(reason, Reason), evidence=_EVIDENCE.decode(evidence))
    except msgspec.MsgspecError as error:
        return Unreadable(
            table="decisions", key=key, seq=seq, thread=thread, kind=reason, body=evidence, problem=str(error)
        )
    return Decision(id=key, seq=seq, at=at, thread=thread, record=record, policy=policy, logic=logic)


def _effect(cells: Cells) -> StoredEffect | Unreadable:
    _, key, seq, thread, kind, body, state, outcome_seq, detail = cells
    try:
        effect = _EFFECT.decode(body)
    except msgspec.MsgspecError as error:
        return Unreadable(table="effects", key=key, seq=seq, thread=thread, kind=kind, body=body, problem=str(error))
    return StoredEffect(
        id=key, seq=seq, thread=thread, effect=effect, state=state, outcome_seq=outcome_seq, detail=detail
    )


def _boundary(cells: Cells) -> BoundaryEvent:
    return BoundaryEvent(*cells[1:])


def _frame(cells: Cells) -> Frame:
    return Frame(*cells[1:])
