"""The report on a journal's health."""

import sqlite3
from contextlib import closing
from pathlib import Path

from rawr.journal.integrity import Finding, IntegrityReport, check
from rawr.journal.migrations import SCHEMA_VERSION
from rawr.journal.store import Journal
from tests.journal.samples import facts


def journal_with(home: Path, *changes: str) -> Path:
    """A journal of ten facts, and what somebody did to it behind rawr's back."""
    with Journal.open(home) as journal:
        journal.append(facts(1, 10)).result()
        path = journal.path
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for change in changes:
            db.execute(change)
    return path


def test_a_sound_journal_has_no_findings_also_while_it_is_written(tmp_path: Path) -> None:
    path = journal_with(tmp_path / "home")
    sound = IntegrityReport(
        path=path, full=False, version=SCHEMA_VERSION, facts=10, pruned=0, rows=0, left=0, findings=()
    )
    assert check(tmp_path / "home") == sound
    with Journal.open(tmp_path / "home") as journal:
        journal.append(facts(11, 11)).result()
        assert check(path, full=True).ok
        assert check(path, full=True).facts == 11


def test_missing_facts_are_named(tmp_path: Path) -> None:
    path = journal_with(tmp_path / "home", "DELETE FROM facts WHERE seq IN (1, 2, 5)")
    assert check(path).findings == (
        Finding("numbers", "Facts are missing before number 3."),
        Finding("numbers", "Facts are missing before number 6."),
    )


def test_bodies_that_are_not_json_are_named_by_the_full_check(tmp_path: Path) -> None:
    path = journal_with(
        tmp_path / "home",
        "UPDATE facts SET body = '{' WHERE seq = 4",
        "INSERT INTO effects (id, seq, thread, kind, body, state, detail)"
        " VALUES ('t:1.0', 1, 't', 'Notify', 'nope', 'intended', '')",
        "INSERT INTO frames (at, direction, thread, method, size, body) VALUES (1, 'in', '', '', 9, 'not JSON')",
    )
    assert check(path).ok
    assert check(path, full=True).findings == (
        Finding("rows", "Fact 4 (TurnStarted, thread t) is damaged: its checksum does not match."),
        Finding("rows", "Effect t:1.0 is damaged: its checksum does not match."),
        Finding("rows", "The raw frame of 1 is damaged: its checksum does not match."),
        Finding("bodies", "The body of facts 4 is not JSON."),
        Finding("bodies", "The body of effects t:1.0 is not JSON."),
    )


def test_a_changed_schema_is_named(tmp_path: Path) -> None:
    path = journal_with(tmp_path / "home", "DROP INDEX effects_unfinished", "ALTER TABLE frames ADD COLUMN colour TEXT")
    assert set(check(path).findings) == {
        Finding("schema", "The table frames is not as rawr created it."),
        Finding("schema", "The index effects_unfinished is missing."),
    }


def test_open_permissions_are_named(tmp_path: Path) -> None:
    path = journal_with(tmp_path / "home")
    path.chmod(0o640)
    path.parent.chmod(0o755)
    assert check(path).findings == (
        Finding("permissions", f"Other users can reach {path.parent}; 'chmod go= {path.parent}' removes their access."),
        Finding("permissions", f"Other users can reach {path}; 'chmod go= {path}' removes their access."),
    )


def test_what_is_no_journal_is_reported_and_not_raised(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    strange = tmp_path / "strange.db"
    with closing(sqlite3.connect(strange)) as db:
        db.execute("CREATE TABLE theirs (x)")
    strange.chmod(0o600)
    assert [finding.area for finding in check(strange).findings] == ["file"]
    assert check(tmp_path).findings == (Finding("file", f"There is no journal at {tmp_path / 'journal.db'}."),)
    newer = journal_with(tmp_path / "home", "PRAGMA user_version = 99")
    [finding] = check(newer).findings
    assert "has schema version 99" in finding.problem


def test_the_worst_finding_comes_first(tmp_path: Path) -> None:
    newer = journal_with(tmp_path / "home", "PRAGMA user_version = 99")
    newer.chmod(0o644)
    assert [finding.area for finding in check(newer).findings] == ["version", "permissions"]
    broken = journal_with(tmp_path / "other")
    broken.write_bytes(b"broken " * 1_000)
    broken.chmod(0o644)
    assert [finding.area for finding in check(broken).findings] == ["file", "permissions"]
