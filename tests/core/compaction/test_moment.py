"""Before a user's next message: is this the moment to compact (A16)?"""

from rawr.core.policy.compaction import TierPolicy
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts
from tests.core.compaction.stories import handed, phase, rules, texts
from tests.core.samples import PACKET, WORDS, Story

PREFLIGHT = rules(asap=TierPolicy(65, ("turn_complete",)))


def quiet_turn(policy: Policy = PREFLIGHT) -> Story:
    return Story(policy=policy).begin("W", "Do it.").uses("W", 110_000).says("W", WORDS).end("W")


def test_preflight_waits_for_the_next_message_and_delivers_it_unchanged() -> None:
    """A16."""
    story = quiet_turn()
    assert (story.state.preflight, texts(story)) == (True, [])
    story.tell(facts.UserSubmitted(text=" next "))
    assert phase(story) is Phase.HEADS_UP_INJECTED
    handed(story.answers("H", PACKET).compacts()).end("G")
    assert texts(story)[-1] == " next "


def test_a_shell_message_does_not_count() -> None:
    """A16: ``!`` goes straight through, and the sequence waits on."""
    story = quiet_turn().tell(facts.UserSubmitted(text="!git status"))
    assert texts(story) == ["!git status"]
    assert (story.state.preflight, story.state.sequence) == (True, None)
