"""What is changed in a workspace, line by line, without running anything that the repository names (B6, C18)."""

import os
import subprocess
from pathlib import Path

import pytest

from rawr.views.diff import MOST_LINES, DiffLine, diff_of

ENV = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, env=ENV, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "kept.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "gone.txt").write_text("bye\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    return tmp_path


def test_changes_that_are_not_committed(repository: Path) -> None:
    (repository / "kept.txt").write_text("one\nTWO\nthree\n")
    (repository / "gone.txt").unlink()
    (repository / "new.txt").write_text("hello\n")
    lines = diff_of(str(repository))
    assert DiffLine("removed", "-two") in lines
    assert DiffLine("added", "+TWO") in lines
    assert DiffLine("removed", "-bye") in lines
    assert DiffLine("added", "+hello") in lines
    assert {one.text for one in lines if one.kind == "file"} == {"kept.txt", "gone.txt", "new.txt"}


def test_the_newest_commits_come_after(repository: Path) -> None:
    (repository / "kept.txt").write_text("one\ntwo\nthree\nfour\n")
    git(repository, "commit", "-q", "-am", "Add a line")
    sha = git(repository, "rev-parse", "HEAD")
    lines = diff_of(str(repository), ((sha, "Add a line"),))
    assert lines[0] == DiffLine("note", f"commit {sha[:8]} Add a line")
    assert DiffLine("added", "+four") in lines


def test_no_program_of_the_repository_is_run(repository: Path) -> None:
    """A hostile repository: filters, drivers and watchers would leave a trace."""
    trace = repository.parent / "ran"
    for setting in ("diff.external", "core.fsmonitor", "filter.x.clean", "filter.x.smudge", "diff.x.textconv"):
        git(repository, "config", setting, f"touch {trace} ; cat")
    (repository / ".gitattributes").write_text("* filter=x diff=x\n")
    (repository / "kept.txt").write_text("changed\n")
    assert DiffLine("added", "+changed") in diff_of(str(repository), ((git(repository, "rev-parse", "HEAD"), "x"),))
    assert not trace.exists()


def test_odd_things_are_named_and_bounded(repository: Path) -> None:
    (repository / "bin").write_bytes(b"\0\1\2")
    os.mkfifo(repository / "pipe")
    (repository / "long.txt").write_text("x\n" * 50_000)
    (repository / "link").symlink_to("/etc/passwd")
    lines = diff_of(str(repository))
    assert len(lines) <= MOST_LINES + 1
    assert not any("root:" in one.text for one in lines)


def test_a_folder_without_a_repository(tmp_path: Path) -> None:
    assert diff_of(str(tmp_path))[0].text == f"{tmp_path} is not in a git repository."
    assert diff_of("")[0].kind == "note"
