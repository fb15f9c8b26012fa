"""SQLite's log is made longer before it is full, and nothing is lost by it."""

import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from rawr.journal.room import STRETCH, Room
from rawr.journal.store import Journal
from tests.journal.samples import facts

FULL_AND_KILLED = """
import os, signal, sys
from pathlib import Path
from rawr.journal.store import Journal
from tests.journal.samples import facts
journal = Journal.open(Path(sys.argv[1]))
for seq in range(1, 1_201):
    journal.append(facts(seq, seq)).result()
os.kill(os.getpid(), signal.SIGKILL)
"""


def log_of(journal: Journal) -> Path:
    return journal.path.with_name("journal.db-wal")


def identity(journal: Journal) -> tuple[int, int]:
    found = log_of(journal).stat()
    return found.st_dev, found.st_ino


@contextmanager
def beside(journal: Journal) -> Iterator[sqlite3.Connection]:
    """A connection of the test's own: the journal's belongs to its writer's thread, which is at work."""
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as db:
        db.execute("PRAGMA busy_timeout = 5000")
        yield db


def test_another_file_at_its_path_is_left_alone(tmp_path: Path) -> None:
    """It may be the log of a rawr in a home that was put in this one's place: its lock is not ours."""
    other = tmp_path / "other"
    other.write_bytes(b"not ours")
    with Journal.open(tmp_path / "home") as journal, beside(journal) as db:
        Room(db, other).make(identity(journal))
    assert other.read_bytes() == b"not ours"


def test_the_log_has_room_before_anything_is_written(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        assert log_of(journal).stat().st_size >= STRETCH
    assert not log_of(journal).exists()


def test_a_log_that_outgrew_its_room_gets_more(tmp_path: Path) -> None:
    """The writer does it when nobody waits, so it is there at the latest when the one after that is written."""
    with Journal.open(tmp_path / "home") as journal:
        before = log_of(journal).stat().st_size
        seq = 0
        while log_of(journal).stat().st_size <= before + STRETCH // 2:
            seq += 100
            journal.append(facts(seq - 99, seq)).result()
            assert seq < 100_000, "it grew and grew, and no room was made"
    assert check(tmp_path / "home", full=True).findings == ()


def test_what_a_killed_writer_leaves_is_whole(tmp_path: Path) -> None:
    """D5: room that nobody has written to ends the log, whatever round it is in."""
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-c", FULL_AND_KILLED, str(home)], check=False, timeout=120)
    assert (home / "journal.db-wal").stat().st_size > STRETCH
    assert check(home, full=True).findings == ()
    with Journal.open(home) as journal:
        assert journal.last_seq() == 1_200
        journal.append(facts(1_201, 1_203)).result()
    with JournalReader.open(home) as reader:
        assert reader.last_seq() == 1_203


def test_nothing_is_written_where_somebody_else_may_write(tmp_path: Path) -> None:
    """A person's own session has the lock: what it appends must not be overwritten."""
    with Journal.open(tmp_path / "home") as journal, beside(journal) as db:
        size = log_of(journal).stat().st_size
        with beside(journal) as person:
            person.execute("BEGIN IMMEDIATE")
            room = Room(db, log_of(journal))
            room.make(identity(journal))
            assert log_of(journal).stat().st_size == size
            person.execute("ROLLBACK")
            room.make(identity(journal))
            assert log_of(journal).stat().st_size == size + STRETCH
        assert db.execute("PRAGMA busy_timeout").fetchone()[0] == 5000
        journal.append(facts(1, 3)).result()


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_where_there_is_no_space_the_log_stays_as_it_is(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal, beside(journal) as db:
        log = log_of(journal)
        size = log.stat().st_size
        with no_file_longer_than(size + STRETCH // 2):
            Room(db, log).make(identity(journal))
        assert log.stat().st_size in range(size, size + STRETCH)
        journal.append(facts(1, 3)).result()
    assert check(tmp_path / "home", full=True).findings == ()
