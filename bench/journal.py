"""Journal: facts that are safe on the disk, against SQLite as one would use it first, a commit for every row.

Measured: facts a second through ``Journal.append`` with a wait for each batch, as the loop does it, in batches of 1, 10
and 100; then batches of one that are queued without waiting; then how long one append takes. Against: the same rows
into the same table with the same index, WAL and ``synchronous=FULL``, one INSERT and one commit each. Both write into
the same folder, and both are durable when they return: every batch asks for it, though the loop asks for it only where
something is to be done.

Unfair would be: a folder in memory; another log size before a checkpoint (it is the same here); encoding and redaction,
which come before either (left out of both).
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, cycle, islice
from pathlib import Path
from statistics import median

import msgspec

from bench import work
from bench.measuring import Side, alternate, percentile, ratio_at, ratio_of
from bench.report import Goal, Result, Row, Size, rate, seconds
from rawr.core.real import Redacted
from rawr.core.vocabulary.facts import AnyFact, Recorded
from rawr.journal.store import Journal
from rawr.ports.memory import Batch

GOALS = {1: Goal(at_least=0.5), 10: Goal(at_least=3), 100: Goal(at_least=10)}
"""One commit instead of ten, or a hundred, is where the rate comes from; a batch of one pays for another thread."""
QUEUED = Goal(at_least=10)
LATENCY = Goal(at_most=2)
PLAIN_ROWS = 80

_PLAIN = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 4000;
CREATE TABLE facts (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, thread TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX facts_by_thread ON facts (thread);
"""
_Encoded = tuple[AnyFact, bytes]


def run(size: Size) -> Result:
    rounds = size.of(15, quick=5)
    with Journal.open(size.folder / "home") as journal, closing(_plain(size.folder / "plain.db")) as db:
        ours, theirs = _Ours(journal), _Theirs(db)
        rows = [
            _row(
                f"facts in batches of {group}", ours.batches(40, of=group), theirs, 40 * group, rounds=rounds, goal=goal
            )
            for group, goal in GOALS.items()
        ]
        rows.append(_row("500 batches of 1, queued", ours.queued(500), theirs, 500, rounds=rounds, goal=QUEUED))
        rows += _latency(ours, theirs, size.of(1_500, quick=200))
        written = db.execute("SELECT count(*) FROM facts").fetchone()[0]
        assert journal.last_seq() == ours.written > 0, "facts are missing in the journal"
        assert written == theirs.written > 0, "rows are missing in the plain database"
    return Result(tuple(rows))


class _Ours:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._seq = journal.last_seq()
        self._facts = _endless()

    @property
    def written(self) -> int:
        return self._seq

    def batches(self, count: int, *, of: int) -> Side:
        def side() -> float:
            began = time.perf_counter()
            for _ in range(count):
                self._journal.append(self._batch(of)).result()
            return time.perf_counter() - began

        return side

    def queued(self, count: int) -> Side:
        def side() -> float:
            began = time.perf_counter()
            for future in [self._journal.append(self._batch(1)) for _ in range(count)]:
                future.result()
            return time.perf_counter() - began

        return side

    def _batch(self, size: int) -> Batch:
        batch = Batch(durable=True)
        for fact, body in islice(self._facts, size):
            self._seq += 1
            batch.add_fact(Recorded(self._seq, work.NOON, work.THREAD, fact), Redacted(body))
        return batch


class _Theirs:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._seq = 0
        self._facts = _endless()

    @property
    def written(self) -> int:
        return self._seq

    def rows(self, count: int) -> Side:
        def side() -> float:
            began = time.perf_counter()
            for fact, body in islice(self._facts, count):
                self._seq += 1
                # The connection is in autocommit mode: each statement is a transaction of its own.
                row = (self._seq, work.NOON, work.THREAD, type(fact).__name__, body.decode())
                self._db.execute("INSERT INTO facts (seq, at, thread, kind, body) VALUES (?, ?, ?, ?, ?)", row)
            return time.perf_counter() - began

        return side


def _endless() -> Iterator[_Encoded]:
    encode = msgspec.json.Encoder().encode
    return cycle([(fact, encode(fact)) for fact in chain.from_iterable(map(work.turn, range(1, 21)))])


def _plain(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(_PLAIN)
    return db


def _row(figure: str, ours: Side, theirs: "_Theirs", count: int, *, rounds: int, goal: Goal) -> Row:
    """``count`` is how many facts one go of ours writes."""
    our_time, their_time = alternate(ours, theirs.rows(PLAIN_ROWS), rounds=rounds)
    our_rate = [count / taken for taken in our_time]
    their_rate = [PLAIN_ROWS / taken for taken in their_time]
    return Row(
        figure=figure,
        measured=ratio_of(our_rate, their_rate),
        ours=rate(median(our_rate), "facts"),
        against=rate(median(their_rate), "facts") + " (plain)",
        goal=goal,
    )


def append_time(home: Path, *, samples: int) -> float:
    """How long one durable append takes, p50, in seconds."""
    with Journal.open(home) as journal:
        side = _Ours(journal).batches(1, of=1)
        return median([side() for _ in range(samples)][samples // 10 :])


def _latency(ours: _Ours, theirs: _Theirs, samples: int) -> list[Row]:
    our_time, their_time = alternate(ours.batches(1, of=1), theirs.rows(1), rounds=samples)
    rows = []
    for percent, goal in ((50, LATENCY), (99, None)):
        rows.append(
            Row(
                figure=f"one durable append, p{percent}",
                measured=ratio_at(our_time, their_time, percent=percent),
                ours=seconds(percentile(our_time, percent)),
                against=f"{seconds(percentile(their_time, percent))} (plain)",
                goal=goal,
            )
        )
    return rows
