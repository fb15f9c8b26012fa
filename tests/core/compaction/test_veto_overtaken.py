"""What goes before a judgment: guards of the moment, turns, messages, a lost connection (A18)."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from rawr.core.compaction import sequence
from rawr.core.draft import ThreadDraft
from rawr.core.state.sequence import Phase
from rawr.core.state.turn import TurnOutcome
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import AskModel, SetDeadline, StartCompaction, StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import phase
from tests.core.judged import (
    APPROVED,
    JUDGED,
    TOKENS,
    WAIT,
    approves,
    asked,
    awaiting,
    evidence,
    fails,
    rules,
    texts,
    vetoes,
)
from tests.core.runs import BACK, JOINED, LOST, STARTED
from tests.core.samples import WORDS, Story, worked

# -- guards of the moment -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [approves, fails])
def test_a_hold_that_was_set_meanwhile_wins(answer: Callable[[Story], Story]) -> None:
    story = answer(awaiting().tell(facts.HoldSubmitted(until="later")))
    assert (phase(story), texts(story)) == (Phase.IDLE, [])
    found = evidence(story, Reason.COMPACT_DEFERRED_GUARD)
    assert (found["outcome"], bool(found["judgment"])) == ("vetoed", True)


def test_a_veto_counts_also_where_something_else_stands_against_it_too() -> None:
    story = vetoes(awaiting().tell(facts.HoldSubmitted(until="later")))
    assert evidence(story, Reason.JUDGMENT_VETOED_MODEL)["against"] == [Reason.COMPACT_DEFERRED_GUARD.value]
    assert story.state.since.vetoed != ()


@pytest.mark.parametrize("answer", [approves, fails])
def test_a_sub_agent_that_went_to_work_meanwhile_wins(answer: Callable[[Story], Story]) -> None:
    story = answer(awaiting().tell(facts.SubAgentTurn(thread="s", running=True)))
    assert (phase(story), story.reasons()[-1]) == (Phase.IDLE, Reason.COMPACT_DEFERRED_SUBAGENT_BUSY)


@pytest.mark.parametrize("answer", [approves, fails, vetoes])
def test_switched_off_meanwhile_it_acts_no_more(answer: Callable[[Story], Story]) -> None:
    story = awaiting()
    story.policy = rules(enabled=False)
    assert (phase(answer(story)), texts(story)) == (Phase.IDLE, [])


def test_the_mode_of_the_moment_counts() -> None:
    story = awaiting()
    story.policy = rules(mode="tag")
    assert (phase(approves(story)), story.reasons()[-1]) == (Phase.IDLE, Reason.COMPACT_TAGGED_BOUNDARY)


def test_the_tier_of_the_moment_counts() -> None:
    """Asked in ready, where an error defers; answered in asap, where it does not."""
    story = fails(awaiting("ready").uses("W", TOKENS["asap"]))
    assert phase(story) is Phase.HEADS_UP_INJECTED
    assert story.state.sequence is not None
    assert story.state.sequence.tier == "asap"


def test_in_an_emergency_the_answer_is_not_waited_for() -> None:
    story = awaiting(policy=rules(soft_landing=False)).uses("W", TOKENS["emergency"])
    assert (phase(story), story.state.asking, [one.name for one in story.state.deadlines]) == (
        Phase.HEADS_UP_INJECTED,
        (),
        ["pre_compact"],
    )
    assert evidence(story, Reason.JUDGMENT_DROPPED_EMERGENCY)["tier"] == "asap"
    assert evidence(story, Reason.COMPACT_DECIDED_EMERGENCY)["judgment"] is None
    assert phase(vetoes(story)) is Phase.HEADS_UP_INJECTED
    assert story.reasons()[-1] is Reason.IGNORED_STALE_OPINION


def test_an_answer_that_finds_an_emergency_is_not_heeded() -> None:
    """The thread came back fuller than it was left."""
    story = awaiting(policy=rules(soft_landing=False)).tell(LOST).uses("W", TOKENS["emergency"])
    assert phase(vetoes(story)) is Phase.AWAITING_JUDGMENT
    story.tell(BACK, JOINED)
    assert phase(story) is Phase.HEADS_UP_INJECTED


# -- what goes before it --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fact",
    [
        facts.TurnStarted(turn="U"),
        facts.ItemCompleted(turn="U", item=items.AgentMessage(id="a", text="Hello.")),
        facts.ItemStarted(turn="U", item=items.Compaction(id="c")),
    ],
    ids=lambda fact: type(fact).__name__,
)
def test_a_turn_that_begins_is_the_end_of_the_question(fact: facts.AnyFact) -> None:
    """Another client was faster. What a model says of before is recorded and dropped."""
    story = awaiting().tell(fact)
    assert (phase(story), story.state.asking) == (Phase.IDLE, ())
    assert WAIT not in [one.name for one in story.state.deadlines]
    assert Reason.JUDGMENT_DROPPED_TURN in story.reasons()
    approves(story)
    assert (phase(story), story.reasons()[-1]) == (Phase.IDLE, Reason.IGNORED_STALE_OPINION)


def test_the_turn_that_came_in_between_is_assessed_like_any_other() -> None:
    story = worked(awaiting(), turn="U")
    assert (asked(story), phase(story)) == (2, Phase.AWAITING_JUDGMENT)


def test_a_turn_of_before_that_is_heard_of_late_cancels_nothing() -> None:
    """Nobody has been told of a sequence yet."""
    draft = ThreadDraft(awaiting().state, 1, 1, JUDGED)
    sequence.turn_ended(draft, TurnOutcome("W", "interrupted", 1, purpose="recovery"))
    assert (draft.state, draft.records) == (awaiting().state, ())


def test_a_turn_that_came_in_between_can_still_land_softly() -> None:
    story = awaiting().begin("U", "I was faster.").uses("U", 255_000)
    assert Reason.COMPACT_DECIDED_LANDING in story.reasons()


@pytest.mark.parametrize("fact", [facts.UserSubmitted(text=" hi "), facts.SteerSubmitted(text=" hi ")])
def test_a_users_message_does_not_wait_for_it(fact: facts.AnyFact) -> None:
    """A15: it would stand against the compaction anyway, so it goes out at once, unchanged."""
    story = awaiting().tell(fact)
    assert (texts(story), phase(story), story.state.asking) == ([" hi "], Phase.IDLE, ())
    assert Reason.JUDGMENT_DROPPED_MESSAGE in story.reasons()


@pytest.mark.parametrize("answer", [approves, vetoes, fails])
def test_a_message_that_came_back_stands_against_it(answer: Callable[[Story], Story]) -> None:
    """It could not be steered into the turn that ended; whatever the model says, the message goes first."""
    story = Story(policy=JUDGED).begin("W", "Do it.").tell(facts.SteerSubmitted(text="left"))
    steer = story.effects[-1].id
    story.tell(facts.PhaseSubmitted(phase="research")).uses("W", 100_000).says("W", WORDS).end("W")
    story.tell(facts.EffectFailed(effect=steer, problem="over", code="refused"))
    assert phase(story) is Phase.AWAITING_JUDGMENT
    assert (phase(answer(story)), texts(story)) == (Phase.IDLE, ["left"])


def test_a_message_that_may_still_start_a_turn_goes_before_it() -> None:
    """Codex has not said what became of it, and another client's turn has ended meanwhile."""
    story = Story(policy=JUDGED).tell(facts.UserSubmitted(text="hello"))
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="slow", code="timed_out"))
    approves(worked(story))
    assert (phase(story), texts(story)) == (Phase.IDLE, ["hello"])
    assert story.reasons()[-1] is Reason.JUDGMENT_DROPPED_TURN


def test_a_persons_wish_to_compact_is_not_held_up() -> None:
    story = awaiting().tell(facts.CompactionSubmitted())
    assert (phase(story), story.state.asking) == (Phase.HEADS_UP_INJECTED, ())
    assert story.reasons()[-3:-1] == [Reason.JUDGMENT_DROPPED_PERSON, Reason.COMPACT_DECIDED_SUBMITTED]
    assert phase(vetoes(story)) is Phase.HEADS_UP_INJECTED


def test_nor_is_a_wish_to_compact_with_nothing_around_it() -> None:
    story = awaiting().tell(facts.CompactionSubmitted(bare=True))
    assert (phase(story), story.state.asking, len(story.wanted(StartCompaction))) == (Phase.IDLE, (), 1)
    approves(story)
    assert (phase(story), len(story.wanted(StartCompaction))) == (Phase.IDLE, 1)


def test_a_wish_that_cannot_be_granted_leaves_the_question() -> None:
    story = awaiting().tell(LOST, facts.CompactionSubmitted())
    assert (phase(story), story.reasons()[-1]) == (Phase.AWAITING_JUDGMENT, Reason.COMPACT_DEFERRED_OFFLINE)


def test_a_thread_that_is_closed_is_not_judged() -> None:
    story = awaiting().tell(facts.ThreadClosed())
    assert (story.state.sequence, story.state.asking, story.state.deadlines) == (None, (), ())
    assert [one for one in story.reasons() if one.startswith(("judgment", "compact.audited"))] == [
        Reason.JUDGMENT_ASKED_MODEL,
        Reason.JUDGMENT_DROPPED_CLOSED,
    ]
    approves(story)
    assert story.reasons()[-1] is Reason.IGNORED_STALE_OPINION


# -- away -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "then"),
    [(approves, Phase.HEADS_UP_INJECTED), (vetoes, Phase.IDLE), (fails, Phase.HEADS_UP_INJECTED)],
)
def test_an_answer_is_acted_upon_when_codex_is_back(answer: Callable[[Story], Story], then: Phase) -> None:
    story = answer(awaiting().tell(LOST))
    assert (phase(story), story.state.asking, texts(story)) == (Phase.AWAITING_JUDGMENT, (), [])
    story.tell(BACK, replace(JOINED, last_turn="W", last_status="completed"))
    assert phase(story) is then


def test_a_connection_that_comes_back_first_changes_nothing() -> None:
    story = awaiting().tell(LOST, BACK, JOINED)
    assert phase(story) is Phase.AWAITING_JUDGMENT
    assert phase(approves(story)) is Phase.HEADS_UP_INJECTED


@pytest.mark.parametrize(
    "back",
    [
        replace(JOINED, idle=False, last_turn="U", last_status="inProgress"),
        replace(JOINED, last_turn="U", last_status="completed"),
        replace(JOINED, idle=False),
    ],
    ids=["runs", "came and went", "runs, unnamed"],
)
def test_a_turn_that_was_missed_is_the_end_of_the_question(back: facts.ThreadJoined) -> None:
    story = approves(awaiting().tell(LOST)).tell(BACK, back)
    assert (phase(story), texts(story)) == (Phase.IDLE, [])
    assert evidence(story, Reason.JUDGMENT_DROPPED_TURN)["judgment"] == APPROVED


def test_a_turn_that_runs_when_codex_is_back_is_the_end_of_the_question_too() -> None:
    """Nothing has been answered yet, and nothing will be."""
    story = awaiting().tell(LOST, BACK, replace(JOINED, idle=False))
    assert (phase(story), story.state.asking, story.state.deadlines) == (Phase.IDLE, (), ())


def test_a_turn_that_came_and_went_with_a_message_of_ours_in_doubt_is_one_too() -> None:
    story = Story(policy=JUDGED).begin("W", "Do it.").tell(facts.SteerSubmitted(text="left"))
    story.tell(facts.PhaseSubmitted(phase="research")).uses("W", 100_000).says("W", WORDS).end("W")
    approves(story.tell(LOST))
    assert phase(story) is Phase.AWAITING_JUDGMENT
    story.tell(BACK, replace(JOINED, last_turn="U", last_status="completed", last_said=WORDS))
    assert (phase(story), texts(story)) == (Phase.IDLE, [])


@pytest.mark.parametrize(("tier", "then"), [("early", Phase.IDLE), ("asap", Phase.HEADS_UP_INJECTED)])
def test_a_question_that_was_lost_at_a_restart_has_no_answer(tier: str, then: Phase) -> None:
    """D5: the tier decides, on the thread as it is found again."""
    story = awaiting(tier)
    question = story.name(AskModel)
    story.tell(STARTED, facts.EffectFailed(effect=question, problem="rawr ended", code="lost"))
    assert (phase(story), story.state.wanted) == (Phase.AWAITING_JUDGMENT, True)
    story.tell(BACK, replace(JOINED, last_turn="W", last_status="completed"))
    assert phase(story) is then


def test_its_deadline_outlives_a_restart() -> None:
    story = awaiting("early")
    due = story.state.deadlines[0]
    story.tell(STARTED)
    assert story.newest.effects[-1].effect == SetDeadline(name=WAIT, at=due.at)
