"""Standing "do not compact until …", and what a person marks and pins from outside (B3, B9, D3)."""

import pytest
from msgspec.structs import replace

from rawr.core.handover.handoff import directives
from rawr.core.state.ledger import Directive, Ledger
from rawr.core.state.sequence import MAX_GUARDS, Guard
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.payloads import PhaseOver
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import CLOSED, IDLE, RUNNING, WORDS, Story, bare, decided, why


def plain(story: Story, turn: str) -> Story:
    return story.begin(turn, "Go on.").says(turn, WORDS).end(turn)


def test_a_hold_is_kept_and_recorded() -> None:
    """B3: a guard in the state."""
    story = Story().tell(facts.HoldSubmitted(until="the release is out"), facts.HoldSubmitted(until="", turns=2))
    assert story.state.guards == (Guard("the release is out"), Guard("", 2))
    assert story.records == [
        why(Reason.HOLD_SET_SUBMITTED, until="the release is out", turns=None),
        why(Reason.HOLD_SET_SUBMITTED, until="", turns=2),
    ]


def test_a_hold_stands_against_compacting() -> None:
    """A7, B3."""
    story = decided(state=replace(IDLE, guards=(Guard("the release is out"),)))
    assert story.state.sequence is None
    assert story.reasons()[-1] is Reason.COMPACT_DEFERRED_GUARD


def test_an_emergency_goes_over_a_hold() -> None:
    """A7: the context is full either way."""
    story = decided(state=replace(IDLE, guards=(Guard("x"),)), tokens=245_000)
    assert Reason.COMPACT_DECIDED_EMERGENCY in story.reasons()


def test_all_holds_are_lifted_at_once() -> None:
    story = Story(replace(IDLE, guards=(Guard("a"), Guard("b", 3)))).tell(facts.HoldReleased())
    assert story.state.guards == ()
    assert story.records == [why(Reason.HOLD_RELEASED_SUBMITTED, released=2)]


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_a_hold_ends_when_so_many_turns_have_ended(turns: int) -> None:
    """B3: “until so many turns have ended”: at the end of the last one it is over."""
    story = Story().tell(facts.HoldSubmitted(until="later", turns=turns))
    for n in range(turns - 1):
        plain(story, f"W{n}")
        assert story.state.guards == (Guard("later", turns - n - 1),)
    plain(story, "last")
    assert story.state.guards == ()
    assert why(Reason.HOLD_RELEASED_TURNS, until="later") in story.records


def test_a_hold_without_a_number_outlives_any_turn() -> None:
    story = Story().tell(facts.HoldSubmitted(until="the release is out"))
    for n in range(5):
        plain(story, f"W{n}")
    assert story.state.guards == (Guard("the release is out"),)


def test_turns_of_rawrs_own_do_not_count() -> None:
    """A8: they are no work, and neither are turns that were cut off."""
    story = decided().tell(facts.HoldSubmitted(until="later", turns=3))
    story.answers("H", "I do not know what you mean.")
    assert story.state.guards == (Guard("later", 3),)
    cut = Story().tell(facts.HoldSubmitted(until="later", turns=3)).begin("W", "Go on.").end("W", "interrupted")
    assert cut.state.guards == (Guard("later", 3),)


def test_guards_are_bounded() -> None:
    story = Story()
    for n in range(MAX_GUARDS + 3):
        story.tell(facts.HoldSubmitted(until=str(n)))
    assert [one.until for one in story.state.guards] == [str(n) for n in range(3, MAX_GUARDS + 3)]


# -- marks and pins -------------------------------------------------------------------------------------------------


def test_a_person_marks_a_phase() -> None:
    """B9: explicit, with its source, in the turn that runs."""
    story = Story(RUNNING).tell(facts.PhaseSubmitted(phase="research"))
    payload = PhaseOver("research", by="user")
    event = BoundaryEvent("t:101~0", story.at, "t", "T1", "phase_boundary", "user", "research", payload)
    assert story.newest.boundaries == (event,)
    assert story.state.signals == bare(event)
    assert story.records == [why(Reason.PHASE_MARKED_USER, phase="research")]


def test_a_mark_between_turns_is_weighed_at_once() -> None:
    """B9, A6: it can be the boundary that was missing."""
    story = Story().begin("W", "Do it.").uses("W", 100_000).says("W", WORDS).end("W")
    assert story.reasons() == [Reason.COMPACT_SKIPPED_NO_BOUNDARY]
    begun = story.tell(facts.PhaseSubmitted(phase="research")).state.sequence
    assert begun is not None
    assert begun.ended == "phase boundary, research"


def test_a_mark_in_a_closed_thread_compacts_nothing() -> None:
    """A9, B9: there is nobody to hand over to; it is recorded all the same."""
    story = Story().begin("W", "Do it.").uses("W", 100_000).says("W", WORDS).end("W").tell(facts.ThreadClosed())
    story.tell(facts.PhaseSubmitted(phase="research"))
    assert story.state.sequence is None
    assert (story.newest.effects, story.reasons()[-1]) == ((), Reason.PHASE_MARKED_USER)


def test_a_pin_is_in_the_record_verbatim() -> None:
    """D3: at any time, and it is not the goal."""
    story = Story().tell(facts.PinSubmitted(text="  Always\nuse tabs. "))
    assert story.state.ledger == Ledger(
        directives=(Directive("  Always\nuse tabs. ", story.at, standing=True, pinned=True),)
    )
    assert directives(story.state.ledger) == "-   Always\nuse tabs. "


def test_holds_and_pins_are_taken_also_where_the_thread_is_closed() -> None:
    """B3: they are about the thread, and it may be opened again."""
    story = Story(CLOSED).tell(facts.HoldSubmitted(until="x"), facts.PinSubmitted(text="blue"))
    assert (len(story.state.guards), len(story.state.ledger.directives)) == (1, 1)
    assert story.effects == []
