"""A turn that is judged when the next one is running: the look at the files took longer than its user (A8, A15).

In the stock terminal program, a queued message begins its turn as the last one ends.
"""

import pytest
from msgspec.structs import replace

from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import StartCompaction, StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import GOLDEN, IDLE, Story

POLICY = replace(
    GOLDEN,
    compaction=replace(GOLDEN.compaction, need_turns=0),
    watch_files=True,
    watch_repositories=True,
)
SAID = "All of it is read; what I found is in the notes now."


def marked(*, tokens: int = 100_000) -> Story:
    """A phase is over, and so is its turn; nobody has looked at the files yet."""
    story = Story(replace(IDLE, ours=False), policy=POLICY).begin("W", "Do it.").runs("W", "ls")
    story.tell(facts.PhaseSubmitted(phase="research")).uses("W", tokens).says("W", SAID).end("W")
    assert story.state.unweighed
    return story


def looked(story: Story) -> Story:
    for effect in story.state.observing:
        story.tell(facts.EffectSucceeded(effect=effect))
    return story


def test_what_was_marked_in_it_still_counts() -> None:
    story = looked(marked().begin("X", "And mind the tests."))
    assert Reason.COMPACT_DECIDED_BOUNDARY in story.reasons()
    assert story.wanted(StartTurn) == [], "the user's turn comes first"
    story.tell(facts.DeadlinePassed(name="pre_compact"), after=3_600)
    assert story.wanted(StartCompaction) == [], "however long it takes"
    story.says("X", "I mind them.").uses("X", 104_000).end("X")
    [sent] = story.wanted(StartTurn)
    assert "Pause here, at “phase boundary, research”" in sent.text
    assert story.state.sequence is not None
    assert story.state.sequence.phase is Phase.HEADS_UP_INJECTED


def test_what_led_to_nothing_does_not_count_for_the_next_one() -> None:
    story = looked(marked(tokens=30_000).begin("X", "And mind the tests."))
    assert (Reason.COMPACT_DECIDED_BOUNDARY in story.reasons(), story.state.signals) == (False, ())
    looked(story.says("X", SAID).uses("X", 100_000).end("X"))
    assert "phase_boundary" not in {one.kind for one in story.state.signals}
    assert Reason.COMPACT_DECIDED_BOUNDARY not in story.reasons()


@pytest.mark.mission("A3")
def test_what_a_review_brought_opens_nothing_later() -> None:
    """Also where the next turn began before the review was judged."""
    story = Story(replace(IDLE, ours=False), policy=POLICY).begin("R", "Look at it.")
    story.tell(facts.ItemCompleted(turn="R", item=items.ReviewEntered(id="r", review="all of it"))).runs("R", "ls")
    seen = facts.CommandObserved(turn="R", item="i", commits=(facts.CommitSeen("abc1234", "Mend"),))
    story.uses("R", 120_000).says("R", SAID).end("R")
    assert story.state.unweighed
    story.begin("X", "And now?").says("X", "After it, all is as it was before; nothing else has changed.").end("X")
    looked(looked(story.tell(seen)))
    assert Reason.COMPACT_DECIDED_BOUNDARY not in story.reasons()
    assert story.wanted(StartTurn) == []
