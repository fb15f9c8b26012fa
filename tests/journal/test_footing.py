"""What happens to the journal's files under a running writer is noticed at its next write."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rawr.journal.errors import JournalLost
from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from tests.journal.samples import facts

Deed = Callable[[Path], None]


def folded(journal: Journal) -> None:
    """Fold the log in, as SQLite does by itself after so many pages."""
    with closing(sqlite3.connect(journal.path)) as db:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")


def running(home: Path) -> Journal:
    """A writer with something in the file, and something in the log."""
    journal = Journal.open(home)
    journal.append(facts(1, 500)).result()
    folded(journal)
    shutil.copy2(journal.path, home.with_name("earlier.db"))
    journal.append(facts(501, 1_000)).result()
    folded(journal)
    journal.append(facts(1_001, 1_005)).result()
    return journal


def deleted(path: Path) -> None:
    path.unlink()


def moved(path: Path) -> None:
    path.rename(path.with_name("aside.db"))


def replaced_by_a_copy_of_itself(path: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copy2(path, copy)
    copy.replace(path)


def replaced_by_an_earlier_state(path: Path) -> None:
    (path.parent.parent / "earlier.db").replace(path)


def replaced_by_something_else(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("hello" * 1_000)
    other.replace(path)


def overwritten_with_an_earlier_state(path: Path) -> None:
    """As ``cp`` does it: the file stays the same one, and what is in it does not."""
    shutil.copyfile(path.parent.parent / "earlier.db", path)


def overwritten_with_zeros(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(8 * 4096)
        file.write(bytes(4096))


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def cut_in_the_middle(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


def cut_within_a_page(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 + 77)


def log_deleted(path: Path) -> None:
    path.with_name("journal.db-wal").unlink()


def log_emptied(path: Path) -> None:
    os.truncate(path.with_name("journal.db-wal"), 0)


def index_deleted(path: Path) -> None:
    path.with_name("journal.db-shm").unlink()


def index_emptied(path: Path) -> None:
    os.truncate(path.with_name("journal.db-shm"), 0)


def home_deleted(path: Path) -> None:
    shutil.rmtree(path.parent)


def home_moved(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def home_replaced(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))
    with Journal.open(path.parent) as other:
        other.append(facts(1, 3)).result()


def made_read_only(path: Path) -> None:
    path.chmod(0o400)


def written_by_another(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as intruder:
        intruder.execute("UPDATE facts SET seq = 9999 WHERE seq = 7")


def facts_deleted_by_another(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as intruder:
        intruder.execute("DELETE FROM facts WHERE seq > 900")


def facts_dropped_by_another(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as intruder:
        intruder.execute("DROP TABLE facts")


def given_a_trigger(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as intruder:
        intruder.execute("CREATE TRIGGER forget BEFORE INSERT ON facts BEGIN SELECT RAISE(IGNORE); END")


DEEDS: list[tuple[Deed, str]] = [
    (deleted, r"journal\.db was deleted or moved while rawr was using it"),
    (moved, r"journal\.db was deleted or moved"),
    (replaced_by_a_copy_of_itself, r"journal\.db was replaced by another file"),
    (replaced_by_an_earlier_state, r"journal\.db was replaced by another file"),
    (replaced_by_something_else, r"journal\.db was replaced by another file"),
    (overwritten_with_an_earlier_state, r"journal\.db was changed by another program"),
    (overwritten_with_zeros, r"journal\.db was changed by another program"),
    (emptied, r"journal\.db was cut short to 0 bytes"),
    (cut_in_the_middle, r"journal\.db was changed by another program"),
    (cut_within_a_page, r"journal\.db was changed by another program"),
    (log_deleted, r"its part journal\.db-wal\) was deleted or moved"),
    (log_emptied, r"journal\.db was changed by another program"),
    (index_deleted, r"its part journal\.db-shm\) was deleted or moved"),
    (index_emptied, r"its part journal\.db-shm\) was cut short"),
    (home_deleted, r"journal\.db was deleted or moved"),
    (home_moved, r"journal\.db was deleted or moved"),
    (home_replaced, r"journal\.db was replaced by another file"),
    (made_read_only, r"journal\.db was made read-only.*chmod u\+w"),
    (written_by_another, r"journal\.db was changed by another program"),
    (facts_deleted_by_another, r"journal\.db was changed by another program"),
    (facts_dropped_by_another, r"journal\.db was changed by another program .*The table facts is missing"),
    (given_a_trigger, r"journal\.db was changed by another program .*The trigger forget is not rawr's"),
]


@pytest.mark.parametrize(("deed", "told"), DEEDS, ids=[deed.__name__ for deed, _ in DEEDS])
@pytest.mark.parametrize("durable", [True, False])
def test_the_next_write_notices(tmp_path: Path, deed: Deed, told: str, durable: bool) -> None:
    """D5: nothing is acted upon that is not on record."""
    with running(tmp_path / "home") as journal:
        deed(journal.path)
        batch = facts(1_006, 1_006)
        batch.durable = durable
        with pytest.raises(JournalLost, match=told) as lost:
            journal.append(batch).result()
        assert "start rawr again" in lost.value.way_out
        assert journal.append(facts(1_006, 1_006)).exception() is lost.value


@pytest.mark.parametrize("deed", [deed for deed, _ in DEEDS if deed not in (home_deleted, index_emptied)])
def test_what_is_left_of_it_is_left_as_it_is(tmp_path: Path, deed: Deed) -> None:
    """The log may be all that is left: SQLite would fold it into the wrong file, and delete it."""

    def content() -> dict[str, bytes]:
        files = [one for one in tmp_path.rglob("*") if one.is_file() and one.suffix in {".db", ".db-wal"}]
        return {str(one.relative_to(tmp_path)): one.read_bytes() for one in files}

    with running(tmp_path / "home") as journal:
        deed(journal.path)
        before = content()
        with pytest.raises(JournalLost):
            journal.append(facts(1_006, 1_006)).result()
    assert content() == before


def test_another_writer_in_a_home_put_in_its_place_loses_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "home") as journal:
        (tmp_path / "home").rename(tmp_path / "elsewhere")
        with Journal.open(tmp_path / "home") as other:
            other.append(facts(1, 3)).result()
            with pytest.raises(JournalLost):
                journal.append(facts(1_006, 1_006)).result()
            journal.close()
            other.append(facts(4, 6)).result()
    for home, count in (("home", 6), ("elsewhere", 1_005)):
        assert check(tmp_path / home, full=True).findings == ()
        with JournalReader.open(tmp_path / home) as reader:
            assert reader.last_seq() == count


def test_a_file_gone_during_the_commit_fails_it(tmp_path: Path) -> None:
    """The write itself succeeds: it goes to a file without a name."""
    with running(tmp_path / "home") as journal:
        journal._db.set_trace_callback(lambda sql: journal.path.unlink() if sql == "COMMIT" else None)
        with pytest.raises(JournalLost, match="was deleted or moved"):
            journal.append(facts(1_006, 1_006)).result()


@pytest.mark.parametrize(
    "deed", [written_by_another, facts_deleted_by_another, facts_dropped_by_another, given_a_trigger]
)
def test_a_write_between_the_look_at_the_files_and_the_commit_is_noticed(tmp_path: Path, deed: Deed) -> None:
    """D5: the commit itself is what locks others out, and one may have been quicker."""
    with running(tmp_path / "home") as journal:
        done: list[Path] = []

        def once(sql: str) -> None:
            if sql == "BEGIN IMMEDIATE" and not done:
                done.append(journal.path)
                deed(journal.path)

        journal._db.set_trace_callback(once)
        with pytest.raises(JournalLost, match="was changed by another program"):
            journal.append(facts(1_006, 1_006)).result()
        assert done


def tidied_up(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def folded_in(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def looked_at(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM facts").fetchone() == (1_005,)


def touched(path: Path) -> None:
    path.touch()


@pytest.mark.parametrize("deed", [tidied_up, folded_in, looked_at, touched])
def test_what_a_person_does_in_good_faith_stops_nothing(tmp_path: Path, deed: Deed) -> None:
    with running(tmp_path / "home") as journal:
        deed(journal.path)
        journal.append(facts(1_006, 1_010)).result()
        deed_again = Batch(durable=True)
        journal.append(deed_again).result()
    assert check(tmp_path / "home", full=True).findings == ()
    with JournalReader.open(tmp_path / "home") as reader:
        assert reader.last_seq() == 1_010


def test_a_lot_of_commits_with_the_log_folded_in_between_are_no_cause_for_a_second_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole journal is read only where somebody else has written to it."""
    looks: list[str] = []

    def looked() -> str:
        looks.append("at all of it")
        return ""

    with Journal.open(tmp_path / "home") as journal:
        monkeypatch.setattr(journal._committer._footing, "_trouble", looked)
        journal._db.execute("PRAGMA wal_autocheckpoint = 5")
        with JournalReader.open(journal.path) as reader:
            for seq in range(1, 200):
                journal.append(facts(seq, seq)).result()
                assert reader.last_seq() == seq
    assert looks == []


def test_a_trigger_of_before_does_not_swallow_facts(tmp_path: Path) -> None:
    """D5: it was there when the journal was opened, so no write of another tells of it."""
    with Journal.open(tmp_path) as journal:
        journal.append(facts(1, 3)).result()
    given_a_trigger(tmp_path / "journal.db")
    with Journal.open(tmp_path) as journal, pytest.raises(JournalLost, match="it kept 0 of 3 new rows"):
        journal.append(facts(4, 6)).result()
