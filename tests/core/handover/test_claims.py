"""False claims in packets are found, and honest ones pass (D2)."""

import pytest

from rawr.core.handover import paths
from rawr.core.handover.claims import false_claims, named_commits
from rawr.core.handover.packet import Packet, Section
from rawr.core.state.ledger import Ledger
from tests.core.handover.claims import EMPTY, FALSE, HONEST, OF_NOTHING, RECORD, known


def found(claim: str, *, section: Section = Section.COMPLETED, ledger: Ledger = RECORD) -> list[str]:
    packet = Packet(claim, {section: claim})
    held = known(paths.named(packet), named_commits(packet), ledger=ledger)
    return [str(one.text) for one in false_claims(packet, held)]


def test_there_are_enough_of_both() -> None:
    assert (len(HONEST) >= 40, len(FALSE) >= 40, len(set(HONEST)), len(dict(FALSE))) == (
        True, True, len(HONEST), len(FALSE),
    )  # fmt: skip


@pytest.mark.parametrize("claim", HONEST)
def test_an_honest_claim_passes(claim: str) -> None:
    assert found(claim) == []


@pytest.mark.parametrize(("claim", "names"), FALSE)
def test_a_false_claim_is_found(claim: str, names: str) -> None:
    told, *_ = found(claim)
    assert names in told


@pytest.mark.parametrize(("claim", "names"), OF_NOTHING)
def test_what_never_happened_is_found(claim: str, names: str) -> None:
    told, *_ = found(claim, ledger=EMPTY)
    assert names in told


def test_a_code_block_claims_nothing() -> None:
    assert found("Done.\n```sh\nOpened PR #9, see notes.md\n```\nAll is well.") == []
    assert found("~~~\nBranch: nowhere/at-all\n") == []


def test_a_claim_in_the_section_on_what_comes_next_is_a_plan() -> None:
    """D2: false there is nothing yet."""
    for section in (Section.GOAL, Section.NEXT, Section.QUESTIONS, Section.INVARIANTS):
        assert [claim for claim, _ in FALSE if found(claim, section=section)] == []


def test_a_page_without_a_full_stop_is_read_in_part() -> None:
    """A packet may be hostile: what it takes to read one does not grow with its square."""
    assert found("all items " * 6_000) == []
    assert found("`" * 60_000) == []
