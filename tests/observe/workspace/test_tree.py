"""Did anything in the working tree change? (C6)"""

import os
import subprocess
import time
from pathlib import Path

import pytest

from rawr.observe.workspace import tree
from rawr.observe.workspace.tree import TreeWatch


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture(params=["git", "plain"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("a = 1\n")
    (tmp_path / ".gitignore").write_text("*.log\n")
    if request.param == "git":
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "-A")
    return tmp_path


class Looking:
    def __init__(self, folder: Path) -> None:
        self._watch = TreeWatch()
        self._folder = folder
        self.first = self.look()

    def look(self) -> str:
        found = self._watch.look(str(self._folder))
        assert not found.cut
        return found.digest


def write(path: Path, text: str) -> None:
    """With a time of its own, however quick the test is."""
    path.write_text(text)
    moment = time.time_ns() + 10_000_000 * len(text)
    os.utime(path, ns=(moment, moment))


def test_nothing_changed(folder: Path) -> None:
    it = Looking(folder)
    assert it.look() == it.look() == it.first


@pytest.mark.parametrize("how", ["append", "create", "delete", "rename", "link", "mode and content"])
def test_every_kind_of_change_is_seen(folder: Path, how: str) -> None:
    it = Looking(folder)
    file = folder / "src" / "a.py"
    match how:
        case "append":
            write(file, "a = 1\nb = 2\n")
        case "create":
            write(folder / "new.txt", "new")
        case "delete":
            file.unlink()
        case "rename":
            file.rename(folder / "src" / "b.py")
        case "link":
            file.unlink()
            file.symlink_to("nowhere")
        case _:
            write(file, "a = 2\n")
    assert it.look() != it.first


def test_a_file_that_grows_is_another_each_time(folder: Path) -> None:
    """A script that appends a line in every turn makes progress."""
    it, seen = Looking(folder), set()
    for n in range(5):
        write(folder / "out.txt", "line\n" * (n + 1))
        seen.add(it.look())
    assert len(seen) == 5


def test_to_and_fro_is_no_advance(folder: Path) -> None:
    """Content counts, and not when it was written."""
    it, file = Looking(folder), folder / "src" / "a.py"
    seen = []
    for text in ("b = 22\n", "c = 333\n", "b = 22\n", "c = 333\n"):
        write(file, text)
        seen.append(it.look())
    assert seen[0] != seen[1]
    assert seen[:2] == seen[2:]


def test_what_git_ignores_does_not_count(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n")
    it = Looking(tmp_path)
    write(tmp_path / "run.log", "noise")
    (tmp_path / "build").mkdir()
    write(tmp_path / "build" / "out", "made")
    assert it.look() == it.first


def test_a_folder_below_a_repository_is_seen_with_all_of_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "sub").mkdir()
    it = Looking(tmp_path / "sub")
    write(tmp_path / "beside.txt", "new")
    assert it.look() != it.first


def test_nothing_of_a_repository_is_run(tmp_path: Path) -> None:
    """Its configuration may name programs: a filter, a watcher, a hook."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitattributes").write_text("* filter=evil\n")
    (tmp_path / "a").write_text("a")
    trap = tmp_path.parent / "sprung"
    for name in ("filter.evil.clean", "filter.evil.smudge", "core.fsmonitor"):
        git(tmp_path, "config", name, f"touch {trap}")
    it = Looking(tmp_path)
    write(tmp_path / "a", "bb")
    it.look()
    assert not trap.exists()


def test_odd_files_hold_nobody_up(folder: Path) -> None:
    it = Looking(folder)
    os.mkfifo(folder / "pipe")
    secret = folder / "closed"
    write(secret, "x")
    secret.chmod(0)
    (folder / "loop").symlink_to("loop")
    it.look()


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    found = TreeWatch().look(str(tmp_path / "gone"))
    assert found.files == 0


def test_a_look_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large is said to be; the rest is looked at."""
    monkeypatch.setattr(tree, "MAX_FILES", 5)
    for n in range(20):
        (folder / f"file{n}").write_text("x")
    assert TreeWatch().look(str(folder)).cut


def test_of_a_long_file_both_ends_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_FILE", 64)
    file = folder / "long"
    write(file, "a" * 1_000)
    it = Looking(folder)
    seen = []
    for text in ("b" + "a" * 1_000, "a" * 1_000 + "b", "a" * 1_001):
        write(file, text)
        seen.append(it.look())
    assert len(set(seen)) == 3


def test_more_than_may_be_read_is_told_by_size_and_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = TreeWatch()
    watch.look(str(folder))
    monkeypatch.setattr(tree, "MAX_READ", 4)
    write(folder / "big", "x" * 100)
    assert watch.look(str(folder)).cut
