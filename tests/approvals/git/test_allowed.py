"""C10: a git command that the user allows runs no hook and no filter that the user did not accept.

Each is really set up so that it leaves a mark. What is approved is run by the real git, and there must be no mark; and
what is not approved is run as well, to show that it would have left one.
"""

import os
import subprocess
from pathlib import Path

import pytest

from rawr.approvals import Judgment, Rules, Surroundings, judge_command
from tests.approvals.git.test_helpers import IDENTITY

ALLOW = ("git add", "git commit", "git push")
LINE = "git add -A && git commit -q -m one"


class Work:
    """A repository, and a program that leaves a mark."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root, self.mark = folder / "home", folder / "workspace", folder / "mark"
        for place in (self.home, self.root):
            place.mkdir()
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", **IDENTITY}
        self.git("init", "-q", "-b", "main")
        (self.root / "a.txt").write_text("one\n")

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.root, env=self.env, check=True, timeout=30)

    def program(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho ran >> {self.mark}\ncat\n")
        path.chmod(0o755)
        return path

    def judge(self, line: str = LINE, *, allow: tuple[str, ...] = ALLOW) -> Judgment:
        around = Surroundings.read({**self.env})
        return judge_command(line, cwd=self.root, workspace=self.root, rules=Rules(allow=allow), around=around)

    def leaves_a_mark(self, line: str = LINE) -> bool:
        subprocess.run(["bash", "-c", line], cwd=self.root, env=self.env, check=False, timeout=30, input=b"")
        return self.mark.exists()


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


def test_without_hooks_it_is_approved(work: Work) -> None:
    """git's own samples are none."""
    (work.root / ".git" / "hooks").mkdir(exist_ok=True)
    (work.root / ".git" / "hooks" / "pre-commit.sample").write_text("#!/bin/sh\n")
    assert work.judge().safe
    assert not work.leaves_a_mark()


def in_git(work: Work) -> None:
    work.program(work.root / ".git" / "hooks" / "pre-commit")


def in_the_workspace(work: Work) -> None:
    work.program(work.root / ".husky" / "commit-msg")
    work.git("config", "core.hooksPath", ".husky")


def of_the_user(work: Work) -> None:
    work.program(work.home / "hooks" / "post-commit")
    work.git("config", "--global", "core.hooksPath", "~/hooks")


def included(work: Work) -> None:
    work.program(work.home / "hooks" / "prepare-commit-msg")
    (work.home / "more").write_text(f"[core]\n\thooksPath = {work.home}/hooks\n")
    work.git("config", "--global", "include.path", "more")


def filtering(work: Work) -> None:
    work.program(work.root / "tool")
    (work.root / ".gitattributes").write_text("* filter=x\n")
    work.git("config", "filter.x.clean", "./tool")


@pytest.mark.parametrize("set_up", [in_git, in_the_workspace, of_the_user, included, filtering])
def test_what_git_would_run_is_not_approved_unless_accepted(work: Work, set_up: object) -> None:
    assert callable(set_up)
    set_up(work)
    judged = work.judge()
    assert not judged.safe
    assert judged.reasons[-1] == "The rule “git hooks” accepts what git runs in this repository."
    assert work.judge(allow=(*ALLOW, "git hooks")).safe
    assert work.leaves_a_mark()


@pytest.mark.parametrize(
    "line",
    ["git -c core.hooksPath=h commit -m x", "git --exec-path=x commit -m x", "git -C sub commit -m x", "git -p log"],
)
def test_no_rule_for_git_itself_lets_a_line_change_its_settings(work: Work, line: str) -> None:
    assert not work.judge(line, allow=("git",)).safe


def test_a_hook_on_push_is_one_too(work: Work) -> None:
    work.program(work.root / ".git" / "hooks" / "pre-push")
    assert not work.judge("git push").safe
    assert work.judge("git push", allow=("git push", "git hooks")).safe


def test_where_there_is_no_repository_there_is_nothing_to_run(tmp_path: Path) -> None:
    around = Surroundings.read({"HOME": "/nowhere", "PATH": os.environ["PATH"]})
    rules = Rules(allow=("git init",))
    assert judge_command("git init -q", cwd=tmp_path, workspace=tmp_path, rules=rules, around=around).safe


# -- what an agent may prepare -----------------------------------------------------------------------------------------


def nested(work: Work) -> Path:
    inner = work.root / "sub"
    inner.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=inner, env=work.env, check=True, timeout=30)
    (inner / "b.txt").write_text("one\n")
    for words in (("add", "."), ("commit", "-qm", "one")):
        subprocess.run(["git", *words], cwd=inner, env=work.env, check=True, timeout=30)
    return inner


@pytest.mark.parametrize("recorded", [False, True])
def test_a_repository_inside_is_looked_into_by_git_and_so_is_not_approved(work: Work, *, recorded: bool) -> None:
    """Its settings are the agent's: ``core.fsmonitor`` names a program."""
    inner = nested(work)
    tool = work.program(work.root / "tool")
    subprocess.run(["git", "config", "core.fsmonitor", str(tool)], cwd=inner, env=work.env, check=True, timeout=30)
    if recorded:
        work.git("add", "-A")
    for line in (LINE, "git add -A", "git commit -qam x", "git commit -qm x .", "git push"):
        assert not work.judge(line).safe, line
    assert work.leaves_a_mark(f"{LINE}; git commit -qam two")


def test_no_commit_in_a_repository_that_the_agent_may_have_made(work: Work) -> None:
    """Its files may be links to anywhere."""
    inner = nested(work)
    outside = work.mark
    message = inner / ".git" / "COMMIT_EDITMSG"
    message.unlink(missing_ok=True)
    message.symlink_to(outside)
    line = "cd sub && git commit -q --allow-empty -m evil"
    assert not work.judge(line).safe
    assert work.leaves_a_mark(line)


def test_nothing_is_written_or_waited_for_in_the_same_line(work: Work) -> None:
    work.program(work.root / "evil")
    work.git("config", "core.hooksPath", "h")
    for line in (
        "mkdir -p h && git commit -m x",
        "cp evil h/pre-commit && git commit -m x",
        "sleep 5 && git commit -m x",
        "git commit -m x",
    ):
        assert not work.judge(line).safe, line
    work.git("config", "--unset", "core.hooksPath")
    assert work.judge("git commit -m x").safe
    assert not work.judge("sleep 5 && git commit -m x").safe
    assert not work.judge("mkdir -p h && git commit -m x").safe


def test_a_folder_of_hooks_that_leads_into_the_workspace(work: Work) -> None:
    """Empty or not there: it may be filled at any moment."""
    hooks = work.root / ".git" / "hooks"
    for sample in hooks.glob("*") if hooks.is_dir() else ():
        sample.unlink()
    if hooks.is_dir():
        hooks.rmdir()
    hooks.symlink_to(work.root / "later")
    assert not work.judge().safe


@pytest.mark.parametrize(
    "line",
    [
        "git commit",
        "git commit --amend",
        "git commit -m x --trailer foo=1",
        "git commit -S -m x",
        "git commit -F ../msg.txt",
        "git commit -em x",
        "git commit -t a.txt",
        "git add -e",
        "git add -p",
        "git add -i .",
        "git commit -p -m x",
        "git commit --message=x -S",
        "git commit -m -- -S",
        "git commit -m -m -S",
        "git commit -- -m",
        "git commit -a -- --no-edit",
        "git commit --no-edit --amend -S",
    ],
)
def test_options_that_may_run_something_else(work: Work, line: str) -> None:
    assert not work.judge(line).safe


@pytest.mark.parametrize(
    "line",
    [
        "git add -A && git commit -m 'feat: a thing'",
        "git add . && git commit -qm '-S is no option here'",
        "git add a.txt && git commit -q -m one -m 'and more'",
        "git commit --amend --no-edit",
        "git commit --message='fix: it' --allow-empty",
        "git add -- a.txt",
    ],
)
def test_what_agents_do_every_day(work: Work, line: str) -> None:
    judged = work.judge(line)
    assert judged.safe, judged.reasons


def test_a_pattern_that_matches_an_option(work: Work) -> None:
    """The agent names a file after it."""
    (work.root / "-e").write_text("x\n")
    assert not work.judge("git add *").safe
