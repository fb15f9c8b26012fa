"""What a watch says after a command, beside the commits that the truth test is about (B2, B6)."""

from pathlib import Path

import pytest

from rawr.observe.watching import RepositoryWatch
from tests.observe.at_work import AtWork, git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    return tmp_path


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
    at_work = AtWork(RepositoryWatch(), repository).joins()
    seen = at_work.runs(line)
    assert (seen.created, seen.switched_to) == (created, switched)
    assert at_work.runs("true").created == ()


def test_a_branch_that_was_there_before_is_no_news(repository: Path) -> None:
    git(repository, "branch", "old")
    assert AtWork(RepositoryWatch(), repository).joins().runs("git switch -q old").created == ()


def test_without_graphite_there_is_no_stack(repository: Path) -> None:
    assert AtWork(RepositoryWatch(), repository).runs("true").stack == ()
