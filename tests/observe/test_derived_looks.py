"""Which lines need not be read to know that they changed nothing in a repository."""

import pytest

from rawr.observe.derived import may_matter
from rawr.observe.intents.reading import intents


@pytest.mark.parametrize(
    "line",
    [
        "ls -la",
        "git status",
        "git --no-pager diff HEAD~1",
        "git status && git log -3 --oneline; git show HEAD",
        "cat .gitignore digits.txt github.md",
        "rg 'high|tight' src",
    ],
)
def test_a_line_that_only_looks(line: str) -> None:
    assert not may_matter(line)
    assert intents(line) == ()


@pytest.mark.parametrize(
    "line",
    [
        "git commit -m x",
        "git status && git commit -m x",
        "git -C sub commit -m x",
        "git  commit",
        "git show-me",
        "cd a\ngit push",
        "git diff | git apply",
        "gh pr create",
        "gt submit",
    ],
)
def test_a_line_that_may_change_something(line: str) -> None:
    assert may_matter(line)
