"""C10, D13: what a rule opens and what it does not, as two lists. Each abuse that this machine can try is really tried:
without the judge, the mark appears.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.approvals.scene import Abuse, Scene, abuses, everyday

pytestmark = [pytest.mark.mission("D13"), pytest.mark.mission("D23")]
KEY = "server.key"
"""A file with credentials that nothing ignores. The everyday repository has none."""


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Scene(Path(folder).resolve() / "scene")


@pytest.fixture(scope="module")
def with_a_key() -> Iterator[Scene]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        made = Scene(Path(folder).resolve() / "scene")
        made.plant(KEY)
        yield made


def test_no_abuse_is_approved(with_a_key: Scene) -> None:
    given = abuses()
    assert len(given) >= 300
    approved = [f"{one.rule} | {one.command}" for one in given if with_a_key.judge(one.command, one.rule).safe]
    assert approved == []


def test_everyday_uses_stay_approved(scene: Scene) -> None:
    given = everyday()
    assert len(given) >= 150
    refused = {
        f"{', '.join(rules)} | {command}": judged.reasons
        for rules, command in given
        if not (judged := scene.judge(command, *rules)).safe
    }
    assert refused == {}


def _program(abuse: Abuse) -> str:
    return abuse.rule.split()[0]


TRIED = [one for one in abuses() if one.shows != "-"]
EVERYWHERE = ("git", "make")


def test_the_abuses_of_git_and_make_are_real(with_a_key: Scene) -> None:
    made_up = [one.command for one in TRIED if _program(one) in EVERYWHERE and not with_a_key.shows(one)]
    assert made_up == []


@pytest.mark.machine
@pytest.mark.parametrize("program", sorted({_program(one) for one in TRIED} - {*EVERYWHERE}))
def test_the_abuses_of_other_programs_are_real(program: str, with_a_key: Scene) -> None:
    name = program.removeprefix("./")
    if shutil.which(name) is None:
        pytest.skip(f"there is no {name} here")
    made_up = [one.command for one in TRIED if _program(one) == program and not with_a_key.shows(one)]
    assert made_up == []
