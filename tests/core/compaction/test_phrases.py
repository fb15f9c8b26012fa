"""Words as boundaries: what an agent says at the end of a turn, where it did something in it (B8)."""

import pytest

from rawr.core.vocabulary import facts, items
from tests.core.samples import QUIET, Story

SAID = {
    "agent_done": "The parser is done.",
    "concluding": "In summary, both read the same files.",
}
RAN = items.Command(id="c", command="make", cwd="/project", status="completed", exit_code=0)


@pytest.mark.parametrize("kind", SAID)
def test_what_is_said_at_the_end_of_work_is_kept_for_the_decision(kind: str) -> None:
    """B8, A8: until a decision uses it up."""
    story = Story(policy=QUIET).begin("W", "Go on.").tell(facts.ItemCompleted(turn="W", item=RAN))
    story.says("W", SAID[kind]).end("W")
    assert [one.kind for one in story.state.signals] == [kind, "turn_complete"]
    assert [one.kind for one in story.newest.boundaries] == ["turn_completed", kind, "turn_complete"]


@pytest.mark.parametrize("kind", SAID)
def test_of_a_turn_without_work_words_are_no_boundary(kind: str) -> None:
    """B8."""
    story = Story(policy=QUIET).begin("W", "Go on.").says("W", SAID[kind]).end("W")
    assert [one.kind for one in story.state.signals] == ["turn_complete"]
