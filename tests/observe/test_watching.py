"""What a watch says after a command, beside the commits that the truth test is about (B2, B6)."""

import subprocess
from pathlib import Path

import pytest

from rawr.core.vocabulary.facts import CommandObserved
from rawr.observe.watching import RepositoryWatch


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "one")
    return tmp_path


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def after(watch: RepositoryWatch, folder: Path, line: str) -> CommandObserved:
    ran = subprocess.run(["bash", "-c", line], cwd=folder, check=False, capture_output=True, text=True)
    return watch.command_ended(
        turn="t", item="i", command=line, cwd=str(folder), exit_code=ran.returncode, output=ran.stdout + ran.stderr
    )


@pytest.mark.parametrize(
    ("line", "created", "switched"),
    [
        ("git switch -q -c topic", ("topic",), ("topic",)),
        ("git checkout -q -b topic", ("topic",), ("topic",)),
        ("git branch topic", ("topic",), ()),
        ("git branch topic && git branch other", ("other", "topic"), ()),
        ("git branch main", (), ()),
        ("git branch", (), ()),
        ("echo git branch topic", (), ()),
    ],
)
def test_branches(repository: Path, line: str, created: tuple[str, ...], switched: tuple[str, ...]) -> None:
    watch = RepositoryWatch()
    watch.begin(str(repository))
    seen = after(watch, repository, line)
    assert (seen.created, seen.switched_to) == (created, switched)
    assert after(watch, repository, "true").created == ()


def test_a_branch_that_was_there_before_is_no_news(repository: Path) -> None:
    git(repository, "branch", "old")
    watch = RepositoryWatch()
    watch.begin(str(repository))
    assert after(watch, repository, "git switch -q old").created == ()


def test_without_graphite_there_is_no_stack(repository: Path) -> None:
    assert after(RepositoryWatch(), repository, "true").stack == ()
