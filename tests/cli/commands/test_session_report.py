"""``rawr report SESSION.jsonl``: how a session of Codex's own went, with no rawr in it (D4)."""

import os
from pathlib import Path

import msgspec
import pytest

from rawr.core.vocabulary import facts
from rawr.views.timeline import Timeline
from tests.cli.in_process import Rawr
from tests.core.runs import RULES
from tests.history.full import session, write
from tests.history.rollouts import envelope
from tests.pages.reading import Page
from tests.views.labelled_journal import Told


@pytest.mark.mission("D4")
def test_a_session_file_of_codexs_own(rawr: Rawr, own_home: Path, tmp_path: Path) -> None:
    """What happened, and what rawr would have done, in the terminal and as a page."""
    path = write(tmp_path, session(say="<script>alert(1)</script> Build it."))
    shown = rawr("report", str(path))
    assert (shown.code, "Build it." in shown.out) == (0, True), shown.err
    lines = shown.out.splitlines()
    assert "  In /project, with m" in lines
    at = lines.index("Compactions with rawr")
    assert lines[at + 1].endswith("45 k tokens, 63 % left, turn 2: commit")
    page = tmp_path / "page.html"
    assert rawr("report", str(path), "--html", str(page)).code == 0
    text = page.read_text()
    assert ("with rawr" in text, "<script>alert" in text) == (True, False)


def test_nothing_of_a_rawr_that_was_not_there(rawr: Rawr, own_home: Path, tmp_path: Path) -> None:
    path = write(tmp_path, session())
    page = tmp_path / "page.html"
    rawr("report", str(path), "--html", str(page))
    for said in (rawr("report", str(path)).out, Page(page.read_text("utf-8")).text()):
        for words in ("rawr log", "watching", "switched off", "outside the golden path", "rawr's own", "0.0 s"):
            assert words not in said, words
    told = msgspec.json.decode(rawr("report", str(path), "--json").out, type=Timeline)
    assert (told.decisions, told.reasons, told.model) == ((), {}, "m")


def test_no_command_is_made_of_a_sessions_name(rawr: Rawr, own_home: Path, tmp_path: Path) -> None:
    path = write(tmp_path, [one.replace(b"019a0000-0000-7000-8000-000000000001", b"x; echo") for one in session()])
    page = tmp_path / "page.html"
    rawr("report", str(path), "--html", str(page))
    assert "rawr log" not in rawr("report", str(path)).out + page.read_text("utf-8")


def test_a_command_with_a_threads_name_is_quoted(rawr: Rawr, own_home: Path) -> None:
    """It is there to be copied into a shell."""
    with Told(own_home / "rawr", RULES) as told:
        told.tell("x; echo", facts.ThreadOpened(cwd="/p", ours=True))
    assert rawr("report", "x; echo").out.splitlines()[-1] == "  All of them: rawr log 'x; echo'"


def test_lines_that_are_not_understood_are_counted(rawr: Rawr, own_home: Path, tmp_path: Path) -> None:
    lines = [*session(), b"{oh", envelope("<b>new</b>", {})]
    path = write(tmp_path, lines)
    shown = [one for one in rawr("report", str(path)).out.splitlines() if "not understood" in one]
    assert shown == [f"  not understood: 2 of {len(lines)} lines (<b>new</b> 1, unreadable 1)"]
    page = tmp_path / "page.html"
    rawr("report", str(path), "--html", str(page))
    assert f"Not understood: 2 of {len(lines)} lines." in Page(page.read_text("utf-8")).text()
    read = msgspec.json.decode(rawr("report", str(path), "--json").out, type=Timeline).session
    assert read is not None
    assert (read.lines, read.not_understood, read.kinds) == (len(lines), 2, {"<b>new</b>": 1, "unreadable": 1})


# -- what is none -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rollout.jsonl", "/x/rollout-2026.jsonl.zst"])
def test_a_session_file_that_is_not_there(rawr: Rawr, own_home: Path, name: str) -> None:
    ended = rawr("report", name)
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert f"{name} cannot be read: No such file or directory" in ended.err


def test_a_file_without_a_session(rawr: Rawr, own_home: Path, tmp_path: Path) -> None:
    path = write(tmp_path, [b"hello"])
    ended = rawr("report", str(path))
    assert (ended.code, "holds no turn of a Codex session" in ended.err) == (1, True)


@pytest.mark.timeout(20)
def test_a_pipe_is_not_waited_for(rawr: Rawr, own_home: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "fifo.jsonl"
    os.mkfifo(pipe)
    ended = rawr("report", str(pipe))
    assert ended.code == 1
    assert ended.err == f"rawr: {pipe} cannot be read: it is not a file. Give a session file of Codex's.\n"


def test_what_is_wrong_with_another_place(
    rawr: Rawr, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says nothing about the journal, which has nothing to do with it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cal.toml").write_text("a = 1\n")
    (tmp_path / "my sessions").mkdir()
    assert "cal.toml holds no turn of a Codex session." in rawr("report", "cal.toml").err
    assert "/dev/null cannot be read: it is not a file." in rawr("report", "/dev/null").err
    folder = rawr("report", "my sessions").err
    assert "my sessions is a folder." in folder
    assert "rawr backtest 'my sessions'" in folder


def test_a_thread_that_is_called_like_a_folder(
    rawr: Rawr, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t-1").mkdir()
    with Told(own_home / "rawr", RULES) as told:
        told.tell("t-1", facts.ThreadOpened(cwd="/p", ours=True))
    assert rawr("report", "t-1").out.splitlines()[0] == "Thread t-1"
