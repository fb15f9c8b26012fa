"""Exit codes that are answers, not failures (C6)."""

import pytest

from rawr.core.vocabulary.answers import is_answer
from rawr.core.vocabulary.items import Command

ANSWERS = [
    "grep -rn TODO src",
    "cat log.txt | grep -c ERROR",
    "cd sub && grep -q 'a && b' file",
    "LC_ALL=C grep x y",
    "/usr/bin/grep x y",
    "rg 'foo|bar' src",
    "test -f finished.txt",
    "[ -d build ]",
    "make lint; git grep FIXME",
    "git -C sub grep FIXME",
    "command grep x y",
]
COMPARISONS = ["diff a b", "cmp a b", "git diff --exit-code", "git -c core.pager=cat diff --quiet", "diff -u a b"]
FAILURES = [
    ("make", 1, ""),
    ("grep x y", 2, "grep: y: No such file or directory"),
    ("grep x y && make", 1, ""),
    ("make && grep x y", 1, "make: *** [all] Error 1"),
    ("make && diff a b", 1, "make: *** [all] Error 1"),
    ("python -c 'grep'", 1, ""),
    ("git commit -m 'diff'", 1, ""),
    ("echo grep; false", 1, ""),
    ("", 1, ""),
    ("'", 1, ""),
    ("&&", 1, ""),
]


@pytest.mark.parametrize("command", ANSWERS)
def test_a_search_that_finds_nothing_has_not_failed(command: str) -> None:
    assert is_answer(command, 1, "")
    assert not is_answer(command, 2, "")
    assert not is_answer(command, None, "")


@pytest.mark.parametrize("command", COMPARISONS)
def test_a_difference_is_an_answer(command: str) -> None:
    assert is_answer(command, 1, "1c1\n< a\n---\n> b\n")


@pytest.mark.parametrize(("command", "code", "output"), FAILURES)
def test_what_failed_has_failed(command: str, code: int, output: str) -> None:
    assert not is_answer(command, code, output)


def test_a_command_item_knows() -> None:
    """Codex says failed for every code but zero."""
    found = Command(id="c", command="bash -lc 'grep x y'", inner="grep x y", cwd="/", status="failed", exit_code=1)
    assert not found.went_wrong
