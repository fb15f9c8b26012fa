"""A5, B2, B6: branches and pull requests, run for real with small stand-ins for ``gh`` and ``gt``."""

import subprocess

import pytest

from rawr.observe.intents.reading import intents
from rawr.observe.repository.git import Movement
from rawr.observe.repository.pr_verdict import PrVerdict, pull_request
from rawr.observe.repository.verdict import BranchVerdict, Verdict, branched, committed, switched
from tests.observe.sandbox import Sandbox


@pytest.mark.parametrize(
    ("line", "went", "agreed"),
    [
        ("git stash -q; git checkout -q feature", ("feature",), True),
        ("git switch -q -c new", ("new",), True),
        ("git checkout -q b.txt", (), False),
        ("git checkout -q -- b.txt", (), True),
        ("git checkout -q nosuch", (), True),
        ("git checkout -q main", (), False),
        ("git checkout -q -b one && git checkout -q main", ("one", "main"), True),
        ("git status", (), True),
        ("sh -c 'exec git \"$@\"' _ checkout -q -b hidden", ("hidden",), False),
        ("../bin/unlogged; git checkout -q -b new", ("new",), True),
    ],
)
def test_switched(sandbox: Sandbox, line: str, went: tuple[str, ...], agreed: bool) -> None:
    """B2: the branch HEAD went to, from the repository; the command says whether that was meant."""
    seen = sandbox.run(line)
    verdict = switched(seen.intents, seen.movements, exit_code=seen.exit_code)
    assert (verdict.branches, verdict.agreed) == (went, agreed), verdict.why


@pytest.mark.parametrize(
    ("line", "made", "agreed"),
    [
        ("git branch new", ("new",), True),
        ("git checkout -q -b a/b && git branch c", ("a/b", "c"), True),
        ("git branch plain", (), True),
        ("git worktree add -q ../other", ("other",), True),
        ("git fetch -q . feature:copied", ("copied",), False),
        ("git pack-refs --all; git branch new", ("new",), True),
        ("git branch -D plain", (), True),
        ("git branch -f plain", (), False),
        ("gt create x", (), True),
    ],
)
def test_branched(sandbox: Sandbox, line: str, made: tuple[str, ...], agreed: bool) -> None:
    """B2: the branches that are new."""
    seen = sandbox.run(line)
    verdict = branched(seen.intents, seen.branches_before, after=seen.branches_after, exit_code=seen.exit_code)
    if line.startswith("gt"):
        made = tuple(name for name in verdict.branches if name.startswith("stack-"))
        assert len(made) == 1
    assert (verdict.branches, verdict.agreed) == (made, agreed), verdict.why


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (
            "gh pr create --fill",
            PrVerdict(("pr_create",), "https://github.com/o/r/pull/12", agreed=True, why="the command succeeded"),
        ),
        ("gh pr create --dry-run", PrVerdict((), None, agreed=True, why="a dry run, or left to a browser")),
        ("GH_BROKEN=1 gh pr create", PrVerdict((), None, agreed=True, why="the command failed with exit code 4")),
        (
            "touch .pr; gh pr create",
            PrVerdict((), "https://github.com/o/r/pull/7", agreed=True, why="the pull request was there already"),
        ),
        (
            "url=$(gh pr create --fill)",
            PrVerdict(("pr_create",), None, agreed=False, why="the command succeeded, and no address was printed"),
        ),
        (
            "GH_BROKEN=1 gh pr create 2>/dev/null || true",
            PrVerdict(("pr_create",), None, agreed=False, why="the command succeeded, and no address was printed"),
        ),
        (
            "true || gh pr create",
            PrVerdict((), None, agreed=True, why="no address was printed: it was not run, or it failed"),
        ),
        (
            "gh pr create; false",
            PrVerdict(
                ("pr_create",),
                "https://github.com/o/r/pull/12",
                agreed=False,
                why="an address was printed, then the line failed",
            ),
        ),
        ("gh pr merge --squash", PrVerdict(("pr_merge",), None, agreed=True, why="the command succeeded")),
        ("GH_BROKEN=1 gh pr merge", PrVerdict((), None, agreed=True, why="the command failed with exit code 1")),
        (
            "gh pr ready && gh pr review --approve",
            PrVerdict(
                ("pr_ready", "pr_review"),
                None,
                agreed=False,
                why="the line succeeded, and this part of it may not have been run",
            ),
        ),
        (
            "gt submit",
            PrVerdict(
                ("pr_create",), "https://app.graphite.dev/github/pr/o/r/31", agreed=True, why="the command succeeded"
            ),
        ),
        ("gt land", PrVerdict(("pr_merge",), None, agreed=True, why="the command succeeded")),
        ("GT_BROKEN=1 gt land", PrVerdict((), None, agreed=True, why="the command failed with exit code 1")),
        (
            "echo https://github.com/o/r/pull/9; echo gh pr create",
            PrVerdict((), None, agreed=True, why="nothing about a pull request was meant"),
        ),
    ],
)
def test_pull_requests(sandbox: Sandbox, line: str, verdict: PrVerdict) -> None:
    """A5, B6: by exit code and output; a link alone is no evidence."""
    sandbox.fresh()
    done = subprocess.run(["bash", "-c", line], cwd=sandbox.repo, env=sandbox.env, capture_output=True, text=True)
    assert pull_request(intents(line), done.stdout + done.stderr, exit_code=done.returncode) == verdict


def test_words_in_the_output_that_change_the_verdict() -> None:
    merge = intents("gh pr merge --auto --squash")
    later = pull_request(merge, "Pull request #5 will be automatically merged via squash", exit_code=0)
    assert later == PrVerdict((), None, agreed=True, why="it will be merged later, when its checks pass")
    updated = pull_request(intents("gt submit"), "https://app.graphite.dev/github/pr/o/r/1 (Updated)", exit_code=0)
    assert updated.done == ("pr_update",)
    assert pull_request(merge, "", exit_code=None).done == ()


def test_without_an_exit_code_the_repository_still_tells() -> None:
    """B6: an interrupted command has no exit code; what it committed is committed."""
    moved = Movement("commit", "a" * 40, "b" * 40, "x", 1, made=True)
    found = intents("git commit -m x")
    assert committed(found, [moved], exit_code=None) == Verdict((moved,), agreed=True, why="one commit")
    silent = committed(found, [], exit_code=None)
    assert (silent.commits, silent.agreed) == ((), False)
    other = Movement("merge", "a" * 40, "b" * 40, "x", 1, made=True)
    assert not committed(intents("git revert HEAD"), [other], exit_code=0).agreed
    elsewhere = committed(intents("git -C /else commit -m x"), [], exit_code=0)
    assert "another repository (/else)" in elsewhere.why


def test_nothing_meant_nothing_done() -> None:
    assert committed((), (), exit_code=0) == Verdict((), agreed=True, why="no commit was meant and none was made")
    assert switched((), (), exit_code=0) == BranchVerdict((), agreed=True, why="HEAD stayed on its branch")
