"""What follows from an assessment: a record always, a recommendation or a sequence by the mode (A2, A8, A23)."""

import pytest
from msgspec.structs import replace

from rawr.core.policy.compaction import TierPolicy
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import compacted, handed, rules, texts
from tests.core.samples import IDLE, WORDS, Story, decided, worked


def test_a_boundary_is_used_up_by_the_decision() -> None:
    """A8: at most one sequence comes of it, whatever follows."""
    assert decided().state.signals == ()
    story = handed(compacted()).says("G", "On I go.").end("G")
    assert (story.state.sequence, story.state.signals) == (None, ())
    patient = rules(cooldown_turns=0, cooldown_seconds=0)
    story.policy = patient
    story.begin("N", "Next.").uses("N", 120_000).says("N", WORDS).end("N")
    assert story.state.sequence is None
    assert story.reasons().count(Reason.COMPACT_DECIDED_BOUNDARY) == 1


def test_a_sticky_plan_does_not_fire_twice() -> None:
    """A8: sent again unchanged, a completed step is no news."""
    plan = facts.PlanUpdated(turn="W", steps=(PlanStep("a", "pending"), PlanStep("b", "pending")))
    done = replace(plan, steps=(PlanStep("a", "completed"), PlanStep("b", "pending")))
    loose = rules(cooldown_turns=0, cooldown_seconds=0, mode="tag")
    story = Story(policy=loose).begin("W", "Do it.").tell(plan, done).uses("W", 110_000).says("W", WORDS).end("W")
    assert story.reasons() == [Reason.COMPACT_TAGGED_BOUNDARY]
    story.begin("X", "Go on.").tell(replace(done, turn="X")).says("X", WORDS).end("X")
    assert story.reasons()[1:] == [Reason.COMPACT_SKIPPED_NO_BOUNDARY]


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (rules(mode="tag"), Reason.COMPACT_TAGGED_BOUNDARY),
        (rules(mode="suggest"), Reason.COMPACT_SUGGESTED_BOUNDARY),
        (rules(enabled=False), Reason.COMPACT_SKIPPED_DISABLED),
    ],
)
def test_only_auto_acts(policy: Policy, reason: Reason) -> None:
    """A1, A2: the others mark, recommend or record."""
    story = decided(policy=policy)
    assert story.reasons()[-1] is reason
    assert (story.state.sequence, texts(story)) == (None, [])
    assert len(story.wanted(Notify)) == (reason is Reason.COMPACT_SUGGESTED_BOUNDARY)


def test_a_suggestion_is_made_once_for_a_boundary() -> None:
    """A2: not every turn."""
    story = decided(policy=rules(mode="suggest"))
    for turn in ("X", "Y"):
        story.begin(turn, "Go on.").says(turn, WORDS).end(turn)
    assert story.reasons().count(Reason.COMPACT_SUGGESTED_BOUNDARY) == 1
    assert len(story.wanted(Notify)) == 1


def test_a_decision_says_what_it_was_made_of() -> None:
    """B4: tier, percent, signals, reasons for and against, also where the answer is no."""
    story = decided(policy=rules(cooldown_turns=2))
    yes = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY).evidence
    assert (yes["tier"], yes["percent"], yes["satisfied"], yes["against"]) == ("asap", 64, ["phase_boundary"], [])
    assert yes["boundaries"] == ["phase_boundary: research", "turn_complete"]
    no = Story().tell(facts.HoldSubmitted(until="later"))
    evidence = worked(no).records[-1].evidence
    assert evidence["against"] == [Reason.COMPACT_DEFERRED_GUARD.value]


def each_turn(mode: str) -> Policy:
    """The end of a turn is a boundary in every tier."""
    early, ready, asap = (TierPolicy(percent, ("turn_complete",)) for percent in (85, 75, 65))
    tiers = rules(early=early, ready=ready, asap=asap)
    return rules(tiers, mode=mode, cooldown_turns=0, cooldown_seconds=0, soft_landing=False)


@pytest.mark.parametrize(
    ("mode", "reason"), [("suggest", Reason.COMPACT_SUGGESTED_BOUNDARY), ("tag", Reason.COMPACT_TAGGED_BOUNDARY)]
)
def test_the_end_of_a_turn_is_spoken_of_once_in_each_tier(mode: str, reason: Reason) -> None:
    """A2: not every turn."""
    story = Story(policy=each_turn(mode))
    for n, tokens in enumerate((50_000, 52_000, 54_000, 90_000, 91_000, 120_000, 121_000, 230_000, 231_000)):
        story.begin(f"T{n}", "Go on.").says(f"T{n}", WORDS).uses(f"T{n}", tokens).end(f"T{n}")
    told = [one.evidence["tier"] for one in story.records if one.reason is reason]
    assert told == ["early", "ready", "asap", "emergency"]


def test_a_boundary_between_turns_without_one_does_not_begin_it_anew() -> None:
    """A2: a phase ended, and the turns after it are turns."""
    story = worked(Story(policy=each_turn("suggest")))
    for n in range(3):
        story.begin(f"T{n}", "Go on.").says(f"T{n}", WORDS).uses(f"T{n}", 101_000 + n).end(f"T{n}")
    assert story.reasons().count(Reason.COMPACT_SUGGESTED_BOUNDARY) == 1


def test_where_messages_do_not_come_by_way_of_rawr_the_turns_end_is_the_moment() -> None:
    """A16, D1: a user's own terminal program cannot be held back."""
    theirs = Story(replace(IDLE, ours=False), policy=each_turn("auto"))
    ours = Story(policy=each_turn("auto"))
    for story in (theirs, ours):
        story.begin("T", "Go on.").says("T", WORDS).uses("T", 100_000).end("T")
    assert (theirs.reasons()[0], theirs.state.preflight) == (Reason.COMPACT_DECIDED_BOUNDARY, False)
    assert (ours.reasons()[0], ours.state.preflight) == (Reason.COMPACT_HELD_PREFLIGHT, True)
