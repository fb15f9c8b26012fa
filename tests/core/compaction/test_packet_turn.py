"""The packet: asked of the agent, sent back or taken; or written by rawr when it is too late (A11, A12, D2)."""

import pytest

from rawr.core.compaction import packet_turn
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import CancelDeadline, InjectPacket, InterruptTurn, Notify, StartCompaction, StartTurn
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import (
    OWN,
    SCRATCH,
    SHIPPED,
    WALKS,
    WATCHER,
    asked,
    handed,
    handoffs,
    injected,
    noted,
    phase,
    rules,
    texts,
)
from tests.core.samples import GOLDEN, PACKET, WORDS, Story, decided

# -- what the agent is asked ----------------------------------------------------------------------------------------


def test_notes_come_before_the_packet() -> None:
    """B5, A17: one order for what is asked before a compaction."""
    story = noted()
    assert "Append your notes" in texts(story)[-1]
    assert ".scratch/agent-t.scratch.md" in texts(story)[-1]
    story.answers("S", "Noted.")
    assert texts(story)[-1] == GOLDEN.prompts.packet_request
    story.answers("P", PACKET).compacts()
    assert "Your notes are in .scratch/agent-t.scratch.md." in handoffs(story)[0]


def test_an_emergency_skips_the_notes() -> None:
    """A17."""
    story = decided(policy=rules(scratch_write_enabled=True, soft_landing=False), tokens=235_000)
    assert texts(story)[0].endswith(GOLDEN.prompts.packet_request)
    story.answers("H", PACKET).compacts()
    assert "Your notes" not in handoffs(story)[0]


def test_without_room_for_a_turn_heads_up_and_packet_go_into_the_history() -> None:
    """A10, A12."""
    story = decided(policy=rules(SHIPPED, soft_landing=False), tokens=255_000)
    [packet] = story.wanted(InjectPacket)
    assert "Heads-up" in packet.heads_up
    assert packet.text.startswith("[rawr] Continuation packet, written by rawr")
    assert (texts(story), phase(story)) == ([], Phase.AWAITING_PACKET)
    assert phase(injected(story)) is Phase.COMPACTING


def test_no_compaction_without_a_packet() -> None:
    """A13: it starts only when one exists."""
    for story in (decided(), asked(), noted(), decided(policy=WATCHER).answers("H", "I wait.")):
        assert story.wanted(StartCompaction) == []


def test_a_packet_that_lacks_something_goes_back_once() -> None:
    """D2: and is then taken as it is; what it lacks is in the record."""
    plan = facts.PlanUpdated(turn="W", steps=(PlanStep("paint it blue", "pending"),))
    story = Story().begin("W", "Do it.").tell(plan, facts.PhaseSubmitted(phase="research"))
    story.uses("W", 100_000).says("W", WORDS).end("W").answers("H", PACKET)
    assert "The open plan step “paint it blue” is not mentioned." in texts(story)[-1]
    story.answers("P", PACKET)
    assert [one for one in story.reasons() if one.value.startswith("packet.")] == [
        Reason.PACKET_RETURNED_CHECK,
        Reason.PACKET_TAKEN_INCOMPLETE,
    ]
    assert "plan, to do: “paint it blue”" in handoffs(story.compacts())[0]


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_a_reply_that_is_no_packet_is_replaced_by_rawrs(status: facts.TurnStatus) -> None:
    """A12: labelled as written by rawr, in the history and in the handoff."""
    story = decided(policy=rules(SHIPPED, packet_corrections=0)).answers("H", "No.", status=status)
    assert story.reasons()[-2:] == [Reason.PACKET_FAILED_TURN, Reason.PACKET_WRITTEN_WATCHER]
    injected(story).compacts()
    [handoff] = handoffs(story)
    assert "written by rawr before the compaction" in handoff
    assert "The agent did not write it." in handoff


@pytest.mark.parametrize("code", ["refused", "lost", "timed_out"])
def test_a_packet_that_cannot_be_put_into_the_history_is_carried_by_the_handoff(code: facts.FailureCode) -> None:
    """A12."""
    story = decided(policy=WATCHER).answers("H", "I wait.")
    story.tell(facts.EffectFailed(effect=story.name(InjectPacket), problem="no", code=code))
    assert "Written by rawr." in handoffs(story.compacts())[0]


# -- too late, and a person who takes over --------------------------------------------------------------------------


def test_when_the_agents_time_is_over_rawr_writes_the_packet() -> None:
    """A12: its turn is ended first."""
    story = asked().tell(facts.DeadlinePassed(name=packet_turn.DEADLINE), after=240)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="H")]
    assert (phase(story), story.wanted(InjectPacket)) == (Phase.AWAITING_PACKET, [])
    story.end("H", "interrupted")
    assert Reason.COMPACT_CANCELLED_PERSON not in story.reasons()
    assert len(story.wanted(InjectPacket)) == 1
    assert len(handoffs(injected(story).compacts())) == 1


def test_before_its_time_nothing_is_cut_off() -> None:
    story = asked().tell(facts.DeadlinePassed(name=packet_turn.DEADLINE), after=30)
    assert story.wanted(InterruptTurn) == []
    assert story.reasons()[-1] is Reason.IGNORED_STALE_DEADLINE


def test_the_deadline_is_off_once_there_is_a_packet() -> None:
    """B5: every wait is timed in one place."""
    story = asked()
    assert [(one.name, one.at - story.at) for one in story.state.deadlines] == [(packet_turn.DEADLINE, 240_000)]
    story.says("H", PACKET).end("H")
    assert CancelDeadline(name=packet_turn.DEADLINE) in story.wanted(CancelDeadline)
    assert [one.name for one in story.state.deadlines] == ["compaction"]


def test_every_request_has_its_own_time() -> None:
    """B5: notes that do not come are gone without; the packet follows."""
    story = noted()
    assert [(one.name, one.at - story.at) for one in story.state.deadlines] == [(packet_turn.DEADLINE, 180_000)]
    story.begin("S", texts(story)[-1], ours=True).tell(facts.DeadlinePassed(name=packet_turn.DEADLINE), after=180)
    assert story.reasons()[-1] is Reason.SCRATCH_FAILED_DEADLINE
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="S")]
    story.end("S", "interrupted")
    assert (texts(story)[-1], phase(story)) == (GOLDEN.prompts.packet_request, Phase.AWAITING_PACKET)


@pytest.mark.parametrize("policy", [GOLDEN, OWN, WATCHER, SCRATCH])
def test_a_heads_up_that_is_never_shown_holds_nothing_up(policy: Policy) -> None:
    """B5: the sequence goes on when its time is over, and a message that waits gets through."""
    story = decided(policy=policy).tell(facts.UserSubmitted(text="hello"))
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="no", code="refused"))
    for _ in range(4):
        story.tell(facts.DeadlinePassed(name=packet_turn.DEADLINE), after=300)
        if story.wanted(InjectPacket):
            injected(story)
            break
        story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="no", code="refused"))
    handed(story.compacts()).end("G")
    assert texts(story)[-1] == "hello"


def test_a_persons_turn_is_not_ended_for_a_packet() -> None:
    """A7, B5: what was asked waits behind it."""
    story = decided(policy=OWN).begin("U", "I was faster.")
    story.tell(facts.DeadlinePassed(name=packet_turn.DEADLINE), after=300)
    assert story.wanted(InterruptTurn) == []
    assert [one.name for one in story.state.deadlines] == [packet_turn.DEADLINE]


@pytest.mark.parametrize("walk", ["cancelled at the heads-up", "cancelled at the notes", "cancelled at the packet"])
def test_a_person_who_interrupts_cancels_the_sequence(walk: str) -> None:
    """A9: nothing is compacted, they are told so, and their next message goes out at once."""
    story = WALKS[walk]()
    assert story.state.sequence is None
    assert (story.wanted(StartCompaction), story.state.deadlines) == ([], ())
    assert story.wanted(Notify)[-1].text == "[rawr] interrupted; not compacting for now."
    story.tell(facts.UserSubmitted(text="Do this instead."))
    assert texts(story)[-1] == "Do this instead."
