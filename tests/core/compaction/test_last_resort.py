"""Where no boundary came and the next turn would soon be landed, the end of any turn is the better place (A6, A7a)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.policy.compaction import ASAP, TierPolicy
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary.effects import StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import GOLDEN, IDLE, WINDOW, Story

pytestmark = pytest.mark.mission("A6", "A7a")
THEIRS = replace(IDLE, ours=False)
SAID = "The two columns come from different tables. Which of them do you want to keep?"
BIG = 24_000
"""Tokens that a call adds: two more, and a packet, and Codex compacts by itself."""


def rules(**changes: Any) -> Policy:
    return replace(GOLDEN, compaction=replace(GOLDEN.compaction, **changes))


def asked(held: int, *, policy: Policy = GOLDEN) -> Story:
    """A turn that leaves nothing behind, and ends with so much in the context."""
    story = Story(THEIRS, policy=policy).begin("W", "What are these?").uses("W", held - BIG).runs("W", "ls")
    return story.uses("W", held).says("W", SAID).end("W")


LATE = WINDOW * 18 // 19 - 2 * BIG - 6_000
"""From here on; above 15 % left."""


def test_its_end_counts_and_says_what_it_is() -> None:
    story = asked(LATE)
    assert Reason.COMPACT_DECIDED_LAST_RESORT in story.reasons()
    decided = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_LAST_RESORT)
    assert decided.evidence["satisfied"] == ["turn_complete"]
    assert "Codex would soon compact in the middle of a turn" in story.wanted(StartTurn)[-1].text


def test_not_before() -> None:
    assert asked(LATE - 1).reasons()[-1] is Reason.COMPACT_SKIPPED_NO_BOUNDARY


@pytest.mark.parametrize(
    "asap",
    [TierPolicy(65, ("commit",)), TierPolicy(65, ASAP)],
    ids=["a list of the user's", "switched off"],
)
def test_not_beside_a_list_that_is_law(asap: TierPolicy) -> None:
    assert asked(LATE, policy=rules(asap=asap)).reasons()[-1] is Reason.COMPACT_SKIPPED_NO_BOUNDARY


def test_what_speaks_against_any_compaction_speaks_against_this_one() -> None:
    policy = rules(min_gain_percent=90)
    assert asked(LATE, policy=policy).reasons()[-1] is Reason.COMPACT_DEFERRED_LITTLE_GAIN
