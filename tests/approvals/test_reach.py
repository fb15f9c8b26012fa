"""C10: what of a file system an agent may write under its thread's limits. ``tests/e2e/test_reach.py`` asks Codex."""

import os
import shutil
from pathlib import Path

import pytest

from rawr.approvals.approving import Approver
from rawr.approvals.reach import NOWHERE, Reach, reach_of
from rawr.core.real import Real
from rawr.core.vocabulary.effects import JudgeApproval
from rawr.core.vocabulary.limits import InForce, Limits, Sandboxing, confining

pytestmark = pytest.mark.mission("C10")

PLAIN = Sandboxing("workspace-write")
PROGRAMS = str(Path(shutil.which("ls") or "/").parent)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def test_under_workspace_write(workspace: Path, tmp_path: Path) -> None:
    reach = reach_of(PLAIN, workspace=workspace, env={})
    assert [reach.writes(workspace / one) for one in ("a", "a/.git", "a/.git/config", ".github", ".gitx")] == [True] * 5
    assert [reach.writes(workspace / one) for one in (".git", ".git/config", ".git/hooks/x")] == [False] * 3
    assert not reach.writes(workspace), "it may fill the workspace, and not replace it"
    assert reach.fills(workspace)
    assert not reach.fills(workspace / ".git")
    assert [reach.writes(one) for one in ("/tmp/x", "/tmp/.git", tmp_path, "/etc/gitconfig")] == [
        True,
        False,
        False,
        False,
    ]
    assert reach_of(Sandboxing(), workspace=workspace, env={}) == reach, "unknown limits are Codex's widest default"


def test_other_sandboxes(workspace: Path) -> None:
    assert reach_of(Sandboxing("read-only"), workspace=workspace) == NOWHERE
    assert reach_of(Sandboxing("workspace-write"), workspace=workspace, profile=":workspace", env={}).roots != ()
    for mode in ("danger-full-access", "external-sandbox", "not told", "new-in-0.200"):
        assert reach_of(Sandboxing(mode), workspace=workspace).everywhere
    assert reach_of(PLAIN, workspace=workspace, profile="mine").everywhere
    assert reach_of(PLAIN, workspace="relative").everywhere


def test_roots_and_temporary_folders(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "link").symlink_to("own")
    more = Sandboxing("workspace-write", roots=(str(tmp_path / "link"),), slash_tmp=False, tmpdir=False)
    reach = reach_of(more, workspace=workspace, env={"TMPDIR": str(tmp_path / "temporary")})
    assert reach.writes(tmp_path / "own" / "x")
    assert not reach.writes("/tmp/x")
    assert not reach.writes(tmp_path / "temporary" / "x")
    reach = reach_of(PLAIN, workspace=workspace, env={"TMPDIR": str(tmp_path / "temporary")})
    assert reach.writes(tmp_path / "temporary" / "x")
    git_itself = Sandboxing("workspace-write", roots=(str(workspace / ".git"),))
    assert reach_of(git_itself, workspace=workspace, env={}).writes(workspace / ".git" / "config")
    below = Sandboxing("workspace-write", roots=(str(workspace / "sub"),))
    reach = reach_of(below, workspace=workspace, env={})
    assert not reach.writes(workspace / "sub" / ".git" / "config"), "protected, and mounted where it is"


def test_a_root_that_can_be_replaced_as_a_whole(tmp_path: Path) -> None:
    """What stands between two nested roots can be moved away; then the next sandbox opens whatever is there instead."""
    deep = tmp_path / "up" / "a" / "workspace"
    deep.mkdir(parents=True)
    above = Sandboxing("workspace-write", roots=(str(tmp_path / "up"),))
    assert "another folder in the place of" in reach_of(above, workspace=deep, env={}).everywhere
    right_below = Sandboxing("workspace-write", roots=(str(tmp_path / "up" / "a"),))
    assert not reach_of(right_below, workspace=deep, env={}).everywhere, "a mounted folder stays where it is"
    assert reach_of(PLAIN, workspace="/tmp/x/project", env={}).everywhere
    (tmp_path / "up" / "link").symlink_to(tmp_path)
    assert reach_of(above, workspace=tmp_path / "up" / "link", env={}).everywhere
    assert reach_of(PLAIN, workspace=deep, env={"TMPDIR": "/tmp/x/y"}).everywhere


def test_a_way_that_can_be_changed(workspace: Path, tmp_path: Path) -> None:
    reach = Reach((str(workspace),))
    (workspace / "src").mkdir()
    (workspace / "here").symlink_to(".")
    (tmp_path / "to").symlink_to("workspace")
    for path in (".", "./.", str(workspace), str(tmp_path / "to"), ".git/..", str(tmp_path / "to" / ".git")):
        assert not reach.sways(path, within=workspace), path
    for path in ("src", "src/..", "here", f"{workspace}/src/../.git", str(tmp_path / "to" / "here"), "missing/.."):
        assert reach.sways(path, within=workspace), path
    (workspace / "loop").symlink_to("loop")
    assert reach.sways("loop", within=workspace)


def test_the_limits_of_a_thread(workspace: Path) -> None:
    """What Codex reports counts, with every folder that either names."""
    ordered = Limits(cwd="/w", sandbox=Sandboxing("read-only"))
    told = InForce(cwd="/w", sandbox=Sandboxing("workspace-write", roots=("/a",)))
    assert confining(ordered, told, workspace="/w") == told.sandbox
    assert confining(ordered, None, workspace="/w") == ordered.sandbox
    assert confining(None, None, workspace="/w") == Sandboxing()
    both = confining(Limits(cwd="/v", sandbox=Sandboxing("workspace-write", roots=("/b",))), told, workspace="/w")
    assert both.roots == ("/a", "/v", "/b")


def test_the_approver_goes_by_them(workspace: Path) -> None:
    def judged(sandbox: Sandboxing, **env: str) -> bool:
        effect = JudgeApproval(request="1", command="ls", cwd=str(workspace), workspace=str(workspace), sandbox=sandbox)
        given = {"PATH": os.environ["PATH"], "HOME": str(workspace.parent / "home"), **env}
        return Approver()(Real(effect), env=given).safe

    assert judged(PLAIN)
    assert judged(Sandboxing("read-only"))
    assert not judged(Sandboxing("danger-full-access"))
    assert not judged(Sandboxing("workspace-write", roots=(PROGRAMS,)))
    assert not judged(PLAIN, HOME="/tmp/home"), "a shell begins with what is in the home folder"
    assert not judged(PLAIN, BASH_ENV="/tmp/env")
    assert judged(Sandboxing("workspace-write", slash_tmp=False), HOME="/tmp/home")


def test_what_codex_and_rawr_keep(tmp_path: Path) -> None:
    """Their homes, wherever this run's are, and whatever folder in them is the workspace."""
    home = tmp_path / "home"
    other = tmp_path / "codex"
    for place in (home / ".codex", other, home / ".codex-rawr", tmp_path / "rawr"):
        (place / "sessions").mkdir(parents=True)
        for name in ("history.jsonl", "sessions/rollout-1.jsonl", "config.toml"):
            (place / name).write_text("{}\n")
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(other), "RAWR_HOME": str(tmp_path / "rawr")}
    lines = ("cat history.jsonl", "head -1 sessions/rollout-1.jsonl", "cat rollout-1.jsonl", "grep -r a .",
             "cat ../history.jsonl", "jq . config.toml", "rg a", "cat ./sessions/../history.jsonl")  # fmt: skip
    for place in (home / ".codex", other, home / ".codex-rawr", tmp_path / "rawr"):
        for workspace in (place, place / "sessions"):
            for line in lines:
                effect = JudgeApproval(request="1", command=line, cwd=str(workspace), workspace=str(workspace))
                assert not Approver()(Real(effect), env=env).safe, (line, workspace)
    tree = other / "worktrees" / "1" / "app"
    tree.mkdir(parents=True)
    (tree / "a.txt").write_text("a\n")
    asked = JudgeApproval(request="1", command="cat a.txt", cwd=str(tree), workspace=str(tree))
    assert Approver()(Real(asked), env=env).safe, "a project that Codex keeps there"
