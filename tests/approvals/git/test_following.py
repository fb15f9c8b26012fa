"""C10, D23: a repository that comes into the index in the middle of a line is looked into by the rest of it."""

from pathlib import Path

import pytest

from tests.approvals.git.test_allowed import Work

pytestmark = [pytest.mark.mission("C10"), pytest.mark.mission("D23")]

ALLOW = ("git add", "git commit", "git stash", "git push")
LOOKS = [
    "git add -A; git add -A",
    "git add . && git commit -qam x",
    "git add sub && git status",
    "git add sub && git commit -m a; git commit -m b",
    "git add -A && git commit -m x && git describe --dirty --always",
]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


@pytest.mark.parametrize("line", LOOKS)
def test_what_looks_may_not_follow_what_stages(work: Work, line: str) -> None:
    """The repository is not there at the look, and there when the line runs. Each line really runs its program."""
    judged = work.judge(line, allow=ALLOW)
    assert not judged.safe
    assert any("may have staged a repository" in reason for reason in judged.reasons), judged.reasons
    assert ran(work, line)


@pytest.mark.parametrize(
    "line",
    [
        "git add -A && git commit -m x",
        "git add -A && git commit -qm x && git push",
        "git status --short && git add -A && git commit -m x && git log -1 --oneline",
        "git commit -m x && git status",
    ],
)
def test_what_does_not_look_may(work: Work, line: str) -> None:
    judged = work.judge(line, allow=ALLOW)
    assert not any("may have staged" in reason for reason in judged.reasons), judged.reasons
    if "push" not in line:
        assert judged.safe, judged.reasons
    assert not ran(work, line)


@pytest.mark.parametrize(
    "line", ["{ seq 1 9; git status; } | git add sub", "git status | git add -A", "git add -A | git commit -m x"]
)
def test_the_parts_of_a_pipeline_have_no_order(work: Work, line: str) -> None:
    judged = work.judge(line, allow=ALLOW)
    assert any("several git commands" in reason for reason in judged.reasons), judged.reasons


@pytest.mark.parametrize(
    "line",
    [
        "git add a.txt && git commit -m x && git fetch",
        "git add -A && git remote update",
        "git add -A && gh pr create -t x -b y",
    ],
)
def test_what_goes_through_submodules_is_not_quiet(work: Work, line: str) -> None:
    judged = work.judge(line, allow=(*ALLOW, "git fetch", "git remote", "gh pr create"))
    assert any("may have staged a repository" in reason for reason in judged.reasons), judged.reasons


@pytest.mark.parametrize(
    "line", ["git pull", "git checkout main", "git stash pop", "git clean -fd", "git reset --hard", "git rm a.txt"]
)
def test_git_writes_files_only_by_a_rule_for_that(work: Work, line: str) -> None:
    rule = " ".join(line.split()[:2])
    judged = work.judge(line, allow=(rule,))
    assert any("through folders that the agent can swap for links" in reason for reason in judged.reasons)
    accepted = work.judge(line, allow=(rule, "git files"))
    assert not any("swap for links" in reason for reason in accepted.reasons)


@pytest.mark.parametrize(
    "line",
    ["git switch -c x", "git checkout -q -b x", "git reset", "git restore --staged a.txt", "git rm --cached a.txt"],
)
def test_what_only_changes_the_index_or_a_branch_needs_none(work: Work, line: str) -> None:
    judged = work.judge(line, allow=(" ".join(line.split()[:2]),))
    assert not any("swap for links" in reason for reason in judged.reasons), judged.reasons


def test_nothing_runs_beside_it(work: Work) -> None:
    assert not work.judge("git status & git add -A", allow=ALLOW).safe


def ran(work: Work, line: str) -> bool:
    """Let the agent's repository appear, run the line for real, and see if its program ran."""
    sub = work.root / "sub"
    work.git("init", "-q", str(sub))
    work.git("-C", str(sub), "commit", "-q", "--allow-empty", "-m", "x")
    work.git("-C", str(sub), "config", "core.fsmonitor", str(work.program(work.home / "program")))
    (work.root / "new.txt").write_text("x\n")
    return work.leaves_a_mark(line)
