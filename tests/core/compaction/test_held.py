"""A message that rawr holds is read before it is decided whether to compact first (A16)."""

import pytest

from rawr.core.policy.compaction import TierPolicy
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import SHIPPED, phase, rules, texts
from tests.core.samples import WORDS, Story

EACH_TURN = rules(SHIPPED, asap=TierPolicy(65, ("turn_complete",)), need_turns=0, soft_landing=False)
PATCH = items.FileChange(id="f", status="completed", changes=(items.Change("src/a.py", "add"),))


def holding(*, edited: bool = True) -> Story:
    """A turn has ended, and the sequence waits for the user's next message."""
    story = Story(policy=EACH_TURN).begin("W", "Do the job.")
    story = story.tell(facts.ItemCompleted(turn="W", item=PATCH)) if edited else story
    story.uses("W", 110_000).says("W", f"{WORDS} Shall I write the docs next?").end("W")
    assert story.state.preflight
    return story


@pytest.mark.parametrize("text", ["yes", "Continue.", "ok, go on", "ja", "好的", "Write the docs in a new file."])
def test_a_go_ahead_goes_out_after_the_handoff(text: str) -> None:
    story = holding().tell(facts.UserSubmitted(text=text))
    assert phase(story) is Phase.HEADS_UP_INJECTED
    assert story.state.sequence is not None
    assert story.state.sequence.offered.endswith("Shall I write the docs next?")


@pytest.mark.parametrize(
    "text",
    [
        "No, revert that.",
        "It doesn't compile.",
        "You forgot the empty rows",
        "rename it to b.py",
        "Das ist falsch, bitte anders.",
        "не работает",
        "不对",
    ],
)
def test_a_correction_of_the_same_edit_goes_first(text: str) -> None:
    """Its details would be gone."""
    story = holding().tell(facts.UserSubmitted(text=text))
    assert (phase(story), story.state.preflight) == (Phase.IDLE, False)
    assert Reason.COMPACT_DEFERRED_CORRECTION in story.reasons()
    assert texts(story)[-1] == text


def test_without_an_edit_there_is_nothing_to_correct() -> None:
    assert phase(holding(edited=False).tell(facts.UserSubmitted(text="revert that"))) is Phase.HEADS_UP_INJECTED
