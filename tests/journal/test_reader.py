"""Reading, beside a writer and without one."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from rawr.core.real import Redacted
from rawr.core.vocabulary.facts import Recorded
from rawr.journal.errors import JournalMissing
from rawr.journal.reader import PAGE_ROWS, JournalReader
from rawr.journal.rows import Counts, ThreadSpan, Unreadable
from rawr.journal.store import Journal
from tests.journal.samples import AT, batch_of, decision, encode, facts, intended, recorded


def seqs(rows: "list[Recorded | Unreadable]") -> list[int]:
    return [row.seq for row in rows]


def mixed(home: Path) -> None:
    """Seven facts: of rawr as a whole, of a and of b."""
    with Journal.open(home) as journal:
        threads = ("", "a", "b", "a", "", "b", "a")
        journal.append(batch_of(*(recorded(seq, thread) for seq, thread in enumerate(threads, 1)))).result()


def test_facts_of_a_thread_come_alone_or_among_all(tmp_path: Path) -> None:
    mixed(tmp_path / "home")
    with JournalReader.open(tmp_path / "home") as reader:
        assert seqs(list(reader.facts())) == [1, 2, 3, 4, 5, 6, 7]
        assert seqs(list(reader.facts("a"))) == [2, 4, 7]
        assert seqs(list(reader.facts("a", after=2, until=5))) == [4]
        assert seqs(list(reader.facts(""))) == [1, 5]
        assert seqs(list(reader.facts("nobody"))) == []
        assert seqs(list(reader.facts(after=5))) == [6, 7]


def test_threads_and_counts_sum_up(tmp_path: Path) -> None:
    mixed(tmp_path / "home")
    with JournalReader.open(tmp_path / "home") as reader:
        assert reader.threads() == [
            ThreadSpan("", 1, AT + 1, 5, AT + 5, facts=2),
            ThreadSpan("a", 2, AT + 2, 7, AT + 7, facts=3),
            ThreadSpan("b", 3, AT + 3, 6, AT + 6, facts=2),
        ]
        assert reader.counts() == Counts(7, 0, 0, unfinished_effects=0, frames=0, snapshots=0)
        assert reader.last_seq() == 7


def test_long_reads_come_in_pages_and_miss_nothing(tmp_path: Path) -> None:
    many = 2 * PAGE_ROWS + 1
    with Journal.open(tmp_path / "home", frames_kept=many) as journal:
        batch = batch_of(*(recorded(seq, "a" if seq % 3 else "") for seq in range(1, many + 1)))
        for seq in range(1, many + 1):
            batch.add_decision(decision(seq), Redacted(b"{}"))
            batch.add_effect(intended(seq), encode(intended(seq).effect), seq=seq)
            batch.add_frame("in", Redacted(b"{}"), at=seq)
        journal.append(batch).result()
        with JournalReader.open(journal.path) as reader:
            assert seqs(list(reader.facts())) == list(range(1, many + 1))
            assert seqs(list(reader.facts("a"))) == [seq for seq in range(1, many + 1) if seq % 3]
            assert [row.seq for row in reader.decisions()] == list(range(1, many + 1))
            assert [row.seq for row in reader.effects("t", after=3, until=PAGE_ROWS + 9)] == list(
                range(4, PAGE_ROWS + 10)
            )
            assert [frame.at for frame in reader.frames(after=2)] == list(range(3, many + 1))


def test_a_reader_that_stops_halfway_does_not_hold_the_log_back(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        journal.append(facts(1, 3 * PAGE_ROWS)).result()
        with JournalReader.open(journal.path) as reader:
            rows = reader.facts()
            next(rows)
            with closing(sqlite3.connect(journal.path)) as other:
                assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
            assert len(list(rows)) == 3 * PAGE_ROWS - 1


def test_readers_see_whole_batches_in_order_while_the_writer_writes(tmp_path: Path) -> None:
    """B10: a projection may follow the journal live."""
    with Journal.open(tmp_path / "home") as journal:
        seen: dict[int, list[int]] = {}

        def follow(me: int) -> None:
            with JournalReader.open(journal.path) as reader:
                mine: list[int] = []
                while len(mine) < 3_000:
                    mine += [row.seq for row in reader.facts(after=len(mine))]
                    assert reader.last_seq() % 10 == 0
                seen[me] = mine

        followers = [threading.Thread(target=follow, args=(n,)) for n in range(3)]
        for follower in followers:
            follower.start()
        for start in range(1, 3_000, 10):
            journal.append(facts(start, start + 9))
        for follower in followers:
            follower.join()
        assert seen == {n: list(range(1, 3_001)) for n in range(3)}


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    mixed(tmp_path / "home")
    with (
        JournalReader.open(tmp_path / "home") as reader,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        reader._db.execute("DELETE FROM facts")


def test_a_crashed_writers_log_is_read_without_folding_it_in(tmp_path: Path) -> None:
    """The files as a kill leaves them: a log that was never folded in, and perhaps no -shm."""
    with Journal.open(tmp_path / "home") as journal:
        journal.append(facts(1, 5)).result()
        for with_shm in (True, False):
            left = tmp_path / f"left-{with_shm}"
            left.mkdir(mode=0o700)
            for name in ("journal.db", "journal.db-wal", *(["journal.db-shm"] if with_shm else [])):
                (left / name).write_bytes((tmp_path / "home" / name).read_bytes())
            before = (left / "journal.db").read_bytes(), (left / "journal.db-wal").read_bytes()
            with JournalReader.open(left) as reader:
                assert seqs(list(reader.facts())) == [1, 2, 3, 4, 5]
            assert ((left / "journal.db").read_bytes(), (left / "journal.db-wal").read_bytes()) == before


def test_no_journal_is_told_and_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(
        JournalMissing, match=r"There is no journal at .*journal\.db\. rawr creates it on its first run"
    ):
        JournalReader.open(tmp_path)
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_rows_of_another_version_are_yielded_in_their_place(tmp_path: Path) -> None:
    """C17: a replay that met an unknown fact and went on would compare apples with pears."""
    with Journal.open(tmp_path / "home") as journal:
        batch = facts(1, 3)
        batch.facts[1] = (2, AT, "t", "MoonRose", '{"fact":"MoonRose","phase":0.5}')
        batch.add_decision(decision(1), Redacted(b"{}"))
        row = batch.decisions[0]
        batch.decisions[0] = (*row[:4], "moon.rose", *row[5:])
        batch.add_effect(intended(1), Redacted(b'{"effect":"Howl"}'), seq=1)
        journal.append(batch).result()
    with JournalReader.open(tmp_path / "home") as reader:
        strange = Unreadable(
            table="facts",
            key="2",
            seq=2,
            thread="t",
            kind="MoonRose",
            body='{"fact":"MoonRose","phase":0.5}',
            problem="Invalid value 'MoonRose' - at `$.fact`",
        )
        assert list(reader.facts()) == [recorded(1), strange, recorded(3)]
        [choice] = reader.decisions()
        [deed] = reader.unfinished_effects()
        assert isinstance(choice, Unreadable)
        assert isinstance(deed, Unreadable)
        assert (choice.table, choice.kind, deed.table, deed.body) == (
            "decisions",
            "moon.rose",
            "effects",
            '{"effect":"Howl"}',
        )
