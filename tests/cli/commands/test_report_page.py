"""``rawr report --html``: where the page goes, and what it is about (C18, D4)."""

import os
import stat
from pathlib import Path

import msgspec
import pytest

from rawr.cli.main import app
from rawr.cli.options import UsageError
from rawr.core.vocabulary import facts
from rawr.views.report import RunReport
from rawr.views.timeline import Timeline
from tests.cli.in_process import Rawr
from tests.core.runs import RULES
from tests.pages.reading import Page
from tests.views.labelled_journal import Told
from tests.views.reported_journal import THREAD, a_night, repository


@pytest.fixture
def run(own_home: Path, tmp_path: Path) -> str:
    folder = tmp_path / "repo"
    (made,) = repository(folder, "Add it")
    return a_night(own_home / "rawr", folder, [(made, "Add it")])


def test_a_run_as_a_page(rawr: Rawr, run: str, tmp_path: Path) -> None:
    place = tmp_path / "night.html"
    ended = rawr("report", run, "--html", str(place))
    assert (ended.code, ended.out, ended.err) == (0, f"The report on run {run} is in {place}.\n", "")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    page = Page(place.read_text("utf-8"))
    assert page.text(inside="h1") == f"Run {run}: Done, and the check passed."
    ids = [one.attributes["id"] for one in page.named("section")]
    assert ids[:2] == ["goal-and-outcome", "context-over-time"]
    said = page.text()
    for words in ("Build the thing.\nNever push.", "make check", "approval of: git push", "+3", "Codex itself"):
        assert words in said, words
    assert list(tmp_path.glob(".night*")) == []


def test_the_same_again_replaces_it(rawr: Rawr, run: str, tmp_path: Path) -> None:
    place, link = tmp_path / "night.html", tmp_path / "link.html"
    rawr("report", run, "--html", str(place))
    link.symlink_to(place)
    assert rawr("report", run, "--html", str(link)).code == 0
    assert link.is_symlink()
    assert place.read_text("utf-8").startswith("<!doctype html>")


def test_to_stdout(rawr: Rawr, run: str) -> None:
    ended = rawr("report", run, "--html", "-")
    assert (ended.code, ended.out.startswith("<!doctype html>\n"), ended.out.endswith("</html>\n")) == (0, True, True)


def test_what_is_not_a_page_is_not_replaced(rawr: Rawr, run: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Mine\n")
    ended = rawr("report", run, "--html", str(notes))
    assert (ended.code, notes.read_text()) == (1, "# Mine\n")
    assert ended.err == f"rawr: {notes} is not an HTML file, so it stays as it is. Give another --html FILE.\n"
    folder = rawr("report", run, "--html", str(tmp_path))
    assert folder.err == f"rawr: {tmp_path} is a folder. Give a file, such as {tmp_path / 'report.html'}.\n"
    os.mkfifo(tmp_path / "pipe")
    pipe = rawr("report", run, "--html", str(tmp_path / "pipe"))
    assert (pipe.code, "is not an ordinary file" in pipe.err) == (1, True)
    missing = rawr("report", run, "--html", str(tmp_path / "no" / "x.html"))
    assert missing.err.endswith("cannot be written: no such file or directory. Give another --html FILE.\n")


def test_an_empty_file_may_be_written(rawr: Rawr, run: str, tmp_path: Path) -> None:
    place = tmp_path / "empty"
    place.touch()
    assert rawr("report", run, "--html", str(place)).code == 0


def test_a_thread_without_a_run(rawr: Rawr, own_home: Path, tmp_path: Path) -> None:
    with Told(own_home / "rawr", RULES) as told:
        told.tell("t-1", facts.ThreadOpened(cwd="/p", ours=True), facts.TurnStarted(turn="T"))
        told.tell("t-1", facts.UsageUpdated(turn="T", in_context=90_000, spent=90_000, window=272_000))
    place = tmp_path / "x.html"
    assert rawr("report", "t-1", "--html", str(place)).out == f"The report on thread t-1 is in {place}.\n"
    timeline = msgspec.json.decode(rawr("report", "t-1", "--json").out, type=Timeline)
    assert (timeline.thread, [one.percent_left for one in timeline.points]) == ("t-1", [70])
    lines = rawr("report", "t-1").out.splitlines()
    assert "Context" in lines
    assert any("70 % left, lowest 70 %" in one for one in lines)


def test_a_run_for_programs_has_its_timeline(rawr: Rawr, run: str) -> None:
    report = msgspec.json.decode(rawr("report", run, "--json").out, type=RunReport)
    assert isinstance(report.timeline, Timeline)
    assert (report.run, report.timeline.thread) == (run, THREAD)
    assert [one.by for one in report.timeline.compactions] == ["codex"]


def test_in_the_terminal_with_its_plot(rawr: Rawr, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    lines = rawr("report", run).out.splitlines()
    at = lines.index("Context")
    assert lines[at + 1].startswith("    272 k │")
    assert any("C by Codex itself" in line for line in lines[at:])
    assert lines.index("Outcome") < at < lines.index("Commits")


@pytest.mark.parametrize("flags", [["--json"], ["--markdown"], ["-o", "x"]])
def test_one_way_at_a_time(flags: list[str]) -> None:
    with pytest.raises(UsageError):
        app(["report", "--html", "x.html", *flags], standalone_mode=False)
