"""C10: git runs only in a repository that no agent can have made, and can make none of by the time it runs."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.approvals.reach import NOWHERE, Reach, reach_of
from rawr.core.vocabulary.limits import Sandboxing

from .test_asking import ENV, Repo

pytestmark = pytest.mark.mission("C10")

LINES = ("cd a/b && git status", "git -C a/b status", "cd a && cd b && git diff", "(cd a/b; git log -1)",
         "for d in a/b a; do git -C $d status; done", "bash -c 'cd a/b && git status'", "timeout 5 git -C a/b/c status",
         "cd a/b/c && git status", "git -C a -C b status", "cd a && git status")  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


def write(file: Path, text: str = "") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def above(dot: Path) -> Path:
    """The same, when there is a folder for it."""
    dot.parent.mkdir(parents=True)
    return dot


def whole(dot: Path, head: str = "ref: refs/heads/main\n") -> None:
    for name in ("objects", "refs"):
        (dot / name).mkdir(parents=True)
    write(dot / "HEAD", head)
    write(dot / "config", "[core]\n\trepositoryformatversion = 0\n")


def linked(dot: Path, target: str) -> None:
    whole(dot)
    (dot / "HEAD").unlink()
    (dot / "HEAD").symlink_to(target)


def changed(dot: Path, **files: str | None) -> None:
    whole(dot)
    for name, text in files.items():
        place = dot / name
        if text is None:
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        else:
            shutil.rmtree(place) if place.is_dir() else None
            write(place, text)


def piped(dot: Path, name: str) -> None:
    whole(dot)
    (dot / name).unlink()
    os.mkfifo(dot / name)


def folder_for(dot: Path, name: str) -> None:
    changed(dot, **{name: None})
    (dot / name).mkdir()


BROKEN: dict[str, Callable[[Path], None]] = {
    "empty HEAD": lambda dot: whole(dot, ""),
    "garbage in HEAD": lambda dot: whole(dot, "garbage\n"),
    "a short hash": lambda dot: whole(dot, "abc123\n"),
    "a long hash": lambda dot: whole(dot, "a" * 40 + "\n"),
    "HEAD outside of refs": lambda dot: whole(dot, "ref: nowhere/x\n"),
    "HEAD above": lambda dot: whole(dot, "ref: ../../x\n"),
    "HEAD without a space": lambda dot: whole(dot, "ref:refs/heads/main"),
    "NULs in HEAD": lambda dot: whole(dot, "\0" * 50),
    "a dangling HEAD": lambda dot: linked(dot, "nowhere"),
    "HEAD linked to a ref": lambda dot: linked(dot, "refs/heads/main"),
    "HEAD in a loop": lambda dot: linked(dot, "HEAD"),
    "HEAD is a pipe": lambda dot: piped(dot, "HEAD"),
    "HEAD is a folder": lambda dot: folder_for(dot, "HEAD"),
    "no HEAD": lambda dot: changed(dot, HEAD=None),
    "no objects": lambda dot: changed(dot, objects=None),
    "no refs": lambda dot: changed(dot, refs=None),
    "objects is a file": lambda dot: changed(dot, objects=""),
    "refs is a file": lambda dot: changed(dot, refs=""),
    "no config": lambda dot: changed(dot, config=None),
    "a bad config": lambda dot: changed(dot, config="[core\n"),
    "config is a pipe": lambda dot: piped(dot, "config"),
    "config is a folder": lambda dot: folder_for(dot, "config"),
    "an unknown version": lambda dot: changed(dot, config="[core]\n\trepositoryformatversion = 99\n"),
    "an unknown extension": lambda dot: changed(dot, config="[extensions]\n\tmadeup = 1\n"),
    "a common folder that is nowhere": lambda dot: changed(dot, commondir="../../nowhere\n"),
    "a common folder that is a's": lambda dot: changed(dot, commondir="../../.git\n"),
    "an empty folder": lambda dot: dot.mkdir(parents=True),
    "a file": lambda dot: write(dot, ""),
    "a file that names nothing": lambda dot: write(dot, "gitdir: nowhere\n"),
    "a file that names a's": lambda dot: write(dot, "gitdir: ../.git\n"),
    "a file that names itself": lambda dot: write(dot, "gitdir: .git\n"),
    "a file of garbage": lambda dot: write(dot, "x" * 5000),
    "a pipe": lambda dot: os.mkfifo(above(dot)),
    "a dangling link": lambda dot: above(dot).symlink_to("nowhere"),
    "a link to a's": lambda dot: above(dot).symlink_to("../.git"),
    "nothing": lambda dot: dot.parent.mkdir(parents=True),
    "whole": whole,
}


@pytest.mark.parametrize("way", BROKEN)
def test_a_broken_repository_inside_an_armed_one(way: str, repo: Repo) -> None:
    """git may skip the inner one and take the outer, whose program would run; rawr need not know when."""
    outer = repo.root / "a"
    outer.mkdir()
    repo.git("init", "-q", "--template=", cwd=outer)
    repo.git("config", "core.fsmonitor", str(repo.evil), cwd=outer)
    BROKEN[way](outer / "b" / ".git")
    (outer / "b" / "c").mkdir(parents=True, exist_ok=True)
    assert [line for line in LINES if repo.judge(line).safe] == []
    assert not repo.judge("git status", cwd=outer / "b").safe
    judged = repo.judge("git status", cwd=outer / "b", reach=NOWHERE)
    assert not repo.marker.exists(), "judging ran it"
    if judged.safe:  # git itself was asked, and takes the inner one
        repo.git("status", cwd=outer / "b")
        assert not repo.marker.exists()


@pytest.mark.parametrize("way", BROKEN)
def test_a_broken_repository_in_the_workspace_itself(way: str, repo: Repo, tmp_path: Path) -> None:
    """Inside an armed one. Its ``.git`` is out of the agent's reach, and still git must see what rawr sees."""
    inside = tmp_path / "outer" / "ws"
    outer = inside.parent
    outer.mkdir()
    repo.git("init", "-q", "--template=", cwd=outer)
    repo.git("config", "core.fsmonitor", str(repo.evil), cwd=outer)
    BROKEN[way](inside / ".git")
    judged = repo.judge("git status", cwd=inside, workspace=inside)
    assert not repo.marker.exists(), "judging ran it"
    assert judged.safe or way != "whole", judged.reasons
    if judged.safe:
        repo.git("status", cwd=inside)
        assert not repo.marker.exists()


def test_what_is_made_after_the_look_changes_nothing(repo: Repo) -> None:
    """Every line that is approved runs after the agent has done its worst: the look came before."""
    (repo.root / "src" / "deep").mkdir(parents=True)
    steady = ("git status", "git diff", "git -C . status", "cd src && cd .. && git status", "git log -p -1", "git show",
              f"cd src && git -C {repo.root} status", "git blame a.txt", "git ls-files -m",
              "cd src/.. && git status")  # fmt: skip
    loose = ("cd src && git status", "git -C src status", "cd src/deep; git log", "git -C src/.. status",
             "cd src && git -C .. status")  # fmt: skip
    assert [line for line in steady if not repo.judge(line).safe] == []
    assert [line for line in loose if repo.judge(line).safe] == []
    armed = repo.root / "armed"
    armed.mkdir()
    repo.git("init", "-q", "--template=", cwd=armed)
    repo.git("config", "core.fsmonitor", str(repo.evil), cwd=armed)
    (armed / "x").write_text("x")
    shutil.rmtree(repo.root / "src")
    (repo.root / "src").symlink_to("armed")
    shutil.copytree(armed / ".git", repo.root, dirs_exist_ok=True)  # a bare one of the workspace itself
    for line in steady:
        env = {**ENV, "HOME": str(repo.home)}
        subprocess.run(["/bin/bash", "-c", line], cwd=repo.root, env=env, capture_output=True, timeout=30)
        assert not repo.marker.exists(), line
    subprocess.run(["/bin/bash", "-c", "cd src && git status"], cwd=repo.root, env=ENV, capture_output=True, timeout=30)
    assert repo.marker.exists(), "the trap does not snap"


def test_the_workspace_is_inside_a_repository(repo: Repo) -> None:
    """git climbs, and would take the workspace itself for a bare repository on its way."""
    inside = repo.root / "packages" / "app"
    inside.mkdir(parents=True)
    assert "around the workspace" in repo.judge("git status", cwd=inside, workspace=inside).reasons[0]
    assert repo.judge("git status", cwd=inside, workspace=inside, reach=NOWHERE).safe
    assert repo.judge("git status", cwd=repo.root, workspace=repo.root).safe


def test_a_work_tree_whose_repository_is_elsewhere(repo: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree))
    assert repo.judge("git status", cwd=tree, workspace=tree).safe
    # The main work tree is a folder that the agent may write too: Codex keeps its .git read-only.
    both = reach_of(Sandboxing("workspace-write", roots=(str(repo.root),)), workspace=tree, env={})
    assert repo.judge("git status", cwd=tree, workspace=tree, reach=both).safe
    for root in (repo.root.parent, repo.root / ".git", repo.root / ".git" / "worktrees"):
        opened = reach_of(Sandboxing("workspace-write", roots=(str(root),)), workspace=tree, env={})
        assert not repo.judge("git status", cwd=tree, workspace=tree, reach=opened).safe, root


def test_parts_of_a_repository_that_are_elsewhere(repo: Repo) -> None:
    (repo.root / "store").mkdir()
    for name in ("objects", "refs"):
        moved = repo.root / "store" / name
        (repo.root / ".git" / name).rename(moved)
        (repo.root / ".git" / name).symlink_to(moved)
        judged = repo.judge("git log")
        assert "leads to where the agent can write" in " ".join(judged.reasons)
        assert repo.judge("git log", reach=NOWHERE).safe
        (repo.root / ".git" / name).unlink()
        moved.rename(repo.root / ".git" / name)
    assert repo.judge("git log").safe


def test_a_repository_kept_inside_of_the_workspace(repo: Repo) -> None:
    """Codex protects what ``.git`` names, and not the folders on the way there."""
    (repo.root / "in").mkdir()
    (repo.root / ".git").rename(repo.root / "in" / ".git")
    (repo.root / ".git").write_text("gitdir: in/.git\n")
    assert not repo.judge("git status").safe


@pytest.mark.parametrize(
    "reach",
    [
        reach_of(Sandboxing("danger-full-access"), workspace="/x"),
        reach_of(Sandboxing("external-sandbox"), workspace="/x"),
        reach_of(Sandboxing("not told"), workspace="/x"),
        reach_of(Sandboxing("workspace-write"), workspace="/x", profile="mine"),
    ],
)
def test_without_a_sandbox_nothing_is_proved(reach: Reach, repo: Repo) -> None:
    assert [line for line in ("git status", "ls", "cat a.txt") if repo.judge(line, reach=reach).safe] == []
    assert repo.judge("echo a", reach=reach).safe


def test_the_users_settings_must_be_out_of_reach(repo: Repo, tmp_path: Path) -> None:
    """They, what they include, and where a missing one would be."""
    config = repo.home / ".config" / "git"
    config.mkdir(parents=True)
    opened = Reach((str(repo.root), str(tmp_path / "shared")))
    assert repo.judge("git status", reach=opened).safe
    (config / "config").write_text(f"[include]\n\tpath = {tmp_path}/shared/missing\n")
    assert not repo.judge("git status", reach=opened).safe
    (config / "config").write_text('[includeIf "onbranch:other"]\n\tpath = /tmp/later\n')
    assert not repo.judge("git status").safe
    (config / "config").unlink()
    for root in (repo.home / ".config", repo.home):
        assert not repo.judge("git status", reach=Reach((str(repo.root), str(root)))).safe


def test_what_is_tracked_becomes_a_repository(repo: Repo) -> None:
    """After the look, files and folders in the index are armed repositories: git looks into none of them."""
    (repo.root / "d").mkdir()
    (repo.root / "d" / "e").write_text("e\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "two")
    lines = ("status", "status -v", "status --ignored", "diff", "diff HEAD", "diff --stat", "diff-files -p",
             "diff-index -p HEAD", "describe --always --dirty", "ls-files -m", "ls-files -o -d -k", "ls-files --eol",
             "grep x", "grep --untracked x", "blame a.txt", "check-ignore a.txt/f", "log -p -- a.txt", "show",
             "stash list", "worktree list")  # fmt: skip
    assert [line for line in lines if not repo.judge(f"git {line}").safe] == []
    (repo.root / "a.txt").unlink()
    shutil.rmtree(repo.root / "d")
    for name in ("a.txt", "d", "new"):
        armed = repo.root / name
        armed.mkdir()
        repo.git("init", "-q", "--template=", cwd=armed)
        repo.git("commit", "-q", "--allow-empty", "-m", "x", cwd=armed)
        (armed / "f").write_text("x")
        repo.git("config", "core.fsmonitor", str(repo.evil), cwd=armed)
    for line in lines:
        repo.git(*line.split())
        assert not repo.marker.exists(), line
    repo.git("status", cwd=repo.root / "d")
    assert repo.marker.exists(), "the trap does not snap"
