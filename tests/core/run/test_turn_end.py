"""Full Auto: what follows the end of a turn, whoever ended it, and through a compaction (C1–C9)."""

import pytest

from rawr.core.run.ending import RETRY
from rawr.core.state.run import Waiting
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import FindMessage, InterruptTurn, StartCompaction, StartTurn
from tests.core.runs import (
    BACK,
    DONE,
    DOWN,
    GOLDEN,
    JOINED,
    LOST,
    STOP,
    handed_off,
    in_a_sequence,
    in_a_turn,
    waiting_for,
)
from tests.core.samples import PACKET, WINDOW

# -- a person interrupts ----------------------------------------------------------------------------------------------


def test_a_turn_that_a_person_interrupts_pauses_the_run() -> None:
    """C5."""
    story = in_a_turn().tell(facts.InterruptSubmitted())
    story.end("T1", "interrupted")
    assert story.state.queue == ()
    assert story.ended == ("paused", "run.paused.interrupted")


# -- sequences ------------------------------------------------------------------------------------------------------


def test_the_handoff_sends_the_agent_on_and_its_turn_is_decided_like_any() -> None:
    """C1, A14: one message, not two; and the turns of a sequence are none of the run's."""
    story = in_a_sequence()
    assert (story.run.waiting, story.run.turns) == ("sequence", 1)
    handed_off(story)
    assert (len(story.sent), story.run.turns) == (3, 1)
    story.works("G", DONE)
    assert (story.ended, story.run.turns) == (("done", "run.done.reported"), 2)


def test_a_finished_job_is_not_compacted_and_sent_on() -> None:
    """C7."""
    story = in_a_turn(policy=GOLDEN)
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000).says("T1", DONE).end("T1")
    assert story.ended[0] == "done"
    assert (story.state.sequence, len(story.sent)) == (None, 1)


def test_a_compaction_that_fails_does_not_end_the_run_and_counts_as_no_turn() -> None:
    """C1, A13: the agent is sent on once."""
    story = in_a_sequence()
    story.answers("P", PACKET)
    story.tell(facts.EffectSucceeded(effect=story.name(StartCompaction)), facts.TurnStarted(turn="C"))
    story.tell(facts.TurnCompleted(turn="C", status="failed", problem=DOWN))
    assert (story.run.waiting, story.run.turns, story.state.queue) == ("turn", 1, ())
    assert len([text for text in story.sent if text.startswith("[rawr r")]) == 1


@pytest.mark.parametrize("code", ["refused", "lost", "timed_out"])
def test_a_compaction_that_cannot_begin_leaves_nobody_waiting(code: facts.FailureCode) -> None:
    """A13: where nobody knows whether it has begun, its deadline tells."""
    story = in_a_sequence()
    story.answers("P", PACKET)
    story.tell(facts.EffectFailed(effect=story.name(StartCompaction), problem="no", code=code))
    if story.state.compacting is not None:
        story.tell(facts.DeadlinePassed(name="compaction"), after=600)
    assert story.run.waiting == "turn"
    assert story.sent[-1].startswith("[rawr r")


def test_a_handoff_that_cannot_be_delivered_leaves_nobody_waiting() -> None:
    """A14: the run sends the agent on itself."""
    story = handed_off(in_a_sequence())
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="no", code="refused"))
    assert story.state.sequence is None
    assert story.run.waiting == "turn"
    assert story.sent[-1].startswith("[rawr r")


def test_a_handoff_whose_turn_ended_unseen_leaves_nobody_waiting() -> None:
    """A14, D5: it stands in Codex's history, and nobody saw what came of it."""
    story = handed_off(in_a_sequence()).tell(LOST, BACK, JOINED)
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="G"))
    assert (story.state.sequence, story.run.waiting) == (None, "turn")
    assert story.sent[-1].startswith("[rawr r")


def test_a_person_who_interrupts_a_sequence_has_the_run_paused() -> None:
    """C5."""
    story = in_a_sequence()
    story.answers("P", PACKET, status="interrupted")
    assert story.ended == ("paused", "run.paused.interrupted")
    assert story.state.sequence is None


def test_a_person_who_interrupts_the_compaction_has_the_run_paused() -> None:
    """C5."""
    story = in_a_sequence()
    story.answers("P", PACKET)
    story.tell(facts.TurnStarted(turn="C"), facts.TurnCompleted(turn="C", status="interrupted"))
    assert story.ended == ("paused", "run.paused.interrupted")
    assert story.state.queue == ()


def test_a_stop_after_the_compaction_waits_for_the_handoff_and_no_longer() -> None:
    """C5, A14: a compaction without its handoff would cost the agent what it knew."""
    story = in_a_sequence()
    story.answers("P", PACKET).tell(STOP)
    assert story.cuts == 0
    story.compacts()
    story.begin("G", story.sent[-1], ours=True).uses("G", 21_000)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="G")]
    story.end("G", "interrupted")
    assert story.ended == ("stopped", "run.stopped.person")


def test_a_check_that_failed_is_not_forgotten_over_a_compaction() -> None:
    """C7: the note follows the handoff."""
    story = in_a_turn(policy=GOLDEN, done="make check")
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000)
    story.says("T1", f"{'A long report. ' * 9}\n{DONE}").end("T1")
    assert story.run.waiting == "check"
    story.checks(1, output="two tests fail")
    assert story.state.sequence is not None
    handed_off(story).works("G", "On.")
    assert "two tests fail" in story.sent[-1]


def test_a_soft_landing_is_part_of_the_run() -> None:
    """A19."""
    story = in_a_turn(policy=GOLDEN)
    story.uses("T1", WINDOW - 1_000)
    assert story.state.sequence is not None
    assert story.state.sequence.landing
    steered = next(one.id for one in story.effects if type(one.effect).__name__ == "SteerTurn")
    shown = items.UserMessage(id="u", text="…", client_id=steered)
    story.tell(facts.ItemCompleted(turn="T1", item=shown)).says("T1", PACKET).end("T1")
    story.compacts()
    story.works("G")
    assert (story.run.waiting, story.run.turns) == ("turn", 1)


def test_a_soft_landing_that_comes_to_nothing_leaves_nobody_waiting() -> None:
    """A19: its compaction never ends."""
    story = in_a_turn(policy=GOLDEN)
    story.uses("T1", WINDOW - 1_000)
    steered = next(one.id for one in story.effects if type(one.effect).__name__ == "SteerTurn")
    shown = items.UserMessage(id="u", text="…", client_id=steered)
    story.tell(facts.ItemCompleted(turn="T1", item=shown)).says("T1", PACKET).end("T1")
    story.tell(facts.DeadlinePassed(name="compaction"), after=600)
    assert (story.state.sequence, story.run.waiting) == (None, "turn")
    assert story.sent[-1].startswith("[rawr r")


def test_codex_may_compact_by_itself_in_the_middle() -> None:
    """A19: the record goes into the turn, and its end is decided like any."""
    story = in_a_turn(policy=GOLDEN)
    story.runs("T1", "make")
    compaction = items.Compaction(id="c")
    story.tell(facts.ItemStarted(turn="T1", item=compaction), facts.ItemCompleted(turn="T1", item=compaction))
    steered = next(one.id for one in story.effects if type(one.effect).__name__ == "SteerTurn")
    shown = items.UserMessage(id="u", text="…", client_id=steered)
    story.tell(facts.ItemCompleted(turn="T1", item=shown)).says("T1", "On.").end("T1")
    assert (story.run.waiting, story.run.turns) == ("turn", 1)


@pytest.mark.parametrize("what", ["slot", "check", "retry"])
def test_a_compaction_of_somebody_else_changes_nothing(what: Waiting) -> None:
    """C1: it is no turn of the run, and no reason to go on."""
    story = waiting_for(what)
    said, turns = len(story.sent), story.run.turns
    item = items.Compaction(id="c")
    story.tell(facts.TurnStarted(turn="X"), facts.ItemStarted(turn="X", item=item))
    story.tell(facts.ItemCompleted(turn="X", item=item)).end("X")
    assert (story.run.waiting, len(story.sent), story.run.turns) == (what, said, turns)


# -- somebody else's turn ---------------------------------------------------------------------------------------------


def test_a_retry_is_not_waited_for_once_another_turn_went_well() -> None:
    """C5: whoever asked for it, Codex answers again."""
    story = waiting_for("retry")
    story.begin("U", "Are you there?").says("U", "Yes.").end("U")
    assert (story.run.waiting, story.deadlines, len(story.sent)) == ("turn", (), 2)


def test_a_limit_is_waited_for_whoever_had_a_turn_meanwhile() -> None:
    """C12."""
    story = waiting_for("limit")
    story.begin("U", "Are you there?").says("U", "Yes.").end("U")
    assert story.run.waiting == "limit"
    assert [one.name for one in story.deadlines] == [RETRY]
    assert len(story.sent) == 1
