"""Bad input of every kind: a clear sentence with the way out, the right exit code, nothing lost, no traceback."""

import os
import sqlite3
from pathlib import Path

import pytest

from rawr.cli.main import app
from rawr.cli.options import UsageError
from rawr.codex.binary import bundled_path
from rawr.journal.store import Journal
from tests.cli.program import Ended, in_shell, rawr, script

SAYS_ITS_VERSION = '[ "$1" = --version ] && echo "codex-cli 0.163.0" && exit 0'


def _clear(ended: Ended, code: int, *words: str) -> None:
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    assert ended.err.startswith("rawr: ")
    assert len(ended.err.strip().splitlines()) == 1, "more than one sentence"
    for word in words:
        assert word in ended.err


def _doctor(name: str) -> dict[str, object]:
    [found] = [line for line in rawr("doctor", "--json").lines if line.get("name") == name]
    return found


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
    journal.chmod(0o644)
    assert _doctor("journal")["way_out"] == "Update rawr, or set RAWR_HOME to another folder."
    assert "schema version 999" in str(_doctor("journal")["detail"])


def test_a_journal_that_others_can_read(home: Path) -> None:
    journal = home / "journal.db"
    journal.chmod(0o644)
    found = _doctor("journal")
    assert (found["status"], found["way_out"]) == ("fail", f"chmod go= {home} {journal}*")


def test_a_fifo_in_the_place_of_the_journal_holds_nobody_up(home: Path) -> None:
    journal = home / "journal.db"
    journal.unlink()
    os.mkfifo(journal)
    _clear(rawr("status"), 74, str(journal), "it is a FIFO, not a file")
    assert _doctor("journal")["status"] == "fail"


def test_a_folder_in_the_place_of_the_journal(home: Path) -> None:
    journal = home / "journal.db"
    journal.unlink()
    journal.mkdir()
    _clear(rawr("status"), 74, f"{journal} is not a rawr journal", "it is a folder, not a file")


@pytest.mark.parametrize("target", ["gone", "journal.db"])
def test_a_journal_that_is_a_link_to_nothing(home: Path, target: str) -> None:
    journal = home / "journal.db"
    journal.unlink()
    journal.symlink_to(target)
    _clear(rawr("status"), 74, str(journal), "link")
    assert _doctor("journal")["status"] == "fail"


def test_a_home_that_cannot_be_written() -> None:
    ended = rawr("demo", env={"RAWR_HOME": "/proc/rawr"})
    _clear(ended, 74, "/proc/rawr", "RAWR_HOME")
    found = {line.get("name"): line for line in rawr("doctor", "--json", env={"RAWR_HOME": "/proc/rawr"}).lines}
    assert found["home"]["status"] == "fail"


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("mine")
    _clear(rawr("demo", env={"RAWR_HOME": str(place)}), 74, str(place))
    _clear(rawr("status", env={"RAWR_HOME": str(place)}), 74, str(place), "there is a file in place of the folder")
    assert place.read_text() == "mine"


# -- Codex -----------------------------------------------------------------------------------------------------------


def test_no_codex_at_all(tmp_path: Path) -> None:
    git = tmp_path / "bin"
    git.mkdir()
    _clear(rawr("demo", env={"PATH": str(git)}, bundled=False), 69, "No Codex found", "--codex-bin")


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


def test_a_codex_that_is_too_old(tmp_path: Path) -> None:
    """It is refused by its version, before it is started; doctor says why, and what to do."""
    old = script(tmp_path / "codex", 'case "$1" in --version) echo codex-cli 0.136.0;; *) touch "$0.started";; esac')
    (tmp_path / "work").mkdir()
    ended = rawr("run", "Build it.", "-C", str(tmp_path / "work"), "--plain", "--codex-bin", str(old))
    _clear(ended, 69, "0.136.0; rawr needs 0.144.4", "Update")
    found = {line.get("name"): line for line in rawr("doctor", "--json", "--codex-bin", str(old)).lines}
    assert (found["codex"]["status"], "needs 0.144.4 or newer" in str(found["codex"]["detail"])) == ("fail", True)
    assert "Update Codex" in str(found["codex"])
    assert not (tmp_path / "codex.started").exists()


def test_debug_prints_the_traceback(tmp_path: Path) -> None:
    ended = rawr("demo", "--codex-bin", str(tmp_path / "nowhere"), "--debug")
    assert ended.code == 69
    assert "Traceback" in ended.err
    assert "rawr: There is no file" in ended.err


def test_a_codex_that_never_stops_printing(tmp_path: Path) -> None:
    """Not more than a little of it is read, and it is ended."""
    endless = script(tmp_path / "codex", "exec yes codex-cli")
    limited = f"ulimit -v 4000000; rawr demo --codex-bin {endless}"
    _clear(in_shell(limited), 69, "is not Codex", "more than 64 KiB", "--codex-bin")


def test_the_last_words_of_codex_are_redacted(tmp_path: Path) -> None:
    key = "sk-" + "abcDEF0123456789" * 3
    telling = script(tmp_path / "codex", f"{SAYS_ITS_VERSION}\necho bad key {key} >&2; exit 7")
    ended = rawr("demo", "--codex-bin", str(telling))
    _clear(ended, 69, "bad key [redacted:", "journal.db")
    assert key not in ended.err


@pytest.mark.parametrize("place", ["nowhere", "file"])
def test_doctor_starts_codex_also_where_there_is_no_codex_home(tmp_path: Path, place: str) -> None:
    """H3: a Codex that cannot run is found out, and nothing is left behind."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "tmp").mkdir()
    env = {"CODEX_HOME": str(tmp_path / place), "TMPDIR": str(tmp_path / "tmp")}
    grade = {"nowhere": "warn", "file": "fail"}[place]
    found = {line.get("name"): line["status"] for line in rawr("doctor", "--json", env=env).lines if "name" in line}
    assert (found["codex home"], found["app-server"], found["login"]) == (grade, "ok", "warn")
    body = f'case "$1 $2" in "--version "*) echo codex-cli 0.163.0;; *generate*) exec {bundled_path()} "$@";; esac'
    mute = script(tmp_path / "codex", body)
    ended = rawr("doctor", "--json", "--codex-bin", str(mute), env=env)
    found = {line.get("name"): line["status"] for line in ended.lines if "name" in line}
    assert (ended.code, found["codex home"], found["app-server"], found["login"]) == (1, grade, "fail", "warn")
    assert list((tmp_path / "tmp").iterdir()) == []


# -- the system ------------------------------------------------------------------------------------------------------


def test_no_git(tmp_path: Path) -> None:
    _clear(rawr("demo", env={"PATH": str(tmp_path)}), 1, "there is no `git` on PATH", "Install git.")


def test_a_git_that_fails(tmp_path: Path) -> None:
    script(tmp_path / "git", "echo no licence >&2; exit 69")
    _clear(rawr("demo", env={"PATH": str(tmp_path)}), 1, "git could not do `git init`", "no licence.")


def test_a_git_dir_of_the_users_own(tmp_path: Path) -> None:
    ended = rawr("demo", "--json", env={"GIT_DIR": str(tmp_path / "a"), "GIT_WORK_TREE": str(tmp_path / "b")})
    assert (ended.code, ended.lines[-1]["ok"]) == (0, True)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_nothing_more() -> None:
    _clear(in_shell("ulimit -f 0; rawr demo"), 74, "file too large", "RAWR_HOME")


def test_a_demo_folder_that_cannot_be_made(home: Path) -> None:
    (home / "demo").write_text("mine")
    _clear(rawr("demo"), 74, str(home / "demo"), "RAWR_HOME")


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    ended = in_shell(f"mkdir {tmp_path}/gone; cd {tmp_path}/gone; rmdir {tmp_path}/gone; CODEX_HOME=here rawr demo")
    _clear(ended, 74, "no longer exists", "cd")


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["", "  "])
@pytest.mark.parametrize(
    "words",
    [
        ("approve", "BLANK"),
        ("deny", "BLANK"),
        ("pause", "BLANK"),
        ("stop", "BLANK"),
        ("resume", "BLANK"),
        ("override", "BLANK", "Go on."),
        ("override", "r1", "BLANK"),
        ("answer", "BLANK", "1"),
        ("answer", "r1", "BLANK"),
        ("answer", "r1", "1", "--request", "BLANK"),
        ("explain", "BLANK"),
        ("log", "BLANK"),
        ("compact", "BLANK"),
        ("hold", "BLANK"),
        ("hold", "--until", "BLANK"),
        ("phase", "BLANK", "research"),
        ("phase", "research", "BLANK"),
        ("pin", "Never push.", "BLANK"),
        ("watch", "--thread", "BLANK"),
        ("watch", "--socket", "BLANK"),
        ("run", "BLANK"),
        ("run", "--resume", "BLANK"),
        ("run", "Build it.", "-C", "BLANK"),
        ("run", "Build it.", "--model", "BLANK"),
        ("run", "Build it.", "--done", "BLANK"),
        ("run", "Build it.", "--policy", "BLANK"),
        ("run", "--tasks", "BLANK"),
        ("doctor", "--codex-home", "BLANK"),
        ("doctor", "--codex-bin", "BLANK"),
        ("approvals", "check", "ls", "--cwd", "BLANK"),
    ],
    ids=" ".join,
)
def test_a_name_that_is_empty_means_nothing(words: tuple[str, ...], blank: str) -> None:
    """An unset variable of a shell must not approve whatever is the oldest, or stop whatever is the newest."""
    with pytest.raises(UsageError) as raised:
        app([blank if word == "BLANK" else word for word in words], standalone_mode=False)
    assert "it is empty" in raised.value.format_message()


def test_an_empty_name_is_a_usage_error(home: Path) -> None:
    ended = rawr("approve", "")
    assert (ended.code, "it is empty" in ended.err) == (64, True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--resume", "r1", "--done", "make", "--review", "at-end"),
            "--done, --review cannot be combined with --resume",
        ),
        (("--resume", "r1", "-C", "."), "-C cannot be combined"),
        (("--resume", "r1", "--model", "m", "--sandbox", "read-only"), "--model, --sandbox cannot be combined"),
        (("Build it.", "--resume", "t1", "-C", "."), "-C cannot be combined with --resume: the thread has its own"),
        (("--tasks", "FILE", "Build it."), "give a PROMPT, --tasks FILE"),
        (("--tasks", "FILE", "--resume", "r1"), "give a PROMPT, --tasks FILE"),
        (("Build it.", "--done", "# later"), "runs nothing"),
    ],
)
def test_a_flag_without_effect_is_refused(words: tuple[str, ...], says: str) -> None:
    """C7: whoever gives a check must not think that it was run."""
    with pytest.raises(UsageError) as raised:
        app(["run", *words], standalone_mode=False)
    assert says in raised.value.format_message()


# -- the config ------------------------------------------------------------------------------------------------------


def test_a_broken_config_is_a_warning_and_not_the_end(home: Path) -> None:
    """A22: file, line and key are named, defaults are used, the command goes on."""
    (home / "config.toml").write_text('[limits]\nperson = "soon"\n')
    ended = rawr("status")
    assert ended.code == 0
    assert f"{home / 'config.toml'}:2: limits.person:" in ended.err
    demo = rawr("demo", "--json")
    assert (demo.code, demo.err) == (0, ended.err)


# -- rules that a run obeys ------------------------------------------------------------------------------------------

BROKEN = {
    "[rawr_full_auto\n": ":1: this is not TOML",
    '[rawr_full_auto]\ndeny = "git push"\n': ":2: rawr_full_auto.deny: expected a list",
    '[rawr_full_auto]\ndenny = ["git push"]\n': ":2: rawr_full_auto.denny: this key is not known (did you mean deny?).",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_run_is_not_started_without_its_rules(home: Path, text: str) -> None:
    """C10: what a person denied would be allowed."""
    (home / "config.toml").write_text(text)
    ended = rawr("run", "Do it.", "--codex-bin", str(script(home / "codex", "exit 9")))
    _clear(ended, 78, str(home / "config.toml") + BROKEN[text], "Nothing was started")


def test_a_watch_of_a_socket_that_is_not_there(own_home: Path) -> None:
    _clear(rawr("watch", "--socket", str(own_home / "nope")), 69, "No Codex is listening on", "nope", "omit --socket")
