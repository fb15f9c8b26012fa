"""Messages that wait, and what becomes of one that is submitted now (A15, C18)."""

from msgspec.structs import replace

from rawr.core.state.sequence import Phase, Sequence
from rawr.core.vocabulary import facts
from rawr.views.queue import QueuedView, enter_does, queued_on, sequence_in_words
from tests.core.runs import in_a_sequence, in_a_turn, ordered
from tests.core.samples import AWAY, COMPACTING, IDLE, QUIET, RUNNING, SENT, Story

SAID = facts.UserSubmitted(text="And the docs.")


def test_it_says_what_a_message_waits_for() -> None:
    busy = Story(RUNNING, policy=QUIET).tell(SAID)
    assert queued_on(busy.state) == (QueuedView(busy.seq, "And the docs.", "the running turn"),)
    away = Story(AWAY, policy=QUIET).tell(SAID)
    assert [one.waits_for for one in queued_on(away.state)] == ["Codex to be connected"]
    sequence = in_a_sequence().tell(SAID)
    assert [one.waits_for for one in queued_on(sequence.state)] == ["the agent's answer to the heads-up"]
    resting = in_a_turn().tell(SAID, facts.RunPauseSubmitted()).end("T1")
    assert [one.waits_for for one in queued_on(resting.state)] == ["its run to be resumed"]


def test_a_runs_own_words_are_not_a_persons() -> None:
    assert queued_on(ordered(slots=False).state) == ()


def test_what_enter_does() -> None:
    found = (IDLE, RUNNING, AWAY, COMPACTING, SENT, in_a_sequence().state)
    assert [enter_does(one) for one in found] == ["send", "steer", "queue", "queue", "queue", "queue"]


def test_every_phase_has_words() -> None:
    base = Sequence(id="c1", phase=Phase.IDLE, since=0, tier="ready", percent=50)
    words = [sequence_in_words(replace(base, phase=phase)) for phase in Phase]
    assert all(words)
    assert len(set(words)) >= len(Phase) - 1
