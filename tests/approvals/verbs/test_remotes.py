"""C10, D13: which remotes a rule for pushing, fetching and cloning opens."""

import subprocess
from pathlib import Path

import pytest

from tests.approvals.git.test_allowed import Work, nested

pytestmark = [pytest.mark.mission("C10"), pytest.mark.mission("D23")]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    made = Work(tmp_path)
    made.git("remote", "add", "origin", "https://example.org/app.git")
    return made


def opens(work: Work, line: str = "git push origin main", *more: str) -> bool:
    return work.judge(line, allow=("git push", "git fetch", "git pull", "git clone", "git files", *more)).safe


@pytest.mark.parametrize(
    "address",
    ["https://example.org/a.git", "ssh://git@example.org/a", "git@example.org:a/b.git", "git://example.org/a",
     "https://ada:x@example.org:8443/a"],
)  # fmt: skip
def test_what_git_reaches_by_network(work: Work, address: str) -> None:
    work.git("remote", "set-url", "origin", address)
    assert opens(work)
    assert opens(work, "git push")
    assert opens(work, "git fetch origin")


@pytest.mark.parametrize(
    "address",
    [
        "./sub.git",
        "../sub.git",
        "sub.git",
        "file:///srv/a.git",
        "ext::sh -c x",
        "ext::x",
        "foo::bar",
        "/srv/a.git",
        "-x",
        "ssh://-oProxyCommand=x/a",
        "https://exa mple.org/x",
        "",
    ],
)
def test_what_runs_here_or_is_not_clear(work: Work, address: str) -> None:
    work.git("config", "remote.origin.url", address)
    for line in ("git push origin main", "git push", "git fetch", "git fetch --all", "git pull"):
        assert not opens(work, line), line


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("remote.origin.receivepack", "./evil.sh"),
        ("remote.origin.uploadpack", "./evil.sh"),
        ("remote.origin.vcs", "evil"),
        ("remote.origin.proxy", "http://evil.example"),
        ("remote.origin.pushurl", "./sub.git"),
        ("remote.origin.pushurl", "ext::x"),
        ("url.ext::sh -c x.insteadOf", "https://example.org/"),
        ("url./tmp/x.pushInsteadOf", "https://example.org/"),
        ("core.sshCommand", "./evil.sh"),
        ("core.gitProxy", "./evil.sh"),
        ("core.askPass", "./evil.sh"),
        ("core.fsmonitor", "./evil.sh"),
        ("core.hooksPath", "hooks"),
        ("credential.helper", "!./evil.sh"),
        ("http.proxy", "http://evil.example"),
        ("protocol.ext.allow", "always"),
        ("gpg.program", "./evil.sh"),
        ("push.pushOption", "x"),
        ("push.recurseSubmodules", "on-demand"),
        ("merge.x.driver", "./evil.sh"),
        ("sequence.editor", "./evil.sh"),
        ("include.path", "../settings"),
    ],
)
def test_settings_that_would_run_or_reach_something_else(work: Work, name: str, value: str) -> None:
    work.git("config", name, value)
    assert not opens(work)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("remote.origin.pushurl", "git@example.org:a.git"),
        ("remote.pushDefault", "origin"),
        ("branch.main.remote", "origin"),
        ("url.git@example.org:.insteadOf", "https://example.org/"),
        ("push.default", "current"),
        ("remote.origin.prune", "true"),
    ],
)
def test_settings_that_only_choose(work: Work, name: str, value: str) -> None:
    work.git("config", name, value)
    assert opens(work)
    assert opens(work, "git push")


def test_where_a_plain_push_goes(work: Work) -> None:
    """Not to an address that a branch has by itself, nor to a remote that is not one."""
    for name in ("branch.main.pushRemote", "remote.pushDefault"):
        for value in ("https://stranger.example/x.git", "./sub.git", "other"):
            work.git("config", name, value)
            assert not opens(work, "git push"), (name, value)
            assert opens(work, "git push origin main")
        work.git("config", "--unset", name)
    assert opens(work, "git push")


def test_a_path_elsewhere_only_for_a_rule_that_names_the_remote(work: Work) -> None:
    """Its hooks are another repository's, and the agent cannot have written them. Inside the workspace it can."""
    work.git("config", "remote.origin.url", "/srv/app.git")
    assert not opens(work)
    assert work.judge("git push origin main", allow=("git push origin",)).safe
    for inside in (f"{work.root}/sub.git", "./sub.git", "/tmp/sub.git", "ext::x"):
        work.git("config", "remote.origin.url", inside)
        assert not work.judge("git push origin main", allow=("git push origin",)).safe, inside
    assert not work.judge("git push ./sub.git main", allow=("git push ./sub.git",)).safe


def test_a_worktree_has_settings_of_its_own(work: Work) -> None:
    work.git("config", "extensions.worktreeConfig", "true")
    work.git("config", "--worktree", "remote.origin.receivepack", "./evil.sh")
    assert not opens(work)


@pytest.mark.parametrize(
    ("hook", "line"),
    [
        ("pre-push", "git push origin main"),
        ("post-merge", "git pull"),
        ("reference-transaction", "git fetch origin"),
        ("pre-rebase", "git rebase main"),
        ("post-rewrite", "git rebase main"),
        ("post-checkout", "git checkout main"),
        ("post-checkout", "git switch main"),
        ("pre-merge-commit", "git merge --no-edit x"),
        ("pre-commit", "git cherry-pick x"),
        ("post-checkout", "git worktree add z"),
        ("pre-auto-gc", "git gc"),
        ("pre-push", "gh pr create --fill"),
    ],
)
def test_hooks_run_by_nature_and_need_their_own_rule(work: Work, hook: str, line: str) -> None:
    rule = " ".join(line.split()[: 3 if line.startswith("gh") else 2])
    assert work.judge(line, allow=(rule, "git files")).safe
    work.program(work.root / ".git" / "hooks" / hook)
    judged = work.judge(line, allow=(rule, "git files"))
    assert not judged.safe
    assert f"The repository has the hook {hook}." in judged.reasons
    assert work.judge(line, allow=(rule, "git files", "git hooks")).safe


@pytest.mark.parametrize(
    "line", ["git checkout main", "git rebase main", "git merge --no-edit x", "git pull", "git stash"]
)
def test_filters_too(work: Work, line: str) -> None:
    work.git("config", "filter.x.smudge", "./tool")
    assert not work.judge(line, allow=("git", "git files")).safe
    assert work.judge(line, allow=("git", "git files", "git hooks")).safe


def test_accepting_hooks_accepts_no_option_and_no_remote(work: Work) -> None:
    for line in ("git push --receive-pack=./evil.sh . HEAD:x", "git push ./sub.git HEAD:x", "git add -f .env"):
        assert not work.judge(line, allow=("git push", "git add", "git hooks")).safe, line


def test_a_repository_of_the_agents_is_none(work: Work) -> None:
    """For whatever runs git there."""
    inner = nested(work)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/evil/x"], cwd=inner, env=work.env, check=True)
    for line in ("cd sub && git push", "cd sub && gh pr create --fill"):
        assert not work.judge(line, allow=("git push", "gh pr create")).safe, line


def test_where_there_is_no_repository_there_is_no_remote(work: Work) -> None:
    (work.root / ".git").rename(work.home / "elsewhere")
    assert not opens(work)
    assert opens(work, "git clone https://github.com/a/b")
    assert not opens(work, "git clone https://example.org/b")


@pytest.mark.parametrize(("setting", "fine"), [("true", True), ("false", False), ("merges", True)])
def test_a_plain_pull_that_merges_opens_an_editor(work: Work, setting: str, *, fine: bool) -> None:
    """At a terminal, where the agent could type."""
    work.git("config", "--global", "pull.rebase", setting)
    assert opens(work, "git pull") is fine
    assert opens(work, "git pull --no-edit")
    assert opens(work, "git pull --ff-only")
