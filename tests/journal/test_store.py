"""The one writer: groups, order, durability, failure."""

import asyncio
import random
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rawr.core.real import Redacted
from rawr.core.vocabulary.effects import AnyEffect, Intended, Notify
from rawr.core.vocabulary.facts import AnyFact, Recorded, UserSubmitted
from rawr.errors import Bug, JournalError
from rawr.journal.errors import JournalBusy, JournalClosed, JournalConflict, JournalLost, JournalUnwritable
from rawr.journal.reader import JournalReader
from rawr.journal.rows import Frame, StoredEffect
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from tests.journal.samples import AT, batch_of, decision, encode, facts, intended, recorded, values


def test_everything_in_a_batch_comes_back(tmp_path: Path) -> None:
    """C17, B10: the fact, the decision about it and the effect of it are one record."""
    batch = facts(1, 1)
    batch.add_decision(decision(1), encode(decision(1).record.evidence))
    batch.add_effect(intended(1), encode(intended(1).effect), seq=1)
    batch.add_frame("in", Redacted(b'{"method":"turn/started"}'), at=AT, thread="t", method="turn/started")
    batch.add_snapshot("t", Redacted(b"{}"), seq=1, at=AT, shape="s")
    with Journal.open(tmp_path / "home") as journal:
        journal.append(batch).result()
    with JournalReader.open(tmp_path / "home") as reader:
        assert list(reader.facts()) == [recorded(1)]
        assert list(reader.decisions()) == [decision(1)]
        effect = StoredEffect("t:1.0", 1, "t", intended(1).effect, "intended", None, "")
        assert list(reader.effects()) == reader.unfinished_effects() == [effect]
        assert list(reader.frames()) == [
            Frame(1, AT, "in", "t", "turn/started", size=25, body='{"method":"turn/started"}')
        ]


@pytest.mark.parametrize("kind", get_args(AnyFact), ids=lambda kind: kind.__name__)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_kind_of_fact_comes_back_as_it_was(tmp_path: Path, kind: type, data: st.DataObject) -> None:
    fact = msgspec.convert(data.draw(values(kind)), AnyFact)
    with Journal.open(tmp_path / "home") as journal:
        one = Recorded(seq=journal.last_seq() + 1, at=AT, thread=data.draw(st.sampled_from(["", "t"])), fact=fact)
        journal.append(batch_of(one)).result()
        with JournalReader.open(journal.path) as reader:
            assert list(reader.facts(after=one.seq - 1)) == [one]


@pytest.mark.parametrize("kind", get_args(AnyEffect), ids=lambda kind: kind.__name__)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_kind_of_effect_comes_back_as_it_was(tmp_path: Path, kind: type, data: st.DataObject) -> None:
    effect = msgspec.convert(data.draw(values(kind)), AnyEffect)
    with Journal.open(tmp_path / "home") as journal, JournalReader.open(journal.path) as reader:
        seq = reader.counts().effects + 1
        batch = Batch()
        batch.add_effect(Intended(id=f"t:{seq}.0", thread="t", effect=effect), encode(effect), seq=seq)
        journal.append(batch).result()
        assert [row.effect for row in reader.effects(after=seq - 1) if isinstance(row, StoredEffect)] == [effect]


def test_batches_that_wait_are_committed_together_and_in_order(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        with closing(sqlite3.connect(journal.path, isolation_level=None)) as blocker:
            # While somebody else holds the write lock the writer waits, and what comes meanwhile piles up behind it.
            blocker.execute("BEGIN IMMEDIATE")
            first = journal.append(facts(1, 1))
            pile = [journal.append(facts(seq, seq)) for seq in range(2, 200)]
            assert not first.done()
            blocker.execute("COMMIT")
        pile[-1].result()
        assert all(future.done() for future in pile)
        with closing(sqlite3.connect(journal.path)) as db:
            assert [seq for (seq,) in db.execute("SELECT seq FROM facts")] == list(range(1, 200))


def test_any_number_of_rows_is_written_once(tmp_path: Path) -> None:
    """Around the sizes at which rows are bundled into statements."""
    with Journal.open(tmp_path / "home") as journal, JournalReader.open(journal.path) as reader:
        for size in (1, 3, 4, 5, 31, 33, 255, 256, 257, 600):
            last = journal.last_seq()
            journal.append(facts(last + 1, last + size)).result()
            assert [row.seq for row in reader.facts(after=last)] == list(range(last + 1, last + size + 1))


async def test_an_asyncio_program_awaits_the_commit_and_may_stop_waiting(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        await asyncio.wrap_future(journal.append(facts(1, 1)))
        impatient = asyncio.wrap_future(journal.append(facts(2, 2)))
        impatient.cancel()
        await asyncio.wrap_future(journal.append(facts(3, 3)))
        assert journal.last_seq() == 3


def test_many_threads_may_append(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home", frames_kept=1_600) as journal:

        def write_frames(name: str) -> None:
            for at in range(200):
                batch = Batch()
                batch.add_frame("out", Redacted(b"{}"), at=at, thread=name)
                journal.append(batch)

        threads = [threading.Thread(target=write_frames, args=(str(n),)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        journal.flush()
        with JournalReader.open(journal.path) as reader:
            for n in range(8):
                assert [frame.at for frame in reader.frames(str(n))] == list(range(200))


def test_intentions_and_a_persons_words_ask_for_the_disk_and_observations_do_not() -> None:
    """D5: what is nowhere else must survive a power cut."""
    observed, spoken, meant, ended = facts(1, 1), Batch(), Batch(), Batch()
    spoken.add_fact(recorded(1, fact=UserSubmitted(text="hi")), Redacted(b'{"fact":"UserSubmitted","text":"hi"}'))
    meant.add_effect(intended(1), Redacted(b"{}"), seq=1)
    ended.add_outcome("t:1.0", "done", seq=2)
    assert [batch.durable for batch in (observed, spoken, meant, ended)] == [False, True, True, False]


def test_the_commit_of_an_intention_is_synced_and_that_of_an_observation_is_not(tmp_path: Path) -> None:
    level, levels = "", []

    def traced(sql: str) -> None:
        nonlocal level
        if "synchronous" in sql:
            level = sql.rpartition(" ")[2]
        elif sql == "COMMIT":
            levels.append(level)

    with Journal.open(tmp_path / "home") as journal:
        journal._db.set_trace_callback(traced)
        meant = Batch()
        meant.add_effect(intended(1), encode(intended(1).effect), seq=1)
        for batch in (facts(1, 1), meant, facts(2, 2)):
            journal.append(batch).result()
        journal.flush()
        assert levels == ["NORMAL", "FULL", "NORMAL", "FULL"]


def test_an_outcome_finishes_its_effect(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal, JournalReader.open(journal.path) as reader:
        batch = facts(1, 1)
        for n in range(3):
            batch.add_effect(intended(1, n), encode(intended(1, n).effect), seq=1)
        batch.add_outcome("t:1.0", "done", seq=2, detail="turn-9")
        journal.append(batch).result()
        assert [effect.id for effect in reader.unfinished_effects() if isinstance(effect, StoredEffect)] == [
            "t:1.1",
            "t:1.2",
        ]
        later = Batch()
        later.add_outcome("t:1.1", "failed", seq=3, detail="refused")
        journal.append(later).result()
        rows = [row for row in reader.effects() if isinstance(row, StoredEffect)]
        assert [(row.state, row.outcome_seq, row.detail) for row in rows] == [
            ("done", 2, "turn-9"),
            ("failed", 3, "refused"),
            ("intended", None, ""),
        ]


def test_frames_are_cut_between_characters_and_say_how_big_they_were(tmp_path: Path) -> None:
    batch = Batch()
    batch.add_frame("in", Redacted("aä€𝄞".encode()), at=1)
    batch.add_frame("in", Redacted(b"12345678"), at=2)
    batch.add_frame("out", Redacted(b"\xff\xfe{"), at=3, size=700)
    with Journal.open(tmp_path / "home", frame_bytes=7) as journal:
        journal.append(batch).result()
        with JournalReader.open(journal.path) as reader:
            assert [(frame.size, frame.body) for frame in reader.frames()] == [
                (10, "aä€"),
                (8, "1234567"),
                (700, "��{"),
            ]


def test_only_the_newest_frames_are_kept(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home", frames_kept=5) as journal, JournalReader.open(journal.path) as reader:
        for start in (0, 3, 6, 9):
            batch = Batch()
            for at in range(start, start + 3):
                batch.add_frame("in", Redacted(b"{}"), at=at)
            journal.append(batch).result()
            assert reader.counts().frames <= 5
        assert [frame.at for frame in reader.frames()] == [7, 8, 9, 10, 11]
    with Journal.open(tmp_path / "home", frames_kept=0) as journal:
        journal.append(batch).result()
        with JournalReader.open(journal.path) as reader:
            assert reader.counts().frames == 5


def test_two_snapshots_of_each_thread_are_kept(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal, JournalReader.open(journal.path) as reader:
        for seq in range(1, 6):
            batch = Batch()
            for thread in ("a", "b"):
                batch.add_snapshot(thread, encode({"at": seq}), seq=seq, at=AT, shape="new" if seq < 5 else "newer")
            journal.append(batch).result()
        assert reader.counts().snapshots == 4
        newest, older = reader.latest_snapshot("a", "newer"), reader.latest_snapshot("b", "new")
        assert newest is not None
        assert older is not None
        assert (newest.seq, newest.body, older.seq) == (5, '{"at":5}', 4)
        assert reader.latest_snapshot("a", "another") is None
        assert reader.latest_snapshot("nobody", "new") is None


def test_numbers_go_on_after_a_restart(tmp_path: Path) -> None:
    """B10."""
    with Journal.open(tmp_path / "home") as journal:
        assert journal.last_seq() == 0
        journal.append(facts(1, 7)).result()
    with Journal.open(tmp_path / "home") as journal:
        assert journal.last_seq() == 7


@pytest.mark.parametrize(("first", "last"), [(3, 3), (1, 3), (5, 5)])
def test_a_number_that_is_taken_or_too_high_is_a_loud_error(tmp_path: Path, first: int, last: int) -> None:
    with Journal.open(tmp_path / "home") as journal:
        journal.append(facts(1, 3)).result()
        with pytest.raises(JournalConflict, match=f"next fact is number 4, but a batch has numbers {first} to {last}"):
            journal.append(facts(first, last)).result()
        assert isinstance(journal.failure, JournalConflict)


def test_rows_that_somebody_else_wrote_are_noticed(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        with closing(sqlite3.connect(journal.path, isolation_level=None)) as intruder:
            intruder.execute("INSERT INTO facts (seq, at, thread, kind, body) VALUES (1, 0, '', 'TurnStarted', '{}')")
        with pytest.raises(JournalLost, match=r"Fact 1 .*is damaged"):
            journal.append(facts(1, 1)).result()


def test_an_outcome_of_an_unknown_effect_is_a_loud_error(tmp_path: Path) -> None:
    batch = Batch()
    batch.add_outcome("t:1.0", "done", seq=1)
    with (
        Journal.open(tmp_path / "home") as journal,
        pytest.raises(JournalConflict, match="only 0 of 1 outcomes belong to effects"),
    ):
        journal.append(batch).result()


def test_a_full_disk_fails_every_batch_at_once_and_loses_none_before(tmp_path: Path) -> None:
    """D5: what was promised before stays, and nothing hangs."""
    with Journal.open(tmp_path / "home", max_bytes=256 * 1024) as journal:
        journal.append(facts(1, 10)).result()
        big = Batch()
        text = random.Random(1).randbytes(300_000).hex()  # noqa: S311 - it only has to be hard to pack
        big.add_effect(intended(1, effect=Notify(level="info", text=text)), Redacted(f'"{text}"'.encode()), seq=1)
        with pytest.raises(JournalUnwritable, match=r"there is no space left for it\. Free some space"):
            journal.append(big).result()
        later = journal.append(facts(11, 11))
        assert later.done()
        assert later.exception() is journal.failure
        with pytest.raises(JournalUnwritable):
            journal.flush()
    with Journal.open(tmp_path / "home") as journal:
        assert journal.last_seq() == 10
        journal.append(facts(11, 11)).result()


def test_batches_that_wait_behind_a_failure_fail_with_it(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        with closing(sqlite3.connect(journal.path, isolation_level=None)) as blocker:
            blocker.execute("BEGIN IMMEDIATE")
            waiting = [journal.append(facts(9, 9)), *(journal.append(facts(seq, seq)) for seq in range(1, 50))]
            blocker.execute("COMMIT")
        assert {type(future.exception()) for future in waiting} == {JournalConflict}


def test_a_row_that_cannot_be_bound_is_a_bug_and_hangs_nobody(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        batch = facts(1, 1)
        batch.facts[0] = (1, AT, "\ud800", "TurnStarted", "{}")
        with pytest.raises(Bug, match="surrogates not allowed"):
            journal.append(batch).result()


def test_somebody_elses_write_lock_ends_in_a_clear_error(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        journal._db.execute("PRAGMA busy_timeout = 1")
        with closing(sqlite3.connect(journal.path, isolation_level=None)) as blocker:
            blocker.execute("BEGIN IMMEDIATE")
            with pytest.raises(JournalBusy, match="in use by another program"):
                journal.append(facts(1, 1)).result()


def test_closing_writes_what_waits_and_may_be_done_twice(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "home")
    pile = [journal.append(facts(seq, seq)) for seq in range(1, 100)]
    journal.close()
    journal.close()
    assert all(future.result() is None for future in pile)
    assert sorted(path.name for path in journal.path.parent.iterdir()) == ["journal.db", "journal.lock"]
    with pytest.raises(JournalClosed, match="is closed"):
        journal.append(facts(100, 100)).result()
    assert issubclass(JournalClosed, JournalError)
