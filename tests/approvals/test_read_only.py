"""Where nothing may be written, what is proved must be proved to read (C10, D11)."""

import re

import pytest

from rawr.approvals import judge_command

from .corpus import DANGEROUS, HARMLESS
from .world import World

WRITES = (
    "mkdir -p a/b",
    "touch new.txt",
    "cp README.md new.txt",
    "cat README.md && touch new.txt",
    "mkdir",
    "touch -c x",
)


def read_only(world: World, line: str) -> bool:
    return judge_command(line, cwd=world.workspace, workspace=world.workspace, around=world.around, read_only=True).safe


@pytest.mark.mission("D11")
def test_nothing_more_is_safe_and_nothing_that_writes_is(world: World) -> None:
    safe = [line for line in (*HARMLESS, *DANGEROUS) if read_only(world, line)]
    assert [line for line in safe if not world.judge(line).safe] == []
    writes = re.compile(r"\b(mkdir|touch|cp)\b|\bgit (status|diff|describe)(?!-)")
    assert [line for line in safe if writes.search(line)] == []
    assert len(safe) > len(HARMLESS) // 2


@pytest.mark.parametrize("line", WRITES)
def test_what_makes_something_new_is_not_safe(world: World, line: str) -> None:
    assert not read_only(world, line)


def test_git_without_its_locks_only_reads(world: World) -> None:
    assert not read_only(world, "git status")
    assert read_only(world, "git --no-optional-locks status") == world.judge("git --no-optional-locks status").safe
    assert read_only(world, "git log --oneline") == world.judge("git log --oneline").safe
