"""The packet: asked of the agent, sent back or taken; or written by rawr when it is too late (A11, A12, D2)."""

import pytest

from rawr.core.compaction import packet_turn
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import (
    CancelDeadline,
    InjectPacket,
    InterruptTurn,
    Notify,
    StartCompaction,
    StartTurn,
    SteerTurn,
)
from rawr.core.vocabulary.facts import PlanStep, StepStatus
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
    looked,
    noted,
    phase,
    rules,
    texts,
)
from tests.core.samples import GOLDEN, PACKET, WORDS, Story, decided, worked

WROTE = facts.ItemCompleted(
    turn="S", item=items.Command(id="w", command="cat >> notes", cwd="/project", status="completed", exit_code=0)
)

# -- what the agent is asked ----------------------------------------------------------------------------------------


def test_notes_come_before_the_packet() -> None:
    """B5, A17: one order for what is asked before a compaction."""
    story = noted()
    assert "Append your notes" in texts(story)[-1]
    assert ".scratch/agent-t.scratch.md" in texts(story)[-1]
    story.begin("S", texts(story)[-1], ours=True).tell(WROTE).says("S", "Noted.").end("S")
    assert texts(story)[-1] == GOLDEN.prompts.packet_request
    story.answers("P", PACKET).compacts()
    assert "Your notes are in .scratch/agent-t.scratch.md." in handoffs(story)[0]


@pytest.mark.parametrize("end", ["words", "failed", "late", "refused"])
def test_notes_that_were_not_written_are_not_spoken_of(end: str) -> None:
    """A17: the agent only said so, its turn failed or took too long, or Codex did not take the request."""
    story = noted()
    late = facts.DeadlinePassed(name=packet_turn.DEADLINE)
    if end == "refused":
        story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="no", code="refused"))
        story = injected(story).compacts()
    else:
        story.begin("S", texts(story)[-1], ours=True)
        if end == "late":
            story.tell(late, after=180).end("S", "interrupted")
        else:
            story.says("S", "Noted.").end("S", "failed" if end == "failed" else "completed")
        story.answers("P", PACKET).compacts()
    assert len(handoffs(story)) == 1
    assert "Your notes" not in handoffs(story)[0]


# -- rawr as the author ---------------------------------------------------------------------------------------------

BY_RAWR = rules(SHIPPED, packet_author="watcher")


def plan(first: StepStatus, second: StepStatus) -> tuple[PlanStep, ...]:
    return PlanStep("first", first), PlanStep("second", second)


PLANS = (
    ("A", plan("in_progress", "pending"), plan("completed", "in_progress")),
    ("B", plan("completed", "completed")),
)
"""Two stretches, and how the plan went in each."""


def test_rawrs_packet_quotes_the_last_words_of_work() -> None:
    """A12: not the answer to its own heads-up, which does not ask for a packet."""
    story = decided(policy=BY_RAWR)
    assert "You need not write one" in texts(story)[-1]
    assert "you write a continuation packet" not in texts(story)[-1]
    story.answers("H", "Ok, waiting.")
    [packet] = story.wanted(InjectPacket)
    assert WORDS in packet.text
    assert "Ok, waiting." not in packet.text


def test_a_turn_that_is_landed_for_rawrs_packet_is_asked_to_stop_and_for_nothing_more() -> None:
    """A12, A19: the words before the request are the last ones of work."""
    story = Story(policy=BY_RAWR).begin("W", "Do it.").says("W", "The parser is half way through.").runs("W", "ls")
    story.uses("W", 255_000)
    [steer] = story.wanted(SteerTurn)
    assert "packet" not in steer.text
    item = items.UserMessage(id="s", text=steer.text, client_id=story.name(SteerTurn))
    story.tell(facts.ItemCompleted(turn="W", item=item)).says("W", "I stopped.").end("W")
    [packet] = story.wanted(InjectPacket)
    assert "The parser is half way through." in packet.text
    assert "I stopped." not in packet.text
    assert Reason.PACKET_RETURNED_CHECK not in story.reasons()


def test_rawrs_packet_is_about_this_stretch_and_ends_with_the_directive_to_continue() -> None:
    """A12: what was done before the last compaction is in the record of the handoff, not in the packet's state."""
    story = Story(policy=rules(BY_RAWR, cooldown_turns=0, cooldown_seconds=0))
    for name, *steps in PLANS:
        for plan in steps:
            story.tell(facts.PlanUpdated(turn=name, steps=plan))
        worked(story, turn=name)
        injected(story.answers(f"H{name}", "Ok.")).compacts(f"C{name}")
        handed(story, f"G{name}").says(f"G{name}", "On it.").end(f"G{name}")
    first, second = (one.text for one in story.wanted(InjectPacket))
    assert ("“first”" in first, "“first”" in second, "“second”" in second) == (True, False, True)
    assert second.rstrip().endswith("If the goal needs more than the plan, continue now with that.")


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


# -- a user who speaks meanwhile ------------------------------------------------------------------------------------

TYPED = facts.ItemCompleted(turn="H", item=items.UserMessage(id="t", text="And mind the tests.", client_id=""))


def cut_in(first: str, then: str) -> Story:
    """The user types into the turn in which the packet is written."""
    story = decided(policy=SHIPPED)
    return story.begin("H", texts(story)[-1], ours=True).says("H", first).tell(TYPED).says("H", then).end("H")


def test_a_packet_from_before_the_users_words_is_taken() -> None:
    """A15: the answer to them is no packet, and needs no correction."""
    story = looked(cut_in(PACKET, "I mind them.")).compacts()
    assert Reason.PACKET_TAKEN_AGENT in story.reasons()
    [handoff] = handoffs(story)
    assert "Write the draft." in handoff
    assert "comes first:\n\n```\nAnd mind the tests.\n```" in handoff


def test_a_packet_that_the_users_words_kept_from_being_written_is_asked_for_again() -> None:
    """A12, A15: once, as a request and not as a correction; then rawr writes it."""
    story = cut_in("One moment.", "I mind them.")
    assert texts(story)[-1] == SHIPPED.prompts.packet_request
    assert story.reasons()[-2:] == [Reason.PACKET_ASKED_AGAIN, Reason.TURN_STARTED_SEQUENCE]
    assert "And mind the tests." in handoffs(looked(story.answers("P", PACKET)).compacts())[0]


def test_what_the_agent_did_about_them_belongs_in_the_packet() -> None:
    """D2: a packet from before a change of files is out of date."""
    story = decided(policy=SHIPPED)
    story.begin("H", texts(story)[-1], ours=True).says("H", PACKET).tell(TYPED)
    change = items.FileChange(id="f", status="completed", changes=(items.Change("tests/new.py", "add"),))
    story.tell(facts.ItemCompleted(turn="H", item=change)).says("H", "I mind them.").end("H")
    assert Reason.PACKET_ASKED_AGAIN in story.reasons()


def test_a_turn_with_a_users_words_in_it_is_not_cut_short() -> None:
    """A15: only they may end it."""
    story = decided(policy=SHIPPED)
    story.begin("H", texts(story)[-1], ours=True).tell(TYPED)
    story.tell(facts.DeadlinePassed(name=packet_turn.DEADLINE), after=240)
    assert story.wanted(InterruptTurn) == []
    assert packet_turn.DEADLINE in [one.name for one in story.state.deadlines]


def test_a_heads_up_that_codex_put_into_a_users_turn_is_one_of_theirs() -> None:
    """A15: they spoke first, and the answer to them is no packet."""
    story = decided(policy=SHIPPED)
    theirs = items.UserMessage(id="t", text="And mind the tests.", client_id="")
    ours = items.UserMessage(id="o", text=texts(story)[-1], client_id=story.name(StartTurn))
    story.tell(facts.TurnStarted(turn="H"), facts.ItemCompleted(turn="H", item=theirs))
    story.tell(facts.ItemCompleted(turn="H", item=ours)).says("H", "I mind them.").end("H")
    assert Reason.PACKET_ASKED_AGAIN in story.reasons()
