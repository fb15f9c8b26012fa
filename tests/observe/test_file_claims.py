"""Files are facts however they were written, and belong to the turn that wrote them (B6)."""

import os
import time
from pathlib import Path

import pytest

from rawr.observe import file_claims
from rawr.observe.watching import MAX_CHANGES, RepositoryWatch
from rawr.observe.workspace import tree
from tests.observe.at_work import AtWork, git


@pytest.fixture(params=["git", "plain"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """With and without git."""
    place = tmp_path / "work"
    place.mkdir()
    for name in ("kept.txt", "old.txt", "gone.txt"):
        (place / name).write_text(f"{name} as it was\n")
    if request.param == "git":
        repository(place)
    return place


def repository(place: Path) -> Path:
    place.mkdir(exist_ok=True)
    git(place, "init", "-q", "-b", "main")
    git(place, "add", "-A")
    git(place, "commit", "-q", "--allow-empty", "-m", "one")
    return place


def test_whatever_a_command_did_to_files(folder: Path) -> None:
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs("mkdir -p src docs; printf x > src/parser.py; echo y > docs/notes.md; echo more >> kept.txt")
    thread.runs("mv old.txt new.txt; rm gone.txt; touch came.txt; rm came.txt")
    assert thread.changed() == {
        "docs/notes.md": "add",
        "gone.txt": "delete",
        "kept.txt": "update",
        "old.txt": "to new.txt",
        "src/parser.py": "add",
    }
    thread.begins().runs("cat kept.txt > /dev/null")
    assert thread.changed() == {}


@pytest.mark.parametrize("line", ["touch kept.txt", "cp kept.txt t; cat t > kept.txt; rm t", "chmod g+w kept.txt"])
def test_a_file_that_holds_what_it_held_is_not_changed(folder: Path, line: str) -> None:
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs(line)
    assert thread.changed() == {}


@pytest.mark.parametrize(
    "line", ["chmod +x kept.txt", "echo lost.txt as it was > t; touch -r kept.txt t; mv t kept.txt"]
)
def test_a_change_that_leaves_size_and_time_as_they_were(folder: Path, line: str) -> None:
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs(line)
    assert thread.changed() == {"kept.txt": "update"}


def test_a_large_tree_is_not_read_at_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not read counts as changed when it is written."""
    monkeypatch.setattr(tree, "FIRST_READ", 0)
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs("touch kept.txt; chmod +x old.txt")
    assert thread.changed() == {"kept.txt": "update"}


def test_a_repository_in_the_tree_is_named_as_a_folder(folder: Path) -> None:
    repository(folder)
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs("git worktree add -q trees/two -b two")
    assert thread.changed() == {"trees/two": "add"}


def test_what_is_committed_in_the_same_turn_was_written_in_it(folder: Path) -> None:
    repository(folder)
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs("echo a > a.py; git add -A; git commit -qm 'Add a'")
    assert (thread.changed(), thread.commits) == ({"a.py": "add"}, ["Add a"])


def test_what_a_person_does_between_turns_is_not_the_turns(folder: Path) -> None:
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs("echo a > a.txt")
    assert thread.changed() == {"a.txt": "add"}
    (folder / "kept.txt").write_text("by hand\n")
    thread.begins().runs("echo b > b.txt")
    assert thread.changed() == {"b.txt": "add"}


def test_ignored_files_and_leftovers_are_nobodys_work(tmp_path: Path) -> None:
    place = repository(tmp_path / "work")
    thread = AtWork(RepositoryWatch(), place).joins().begins()
    thread.runs("echo secret.env > .gitignore; echo KEY=1 > secret.env; mkdir -p node_modules/x __pycache__")
    thread.runs(
        "touch node_modules/x/i.js __pycache__/a.pyc b.pyc .DS_Store note.txt~; mkdir build; touch build/made.o"
    )
    assert thread.changed() == {".gitignore": "add"}


def test_a_tracked_file_counts_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "work" / "build").mkdir(parents=True)
    (tmp_path / "work" / "build" / "tool.py").write_text("1")
    place = repository(tmp_path / "work")
    thread = AtWork(RepositoryWatch(), place).joins().begins()
    thread.runs("echo 2 > build/tool.py")
    assert thread.changed() == {"build/tool.py": "update"}


def test_files_that_git_brings_are_not_written_by_the_turn(tmp_path: Path) -> None:
    """A branch has a hundred files that another has not."""
    place = repository(tmp_path / "work")
    git(place, "switch", "-qc", "topic")
    for n in range(100):
        (place / f"f{n}.txt").write_text(str(n))
    git(place, "add", "-A")
    git(place, "commit", "-qm", "many")
    git(place, "switch", "-q", "main")
    thread = AtWork(RepositoryWatch(), place).joins().begins()
    thread.runs("git switch -q topic; echo own > own.txt; echo changed > f7.txt; mkdir d; touch d/e.txt")
    assert thread.changed() == {"d/e.txt": "add", "f7.txt": "add", "own.txt": "add"}


def test_two_threads_in_one_tree_both_get_what_nobody_can_tell_apart(folder: Path) -> None:
    watch = RepositoryWatch()
    one, other = (AtWork(watch, folder, name).joins() for name in ("a", "b"))
    one.begins().runs("echo 0 > before.txt")
    other.begins().runs("echo 2 > two.txt")
    one.runs("echo 1 > one.txt")
    first, second = one.ends(), other.ends()
    assert [change.path for change in first.changes] == [f"{folder}/{name}.txt" for name in ("before", "one", "two")]
    assert [change.path for change in second.changes] == [f"{folder}/{name}.txt" for name in ("one", "two")]
    assert (first.shared, second.shared) == (True, True)
    one.begins().runs("echo 3 > three.txt")
    alone = one.ends()
    assert ([change.path for change in alone.changes], alone.shared) == ([f"{folder}/three.txt"], False)


def test_an_idle_thread_has_no_share(folder: Path) -> None:
    watch = RepositoryWatch()
    one, other = (AtWork(watch, folder, name).joins() for name in ("a", "b"))
    other.begins().ends(acted=False)
    one.begins().runs("echo 1 > one.txt")
    seen = one.ends()
    assert (len(seen.changes), seen.shared) == (1, False)
    assert other.begins().changed() == {}


def test_a_turn_that_was_cut_off_keeps_its_files(folder: Path) -> None:
    """D5: rawr was killed in the middle of it, and knows when it began."""
    began = int(time.time() * 1000)
    os.utime(folder / "kept.txt", (1, 1))
    for name in ("old.txt", "gone.txt"):
        wait_for_a_later_time(folder / name, began)
    cut_off = int(time.time() * 1000)
    (folder / "written.txt").write_text("before the crash")
    thread = AtWork(RepositoryWatch(), folder).joins(turn=True, since=cut_off)
    thread.runs("echo after > after.txt")
    assert thread.changed() == {"after.txt": "add", "written.txt": "update"}


def wait_for_a_later_time(file: Path, since: int) -> None:
    """The file system's clock is coarser than ours."""
    end = time.monotonic() + 5
    probe = file.parent.parent / "probe"
    while time.monotonic() < end:
        probe.write_text("x")
        if probe.stat().st_ctime * 1000 > since + 20:
            return
    raise AssertionError("the clock stands still")


def test_a_great_many_are_counted_not_listed(folder: Path) -> None:
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs("for n in {1..300}; do echo $n > f$n.txt; done")
    seen = thread.ends()
    assert (len(seen.changes), seen.more) == (MAX_CHANGES, 300 - MAX_CHANGES)


def test_a_large_tree_is_looked_at_once_per_turn(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's changes between two turns then count for the second."""
    monkeypatch.setattr(file_claims, "LARGE", 2)
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs("echo a > a.txt")
    assert thread.changed() == {"a.txt": "add"}
    (folder / "kept.txt").write_text("by hand\n")
    assert thread.begins().changed() == {"kept.txt": "update"}


def test_a_name_that_is_no_text(folder: Path) -> None:
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    (folder / os.fsdecode(b"bad\xff.txt")).write_text("x")
    assert list(thread.changed()) == ["bad?.txt"]


def test_what_a_check_writes_is_no_progress(folder: Path) -> None:
    """C6: only what a turn changes counts for the digest, until a turn changes that, too."""
    thread = AtWork(RepositoryWatch(), folder).joins().begins()
    thread.runs("cat kept.txt")
    digests = [thread.ends().digest]
    for n in range(2):
        (folder / "check.log").write_text(f"{n}")
        thread.begins().runs("cat kept.txt")
        digests.append(thread.ends().digest)
    assert len(set(digests)) == 1
    thread.begins().runs("echo by the agent > check.log")
    assert thread.ends().digest != digests[-1]
