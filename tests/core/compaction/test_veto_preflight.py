"""A judgment for which a user's message waits (A16, A18)."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify
from tests.core.compaction.stories import phase
from tests.core.judged import PREFLIGHT, WAIT, approves, asked, asking, fails, rules, texts, vetoes
from tests.core.samples import PACKET, WORDS, Story


def held() -> Story:
    """A user's message waits for the judgment."""
    story = Story(policy=PREFLIGHT).begin("W", "Do it.").uses("W", 110_000).says("W", WORDS).end("W")
    assert (asked(story), story.state.preflight) == (0, True)
    return story.tell(facts.UserSubmitted(text=" next "))


def test_a_message_that_is_held_back_waits_and_its_user_is_told_why() -> None:
    """A16: no longer than the question may take."""
    story = held()
    assert (phase(story), texts(story), asked(story)) == (Phase.AWAITING_JUDGMENT, [], 1)
    assert story.wanted(Notify) == [
        Notify(
            level="status",
            text="[rawr] auto-compaction judgment: asking a model at 60 % left: no phase in particular; "
            "your message waits for it, 65 s at most",
        )
    ]


def test_with_approval_the_message_follows_the_handoff() -> None:
    story = approves(held())
    assert phase(story) is Phase.HEADS_UP_INJECTED
    story.answers("H", PACKET).compacts().begin("G", texts(story)[-1], ours=True).end("G")
    assert texts(story)[-1] == " next "


@pytest.mark.parametrize("answer", [vetoes, lambda story: fails(story.tell(facts.HoldSubmitted(until="later")))])
def test_otherwise_it_is_delivered_at_once(answer: Callable[[Story], Story]) -> None:
    story = answer(held())
    assert (phase(story), texts(story), story.state.queue) == (Phase.IDLE, [" next "], ())


def test_it_is_delivered_when_no_answer_comes() -> None:
    story = held()
    story.policy = asking(PREFLIGHT.compaction, judgment_on_error="defer")
    story.tell(facts.DeadlinePassed(name=WAIT), after=65)
    assert (phase(story), texts(story)) == (Phase.IDLE, [" next "])


def test_what_is_said_after_it_waits_behind_it() -> None:
    story = held().tell(facts.UserSubmitted(text="more"))
    assert (phase(story), texts(story)) == (Phase.AWAITING_JUDGMENT, [])
    vetoes(story)
    assert (texts(story), [one.text for one in story.state.queue]) == ([" next "], ["more"])


def test_a_held_message_follows_another_clients_turn() -> None:
    story = held().begin("U", "I was faster.")
    assert (phase(story), texts(story)) == (Phase.IDLE, [])
    story.end("U")
    assert texts(story) == [" next "]


def test_a_new_boundary_asks_anew_and_the_message_waits_on() -> None:
    kinds = replace(PREFLIGHT.compaction.asap, requires_any_boundary=("turn_complete", "phase_boundary"))
    story = held()
    story.policy = rules(PREFLIGHT, asap=kinds)
    vetoes(story.tell(facts.PhaseSubmitted(phase="draft")))
    assert (asked(story), texts(story)) == (2, [])
    assert phase(approves(story)) is Phase.HEADS_UP_INJECTED
    assert [one.text for one in story.state.queue] == [" next "]
