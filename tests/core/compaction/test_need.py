"""A compaction that the work will not need is put off (D8)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction.need import MAX_TURNS, explained, turns_left
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import BASELINE
from rawr.core.state.session import SessionFile
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import ReadSession, StartTurn
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.session import SessionMark
from tests.core.samples import GOLDEN, IDLE, WINDOW, WORDS, Story

NO_NEED = Reason.COMPACT_DEFERRED_NO_NEED


def rules(**changes: Any) -> Policy:
    return replace(GOLDEN, compaction=replace(GOLDEN.compaction, **changes))


def phases(*tokens: int, policy: Policy) -> Story:
    """Turns that each end a phase, and leave so many tokens in the context."""
    story = Story(policy=policy)
    for n, held in enumerate(tokens):
        turn = f"W{n}"
        story.begin(turn, "Go on.").tell(facts.PhaseSubmitted(phase=f"phase {n}"))
        story.uses(turn, held).says(turn, WORDS).end(turn)
    return story


def commits(*tokens: int, policy: Policy) -> Story:
    """Turns that each make a commit."""
    story = Story(policy=policy)
    for n, held in enumerate(tokens):
        turn = f"W{n}"
        seen = facts.CommandObserved(turn=turn, item="i", commits=(facts.CommitSeen(f"abc{n}", "More"),))
        story.begin(turn, "Go on.").tell(seen).uses(turn, held).says(turn, WORDS).end(turn)
    return story


def test_room_for_many_more_turns() -> None:
    """Small steps: it will take long until the context is full, and the boundary is put off with its reason."""
    story = commits(20_000, 40_000, 60_000, 80_000, policy=rules(need_turns=2))
    assert (NO_NEED in story.reasons(), story.wanted(StartTurn)) == (True, [])


def test_a_marked_phase_is_worth_it_in_any_case() -> None:
    story = phases(20_000, 40_000, 60_000, 80_000, policy=rules(need_turns=2))
    assert (NO_NEED in story.reasons(), story.wanted(StartTurn) != []) == (False, True)


def test_the_number_in_words() -> None:
    story = commits(20_000, 40_000, 60_000, 80_000, policy=rules(need_turns=2))
    left = turns_left(story.state, rules().compaction)
    assert MAX_TURNS == 5
    assert explained(story.state, story.policy.compaction) == (
        f"room for {left:.1f} more turns like the largest of the last five"
    )


def test_full_within_two_turns() -> None:
    story = commits(20_000, 130_000, policy=rules(need_turns=2))
    assert turns_left(story.state, rules().compaction) < 2
    assert Reason.COMPACT_DECIDED_BOUNDARY in story.reasons()


@pytest.mark.mission("A7a")
def test_by_default_it_is_a_number_and_no_veto() -> None:
    story = commits(20_000, 40_000, 60_000, 80_000, policy=GOLDEN)
    assert NO_NEED not in story.reasons()
    decided = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    assert decided.evidence["need"] == "room for 8.9 more turns like the largest of the last five"


def test_an_emergency_is_always_needed() -> None:
    story = commits(20_000, WINDOW - 3_000, policy=rules(need_turns=1000))
    assert NO_NEED not in story.reasons()[-3:]


def test_a_turn_that_is_judged_late_is_not_charged_with_what_the_next_one_added() -> None:
    """What a turn left in the context is taken at its end; by the time it is judged, the next one may be under way."""
    with_file = replace(IDLE, session=SessionFile("/s.jsonl", SessionMark()))
    story = Story(with_file, policy=rules()).begin("W0", "Good morning.").uses("W0", 20_000).says("W0", WORDS).end("W0")
    story.begin("W1", "Now work.").uses("W1", 60_000)
    assert story.state.unweighed
    story.tell(facts.EffectSucceeded(effect=story.name(ReadSession)))
    assert (story.state.unweighed, story.state.held, story.state.turn_growth) == (False, 20_000, (20_000 - BASELINE,))


def test_growth_is_remembered_for_the_newest_turns() -> None:
    story = commits(*range(13_000, 21_000, 1_000), policy=rules())
    assert story.state.turn_growth == (1_000,) * MAX_TURNS
    assert story.state.held == 20_000
