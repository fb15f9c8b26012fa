"""C10: git is asked only in repositories in which asking runs nothing. Where it would, that is shown too."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rawr.approvals import Judgment, Surroundings, judge_command
from rawr.approvals.git.index import gitlinks
from rawr.approvals.reach import NOWHERE, Reach

ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "protocol.file.allow",
    "GIT_CONFIG_VALUE_0": "always",
}


class Repo:
    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.root = folder / "workspace"
        self.root.mkdir()
        self.marker = folder / "executed"
        self.evil = folder / "evil.sh"
        self.evil.write_text(f"#!/bin/sh\necho ran >> {self.marker}\ncat\n")
        self.evil.chmod(0o755)
        self.git("init", "-q", "--template=", "-b", "main")
        (self.root / "a.txt").write_text("one\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "one")
        (self.root / "a.txt").write_text("two\n")

    def git(self, *words: str, cwd: Path | None = None) -> str:
        env = {**ENV, "HOME": str(self.home)}
        done = subprocess.run(["git", *words], cwd=cwd or self.root, env=env, capture_output=True, text=True)
        return done.stdout

    def judge(
        self, line: str, cwd: Path | None = None, workspace: Path | None = None, reach: Reach | None = None
    ) -> Judgment:
        """``reach``: what the agent may write; None: what Codex allows by default."""
        around = Surroundings(home=self.home, path=tuple(ENV["PATH"].split(os.pathsep)))
        return judge_command(line, cwd=cwd or self.root, workspace=workspace or self.root, around=around, reach=reach)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


LOOKING = ("git status", "git diff", "git log -p -1", "git grep one", "git ls-files", "git describe --always --dirty")

HOSTILE = {
    "core.fsmonitor": "git status",
    "diff.external": "git diff",
    "diff.evil.textconv": "git diff",
    "diff.evil.command": "git diff",
    "filter.evil.clean": "git status",
    "filter.evil.process": "git status",
    "core.pager": "git --paginate log",
    "core.sshCommand": "",
    "core.alternateRefsCommand": "",
    "include.path": "",
    "extensions.partialClone": "",
    "pager.log": "",
    "gpg.program": "",
    "log.showSignature": "",
    "format.pretty": "",
    "core.attributesFile": "",
    "core.worktree": "",
    "submodule.x.update": "",
    "remote.origin.uploadpack": "",
    "made.up": "",
}


@pytest.mark.mission("C10")
@pytest.mark.parametrize(("setting", "runs"), HOSTILE.items())
def test_a_hostile_configuration(setting: str, runs: str, repo: Repo) -> None:
    assert all(repo.judge(line).safe for line in LOOKING)
    (repo.root / ".gitattributes").write_text("* diff=evil filter=evil\n")
    repo.git("config", setting, str(repo.evil))
    assert not any(repo.judge(line).safe for line in LOOKING)
    if runs and "paginate" not in runs:
        repo.git(*runs.split()[1:])
        assert repo.marker.exists(), "the trap does not snap"


def test_a_nested_repository(repo: Repo) -> None:
    """It is the agent's own, or could be. Under read-only it is not, and its settings count."""
    inner = repo.root / "vendor" / "inner"
    inner.mkdir(parents=True)
    repo.git("init", "-q", "--template=", cwd=inner)
    there = "cd vendor/inner && git status"
    assert repo.judge(there).reasons == (
        "`vendor/inner` is a repository that the agent could have made: git would run what its configuration names.",
    )
    assert repo.judge(there.replace("status", "log"), reach=NOWHERE).safe
    repo.git("config", "core.fsmonitor", str(repo.evil), cwd=inner)
    for reach in (None, NOWHERE):
        assert not repo.judge(there, reach=reach).safe
        assert not repo.judge("git -C vendor/inner status", reach=reach).safe
        assert not repo.judge("git status", cwd=inner, reach=reach).safe
    assert repo.judge("git status").safe, "git does not look into a repository that it does not know"
    repo.git("add", "vendor/inner")
    (inner / "x").write_text("x")
    repo.git("commit", "-q", "--allow-empty", "-m", "x", cwd=inner)
    repo.git("add", "vendor/inner")
    assert gitlinks(repo.root / ".git" / "index") == ["vendor/inner"]
    assert not repo.judge("git status").safe, "now it does"
    assert repo.judge("git log --oneline").safe
    repo.marker.unlink(missing_ok=True)
    repo.git("status")
    assert repo.marker.exists()


@pytest.mark.parametrize("version", ["2", "4"])
def test_the_index_in_its_versions(version: str, repo: Repo) -> None:
    for name in ("a", "abc", "abcdefgh", "sub/one", "sub/two"):
        path = repo.root / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    sub = repo.root / "sub" / "mod"
    sub.mkdir()
    repo.git("init", "-q", cwd=sub)
    repo.git("commit", "-q", "--allow-empty", "-m", "x", cwd=sub)
    repo.git("add", "-A", "-f")
    repo.git("update-index", "--index-version", version)
    repo.git("update-index", "--skip-worktree", "abc.txt")
    index = repo.root / ".git" / "index"
    assert gitlinks(index) == ["sub/mod"]
    repo.git("update-index", "--split-index")
    assert gitlinks(index) is None
    assert not repo.judge("git status").safe
    index.write_bytes(b"DIRC" + b"\xff" * 40)
    assert gitlinks(index) is None
    index.write_bytes(b"DIRC\0\0\0\2\0\0\xff\xff" + b"x" * 100)
    assert gitlinks(index) is None


ENTERS = ("status", "--no-optional-locks status", "diff", "diff HEAD", "diff-files", "diff-index HEAD",
          "describe --always --dirty")  # fmt: skip
STAYS_OUT = ("status --ignore-submodules=all", "status -s --ignore-submodules", "diff --ignore-submodules=all",
             "diff HEAD --ignore-submodules", "diff-files --ignore-submodules=all", "ls-files", "ls-files -m -o",
             "describe --always", "log -p", "show", "branch -v")  # fmt: skip


@pytest.mark.mission("C10")
def test_submodules(repo: Repo, tmp_path: Path) -> None:
    """git runs in each of them by its own settings, also if it is filled only after the look."""
    source = tmp_path / "source"
    source.mkdir()
    repo.git("init", "-q", "--template=", cwd=source)
    repo.git("commit", "-q", "--allow-empty", "-m", "x", cwd=source)
    repo.git("submodule", "--quiet", "add", str(source), "sub")
    repo.git("commit", "-q", "-m", "with sub")
    populated = repo.root / "sub"
    shutil.rmtree(populated)
    populated.mkdir()
    assert not any(repo.judge(f"git {one}").safe for one in ENTERS), "it can be filled by then"
    assert all(repo.judge(f"git {one}").safe for one in STAYS_OUT)
    assert "`--ignore-submodules=all` keeps it out" in repo.judge("git status").reasons[0]
    both = "--ignore-submodules --ignore-submodules=none"
    for evading in ("--ignore-submodules=none", "--ignore-submodules=dirty", both, "-- --ignore-submodules"):
        assert not repo.judge(f"git status {evading}").safe, evading
    repo.git("init", "-q", "--template=", cwd=populated)
    repo.git("commit", "-q", "--allow-empty", "-m", "x", cwd=populated)
    repo.git("config", "core.fsmonitor", str(repo.evil), cwd=populated)
    ran: set[str] = set()
    for line in (*STAYS_OUT, *ENTERS):
        repo.marker.unlink(missing_ok=True)
        repo.git(*line.split())
        ran |= {line} if repo.marker.exists() else set()
    assert {"status", "diff"} <= ran <= set(ENTERS)


def test_worktrees(repo: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree))
    assert repo.judge("git status", cwd=tree, workspace=tree).safe
    (tree / ".git").write_text(f"gitdir: {repo.root / '.git'}\n")
    assert not repo.judge("git status", cwd=tree, workspace=tree).safe, "that repository does not know this folder"
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {repo.root}/.git/worktrees/tree\n")
    assert not repo.judge("git status", cwd=other, workspace=other).safe


def test_a_worktree_with_settings_of_its_own(repo: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree))
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "core.fsmonitor", str(repo.evil), cwd=tree)
    assert not repo.judge("git status", cwd=tree, workspace=tree).safe
    assert repo.judge("git status").safe


def test_a_bare_repository_in_disguise(repo: Repo) -> None:
    fake = repo.root / "fake"
    for name in ("objects", "refs"):
        (fake / name).mkdir(parents=True)
    (fake / "config").write_text(f"[core]\n\tfsmonitor = {repo.evil}\n\tworktree = .\n")
    assert repo.judge("cd fake && git status", reach=NOWHERE).safe
    assert not repo.judge("cd fake && git status").safe, "it lacks one file"
    (fake / "HEAD").write_text("ref: refs/heads/main\n")
    assert not repo.judge("cd fake && git status").safe
    assert not repo.judge("cd fake && git status", reach=NOWHERE).safe


def test_hooks(repo: Repo) -> None:
    hooks = repo.root / ".git" / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").symlink_to(repo.evil)
    assert repo.judge("git status").safe, "that one runs only with a commit"
    (hooks / "post-index-change").symlink_to(repo.evil)
    assert not repo.judge("git status").safe
    (hooks / "post-index-change").unlink()
    husky = repo.root / ".husky"
    husky.mkdir()
    repo.git("config", "core.hooksPath", ".husky")
    for line in ("git status", "git diff", "git describe --always --dirty"):
        assert not repo.judge(line).safe, "one may be put there by then"
        assert repo.judge(line, reach=NOWHERE).safe
    assert repo.judge("git --no-optional-locks status").safe, "the index is not written"
    assert repo.judge("git log -p -1").safe
    (husky / "post-index-change").symlink_to(repo.evil)
    assert not repo.judge("git status", reach=NOWHERE).safe
    repo.git("--no-optional-locks", "status")
    assert not repo.marker.exists()
    os.utime(repo.root / "a.txt", (1, 1))
    repo.git("add", "a.txt")
    repo.git("status")
    assert repo.marker.exists(), "the trap does not snap"


def test_the_users_own_configuration(repo: Repo) -> None:
    config = repo.home / ".gitconfig"
    config.write_text(
        "[core]\n\tpager = delta\n\tfsmonitor = true\n\thooksPath = ~/hooks\n[diff]\n\texternal = difft\n"
    )
    assert repo.judge("git diff").safe
    config.write_text("[core]\n\thooksPath = .githooks\n")
    assert not repo.judge("git diff").safe
    config.write_text(f"[core]\n\thooksPath = {repo.root}/hooks\n")
    assert not repo.judge("git diff").safe
    for text in (
        "[core]\n\tfsmonitor = .git/hooks/watch\n",
        "[diff]\n\texternal = ./tools/diff -x\n",
        f'[diff "x"]\n\ttextconv = sh {repo.root}/x\n',
        f"[include]\n\tpath = {repo.root}/.gitconfig\n",
        "[gpg]\n\tprogram = tools/gpg\n",
        '[filter "x"] clean = ./x\n',
    ):
        config.write_text(text)
        assert not repo.judge("git diff").safe, text
    for text in ("[log]\n\tshowSignature\n", "[log]\n\tshowSignature = true\n", "[log] showsignature = 1\n"):
        config.write_text(text)
        assert repo.judge("git diff").safe
        assert not any(repo.judge(line).safe for line in ("git log", "git show", "git reflog", "git stash list")), text
    config.write_text("[log]\n\tshowSignature = false\n")
    assert repo.judge("git log").safe
    config.write_text(
        "[include]\n\tpath = ~/.gitconfig-work\n[gpg]\n\tprogram = /usr/bin/gpg2\n[core]\n\tpager = less -R\n"
    )
    assert repo.judge("git diff").safe


@pytest.mark.parametrize(
    "text",
    [
        "[core]fsmonitor=x\n",
        "[core] fsmonitor=x\n",
        "[CORE]\n\tFsMonitor = x\n",
        "[user]\n\tname = a\\\n\tfsmonitor = x\n",
        '[core ""]\n\tbare = false\n',
        "[core]\n\tbare = false # x\r[core]\r\tfsmonitor = x\n",
        "\ufeff[core]\n",
        "name = x\n",
        "[core\n",
        "[include]\n\tpath = x\n",
        '[includeIf "gitdir:/"]\n\tpath = x\n',
        "[filter.lfs]\n\tclean = evil\n",
        '[filter "lfs"]\n\tclean = evil\n',
    ],
)
def test_configurations_that_try_to_hide(text: str, repo: Repo) -> None:
    with (repo.root / ".git" / "config").open("a", newline="") as config:
        config.write(text)
    assert not repo.judge("git status").safe


def test_a_section_that_is_the_end_of_a_value(repo: Repo) -> None:
    """After a backslash the next line belongs to the value, whatever it looks like."""
    with (repo.root / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\teditor = a\\\n[alias]\n\tfsmonitor = {repo.evil}\n")
    assert not repo.judge("git status").safe
    repo.git("status")
    assert repo.marker.exists(), "the trap does not snap"


@pytest.mark.parametrize("value", ['.hus"ky"', ".husky # x", ".husky ; x", ".hus\\\\ky", '"".husky', "~/husky"])
def test_hooks_under_a_name_that_git_reads_in_another_way(value: str, repo: Repo) -> None:
    husky = repo.root / ".husky"
    husky.mkdir()
    (husky / "post-index-change").symlink_to(repo.evil)
    with (repo.root / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\thooksPath = {value}\n")
    assert not repo.judge("git status").safe
    if not value.startswith((".hus\\", "~")):
        repo.git("update-index", "--refresh")
        repo.git("add", "a.txt")
        assert repo.marker.exists(), "the trap does not snap"


def test_a_list_of_commits_that_is_none(repo: Repo, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not a commit\n")
    (repo.root / "revs").write_text("")
    repo.git("config", "blame.ignoreRevsFile", "revs")
    assert repo.judge("git blame a.txt").safe
    repo.git("config", "blame.ignoreRevsFile", str(secret))
    assert not repo.judge("git blame a.txt").safe
    (repo.root / "revs").unlink()
    (repo.root / "revs").symlink_to(secret)
    repo.git("config", "blame.ignoreRevsFile", "revs")
    assert not repo.judge("git blame a.txt").safe


def test_objects_of_another_repository(repo: Repo) -> None:
    (repo.root / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (repo.root / ".git" / "objects" / "info" / "alternates").write_text("/elsewhere/objects\n")
    assert not repo.judge("git log").safe


def test_git_lfs_is_fine(repo: Repo) -> None:
    with (repo.root / ".git" / "config").open("a") as config:
        config.write('[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n')
    assert repo.judge("git status").safe


def test_where_a_repository_may_be(repo: Repo, tmp_path: Path) -> None:
    src = repo.root / "src"
    src.mkdir()
    assert repo.judge("git log", cwd=src, workspace=src, reach=NOWHERE).safe, (
        "the workspace is a part of the repository"
    )
    assert not repo.judge("git diff ../a.txt", cwd=src, workspace=src, reach=NOWHERE).safe
    empty = tmp_path / "empty"
    empty.mkdir()
    assert not repo.judge("git log", cwd=empty, workspace=empty).safe
    assert repo.judge("git --version", cwd=empty, workspace=empty).safe
    around = Surroundings(home=repo.root / "src", path=tuple(ENV["PATH"].split(os.pathsep)))
    inside = repo.root / "project"
    inside.mkdir()
    judged = judge_command("git log", cwd=inside, workspace=inside, around=around)
    assert judged.reasons == ("The repository contains your whole home folder.",)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        elsewhere = Surroundings.read({"HOME": str(repo.home), "PATH": ENV["PATH"], name: "/x"})
        assert not judge_command("git log", cwd=repo.root, workspace=repo.root, around=elsewhere).safe
