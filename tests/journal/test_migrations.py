"""The schema, step by step."""

import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.core.vocabulary.effects import ObserveCommand
from rawr.journal.errors import JournalTooNew, NotAJournal
from rawr.journal.home import create_private
from rawr.journal.integrity import check
from rawr.journal.migrations import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, migrate
from rawr.journal.reader import JournalReader
from rawr.journal.rows import StoredEffect, Unreadable
from rawr.journal.store import Journal
from rawr.runtime.recovery import Recollection
from rawr.runtime.replaying import replay_journal
from tests.core.samples import QUIET
from tests.journal.samples import encode, facts, recorded


def old_journal(home: Path, *, rows: int) -> Path:
    """A journal as the first version left it."""
    home.mkdir(mode=0o700)
    path = home / "journal.db"
    create_private(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        migrate(db, start=0, until=1)
        for seq in range(1, rows + 1):
            one = recorded(seq)
            row = (one.seq, one.at, one.thread, "TurnStarted", encode(one.fact).decode())
            db.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?)", row)
    return path


def pragma(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as db:
        value: int = db.execute(f"PRAGMA {name}").fetchone()[0]
        return value


def test_migrations_are_numbered_in_their_order() -> None:
    assert [step.__name__[:5] for step in MIGRATIONS] == [f"m{n:03}_" for n in range(1, len(MIGRATIONS) + 1)]


def test_a_new_journal_says_whose_it_is_and_which_version(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "home") as journal:
        assert pragma(journal.path, "application_id") == APPLICATION_ID
        assert pragma(journal.path, "user_version") == SCHEMA_VERSION
    assert sorted(path.name for path in (tmp_path / "home").iterdir()) == ["journal.db", "journal.lock"]


def test_an_old_journal_is_migrated_and_a_copy_of_it_is_kept(tmp_path: Path) -> None:
    """B10: a newer rawr goes on where an older one stopped."""
    path = old_journal(tmp_path / "home", rows=3)

    with Journal.open(tmp_path / "home") as journal:
        assert journal.last_seq() == 3
        journal.append(facts(4, 4)).result()

    assert pragma(path, "user_version") == SCHEMA_VERSION
    assert check(path, full=True).findings == ()
    copy = path.with_name("journal.db.v1.bak")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with JournalReader.open(copy) as reader:
        assert reader.schema_version == 1
        assert list(reader.facts()) == [recorded(1), recorded(2), recorded(3)]
    assert not list(path.parent.glob("*.part"))


def test_an_old_journal_without_data_leaves_no_copy(tmp_path: Path) -> None:
    path = old_journal(tmp_path / "home", rows=0)
    Journal.open(tmp_path / "home").close()
    assert pragma(path, "user_version") == SCHEMA_VERSION
    assert not list(path.parent.glob("*.bak"))


def test_a_reader_takes_an_old_journal_as_it_is(tmp_path: Path) -> None:
    path = old_journal(tmp_path / "home", rows=2)
    with JournalReader.open(tmp_path / "home") as reader:
        assert reader.schema_version == 1
        assert reader.counts().facts == 2
        assert reader.unfinished_effects() == []
    assert pragma(path, "user_version") == 1


def test_a_failing_step_leaves_the_version_before_it(tmp_path: Path) -> None:
    path = old_journal(tmp_path / "home", rows=1)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE INDEX effects_unfinished ON effects (seq)")
    with pytest.raises(Exception, match="effects_unfinished already exists"):
        Journal.open(tmp_path / "home")
    assert pragma(path, "user_version") == 1


def test_a_newer_journal_is_refused_with_both_versions_and_left_alone(tmp_path: Path) -> None:
    path = old_journal(tmp_path / "home", rows=1)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    for opening in (Journal.open, JournalReader.open):
        with pytest.raises(
            JournalTooNew, match=rf"version 99; this rawr supports versions up to {SCHEMA_VERSION}\. Update"
        ):
            opening(tmp_path / "home")
    assert path.read_bytes() == before


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "home" / "journal.db"
    path.parent.mkdir(mode=0o700)
    create_private(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    for opening in (Journal.open, JournalReader.open):
        with pytest.raises(NotAJournal, match="is not a rawr journal: its application id is 0x0"):
            opening(tmp_path / "home")
    assert path.read_bytes() == before


# -- a journal that was written before there were checksums -----------------------------------------------------------


def of_version_3(home: Path, *changes: str) -> Path:
    return of_version(3, home, *changes)


def of_version(version: int, home: Path, *changes: str) -> Path:
    """A real one, kept as the statements that make it; and what became of it since."""
    home.mkdir(mode=0o700)
    path = home / "journal.db"
    create_private(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript((Path(__file__).parent / "old" / f"v{version}.sql").read_text())
        for change in changes:
            db.execute(change)
    return path


def told(place: Path) -> list[object]:
    with JournalReader.open(place) as reader:
        assert reader.unreadable == {}
        rows = [reader.facts(), reader.decisions(), reader.effects(), reader.boundaries(), reader.frames()]
        return [one for row in rows for one in row]


def test_a_journal_without_checksums_gets_them(tmp_path: Path) -> None:
    """B10: it says the same as before, and what happens to it from now on is noticed."""
    path = of_version_3(tmp_path / "home")
    before = told(path)
    assert check(path, full=True).ok
    with Journal.open(path.parent) as journal:
        last = journal.last_seq()
        journal.append(facts(last + 1, last + 3, thread="first")).result()
    assert told(path)[: last + 3] == [*before[:last], *(recorded(last + n, "first") for n in (1, 2, 3))]
    assert check(path, full=True).findings == ()
    assert told(path.with_name("journal.db.v3.bak")) == before
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE facts SET at = at + 1 WHERE seq = 5")
    [finding] = check(path, full=True).findings
    assert finding.problem.startswith("Fact 5 (")


def test_the_states_in_a_journal_without_checksums_come_back(tmp_path: Path) -> None:
    path = of_version_3(tmp_path / "home")

    def states(place: Path) -> list[object]:
        with JournalReader.open(place) as reader:
            recollection = Recollection(reader, policy=QUIET, version="1")
            found = [recollection.thread("first"), recollection.thread("second"), recollection.host()]
            assert recollection.distrusted == {}
            return list(found)

    before = states(path)
    Journal.open(path.parent).close()
    assert states(path) == before
    assert None not in before


def test_what_was_damaged_before_there_were_checksums_keeps_nobody_out(tmp_path: Path) -> None:
    """It cannot be told from what was written; where it is no text at all, that is told as it was before."""
    path = of_version_3(tmp_path / "home", "UPDATE facts SET body = CAST(x'7b22ff' AS TEXT) WHERE seq = 7")
    Journal.open(path.parent).close()
    with JournalReader.open(path) as reader:
        assert [row.seq for row in reader.facts() if isinstance(row, Unreadable)] == [7]


# -- a journal that was written before bodies were packed --------------------------------------------------------------


def unsigned(followed: object) -> str:
    """Without the names of the policy, which has had more settings since, and of the logic."""
    return re.sub(r"policy='\w+', logic=\d+", "", repr(followed))


def test_a_journal_of_version_4_says_the_same_before_and_after_it_is_migrated(tmp_path: Path) -> None:
    """B10, C17: outputs in full, a replay without a divergence, and a list of its threads."""
    path = of_version(4, tmp_path / "home")
    before = told(path)
    with JournalReader.open(path) as reader:
        spans = reader.threads()
        assert reader.newest_threads(5) == sorted((one for one in spans if one.thread), key=lambda one: -one.last_seq)
        assert reader.touched(5) == [one.thread for one in reader.newest_threads(5)]
        replayed = replay_journal(reader, policy=replace(QUIET, watch_repositories=True))
        assert [one for one in replayed.divergences if unsigned(one.recorded) != unsigned(one.replayed)] == []
    assert any(isinstance(one, StoredEffect) and isinstance(one.effect, ObserveCommand) for one in before)
    with Journal.open(path.parent) as journal:
        assert told(path) == before
        journal.append(facts(journal.last_seq() + 1, journal.last_seq() + 1, thread="first")).result()
    assert check(path, full=True).findings == ()
    with JournalReader.open(path) as reader:
        assert [one.thread for one in reader.threads()] == [one.thread for one in spans]
        assert reader.touched(5) == ["first", "second"]
        assert reader.newest_threads(1)[0].facts == next(one.facts for one in spans if one.thread == "first") + 1
    assert told(path.with_name("journal.db.v4.bak")) == before
