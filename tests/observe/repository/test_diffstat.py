"""What a commit changed, from a repository that may be hostile (B6)."""

import os
import subprocess
from pathlib import Path

import pytest

from rawr.observe.repository.diffstat import FileStat, changed_by
from rawr.observe.repository.git import Repository, locate
from rawr.views.changes import Committed, changes_of
from tests.observe.test_hostile import hostile
from tests.views.reported_journal import git, repository

__all__ = ["hostile"]


def at(folder: Path) -> Repository:
    found = locate(folder)
    assert found is not None
    return found


def test_files_and_lines(tmp_path: Path) -> None:
    """B6: the first commit too; what is not text has no lines."""
    first, second = repository(tmp_path / "r", "one", "two")
    assert changed_by(at(tmp_path / "r"), first) == (FileStat("0.txt", 2, 0), FileStat("kept.txt", 1, 0))
    assert changed_by(at(tmp_path / "r"), second) == (FileStat("1.txt", 2, 0), FileStat("kept.txt", 1, 0))
    (tmp_path / "r" / "kept.txt").write_bytes(b"\0\1")
    git(tmp_path / "r", "commit", "-qam", "three")
    assert changed_by(at(tmp_path / "r"), git(tmp_path / "r", "rev-parse", "HEAD")) == (FileStat("kept.txt", 0, 0),)


@pytest.mark.parametrize("name", ["", "HEAD", "--output=x", "a" * 39, "0" * 40, "A" * 40, "a" * 40 + "\n"])
def test_what_names_no_commit(tmp_path: Path, name: str) -> None:
    """B6: nothing that git could take for an option."""
    repository(tmp_path / "r", "one")
    assert changed_by(at(tmp_path / "r"), name) is None
    assert not (tmp_path / "r" / ".git" / "x").exists()


def test_nothing_of_a_hostile_repository_is_run(hostile: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """B6: no driver, filter, hook, pager or watcher, neither from its configuration nor from the environment."""
    folder, marker = hostile
    evil = str(marker.parent / "evil.sh")
    clean = repository(marker.parent / "clean", "one", "two")
    for part in (marker.parent / "clean" / ".git" / "objects").iterdir():
        target = folder / ".git" / "objects" / part.name
        target.mkdir(exist_ok=True)
        for one in part.iterdir():
            if not (target / one.name).exists():
                one.rename(target / one.name)
    info = folder / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("* diff=evil filter=evil\n")
    careless = ["git", "diff-tree", "-p", "--root", "--ext-diff", "--textconv", clean[0]]
    subprocess.run(careless, cwd=folder, capture_output=True, env={**os.environ, "GIT_PAGER": "cat"})
    assert marker.exists(), "the trap is set"
    marker.unlink()
    for name in ("GIT_PAGER", "PAGER", "GIT_EXTERNAL_DIFF"):
        monkeypatch.setenv(name, evil)
    (folder / "new.txt").write_text("z\n")
    found = changes_of(str(folder), [Committed(sha, "s", 0, str(folder)) for sha in clean])
    assert [one.files for one in found.commits] == [2, 2]
    assert "new.txt" in found.uncommitted.untracked
    assert not marker.exists(), marker.read_text()
