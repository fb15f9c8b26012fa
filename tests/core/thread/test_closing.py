"""A thread that Codex lets go of, whatever its run was doing: the run rests with a reason, nothing raises (B1, C5)."""

from collections.abc import Callable
from functools import partial
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.kernel import Kernel, worth_keeping
from rawr.core.run import ending
from rawr.core.state.run import GuidanceStage
from rawr.core.state.sequence import Phase
from rawr.core.state.thread import ThreadState
from rawr.core.step import step
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import CancelDeadline, InjectPacket, Notify, ResumeThread, StartCompaction
from tests.core.guidance.stories import at
from tests.core.judged import JUDGED, approves
from tests.core.runs import BACK, GOLDEN, STARTED, WAITING, Auto, handed_off, in_a_sequence, in_a_turn, waiting_for
from tests.core.samples import AT, IDLE, PACKET, QUIET, WORDS, Story
from tests.core.strategies import values

RESUME = facts.RunResumed()
HOW = ("closed", "archived", "deleted")
WHY = {"closed": "run.paused.closed", "archived": "run.paused.archived", "deleted": "run.failed.deleted"}
STAGES: tuple[GuidanceStage, ...] = ("route", "research", "understand", "plan", "direct", "decide")


def _scratch() -> Auto:
    policy = replace(GOLDEN, compaction=replace(GOLDEN.compaction, scratch_write_enabled=True))
    story = in_a_turn(policy=policy)
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000).says("T1", WORDS).end("T1")
    story.answers("H", "Understood.")
    return story


def _judgment() -> Auto:
    story = in_a_turn(policy=replace(JUDGED, watch_repositories=False))
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000).says("T1", WORDS).end("T1")
    return story


def _packet_asked() -> Auto:
    story = in_a_sequence()
    story.begin("P", story.sent[-1], ours=True)
    return story


def _packet_written() -> Auto:
    """By rawr, because the agent's turn came to nothing; it is being put into the history."""
    story = in_a_sequence()
    story.answers("P", "No.", status="failed")
    assert story.wanted(InjectPacket)
    return story


def _compacting() -> Auto:
    story = in_a_sequence()
    story.answers("P", PACKET)
    assert story.wanted(StartCompaction)
    return story


def _compaction_turn() -> Auto:
    story = _compacting()
    story.tell(facts.EffectSucceeded(effect=story.name(StartCompaction)), facts.TurnStarted(turn="C"))
    return story


def _handing_off() -> Auto:
    return handed_off(in_a_sequence())


STORIES: dict[str, Callable[[], Auto]] = {
    **{f"waits for {what}": partial(waiting_for, what) for what in WAITING},
    **{f"guidance, {stage}": partial(at, stage) for stage in STAGES},
    "AwaitingJudgment": _judgment,
    "judged": lambda: _then(_judgment(), approves),
    "HeadsUpInjected": in_a_sequence,
    "AwaitingScratch": _scratch,
    "AwaitingPacket": _packet_asked,
    "AwaitingPacket, written by rawr": _packet_written,
    "Compacting": _compacting,
    "Compacting, in its turn": _compaction_turn,
    "HandoffPending": _handing_off,
    "pause asked": lambda: _then(in_a_turn(), lambda story: story.tell(facts.RunPauseSubmitted())),
    "stop asked": lambda: _then(in_a_turn(), lambda story: story.tell(facts.RunStopSubmitted())),
    "away": lambda: _then(in_a_turn(), lambda story: story.tell(facts.ServerLost(epoch=1, problem="gone"))),
}
"""A run in everything that it can wait for, and in every phase of a sequence."""


def _then(story: Auto, more: Callable[[Auto], object]) -> Auto:
    more(story)
    return story


def test_every_phase_is_among_them() -> None:
    phases = {story().state.sequence.phase for story in STORIES.values() if story().state.sequence is not None}  # type: ignore[union-attr]
    assert phases == set(Phase) - {Phase.IDLE, Phase.ASSESSING}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", STORIES)
def test_the_run_rests_with_a_reason(name: str, how: str) -> None:
    """C5, C13: nothing is begun on a thread that is gone, no deadline is left, and it can be taken up again."""
    story = STORIES[name]()
    joined = len(story.wanted(ResumeThread))
    assert story.run.active
    story.tell(facts.ThreadClosed(how=how))  # type: ignore[arg-type]
    gone = how == "deleted"
    assert story.ended == ("failed" if gone else "paused", WHY[how])
    assert ("codex unarchive t" in (story.run.stop.detail if story.run.stop else "")) == (how == "archived")
    assert all(isinstance(one.effect, Notify | CancelDeadline) for one in story.newest.effects)
    state = story.state
    assert (state.closed, state.sequence, state.compacting, state.turn) == (True, None, None, None)
    assert (state.deadlines, state.queue, state.sent, state.asking, state.requests) == ((), (), (), (), ())
    story.tell(RESUME)
    assert (story.run.waiting, state.closed) == ("resume", True)
    assert (story.state.closed, len(story.wanted(ResumeThread)) - joined) == (False, 1)
    refused = facts.EffectFailed(effect=story.name(ResumeThread), problem="session t is archived", code="refused")
    story.tell(refused)
    assert story.ended == ("failed", "run.failed.thread")
    assert story.run.stop is not None
    assert story.run.stop.detail == "session t is archived"


@pytest.mark.parametrize("how", ["archived", "deleted"])
def test_the_turn_that_is_interrupted_for_it_was_not_interrupted_by_a_person(how: str) -> None:
    """C5: Codex ends the turn, and says a few milliseconds later what was done to the thread."""
    story = in_a_turn()
    story.state = replace(story.state, shared=True)
    story.breaks("T1", "interrupted")
    assert story.run.active
    story.tell(facts.ThreadClosed(how=how), after=0)  # type: ignore[arg-type]
    assert story.ended == ("failed" if how == "deleted" else "paused", WHY[how])
    assert (story.state.put_away, story.state.deadlines) == (how, ())


def test_if_the_thread_is_still_there_it_was_a_person() -> None:
    """C5: on a thread that others have, this is known half a second later, and nothing is begun until then."""
    story = in_a_turn()
    story.state = replace(story.state, shared=True)
    said = len(story.sent)
    story.breaks("T1", "interrupted").tell(facts.DeadlinePassed(name=ending.CLOSING))
    assert (story.ended, len(story.sent)) == (("paused", "run.paused.interrupted"), said)


@pytest.mark.parametrize(("code", "how"), [("archived", "archived"), ("missing", "deleted")])
def test_what_was_done_to_it_while_rawr_was_away_is_said_as_well(code: facts.FailureCode, how: str) -> None:
    """C5, C13: the thread cannot be joined, and Codex says why."""
    story = in_a_turn().tell(STARTED, BACK, RESUME)
    story.tell(facts.EffectFailed(effect=story.name(ResumeThread), problem="it is not there", code=code))
    assert story.ended == ("failed" if how == "deleted" else "paused", WHY[how])
    assert (story.state.closed, story.state.put_away) == (True, how)


@pytest.mark.parametrize(
    ("how", "said"), [("archived", "archived in Codex; `codex unarchive t`"), ("deleted", "deleted")]
)
def test_where_no_run_says_so_rawr_does(how: str, said: str) -> None:
    """D1: beside a person's own Codex."""
    story = Story(replace(IDLE, ours=False, turns=1)).tell(facts.ThreadClosed(how=how))  # type: ignore[arg-type]
    assert said in story.wanted(Notify)[-1].text


def test_a_run_goes_on_once_its_thread_is_back() -> None:
    """C13: unarchived, say; the agent is told to go on where it was."""
    story = in_a_turn().tell(facts.ThreadClosed(how="archived"), RESUME)
    said = len(story.sent)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="T1", last_status="interrupted"))
    story.tell(facts.EffectSucceeded(effect=story.name(ResumeThread), result="t"))
    assert (story.run.waiting, len(story.sent)) == ("turn", said + 1)


def test_after_a_restart_too() -> None:
    story = in_a_turn().tell(facts.ThreadClosed(), STARTED, BACK)
    assert story.wanted(ResumeThread) == []
    story.tell(RESUME)
    assert len(story.wanted(ResumeThread)) == 1


def test_a_closed_thread_stays_in_memory_only_with_its_run() -> None:
    """Whoever waits for the run is told how it ended; a thread that nobody waits for is let go of."""
    kernel = Kernel(QUIET)
    plain = ThreadState("u", closed=True)
    with_run = replace(in_a_turn().tell(facts.ThreadClosed()).state, id="t")
    kernel.threads = {"t": with_run, "u": plain}
    assert (worth_keeping(with_run), worth_keeping(plain)) == (True, False)
    kernel.forget("t")
    kernel.forget("u")
    assert list(kernel.threads) == ["t"]


@pytest.mark.parametrize("kind", get_args(facts.AnyFact), ids=lambda kind: kind.__name__)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_every_fact_has_a_meaning_in_all_of_them(kind: type[facts.AnyFact], data: st.DataObject) -> None:
    """B1: and again once the thread is closed. No fact from outside breaks an assertion."""
    fact = data.draw(values(kind))
    for story in _STATES:
        for state in (story.state, _closed(story)):
            named = _about(fact, state, data)
            step(state, facts.Recorded(1_000, max(story.at, AT) + 1, "t", named), story.policy)


def _closed(story: Auto) -> ThreadState:
    return step(story.state, facts.Recorded(999, story.at, "t", facts.ThreadClosed()), story.policy).state


def _about(fact: facts.AnyFact, state: ThreadState, data: st.DataObject) -> facts.AnyFact:
    """The same fact about something that the state knows: a turn, an effect, a deadline, a question."""
    turns = [state.turn.id] if state.turn is not None else []
    turns += list(state.ended)
    sequence, run = state.sequence, state.run
    effects = [one.effect for one in state.sent] + [one.effect for one in state.asking]
    effects += [state.compacting.effect] if state.compacting is not None else []
    effects += [sequence.injecting] if sequence is not None and sequence.injecting else []
    effects += [one for one in (run.check, run.review) if one] if run is not None else []
    known = {"turn": turns, "effect": effects, "name": [one.name for one in state.deadlines]}
    for field, options in known.items():
        if options and hasattr(fact, field) and not isinstance(fact, facts.PhaseSubmitted):
            fact = replace(fact, **{field: data.draw(st.sampled_from(options))})
    return fact


_STATES = [story() for story in STORIES.values()]
