"""C10: for each program that may be approved without a rule it is written down what decides what it does."""

import pytest

from rawr.approvals.programs.deciding import DECIDED_BY, OPTIONS_ARE_HARMLESS, WRITES_TO_ITS_LAST
from rawr.approvals.programs.listed import CHECKS, SPECS
from rawr.approvals.programs.own import OWN
from rawr.approvals.programs.refused import WHY
from rawr.approvals.programs.telling import TELLS
from rawr.approvals.reading.wrapping import SHELLS

from .corpus import HARMLESS
from .world import World

pytestmark = pytest.mark.mission("C10")

WRAPPERS = {"env", "nice", "timeout", "stdbuf", "time", "command"}
APPROVED = {*SPECS, *CHECKS, *OWN, *TELLS, *WRAPPERS, "git", *(name for name in SHELLS if "/" not in name)}


def test_every_program_has_an_answer() -> None:
    assert set(DECIDED_BY) == APPROVED
    assert all(answer.by and answer.held for answer in DECIDED_BY.values())


def test_none_of_them_writes() -> None:
    """A file that a command makes outside of the sandbox goes where a link leads by then."""
    assert {"cp", "mkdir", "touch", "ln", "mv", "tee", "install"}.isdisjoint(APPROVED)
    assert all("in the sandbox it needs no approval" in WHY[name] for name in ("cp", "mkdir", "touch"))


MATCHED = ("*.zz", "?*.zz", "[!a]*", "*")


@pytest.mark.parametrize("program", sorted({*SPECS, *CHECKS} - OPTIONS_ARE_HARMLESS))
def test_a_pattern_becomes_no_option(program: str, world: World) -> None:
    """``sed -n 1p *.zz`` is fine until there is a file called ``-e1w out.zz``."""
    for pattern in MATCHED:
        for line in (f"{program} {pattern}", f"{program} x {pattern}", f"for f in {pattern}; do {program} x $f; done"):
            if program != "find" or not pattern.endswith("zz"):
                assert not world.judge(line).safe, line


@pytest.mark.parametrize("program", sorted(WRITES_TO_ITS_LAST))
def test_a_pattern_becomes_no_second_file(program: str, world: World) -> None:
    assert world.judge(f"{program} README.md").safe
    assert not world.judge(f"{program} ./READ*").safe


def test_the_harmless_ones_are_on_the_list() -> None:
    assert OPTIONS_ARE_HARMLESS <= APPROVED
    assert WRITES_TO_ITS_LAST <= APPROVED
    assert any("*" in line for line in HARMLESS)
