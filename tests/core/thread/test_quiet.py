"""The pause after a turn's end, on threads that others drive too (A15)."""

import pytest
from msgspec.structs import replace

from rawr.core.state.thread import ThreadState
from rawr.core.thread import quiet
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import SetDeadline, StartCompaction, StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import OWN, WATCHER, injected
from tests.core.samples import IDLE, PACKET, WORDS, Story, decided

pytestmark = pytest.mark.mission("A15")

THEIRS = replace(IDLE, ours=False)
SHARED = replace(IDLE, shared=True)
"""rawr began it, on a server that others reach."""
PAUSE = facts.DeadlinePassed(name=quiet.DEADLINE)


def about_to_compact(state: ThreadState = THEIRS) -> Story:
    """The packet's turn has just ended."""
    story = decided(state=state)
    return story.begin("H", story.wanted(StartTurn)[-1].text, ours=True).says("H", PACKET).breaks("H")


@pytest.mark.parametrize("state", [THEIRS, SHARED])
def test_a_compaction_follows_a_pause(state: ThreadState) -> None:
    story = about_to_compact(state)
    assert story.wanted(StartCompaction) == []
    waits = story.wanted(SetDeadline)[-1]
    assert (waits.name, waits.at) == (quiet.DEADLINE, story.at + quiet.BEFORE_COMPACTING)
    assert len(story.tell(PAUSE).wanted(StartCompaction)) == 1


def test_where_nobody_else_can_type_there_is_none() -> None:
    assert len(about_to_compact(IDLE).wanted(StartCompaction)) == 1


@pytest.mark.parametrize("times", [1, 2, 5])
def test_it_follows_every_turn(times: int) -> None:
    """As often as somebody has a message queued: 3b5996f waited for the first of them only, and cut off the second."""
    story = about_to_compact()
    for number in range(times):
        story.begin(f"U{number}", "And this.").tell(PAUSE)
        assert story.wanted(StartCompaction) == []
        story.says(f"U{number}", "Done.").breaks(f"U{number}")
        assert story.wanted(StartCompaction) == []
    assert len(story.tell(PAUSE).wanted(StartCompaction)) == 1


def test_the_heads_up_follows_one_too() -> None:
    story = decided(state=THEIRS)
    [heads_up] = story.wanted(StartTurn)
    assert "Pause here" in heads_up.text
    assert story.reasons().count(Reason.COMPACT_DECIDED_BOUNDARY) == 1


def test_who_types_right_then_goes_first_and_the_boundary_counts_once() -> None:
    """A8, A15: nothing is decided before their turn is over, and then once, with the boundary from before it."""
    story = _worked(Story(THEIRS))
    assert (story.wanted(StartTurn), story.state.pausing) == ([], True)
    story.begin("U", "And this.").tell(PAUSE)
    assert (story.wanted(StartTurn), story.reasons().count(Reason.COMPACT_DECIDED_BOUNDARY)) == ([], 0)
    story.runs("U", "ls").says("U", WORDS).end("U")
    assert story.reasons().count(Reason.COMPACT_DECIDED_BOUNDARY) == 1
    assert len(story.wanted(StartTurn)) == 1
    assert (story.state.signals, story.state.pausing) == ((), False)


def test_who_asks_for_it_in_the_pause_gets_one() -> None:
    """B9: `rawr compact` right then."""
    story = _worked(Story(THEIRS)).tell(facts.CompactionSubmitted(), PAUSE)
    assert (story.state.pausing, len(story.wanted(StartTurn))) == (False, 1)
    assert Reason.COMPACT_DECIDED_BOUNDARY not in story.reasons()


def test_the_packet_is_asked_for_after_one() -> None:
    story = decided(state=THEIRS, policy=OWN)
    story.begin("H", story.wanted(StartTurn)[-1].text, ours=True).says("H", "I wait.").breaks("H")
    assert len(story.wanted(StartTurn)) == 1
    assert len(story.tell(PAUSE).wanted(StartTurn)) == 2


def test_a_packet_of_rawrs_own_waits_as_well() -> None:
    story = decided(state=THEIRS, policy=WATCHER)
    story.begin("H", story.wanted(StartTurn)[-1].text, ours=True).says("H", "I wait.").breaks("H")
    # Each fact of a story comes a second after the one before, so the pause is over by then.
    assert len(injected(story).wanted(StartCompaction)) == 1


def test_one_that_ends_while_codex_is_away_is_over_when_the_thread_is_joined() -> None:
    """D5: the moment is not forgotten, and not acted upon while nothing can be done."""
    story = _worked(Story(THEIRS))
    story.tell(facts.ServerLost(epoch=1, problem="gone"), PAUSE)
    assert (story.wanted(StartTurn), story.state.pausing) == ([], True)
    back = facts.ServerConnected(epoch=2, user_agent="", codex_home="", transport="socket")
    story.tell(back, facts.ThreadJoined(cwd="/project", last_turn="W", last_status="completed"))
    assert len(story.wanted(StartTurn)) == 1


def _worked(story: Story) -> Story:
    """A turn has just ended that is a moment to compact."""
    story.begin("W", "Do the job.").tell(facts.PhaseSubmitted(phase="research"))
    return story.uses("W", 100_000).says("W", WORDS).breaks("W")
