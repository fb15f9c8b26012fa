"""One transaction for many batches: the SQL that puts rows into the journal.

It knows the tables, how durable a commit must be and that it must have reached the file at its path. It does not know
threads, queues or futures.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rawr.journal import checksums
from rawr.journal.bulk import Insert
from rawr.journal.errors import JournalConflict, changed_by_another
from rawr.journal.footing import Footing
from rawr.journal.home import companions
from rawr.journal.integrity import check
from rawr.journal.packing import LEAST, packed, packed_beside
from rawr.journal.pruning import prune
from rawr.journal.room import Room
from rawr.journal.spans import LISTED_EVERY, catch_up
from rawr.ports.memory import Batch, EffectRow, FactRow, FrameRow

_SUMS = ("prior", "crc")
_FACTS = Insert("facts", ("seq", "at", "thread", "kind", "body", *_SUMS))
_DECISIONS = Insert("decisions", ("id", "seq", "at", "thread", "reason", "policy", "logic", "evidence", *_SUMS))
_EFFECTS = Insert("effects", ("id", "seq", "thread", "kind", "body", *_SUMS, "state", "detail", "ending"))
_FRAMES = Insert("frames", ("at", "direction", "thread", "method", "size", "body", "crc"))
_BOUNDARIES = Insert("boundaries", ("id", "seq", "at", "thread", "turn", "kind", "source", "detail", *_SUMS))
_SNAPSHOTS = Insert("snapshots", ("thread", "seq", "at", "shape", "body", "crc"))
_OUTCOME = "UPDATE effects SET state = ?, outcome_seq = ?, detail = ?, ending = ? WHERE id = ?"
_TOUCH = {True: "INSERT OR IGNORE INTO touched (thread) VALUES (?)", False: "DELETE FROM touched WHERE thread = ?"}
_MEND = "INSERT OR REPLACE INTO mends (thread, seq, at) VALUES (?, ?, ?)"

# Frames are numbered without gaps and leave only at the old end, so the oldest number to keep follows from the newest.
_PRUNE_FRAMES = "DELETE FROM frames WHERE n <= (SELECT max(n) FROM frames) - ?"
FRAME_LEAST = 384
"""Characters from which on a raw frame is packed: nothing waits for a frame, and most of them are short."""
_PRUNE_SNAPSHOTS = (
    "DELETE FROM snapshots WHERE thread = ?1 AND seq <"
    " (SELECT min(seq) FROM (SELECT seq FROM snapshots WHERE thread = ?1 ORDER BY seq DESC LIMIT 2))"
)


class Committer:
    """Writes groups of batches over one connection, and knows the last committed fact."""

    def __init__(self, db: sqlite3.Connection, path: Path, *, frame_bytes: int, frames_kept: int) -> None:
        self._db = db
        self._path = path
        self._frame_bytes = frame_bytes
        self._frames_kept = frames_kept
        self._level = ""
        self._unsynced = False
        self.last_seq: int = db.execute("SELECT coalesce(max(seq), 0) FROM facts").fetchone()[0]
        self._listed = self._bring_up_to_date()
        self._chains = checksums.Chains(db)
        self._foreign = self._foreign_commits()
        # Something was read by now, so SQLite has all of its files.
        self._footing = Footing(path, trouble=self._trouble)
        self._room = Room(db, companions(path)[0])
        self._make_room()

    def commit(self, group: Sequence[Batch]) -> None:
        """Commit all of the group or nothing. No transaction is open afterwards, whatever happened.

        A group that went to a file that is no longer at its path was not written, even if SQLite reports success.
        """
        durable = any(batch.durable for batch in group)
        written = any(batch.rows for batch in group)
        if not written and not (durable and self._unsynced):
            return
        self._set_level("FULL" if durable else "NORMAL")
        last_seq = self._next_last_seq(group)
        self._footing.before()
        try:
            self._transact(group, written=written)
        except sqlite3.Error:
            self._footing.failed()
            raise
        self._footing.after()
        self.last_seq = last_seq
        self._unsynced = not durable
        if last_seq - self._listed >= LISTED_EVERY:
            self._listed = last_seq

    def rest(self) -> None:
        """While nobody waits, make sure that the next durable commit is quick."""
        self._set_level("FULL")
        if self._room.is_used_up(self._footing.log_size):
            self._footing.before()
            self._make_room()

    def close(self) -> None:
        """Bring the list of threads up to date, so that the next reader finds everything in it."""
        if self.last_seq > self._listed:
            self._set_level("NORMAL")
            self._footing.before()
            self._listed = self._bring_up_to_date()
            self._footing.after()

    def _bring_up_to_date(self) -> int:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            catch_up(self._db)
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            raise
        return self.last_seq

    def _make_room(self) -> None:
        self._room.make(self._footing.log_identity)
        self._footing.after()

    def _transact(self, group: Sequence[Batch], *, written: bool) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._alone()
            if written:
                self._write(group)
            else:
                self._touch()
            self._db.execute("COMMIT")
        except BaseException:
            # If even this fails, SQLite rolls back when the file is next opened.
            with suppress(sqlite3.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            raise

    def _alone(self) -> None:
        """Raise if another connection damaged the journal since its files were checked; from now on none can write."""
        foreign = self._foreign_commits()
        if foreign != self._foreign and (problem := self._trouble()):
            raise changed_by_another(self._path, problem)
        self._foreign = foreign

    def _foreign_commits(self) -> int:
        """A number that changes when another connection commits, but not with our own commits."""
        version: int = self._db.execute("PRAGMA data_version").fetchone()[0]
        return version

    def _trouble(self) -> str:
        report = check(self._path, full=True)
        found = [one.problem for one in report.findings if one.area != "permissions"]
        if found:
            return found[0]
        expected = self.last_seq - report.pruned
        return "" if report.facts == expected else f"it holds {report.facts} facts instead of {expected}"

    def _set_level(self, level: str) -> None:
        """FULL waits for the disk at the commit; NORMAL leaves that to the next checkpoint or FULL commit.

        An observation lost in a power cut is still in Codex's own history and is read again from there. An intention
        must never be lost before it is carried out: nothing could tell afterwards that the message was rawr's. The log
        is one file, so a FULL commit also makes everything before it durable.
        """
        if level != self._level:
            self._db.execute(f"PRAGMA synchronous = {level}")
            self._level = level

    def _next_last_seq(self, group: Sequence[Batch]) -> int:
        """Facts are numbered without gaps; otherwise two writers number them, or a fact was lost."""
        last = self.last_seq
        for batch in group:
            facts = batch.facts
            if not facts:
                continue
            first, following = facts[0][0], last + 1
            last += len(facts)
            if first != following or facts[-1][0] != last:
                raise JournalConflict(
                    self._path,
                    f"the next fact is number {following}, but a batch has numbers {first} to {facts[-1][0]}",
                )
        return last

    def _write(self, group: Sequence[Batch]) -> None:
        db, chains = self._db, self._chains
        if facts := [row for batch in group for row in batch.facts]:
            self._put(_FACTS, chains.facts(_packed(facts)))
        if decisions := [row for batch in group for row in batch.decisions]:
            self._put(
                _DECISIONS,
                chains.decisions(_packed(decisions)),
            )
        if boundaries := [row for batch in group for row in batch.boundaries]:
            self._put(_BOUNDARIES, chains.boundaries(boundaries))
        if effects := [row for batch in group for row in batch.effects]:
            self._put(_EFFECTS, chains.effects(_beside(effects, facts)))
        self._write_outcomes(group)
        self._write_frames(group)
        self._write_snapshots(group)
        if mends := [row for batch in group for row in batch.mends]:
            db.executemany(_MEND, mends)
        for thread, touched in [row for batch in group for row in batch.touches]:
            db.execute(_TOUCH[touched], (thread,))
        if facts and facts[-1][0] - self._listed >= LISTED_EVERY:
            catch_up(db)
        self._prune(group)

    def _prune(self, group: Sequence[Batch]) -> None:
        wanted = [one for batch in group for one in batch.prunings]
        if wanted:
            # Whoever counts facts by the list must find it complete.
            catch_up(self._db)
            for one in wanted:
                prune(self._db, one)
            self._chains = checksums.Chains(self._db)
        if pages := sum(batch.shrink for batch in group):
            self._db.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()

    def _put(self, insert: Insert, rows: Sequence[tuple[object, ...]]) -> None:
        if (kept := insert.run(self._db, rows)) != len(rows):
            raise changed_by_another(self._path, f"it kept {kept} of {len(rows)} new rows")

    def _write_outcomes(self, group: Sequence[Batch]) -> None:
        outcomes = [checksums.outcome(row) for batch in group for row in batch.outcomes]
        if outcomes:
            changed = self._db.executemany(_OUTCOME, outcomes).rowcount
            if changed != len(outcomes):
                raise JournalConflict(
                    self._path, f"only {changed} of {len(outcomes)} outcomes belong to effects it holds"
                )

    def _write_frames(self, group: Sequence[Batch]) -> None:
        frames = [self._cut(row) for batch in group for row in batch.frames]
        if frames and self._frames_kept:
            _FRAMES.run(self._db, [checksums.frame(row) for row in frames[-self._frames_kept :]])
            self._db.execute(_PRUNE_FRAMES, (self._frames_kept,))

    def _cut(self, row: FrameRow) -> checksums.FrameCells:
        """The frame as text, cut at its limit. The other side may have sent something that is not text at all."""
        at, direction, thread, method, size, body = row
        if len(body) <= self._frame_bytes:
            text = body.decode(errors="replace")
        else:
            end = self._frame_bytes
            # Bytes 10xxxxxx continue a character: step back to the first byte of a character.
            while end and body[end] & 0xC0 == 0x80:
                end -= 1
            text = body[:end].decode(errors="replace")
        return at, direction, thread, method, size, packed(text, least=FRAME_LEAST)

    def _write_snapshots(self, group: Sequence[Batch]) -> None:
        snapshots = [row for batch in group for row in batch.snapshots]
        if snapshots:
            _SNAPSHOTS.run(self._db, [checksums.snapshot(row) for row in _packed(snapshots)])
            self._db.executemany(_PRUNE_SNAPSHOTS, {(row[0],) for row in snapshots})

    def _touch(self) -> None:
        """Write a page with nothing new on it: SQLite waits for the disk only after a write."""
        version: int = self._db.execute("PRAGMA user_version").fetchone()[0]
        self._db.execute(f"PRAGMA user_version = {version}")


def _packed(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows as they are stored; the body is last. Most are short, and stay as they are."""
    return [row if len(row[-1]) < LEAST else (*row[:-1], packed(row[-1])) for row in rows]


def _beside(effects: Sequence[EffectRow], facts: Sequence[FactRow]) -> list[tuple[object, ...]]:
    """Effects as they are stored. One that repeats the text of the fact that led to it is stored without the text."""
    origins = {row[0]: row[4] for row in facts if len(row[4]) >= LEAST}
    return [
        row if len(row[4]) < LEAST else (*row[:4], packed_beside(row[4], origins.get(row[1], ""))) for row in effects
    ]
