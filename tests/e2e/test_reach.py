"""What rawr takes to be out of the agent's reach is so in Codex's real sandbox (C10): each path is tried there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rawr.approvals.reach import Reach, reach_of
from rawr.core.vocabulary.limits import Sandboxing
from rawr.testing import find_codex
from tests.views.reported_journal import git

pytestmark = [
    pytest.mark.mission("C10"),
    pytest.mark.skipif(sys.platform != "linux", reason="tried on Linux only"),
]
TRIES = """\
import os, sys
for path in sys.argv[1:]:
    try:
        if os.path.isdir(path):
            os.rename(path, path + ".moved")
            os.rename(path + ".moved", path)
        else:
            made = not os.path.lexists(path)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))
            os.unlink(path) if made else None
        print(path)
    except OSError:
        pass
"""


def written(workspace: Path, paths: list[Path], *settings: str, mode: str = "workspace-write") -> list[Path]:
    """Those that an agent could write, or move away if they are folders."""
    options = [word for setting in (f'sandbox_mode="{mode}"', *settings) for word in ("-c", setting)]
    command = [str(find_codex()), "sandbox", *options, "--", sys.executable, "-c", TRIES, *map(str, paths)]
    home = workspace.parent / "codex-home"
    home.mkdir(exist_ok=True)
    env = {"CODEX_HOME": str(home), "HOME": str(workspace.parent), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=workspace, env=env, capture_output=True, text=True, timeout=60, check=True)
    return [path for path in paths if str(path) in done.stdout.splitlines()]


def agree(workspace: Path, paths: list[Path], reach: Reach, *settings: str, mode: str = "workspace-write") -> None:
    assert not reach.everywhere
    could = written(workspace, paths, *settings, mode=mode)
    assert [path for path in could if not reach.writes(path)] == [], "taken to be out of reach, and it is not"
    assert could or not reach.roots


@pytest.fixture
def project(tmp_path: Path) -> Path:
    workspace = tmp_path / "workspace"
    for folder in (workspace / "src", workspace / "inner", tmp_path / "more" / "x"):
        folder.mkdir(parents=True)
    git(workspace, "init", "-q", "--template=")
    git(workspace / "inner", "init", "-q", "--template=")
    git(tmp_path / "more", "init", "-q", "--template=")
    return workspace


def everything(workspace: Path) -> list[Path]:
    names = (".git/config", ".git/HEAD", ".git/index", ".git/hooks", ".git/new", ".git", "src", "src/.git",
             "inner/.git/config", "new", "config", "HEAD")  # fmt: skip
    above = workspace.parent
    around = (
        above / "new",
        above / ".gitconfig",
        above / "more" / ".git" / "config",
        above / "more" / "x",
        above / "more" / "n",
    )
    return [*(workspace / name for name in names), workspace, *around, Path("/tmp/.git/x"), Path("/etc/gitconfig")]


def test_the_sandbox_as_shipped(project: Path) -> None:
    reach = reach_of(Sandboxing("workspace-write"), workspace=project, env={})
    agree(project, everything(project), reach)
    assert written(project, [project / "src", project / "new"]) == [project / "src", project / "new"], "it can be moved"


def test_with_more_folders(project: Path) -> None:
    more = project.parent / "more"
    reach = reach_of(Sandboxing("workspace-write", roots=(str(more),)), workspace=project, env={})
    agree(project, everything(project), reach, f'sandbox_workspace_write.writable_roots=["{more}"]')


def test_a_workspace_without_a_repository(tmp_path: Path) -> None:
    """``.git`` cannot be made there; what makes the folder itself a repository can."""
    git(tmp_path, "init", "-q", "--template=")
    inside = tmp_path / "inside"
    inside.mkdir()
    paths = [
        inside / ".git",
        inside / ".git" / "HEAD",
        inside / "HEAD",
        inside / "config",
        tmp_path / ".git" / "config",
    ]
    agree(inside, paths, reach_of(Sandboxing("workspace-write"), workspace=inside, env={}))
    assert written(inside, paths)[-2:] == [inside / "HEAD", inside / "config"]


def test_a_work_tree(project: Path, tmp_path: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "x")
    tree = tmp_path / "tree"
    git(project, "worktree", "add", "-q", str(tree))
    paths = [tree / ".git", tree / "new", project / ".git" / "config", project / ".git" / "worktrees" / "tree" / "x"]
    agree(tree, paths, reach_of(Sandboxing("workspace-write"), workspace=tree, env={}))


def test_read_only(project: Path) -> None:
    agree(project, everything(project), reach_of(Sandboxing("read-only"), workspace=project), mode="read-only")
