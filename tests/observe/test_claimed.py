"""What a packet names is looked up, and what cannot be told counts as there (D2)."""

import os
import subprocess
from pathlib import Path

import pytest

from rawr.observe import claimed
from rawr.observe.claimed import LookedUp, look_up


def git(cwd: Path, *words: str) -> str:
    names = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    return subprocess.run(["git", *names, *words], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    (place / "src" / "app").mkdir(parents=True)
    (place / "src" / "app" / "parser.py").write_text("x = 1\n")
    (place / ".gitignore").write_text("out/\n")
    (place / "out").mkdir()
    (place / "out" / "report.html").write_text("")
    git(place, "init", "-q", "-b", "trunk")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "Begin")
    return place


def missing(place: Path, *paths: str) -> tuple[str, ...]:
    return look_up(str(place), paths=paths, commits=()).missing


@pytest.mark.parametrize(
    "path", ["src/app/parser.py", "app/parser.py", "parser.py", "./src/app/parser.py", "report.html"]
)
def test_a_file_is_found_by_its_path_or_its_end(repository: Path, path: str) -> None:
    """Also from a folder below, and where git ignores it."""
    assert missing(repository, path) == ()
    assert missing(repository / "src", path) == ()


@pytest.mark.parametrize("path", ["notes.md", "src/parser.py", "arser.py", "/nowhere/at/all.py"])
def test_a_file_that_is_not_there_is_missing(repository: Path, path: str) -> None:
    assert missing(repository, path) == (path,)


@pytest.mark.parametrize("path", ["a\0b.py", "x" * 5_000 + ".py", "~nobody-of-that-name/x.py"])
def test_what_cannot_be_looked_up_counts_as_there(repository: Path, path: str) -> None:
    assert missing(repository, path) == ()


def test_a_link_is_there_whatever_it_leads_to(repository: Path) -> None:
    (repository / "link.md").symlink_to("/nowhere")
    assert missing(repository, "link.md") == ()


def test_a_tree_that_is_too_large_says_nothing(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claimed, "MOST_ENTRIES", 1)
    assert missing(repository, "notes.md") == ()


def test_commits_and_the_branch(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    found = look_up(str(repository), paths=(), commits=(head[:7], head, "deadbee1"))
    assert found == LookedUp(unknown=("deadbee1",), branch="trunk")


def test_outside_of_a_repository_there_is_no_branch(tmp_path: Path) -> None:
    assert look_up(str(tmp_path), paths=("a.py",), commits=("deadbee1",)) == LookedUp(missing=("a.py",))


@pytest.mark.mission("A17")
def test_notes_are_a_plain_file_of_the_workspace(repository: Path) -> None:
    """Nothing that holds up whoever opens it, and nothing that leads elsewhere."""
    (repository / "notes.md").write_text("x")
    (repository / "folder.md").mkdir()
    os.mkfifo(repository / "pipe.md")
    (repository / "away.md").symlink_to("/etc/passwd")
    (repository / "here.md").symlink_to("notes.md")
    for name, there in {
        "notes.md": True,
        "here.md": True,
        "folder.md": False,
        "pipe.md": False,
        "away.md": False,
        "none.md": False,
    }.items():
        found = look_up(str(repository), paths=(), commits=(), notes=name)
        assert (name not in found.missing) is there, name
