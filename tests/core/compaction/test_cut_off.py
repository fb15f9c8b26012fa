"""A user's turn that begins in the same moment as a compaction, which Codex ends for it (A13, A15)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction.sequence import AGAIN, MOST_OVERTAKEN, SETTLING
from rawr.core.compaction.tracking import DEADLINE
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import Carried, FindSaid, Notify, StartCompaction, StartTurn, SteerTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import handoffs, phase
from tests.core.samples import GOLDEN, IDLE, PACKET, Story, decided

pytestmark = pytest.mark.mission("A13", "A15")

THEIRS = replace(IDLE, ours=False)
SAID = "And mind the tests."
MESSAGE = items.UserMessage(id="u", text=SAID)


def compacting(policy: Policy = GOLDEN) -> Story:
    return decided(state=THEIRS, policy=policy).answers("H", PACKET)


def cut(story: Story, *seen: facts.AnyFact, turn: str = "U") -> Story:
    """A turn begins, shows so much, and is ended for the compaction, all within milliseconds."""
    started, ended = facts.TurnStarted(turn=turn), facts.TurnCompleted(turn=turn, status="interrupted")
    return story.tell(started, *seen, ended, after=0)


def said(text: str = SAID, *, turn: str = "U") -> facts.ItemCompleted:
    return facts.ItemCompleted(turn=turn, item=items.UserMessage(id=text, text=text))


def sent(story: Story) -> list[Any]:
    return [one.effect for one in story.effects if isinstance(one.effect, StartTurn | SteerTurn)]


def test_the_message_goes_out_with_the_handoff() -> None:
    """Once, in the handoff's own turn, and the compaction that ran has not failed."""
    story = cut(compacting(), said()).compacts()
    handoff = sent(story)[-1]
    assert handoff.carries == (Carried("U", SAID),)
    assert "was cut off as the compaction began" in handoff.text
    assert SAID not in handoff.text.partition("was cut off")[2]
    assert [one for one in story.reasons() if one.value.startswith(("compact.failed", "compact.cut"))] == [
        Reason.COMPACT_CUT_MESSAGE
    ]
    story.begin("G", handoff.text, ours=True).end("G")
    assert (story.state.sequence, len(handoffs(story)), story.state.queue) == (None, 1, ())


def test_all_that_was_said_in_it_counts() -> None:
    story = cut(compacting(), said("One."), said("Two.")).compacts()
    assert sent(story)[-1].carries == (Carried("U", "One.\n\nTwo."),)


def test_where_a_turn_of_theirs_runs_by_then_it_is_steered_into_it() -> None:
    story = cut(compacting(), said())
    item = items.Compaction(id="x")
    story.tell(facts.TurnStarted(turn="C"), facts.ItemStarted(turn="C", item=item))
    story.tell(facts.TurnCompleted(turn="C", status="completed")).begin("V", "And this.")
    story.tell(facts.ItemCompleted(turn="C", item=item))
    [steered] = story.wanted(SteerTurn)
    assert (steered.turn, steered.carries) == ("V", (Carried("U", SAID),))


@pytest.mark.parametrize(
    ("what", "seen"),
    [
        ("unseen", ()),
        ("review", (facts.ItemCompleted(turn="U", item=items.ReviewEntered(id="r", review="changes")), said())),
        (
            "command",
            (facts.ItemStarted(turn="U", item=items.Command(id="c", command="ls", cwd="/p", status="running")),),
        ),
    ],
)
def test_what_only_the_person_can_repeat_they_are_told_of(what: str, seen: tuple[facts.AnyFact, ...]) -> None:
    """Codex keeps no message of some turns: then nothing outside shows what it was."""
    story = cut(compacting(), *seen).compacts()
    assert sent(story)[-1].carries == ()
    assert Notify(level="warning", text=AGAIN[what]) in story.wanted(Notify)
    assert (len(handoffs(story)), Reason.COMPACT_FAILED_TURN in story.reasons()) == (1, False)


def test_a_message_that_was_not_shown_is_looked_for() -> None:
    """Codex can have written it down before it ended the turn. Then it is a message like any other."""
    story = cut(compacting())
    assert story.wanted(FindSaid) == [FindSaid(turn="U")]
    story.tell(said(), facts.EffectSucceeded(effect=story.name(FindSaid), result="U"), after=0).compacts()
    assert sent(story)[-1].carries == (Carried("U", SAID),)
    assert AGAIN["unseen"] not in [one.text for one in story.wanted(Notify)]


def test_a_review_begins_without_its_turn() -> None:
    """Codex tells its first item, and not that its turn has begun (measured)."""
    story = compacting().tell(
        facts.ItemStarted(turn="U", item=items.ReviewEntered(id="r", review="changes")),
        facts.ItemCompleted(turn="U", item=items.ReviewEntered(id="r", review="changes")),
        facts.TurnCompleted(turn="U", status="interrupted"),
        after=0,
    )
    story.compacts()
    assert Notify(level="warning", text=AGAIN["review"]) in story.wanted(Notify)
    assert (len(handoffs(story)), Reason.COMPACT_FAILED_TURN in story.reasons()) == (1, False)


def test_a_compaction_of_their_own_is_answered_by_rawrs() -> None:
    """``/compact`` and rawr in the same moment: one of them runs, and one handoff follows."""
    story = compacting()
    begun = facts.ItemStarted(turn="U", item=items.Compaction(id="y"))
    cut(story, begun).compacts()
    assert (len(handoffs(story)), story.state.compaction_count) == (1, 1)
    assert [one for one in story.reasons() if one.value.startswith(("compact.failed", "compact.cut"))] == []


def test_if_it_fails_nevertheless_the_message_is_sent_alone() -> None:
    """Answered once, without a handoff."""
    story = cut(compacting(), said())
    story.tell(facts.TurnStarted(turn="C"), facts.ItemStarted(turn="C", item=items.Compaction(id="x")))
    story.tell(facts.TurnCompleted(turn="C", status="failed"))
    assert (handoffs(story), sent(story)[-1]) == ([], StartTurn(text=SAID, carries=(Carried("U", SAID),)))
    assert story.state.sequence is None


def test_if_the_handoff_is_refused_the_message_is_sent_alone() -> None:
    story = cut(compacting(), said()).compacts()
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="no", code="refused"))
    assert sent(story)[-1] == StartTurn(text=SAID, carries=(Carried("U", SAID),))


def test_if_none_follows_a_person_ended_their_turn() -> None:
    """Esc: they want no answer to it. Nothing is counted against the next compaction."""
    story = cut(compacting(), said()).tell(facts.DeadlinePassed(name=DEADLINE), after=6)
    assert (story.state.sequence, handoffs(story), len(sent(story))) == (None, [], 1)
    assert Reason.GAIN_OPENED_BREAKER not in story.reasons()


def test_a_bare_compaction_sends_it_as_well() -> None:
    """There is no handoff to go with."""
    story = Story(THEIRS).tell(facts.CompactionSubmitted(bare=True))
    cut(story, said()).compacts()
    assert sent(story) == [StartTurn(text=SAID, carries=(Carried("U", SAID),))]


def test_a_compaction_that_a_person_ends_at_once_is_held_against_nobody() -> None:
    """Esc right after it began: as far as rawr can tell, another may follow; none does."""
    story = compacting()
    begun = facts.ItemStarted(turn="C", item=items.Compaction(id="x"))
    cut(story, begun, turn="C").tell(facts.DeadlinePassed(name=DEADLINE), after=6)
    assert (story.state.sequence, story.state.compacting, len(sent(story))) == (None, None, 1)
    assert Reason.GAIN_OPENED_BREAKER not in story.reasons()


def test_an_interruption_later_on_is_a_persons() -> None:
    story = compacting()
    story.tell(facts.TurnStarted(turn="C"), facts.ItemStarted(turn="C", item=items.Compaction(id="x")))
    story.tell(facts.TurnCompleted(turn="C", status="interrupted"), after=3)
    assert Reason.COMPACT_FAILED_TURN in story.reasons()


# -- it was seen in time ---------------------------------------------------------------------------------------------


def overtaken(story: Story) -> Story:
    """The connection knew of a turn as the request was about to go out."""
    return story.tell(facts.EffectFailed(effect=story.name(StartCompaction), problem="a turn", code="moot"))


def test_a_turn_that_is_seen_in_time_is_not_cut_off() -> None:
    """And the compaction follows its end, after a pause, once."""
    story = compacting().tell(facts.TurnStarted(turn="U"), said())
    overtaken(story)
    assert (phase(story), story.state.compacting) == (Phase.AWAITING_PACKET, None)
    story.says("U", "Done.").end("U")
    assert (phase(story), len(story.wanted(StartCompaction))) == (Phase.COMPACTING, 2)
    assert len(handoffs(story.compacts())) == 1


def test_a_turn_that_nobody_sees_does_not_hold_it_up_forever() -> None:
    """A20: it is asked for again a few times, then it has failed."""
    story = compacting()
    for _ in range(MOST_OVERTAKEN):
        overtaken(story).tell(facts.DeadlinePassed(name=SETTLING))
    assert len(story.wanted(StartCompaction)) == MOST_OVERTAKEN + 1
    overtaken(story)
    assert (story.state.sequence, story.state.compacting) == (None, None)


def test_a_bare_compaction_that_is_overtaken_is_told_of() -> None:
    story = overtaken(Story(THEIRS).tell(facts.CompactionSubmitted(bare=True)))
    assert (story.reasons()[-1], story.state.compacting) == (Reason.COMPACT_DEFERRED_BUSY, None)
