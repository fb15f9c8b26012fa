"""Bad input of every kind: a clear sentence with the way out, the right exit code, nothing lost, no traceback."""

import sqlite3
from pathlib import Path

import pytest

from rawr.codex.binary import bundled_path
from rawr.journal.store import Journal
from tests.cli.program import Ended, rawr, script


def _clear(ended: Ended, code: int, *words: str) -> None:
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    assert ended.err.startswith("rawr: ")
    assert len(ended.err.strip().splitlines()) == 1, "more than one sentence"
    for word in words:
        assert word in ended.err


@pytest.fixture
def home(own_home: Path) -> Path:
    folder = own_home / "rawr"
    Journal.open(folder).close()
    return folder


# -- the journal -----------------------------------------------------------------------------------------------------


def test_a_corrupt_journal(home: Path) -> None:
    journal = home / "journal.db"
    broken = b"this was a database once\n" * 400
    journal.write_bytes(broken)
    _clear(rawr("status"), 74, str(journal))
    assert journal.read_bytes() == broken
    found = {line["name"]: line for line in rawr("doctor", "--json").lines if line["type"] == "check"}
    assert found["journal"]["status"] == "fail"
    assert "mv " in str(found["journal"]["way_out"])
    assert journal.read_bytes() == broken


def test_a_journal_of_a_newer_rawr(home: Path) -> None:
    journal = home / "journal.db"
    with sqlite3.connect(journal) as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    before = journal.read_bytes()
    _clear(rawr("status"), 74, "999")
    assert journal.read_bytes() == before


def test_a_home_that_cannot_be_written() -> None:
    ended = rawr("demo", env={"RAWR_HOME": "/proc/rawr"})
    _clear(ended, 74, "/proc/rawr", "RAWR_HOME")
    found = {line.get("name"): line for line in rawr("doctor", "--json", env={"RAWR_HOME": "/proc/rawr"}).lines}
    assert found["home"]["status"] == "fail"


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("mine")
    _clear(rawr("demo", env={"RAWR_HOME": str(place)}), 74, str(place))
    assert place.read_text() == "mine"


# -- Codex -----------------------------------------------------------------------------------------------------------


def test_no_codex_at_all(tmp_path: Path) -> None:
    git = tmp_path / "bin"
    git.mkdir()
    _clear(rawr("demo", env={"PATH": str(git)}, bundled=False), 69, "No Codex was found", "--codex-bin")


def test_a_codex_that_is_not_there(tmp_path: Path) -> None:
    _clear(rawr("demo", "--codex-bin", str(tmp_path / "nowhere")), 69, "nowhere")


def test_a_program_that_is_not_codex(tmp_path: Path) -> None:
    other = script(tmp_path / "codex", "echo codfish 1.0")
    _clear(rawr("demo", "--codex-bin", str(other)), 69, "is not Codex", "codfish 1.0")
    _clear(rawr("demo", "--codex-bin", "/bin/ls"), 69, "is not Codex")


def test_a_codex_that_exits_at_once(tmp_path: Path) -> None:
    """It tells its version, and its app-server dies with a word on stderr: the word is in the message."""
    dying = script(
        tmp_path / "codex",
        '[ "$1" = --version ] && echo "codex-cli 0.163.0" && exit 0\necho "no seat" >&2; exit 7',
    )
    _clear(rawr("demo", "--codex-bin", str(dying)), 69, "exited with code 7", "no seat")


def test_a_codex_that_hangs_up_without_a_word(tmp_path: Path) -> None:
    """Everything before the app-server is well, and doctor says what is not."""
    mute = script(
        tmp_path / "codex",
        f'case "$1 $2" in "--version "*) echo codex-cli 0.163.0;; *generate*) exec {bundled_path()} "$@";; esac',
    )
    (tmp_path / "home").mkdir()
    ended = rawr("doctor", "--json", "--codex-bin", str(mute), "--codex-home", str(tmp_path / "home"))
    found = {line.get("name"): line for line in ended.lines}
    assert (ended.code, found["protocol"]["status"], found["app-server"]["status"]) == (1, "ok", "fail")
    assert "exited with code 0" in str(found["app-server"]["detail"])


def test_debug_prints_the_traceback(tmp_path: Path) -> None:
    ended = rawr("demo", "--codex-bin", str(tmp_path / "nowhere"), "--debug")
    assert ended.code == 69
    assert "Traceback" in ended.err
    assert "rawr: There is no file" in ended.err


# -- the config ------------------------------------------------------------------------------------------------------


def test_a_broken_config_is_a_warning_and_not_the_end(home: Path) -> None:
    """A22: file, line and key are named, defaults are used, the command goes on."""
    (home / "config.toml").write_text('[limits]\nperson = "soon"\n')
    ended = rawr("status")
    assert ended.code == 0
    assert f"{home / 'config.toml'}:2: limits.person:" in ended.err
