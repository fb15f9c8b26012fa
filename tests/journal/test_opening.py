"""Damaged and strange files: told clearly, and left exactly as they were."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rawr.journal.errors import JournalCorrupt, JournalLost
from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
from tests.journal.samples import facts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Journal.open(tmp_path / "home") as journal:
        journal.append(facts(1, 2_000)).result()
        return journal.path


def refused(path: Path) -> str:
    """Open it, expect to be refused, and see that not a byte has changed."""
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.suffix != ".lock"}
    with pytest.raises(JournalCorrupt) as refusal:
        Journal.open(path.parent)
    report = check(path)
    assert not report.ok
    after = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.name in before}
    assert after == before
    assert "left as it is" in refusal.value.way_out
    return refusal.value.message


def test_garbage_is_refused(path: Path) -> None:
    path.write_bytes(b"not a database, whatever its name says " * 300)
    assert refused(path).endswith("is damaged: file is not a database.")
    with pytest.raises(JournalCorrupt):
        JournalReader.open(path)


@pytest.mark.parametrize("size", [1, 99, 100, 512, 4096, 5000, 40_960])
def test_a_truncated_file_is_refused(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    assert "is damaged" in refused(path)


def test_an_emptied_file_is_refused(path: Path) -> None:
    path.write_bytes(b"")
    assert refused(path).endswith("is damaged: it holds 0 bytes, which is less than any journal.")


@pytest.mark.parametrize("page", [1, 2, 5, 20])
def test_flipped_bytes_in_a_page_are_refused(path: Path, page: int) -> None:
    content = bytearray(path.read_bytes())
    start = 4096 * (page - 1) + (100 if page == 1 else 0)
    content[start : start + 16] = bytes(byte ^ 0xFF for byte in content[start : start + 16])
    path.write_bytes(content)
    assert "is damaged" in refused(path)


def test_a_log_without_its_database_is_not_thrown_away(tmp_path: Path) -> None:
    """SQLite deletes such a log when it makes the file anew; what it holds may be all that is left."""
    with Journal.open(tmp_path / "home") as journal:
        journal.append(facts(1, 5)).result()
        left = tmp_path / "left"
        left.mkdir(mode=0o700)
        (left / "journal.db-wal").touch(mode=0o600)
        (left / "journal.db-wal").write_bytes((tmp_path / "home" / "journal.db-wal").read_bytes())
    with pytest.raises(JournalCorrupt, match=r"it is missing, but its log journal\.db-wal holds \d+ bytes"):
        Journal.open(left)
    assert (left / "journal.db-wal").stat().st_size > 0
    assert not (left / "journal.db").exists()


def test_a_journal_half_made_by_a_crash_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "journal.db.new").write_bytes(b"half")
    with Journal.open(tmp_path) as journal:
        journal.append(facts(1, 1)).result()
    assert not (tmp_path / "journal.db.new").exists()


def test_damage_that_comes_while_the_journal_is_open_fails_the_batch(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        with closing(sqlite3.connect(journal.path, isolation_level=None)) as intruder:
            intruder.execute("DROP TABLE facts")
        with pytest.raises(JournalLost, match="The table facts is missing"):
            journal.append(facts(1, 1)).result()
