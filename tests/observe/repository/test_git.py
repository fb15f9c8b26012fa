"""B6: the repository's side: where HEAD is, what moved it, and every odd state a repository can be in. Real git."""

import json
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from rawr.observe.repository import reflog, refs, unlogged
from rawr.observe.repository.git import (
    LogPosition,
    Movement,
    Repository,
    aliases,
    branches,
    family,
    graphite_stack,
    locate,
    look,
    movements,
)
from rawr.observe.repository.gitrun import run_git
from rawr.observe.repository.objects import read_commit


def git(folder: Path, *arguments: str, **env: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true", **env},
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout.decode("utf-8", "replace").strip()


@pytest.fixture
def repo(tmp_path: Path, own_home: Path) -> Path:
    (own_home / ".gitconfig").write_text(
        "[user]\n name = Ada\n email = a@example.org\n[init]\n defaultBranch = main\n"
        '[protocol "file"]\n allow = always\n'
    )
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "--template=")
    commit(folder, "one")
    return folder


def commit(folder: Path, subject: str, *more: str) -> str:
    git(folder, "commit", "-q", "--allow-empty", "-m", subject, *more)
    return git(folder, "rev-parse", "HEAD")


def at(folder: Path) -> Repository:
    found = locate(folder)
    assert found is not None
    return found


def since(folder: Path) -> LogPosition:
    return look(at(folder)).log_position


def moved(folder: Path, position: LogPosition) -> list[tuple[str, bool, str]]:
    found, _ = movements(at(folder), position)
    return [(movement.kind, movement.made, movement.subject) for movement in found]


# Finding it


def test_locate(repo: Path, tmp_path: Path) -> None:
    """Worktrees, submodules, bare repositories, folders inside, and where there is nothing."""
    (repo / "deep" / "er").mkdir(parents=True)
    main = Repository(repo, repo / ".git", repo / ".git")
    assert locate(repo) == locate(repo / "deep" / "er") == locate(repo / ".git") == main
    git(repo, "worktree", "add", "-q", "../wt", "-b", "wt")
    worktree = Repository(tmp_path / "wt", repo / ".git" / "worktrees" / "wt", repo / ".git")
    assert locate(tmp_path / "wt") == worktree
    git(tmp_path, "init", "-q", "--bare", "--template=", "bare.git")
    bare = tmp_path / "bare.git"
    assert locate(bare) == Repository(bare, bare, bare, bare=True)
    git(tmp_path, "clone", "-q", str(repo), "source")
    git(repo, "submodule", "--quiet", "add", str(tmp_path / "source"), "sub")
    submodule = Repository(repo / "sub", repo / ".git" / "modules" / "sub", repo / ".git" / "modules" / "sub")
    assert locate(repo / "sub") == submodule
    assert set(family(main)) == set(family(worktree)) == {main, worktree, submodule}
    assert locate(tmp_path) is None
    assert locate(tmp_path / "nowhere") is None
    assert locate(repo / ".git" / "HEAD") is None
    assert locate(Path("a\0b")) is None


def test_what_looks_like_a_repository_and_is_none(tmp_path: Path) -> None:
    (tmp_path / "a" / ".git").mkdir(parents=True)
    assert locate(tmp_path / "a") is None
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / ".git").write_text("gitdir: ../nowhere\n")
    assert locate(tmp_path / "b") is None
    (tmp_path / "b" / ".git").write_bytes(b"gitdir: \xff\xfe\n")
    assert locate(tmp_path / "b") is None


# Looking at it


def test_look(repo: Path) -> None:
    """Unborn, on a branch, packed, detached; each equal to what git says."""
    view = look(at(repo))
    assert (view.root, view.branch, view.head) == (repo, "main", git(repo, "rev-parse", "HEAD"))
    git(repo, "pack-refs", "--all")
    assert look(at(repo)).head == view.head
    second = commit(repo, "two")
    assert look(at(repo)).head == second
    git(repo, "pack-refs", "--all")
    assert look(at(repo)).head == second
    git(repo, "checkout", "-q", "--detach")
    assert (look(at(repo)).branch, look(at(repo)).head) == (None, second)
    git(repo, "checkout", "-q", "--orphan", "a/b")
    assert (look(at(repo)).branch, look(at(repo)).head) == ("a/b", None)
    git(repo, "checkout", "-q", "main")
    git(repo, "symbolic-ref", "refs/heads/link", "refs/heads/main")
    git(repo, "symbolic-ref", "HEAD", "refs/heads/link")
    assert (look(at(repo)).branch, look(at(repo)).head) == ("link", second)
    assert branches(at(repo)) == {"main", "link"}


@pytest.mark.parametrize(
    "text", ["", "garbage", "ref: ../../etc/passwd", "ref: refs/../HEAD", "ref: refs/heads/", "\0" * 100, "f" * 5000]
)
def test_a_head_that_makes_no_sense(repo: Path, text: str) -> None:
    repository = at(repo)
    position = look(repository).log_position
    (repo / ".git" / "HEAD").write_text(text)
    assert look(repository).head is None
    assert movements(repository, position)[0] == () or text.startswith("ref:")


def test_a_reference_stays_inside_the_repository(repo: Path) -> None:
    (repo / "outside").write_text("a" * 40)
    (repo / ".git" / "HEAD").write_text("ref: refs/../../outside\n")
    assert look(at(repo)).head is None


def test_a_pipe_where_a_file_belongs_does_not_hold_us(repo: Path) -> None:
    repository = at(repo)
    for name in ("HEAD", "logs/HEAD", "packed-refs"):
        path = repo / ".git" / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    assert look(repository).head is None


def test_looking_is_cheap(repo: Path) -> None:
    """No process, and well under a millisecond; the number is printed."""
    repository = at(repo)
    best = min(_timed(repository) for _ in range(5))
    print(f"\nlook: {best * 1e6:.0f} µs")
    assert best < 0.001


def _timed(repository: Repository) -> float:
    began = time.perf_counter()
    for _ in range(50):
        look(repository)
    return (time.perf_counter() - began) / 50


# What moved it


def test_movements(repo: Path) -> None:
    """B6: every kind of entry that git itself writes, in one transcript."""
    position = since(repo)
    commit(repo, "two")
    git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "two again")
    git(repo, "checkout", "-q", "-b", "side")
    (repo / "f").write_text("f")
    git(repo, "add", "f")
    git(repo, "commit", "-q", "-m", "a file")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "side")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    commit(repo, "three")
    git(repo, "merge", "-q", "--no-edit", "side")
    git(repo, "revert", "--no-edit", "-m", "1", "HEAD")
    git(repo, "reset", "-q", "--hard", "HEAD~2")
    git(repo, "cherry-pick", "side")
    git(repo, "checkout", "-q", "side")
    git(repo, "rebase", "-q", "--force-rebase", "main~2")
    git(repo, "branch", "-m", "side", "renamed")
    found = moved(repo, position)
    assert [(kind, made) for kind, made, _ in found] == [
        ("commit", True),
        ("amend", True),
        ("checkout", False),
        ("commit", True),
        ("checkout", False),
        ("merge", False),
        ("reset", False),
        ("commit", True),
        ("merge", True),
        ("revert", True),
        ("reset", False),
        ("cherry_pick", True),
        ("checkout", False),
        ("rebase", False),
        ("rebase", True),
        ("rebase", False),
        ("branch", False),
    ]
    assert [subject for _, _, subject in found][:3] == ["two", "two again", "moving from main to side"]


def test_a_position_goes_on_where_it_stopped(repo: Path) -> None:
    repository = at(repo)
    first, position = movements(repository, since(repo))
    assert first == ()
    oid = commit(repo, "two")
    found, position = movements(repository, position)
    assert found == (Movement("commit", found[0].before, oid, "two", found[0].at, made=True),)
    again, same = movements(repository, position)
    assert (again, msgspec.structs.replace(same, at=position.at)) == ((), position)
    assert position.head == oid


def test_the_first_commit(tmp_path: Path, repo: Path) -> None:
    git(tmp_path, "init", "-q", "--template=", "new")
    position = since(tmp_path / "new")
    assert (position.head, position.size) == (None, 0)
    commit(tmp_path / "new", "first")
    assert moved(tmp_path / "new", position) == [("commit", True, "first")]


def test_a_log_in_pieces(repo: Path) -> None:
    """Expired, cut, rewritten or deleted: nothing is reported twice and no commit is missed."""
    commit(repo, "two")
    position = since(repo)
    git(repo, "reflog", "expire", "--expire=now", "--all")
    assert moved(repo, position) == []
    commit(repo, "three")
    assert moved(repo, position) == [("commit", True, "three")]

    position = since(repo)
    log = repo / ".git" / "logs" / "HEAD"
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[-1])
    commit(repo, "four")
    assert moved(repo, position) == [("commit", True, "four")]

    position = since(repo)
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[-1])
    for subject in ("a", "b", "c"):
        commit(repo, subject)
    assert log.stat().st_size > position.size
    assert [subject for _, _, subject in moved(repo, position)] == ["a", "b", "c"]

    position = since(repo)
    log.unlink()
    commit(repo, "five")
    assert [made for _, made, _ in moved(repo, position)] == [True]

    position = since(repo)
    commit(repo, "six")
    log.write_bytes(b"garbage\n\xff\xff\n" + log.read_bytes())
    assert moved(repo, position) == [("commit", True, "six")]

    position = since(repo)
    log.write_bytes(log.read_bytes() + b"half a line without an en")
    assert moved(repo, position) == []


def test_no_log_at_all(repo: Path) -> None:
    """``core.logAllRefUpdates=false``: the commits themselves tell."""
    git(repo, "config", "core.logAllRefUpdates", "false")
    (repo / ".git" / "logs" / "HEAD").unlink()
    position = since(repo)
    commit(repo, "two")
    commit(repo, "three")
    assert moved(repo, position) == [("commit", True, "two"), ("commit", True, "three")]
    position = since(repo)
    git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "again", GIT_COMMITTER_DATE="2001-01-01T00:00:00")
    assert moved(repo, position) == [("amend", True, "again")]
    position = msgspec.structs.replace(since(repo), at=time.time() + 1)
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    assert moved(repo, position) == [("reset", False, "two")]
    git(repo, "branch", "other", "HEAD~1")
    position = msgspec.structs.replace(since(repo), at=time.time() + 1)
    git(repo, "checkout", "-q", "other")
    assert [(kind, made) for kind, made, _ in moved(repo, position)] == [("checkout", False)]
    git(repo, "checkout", "-q", "-b", "same")
    assert moved(repo, msgspec.structs.replace(since(repo), branch="other"))[0] == (
        "checkout",
        False,
        "moving from other to same",
    )
    git(repo, "gc", "-q", "--prune=now")
    position = msgspec.structs.replace(since(repo), at=time.time() + 1)
    git(repo, "reset", "-q", "--hard", "main")
    assert [made for _, made, _ in moved(repo, position)] == [False]


def test_a_pull_without_a_log_made_nothing(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(repo), "clone")
    clone = tmp_path / "clone"
    git(clone, "config", "core.logAllRefUpdates", "false")
    (clone / ".git" / "logs" / "HEAD").unlink()
    commit(repo, "upstream")
    position = since(clone)
    git(clone, "pull", "-q")
    assert [(kind, made) for kind, made, _ in moved(clone, position)] == [("other", False)]


def test_odd_subjects(repo: Path) -> None:
    position = since(repo)
    message = repo.parent / "message"
    message.write_bytes(b"caf\xe9 na\xefve\n")
    git(repo, "-c", "i18n.commitEncoding=latin1", "commit", "-q", "--allow-empty", "-F", str(message))
    commit(repo, "moving from main to side: \t tabs")
    commit(repo, "x" * 5000)
    kinds = moved(repo, position)
    assert [(kind, made) for kind, made, _ in kinds] == [("commit", True)] * 3
    assert kinds[1][2].startswith("moving from main to side:")
    assert len(kinds[2][2]) == reflog.MAX_SUBJECT
    latin = read_commit(at(repo), git(repo, "rev-parse", "HEAD~2"))
    assert latin is not None
    assert latin.subject == "café naïve"


def test_a_huge_log_is_read_in_part(repo: Path) -> None:
    repository = at(repo)
    position = since(repo)
    log = repo / ".git" / "logs" / "HEAD"
    line = log.read_bytes().splitlines(keepends=True)[-1]
    with log.open("ab") as file:
        file.write(line * 40_000)
    oid = commit(repo, "last")
    began = time.process_time()
    found, after = movements(repository, position)
    assert time.process_time() - began < 1
    assert len(found) == reflog.MAX_MOVEMENTS
    assert (found[-1].after, found[-1].kind) == (oid, "commit")
    assert movements(repository, after)[0] == ()


def test_a_movement_in_a_worktree_is_its_own(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "../wt", "-b", "wt")
    main, worktree = since(repo), since(tmp_path / "wt")
    commit(tmp_path / "wt", "there")
    assert moved(repo, main) == []
    assert moved(tmp_path / "wt", worktree) == [("commit", True, "there")]


def test_a_bare_repository(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    position = since(tmp_path / "bare.git")
    commit(repo, "pushed")
    git(repo, "push", "-q", str(tmp_path / "bare.git"), "main")
    assert [kind for kind, _, _ in moved(tmp_path / "bare.git", position)] != []


def test_longer_object_names(tmp_path: Path, repo: Path) -> None:
    """SHA-256 repositories."""
    git(tmp_path, "init", "-q", "--template=", "--object-format=sha256", "new")
    commit(tmp_path / "new", "first")
    position = since(tmp_path / "new")
    oid = commit(tmp_path / "new", "second")
    assert len(oid) == 64
    assert look(at(tmp_path / "new")).head == oid
    assert moved(tmp_path / "new", position) == [("commit", True, "second")]


def test_through_git_where_files_do_not_tell(repo: Path) -> None:
    """A reftable repository is asked through git. The asking gives what the reading gives."""
    repository = at(repo)
    read = look(repository)
    (repo / ".git" / "reftable").mkdir()
    asked = look(repository)
    assert (asked.branch, asked.head) == (read.branch, read.head)
    assert branches(repository) == {"main"}
    _, position = movements(repository, asked.log_position)
    commit(repo, "two")
    git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "again")
    assert moved(repo, position) == [("commit", True, "two"), ("amend", True, "again")]
    commit(repo, "three")
    assert moved(repo, asked.log_position)[-1][1] is True


def test_git_is_bounded(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A git that hangs, says too much or is missing gives nothing."""
    repository = at(repo)
    assert run_git(repository, "rev-parse", "--is-bare-repository") == b"false\n"
    assert run_git(repository, "no-such-command") is None
    fake = tmp_path / "bin"
    fake.mkdir()
    monkeypatch.setenv("PATH", f"{fake}{os.pathsep}{os.environ['PATH']}")
    (fake / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (fake / "git").chmod(0o755)
    began = time.monotonic()
    assert run_git(repository, "x", deadline=0.1) is None
    assert time.monotonic() - began < 5
    (fake / "git").write_text("#!/bin/sh\nexec yes\n")
    assert run_git(repository, "x") is None
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert run_git(repository, "x") is None


def test_steps_are_bounded(repo: Path) -> None:
    tree = git(repo, "rev-parse", "HEAD^{tree}")
    parent = first = git(repo, "rev-parse", "HEAD")
    for number in range(unlogged.MAX_STEPS + 5):
        parent = git(repo, "commit-tree", tree, "-p", parent, "-m", str(number))
    steps = unlogged.steps_between(at(repo), first, parent, at=0, switched=False)
    assert len(steps) == unlogged.MAX_STEPS


def test_a_reference_in_a_large_packed_file_is_found_once(repo: Path) -> None:
    git(repo, "pack-refs", "--all")
    packed = repo / ".git" / "packed-refs"
    oid = git(repo, "rev-parse", "HEAD")
    with packed.open("a") as file:
        file.writelines(f"{oid} refs/tags/t{number}\n" for number in range(50_000))
    refs._find_packed.cache_clear()
    assert look(at(repo)).head == look(at(repo)).head == oid
    assert refs._find_packed.cache_info().hits >= 1


# Aliases and stacks


def test_aliases(repo: Path, own_home: Path) -> None:
    """From all of git's places, with includes, read again only when one of them has changed."""
    (own_home / "more").write_text("[alias]\n\tfar = log\n")
    (own_home / ".gitconfig").write_text(
        (own_home / ".gitconfig").read_text()
        + f'[alias]\n\tci = commit\n\tMixed = status\n\tmulti = "!a\\nb"\n[include]\n\tpath = {own_home / "more"}\n'
    )
    git(repo, "config", "alias.here", "!git commit")
    repository = at(repo)
    expected = {"ci": "commit", "mixed": "status", "multi": "!a\nb", "far": "log", "here": "!git commit"}
    assert aliases(repository) == expected
    aliases(repository)["x"] = "y"
    assert aliases(repository) == expected
    (own_home / "more").write_text("[alias]\n\tfar = show --stat\n")
    assert aliases(repository)["far"] == "show --stat"
    git(repo, "config", "--unset", "alias.here")
    assert "here" not in aliases(repository)
    (repo / ".git" / "config").write_text("[core\n")
    assert isinstance(aliases(repository), dict)


def test_graphite(repo: Path) -> None:
    """B3: the stack from the trunk through the current branch, from either of Graphite's files."""
    repository = at(repo)
    assert graphite_stack(repository) is None
    (repo / ".git" / ".graphite_repo_config").write_text('{"trunk":"main"}')
    assert graphite_stack(repository) == ()
    cache = repo / ".git" / ".graphite_cache_persist"
    rows = [("main", None), ("a", "main"), ("b", "a"), ("c", "b"), ("z", "main")]
    cache.write_text(
        json.dumps({"branches": [[name, {"parentBranchName": parent} if parent else {}] for name, parent in rows]})
    )
    git(repo, "checkout", "-q", "-b", "b")
    assert graphite_stack(repository) == ("main", "a", "b", "c")
    git(repo, "checkout", "-q", "-b", "untracked")
    assert graphite_stack(repository) == ()
    with closing(sqlite3.connect(repo / ".git" / ".graphite_metadata.db")) as database, database:
        database.execute("CREATE TABLE branch_metadata (branch_name TEXT, parent_branch_name TEXT)")
        database.executemany("INSERT INTO branch_metadata VALUES (?, ?)", [("main", None), ("untracked", "main")])
    assert graphite_stack(repository) == ("main", "untracked")
    (repo / ".git" / ".graphite_metadata.db").write_bytes(b"not a database")
    assert graphite_stack(repository) == ()
    for text in ("", "[]", '{"branches": 5}', '{"branches": [["a"]]}', "\xff"):
        cache.write_text(text)
        assert graphite_stack(repository) == ()
    loop = [["untracked", {"parentBranchName": "b"}], ["b", {"parentBranchName": "untracked"}]]
    cache.write_text(json.dumps({"branches": loop}))
    assert graphite_stack(repository) == ("b", "untracked")
