"""C10: git is asked only in repositories in which asking runs nothing. Where it would, that is shown too."""

import os
import subprocess
from pathlib import Path

import pytest

from rawr.approvals import Judgment, Surroundings, judge_command
from rawr.approvals.git.index import gitlinks

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

    def judge(self, line: str, cwd: Path | None = None, workspace: Path | None = None) -> Judgment:
        around = Surroundings(home=self.home, path=tuple(ENV["PATH"].split(os.pathsep)))
        return judge_command(line, cwd=cwd or self.root, workspace=workspace or self.root, around=around)


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
    inner = repo.root / "vendor" / "inner"
    inner.mkdir(parents=True)
    repo.git("init", "-q", "--template=", cwd=inner)
    assert repo.judge("cd vendor/inner && git status").safe
    repo.git("config", "core.fsmonitor", str(repo.evil), cwd=inner)
    assert not repo.judge("cd vendor/inner && git status").safe
    assert not repo.judge("git -C vendor/inner status").safe
    assert not repo.judge("git status", cwd=inner).safe
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


def test_submodules(repo: Repo, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    repo.git("init", "-q", "--template=", cwd=source)
    repo.git("commit", "-q", "--allow-empty", "-m", "x", cwd=source)
    repo.git("submodule", "--quiet", "add", str(source), "sub")
    assert repo.judge("git status").safe
    assert repo.judge("cd sub && git log").safe
    repo.git("config", "core.fsmonitor", str(repo.evil), cwd=repo.root / "sub")
    assert not repo.judge("git status").safe
    assert not repo.judge("cd sub && git log").safe


def test_worktrees(repo: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree))
    assert repo.judge("git status", cwd=tree, workspace=tree).safe
    assert not repo.judge("touch .git", cwd=tree, workspace=tree).safe
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
    assert repo.judge("cd fake && git status").safe
    (repo.root / "h").write_text("ref: refs/heads/main\n")
    assert not repo.judge("cp h fake/HEAD && cd fake && git status").safe
    (fake / "HEAD").write_text("ref: refs/heads/main\n")
    assert not repo.judge("cd fake && git status").safe


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
    assert repo.judge("git status").safe
    (husky / "post-index-change").symlink_to(repo.evil)
    assert not repo.judge("git status").safe


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
    assert repo.judge("git log", cwd=src, workspace=src).safe, "the workspace is a part of the repository"
    assert not repo.judge("git diff ../a.txt", cwd=src, workspace=src).safe
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
