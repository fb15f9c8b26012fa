"""What comes in between: a person's word, a pause, a lost connection, a compaction (C13, C15)."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from rawr.core.policy.models import Models
from rawr.core.run.ending import RETRY
from rawr.core.state.run import GuidanceStage
from rawr.core.thread.asking import DEADLINE
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import FindMessage, StartCompaction, StartReview, StartTurn
from tests.core.guidance.stories import (
    FIRST,
    GOOD,
    LOOP,
    PROMPT,
    Guided,
    after_a_turn,
    at,
    decides,
    guided,
    routes,
    understands,
)
from tests.core.runs import BACK, DONE, DOWN, GOLDEN, JOINED, LIMIT, LOST, STARTED
from tests.core.samples import PACKET, WORDS

# -- a person's word -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", FIRST)
@pytest.mark.parametrize(
    ("word", "status"),
    [
        (facts.RunPauseSubmitted(), "paused"),
        (facts.RunPauseSubmitted(now=True), "paused"),
        (facts.RunStopSubmitted(), "stopped"),
    ],
)
def test_a_pause_or_a_stop_takes_place_at_once(stage: GuidanceStage, word: facts.AnyFact, status: str) -> None:
    """C5: and what is asked is dropped."""
    story = at(stage)
    story.tell(word)
    assert (story.run.status, story.run.waiting, story.stage) == (status, "", "")
    assert (story.state.asking, story.deadlines, story.sent) == ((), (), [])
    if story.asked:
        story.hears(GOOD.get(stage))
    assert (story.run.status, story.sent) == (status, [])


@pytest.mark.parametrize("stage", list(LOOP))
@pytest.mark.parametrize("word", [facts.RunPauseSubmitted(), facts.RunStopSubmitted()])
def test_the_same_after_a_turn(stage: str, word: facts.AnyFact) -> None:
    story = LOOP[stage]()
    story.tell(word)
    assert not story.run.active
    assert (story.state.asking, story.deadlines, story.sent) == ((), (), [PROMPT])


@pytest.mark.parametrize("stage", FIRST)
def test_an_override_goes_out_after_what_was_said_first(stage: GuidanceStage) -> None:
    """What the user ordered is not lost, and the question is dropped."""
    story = at(stage)
    story.tell(facts.RunOverridden(text="Do this instead."))
    assert (story.state.asking, story.deadlines, story.stage) == ((), (), "")
    said = [PROMPT] if stage in ("route", "understand", "plan") else []
    for n, text in enumerate([*said, "Do this instead."]):
        assert story.sent[-1] == text
        story.works(f"T{n}")
    assert story.stage == "decide"


@pytest.mark.parametrize("stage", list(LOOP))
def test_an_override_after_a_turn(stage: str) -> None:
    story = LOOP[stage]()
    story.tell(facts.RunOverridden(text="Do this instead."))
    assert story.sent == [PROMPT, "Do this instead."]
    assert (story.state.asking, story.deadlines) == ((), ())


@pytest.mark.parametrize("stage", FIRST)
def test_a_persons_turn_in_between_changes_nothing(stage: GuidanceStage) -> None:
    """Somebody speaks to the agent in Codex itself while the first message is looked at."""
    story = at(stage)
    story.begin("P", "By the way.").says("P", "Yes?")
    if story.stage == "research":
        story.sees()
    else:
        story.hears(GOOD[story.stage])
    story.end("P")
    story.well()
    assert len(story.sent) == 1
    story.begin("T1", story.sent[0], ours=True)
    assert story.run.waiting == "turn"


@pytest.mark.parametrize("stage", FIRST)
def test_a_persons_turn_that_ends_first_changes_nothing_either(stage: GuidanceStage) -> None:
    story = at(stage)
    story.begin("P", "By the way.").says("P", DONE).end("P")
    assert (story.run.active, story.stage) == (True, stage)
    story.well()
    assert len(story.sent) == 1


@pytest.mark.parametrize("stage", list(LOOP))
def test_a_persons_turn_after_a_turn_is_looked_at_in_its_turn(stage: str) -> None:
    """What was asked was about the turn before."""
    story = LOOP[stage]()
    story.begin("P", "By the way.").says("P", "Yes?")
    if stage == "research":
        story.sees()
    else:
        story.hears(GOOD[stage])
    assert story.sent == [PROMPT]
    story.end("P")
    assert story.stage == "decide"
    story.well()
    assert len(story.sent) == 2


@pytest.mark.parametrize("stage", list(LOOP))
def test_what_was_asked_about_the_turn_before_is_not_waited_for(stage: str) -> None:
    """Nothing of it is left that could end the wait for what is asked now."""
    story = LOOP[stage]()
    story.begin("P", "By the way.").says("P", "Yes?").end("P")
    assert story.stage == "decide"
    assert [one.name for one in story.deadlines] == [f"{DEADLINE}guidance_decision"]
    assert [one.signature for one in story.state.asking] == ["guidance_decision"]


def test_a_message_of_a_person_waits_for_the_first_one() -> None:
    story = guided()
    story.tell(facts.UserSubmitted(text="And hurry."))
    story.hears(routes("respond"))
    assert story.sent == [PROMPT]
    story.works("T1")
    assert story.sent == [PROMPT, "And hurry."]


# -- resumed ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", FIRST)
@pytest.mark.parametrize("how", ["paused", "restarted"])
def test_resumed_it_goes_on_where_it_stopped(stage: GuidanceStage, how: str) -> None:
    """C13: what was answered is not asked again, and the agent hears its message once."""
    story = at(stage)
    before = story.run.guidance
    if how == "paused":
        story.tell(facts.RunPauseSubmitted())
    else:
        story.from_disk().tell(STARTED, BACK, JOINED)
    assert not story.run.active
    story.tell(facts.RunResumed())
    assert (story.stage, story.run.waiting) == (stage, "guidance")
    assert story.run.guidance is not None
    assert before is not None
    assert replace(story.run.guidance, effect="") == replace(before, effect="")
    story.well()
    assert len(story.sent) == 1
    story.works("T1")
    assert story.stage == "decide"


@pytest.mark.parametrize("stage", FIRST)
def test_resumed_before_codex_is_back(stage: GuidanceStage) -> None:
    story = at(stage)
    story.tell(STARTED, facts.RunResumed())
    assert story.sent == []
    story.tell(BACK, JOINED)
    story.well()
    assert len(story.sent) == 1


@pytest.mark.parametrize("stage", list(LOOP))
def test_resumed_after_a_turn(stage: str) -> None:
    """A person says to go on: then the next step is worked out, and said once."""
    story = LOOP[stage]().from_disk()
    story.tell(STARTED, BACK, JOINED, facts.RunResumed())
    assert story.stage == "research"
    story.well()
    assert len(story.sent) == 2
    assert PROMPT in story.sent[-1]


@pytest.mark.parametrize("route", ["respond", "understand", "plan", "super"])
def test_paused_while_the_first_message_waits_for_its_turn(route: str) -> None:
    """It is said once, when the run is resumed, without anybody being asked again."""
    story = guided("go" if route == "super" else PROMPT, slots=False)
    if route != "super":
        story.hears(routes(route))  # type: ignore[arg-type]
    story.well()
    asked = len(story.asked)
    assert (story.run.waiting, story.sent) == ("slot", [])
    story.tell(facts.RunPauseSubmitted())
    assert (story.run.status, story.sent) == ("paused", [])
    story.slots = True
    story.from_disk().tell(facts.UserSubmitted(text="Hello?"))
    story.works("P")
    story.tell(facts.RunResumed())
    assert len(story.sent) == 2
    assert (PROMPT if route != "super" else "Port the header first.") in story.sent[-1]
    assert len(story.asked) == asked
    story.works("T1")
    assert story.stage == "decide"


def test_a_persons_turn_ends_while_the_first_message_waits_for_its_turn() -> None:
    story = guided(slots=False).hears(routes("understand"))
    story.begin("P", "By the way.")
    story.well()
    story.end("P")
    assert [one.purpose for one in story.state.queue] == ["continue"]
    story.slots = True
    story.tell(facts.EffectSucceeded(effect="none"))
    assert len(story.sent) == 1


def test_the_connection_is_lost_while_it_is_worked_out() -> None:
    """Codex is not needed for it; the message goes out once it is back."""
    story = guided()
    story.tell(facts.ServerLost(epoch=1, problem="it ended"))
    story.hears(routes("understand")).hears(understands())
    assert (story.run.waiting, story.sent) == ("slot", [])
    story.tell(BACK, JOINED)
    assert len(story.sent) == 1


def test_a_lost_message_is_looked_for_and_not_said_twice() -> None:
    story = guided().hears(routes("understand")).hears(understands())
    effect = story.name(StartTurn)
    story.tell(STARTED, facts.EffectFailed(effect=effect, problem="gone", code="lost"), BACK, JOINED)
    story.tell(facts.RunResumed())
    finding = story.state.sent[0].finding
    story.tell(facts.EffectSucceeded(effect=finding, result="T1"))
    assert len(story.sent) == 1
    assert story.stage == "research"


def test_codex_pursues_a_goal_by_itself() -> None:
    """C14: the run rests, and once it is resumed the first message is still to be said."""
    story = guided()
    story.tell(facts.GoalUpdated(objective="its own", status="active"))
    if story.run.active:
        story.hears(routes("respond"))
    assert (story.ended, story.sent) == (("paused", "run.refused.goal"), [])
    story.tell(facts.GoalCleared(), facts.RunResumed())
    story.well()
    assert len(story.sent) == 1
    assert PROMPT in story.sent[0]


# -- a wait that is over ---------------------------------------------------------------------------------------------


def tried_again() -> Guided:
    story = guided().hears(routes("respond")).worked("T1", status="failed", problem=DOWN)
    assert story.run.waiting == "retry"
    story.tell(facts.DeadlinePassed(name=RETRY), after=3_600)
    return story


def limit_over() -> Guided:
    story = guided().hears(routes("respond"))
    story.tell(facts.RateLimitsUpdated(limit="codex", used_percent=100, resets_at=story.at // 1000 + 60))
    story.works("T1", status="failed", problem=LIMIT)
    assert story.run.waiting == "limit"
    story.tell(facts.DeadlinePassed(name=RETRY), after=120)
    return story


def without_a_review() -> Guided:
    story = after_a_turn(review="on-error").hears(decides("review"))
    assert story.run.waiting == "review"
    story.tell(facts.EffectFailed(effect=story.name(StartReview), problem="no", code="refused"))
    return story


def found_in_the_history() -> Guided:
    """The end of its turn was not seen."""
    story = guided().hears(routes("respond"))
    story.tell(LOST, BACK, JOINED)
    assert story.run.waiting == "turn"
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="T1"))
    return story


def not_compacted() -> Guided:
    story = guided(policy=replace(GOLDEN, models=Models())).hears(routes("respond"))
    story.begin("T1", PROMPT, ours=True).tell(facts.PhaseSubmitted(phase="research"))
    story.uses("T1", 100_000).says("T1", WORDS).end("T1")
    story.hears(decides())
    story.answers("H", PACKET)
    assert story.run.waiting == "sequence"
    story.tell(facts.EffectFailed(effect=story.name(StartCompaction), problem="no", code="refused"))
    return story


OVER = (tried_again, limit_over, without_a_review, found_in_the_history, not_compacted)


@pytest.mark.parametrize("story", OVER, ids=[one.__name__ for one in OVER])
def test_after_a_wait_the_next_word_is_worked_out_first(story: Callable[[], Guided]) -> None:
    """C13, C15: the agent hears nothing before that."""
    waits = story()
    said = len(waits.sent)
    assert (waits.run.waiting, waits.stage) == ("guidance", "research")
    waits.well()
    assert len(waits.sent) == said + 1


# -- with a compaction -----------------------------------------------------------------------------------------------


def test_a_compaction_goes_before_the_next_directive() -> None:
    """The handoff sends the agent on; the loop comes back after its turn."""
    story = guided(policy=replace(GOLDEN, models=Models(on_error="rules"))).hears(routes("respond"))
    story.begin("T1", PROMPT, ours=True).tell(facts.PhaseSubmitted(phase="research"))
    story.uses("T1", 100_000).says("T1", WORDS).end("T1")
    story.hears(decides())
    assert story.run.waiting == "sequence"
    assert story.stage == ""


@pytest.mark.parametrize("stage", list(LOOP))
def test_a_person_compacts_in_between(stage: str) -> None:
    """Nothing hangs: the run goes on after it."""
    story = LOOP[stage]()
    story.policy = replace(GOLDEN, models=Models())
    story.tell(facts.CompactionSubmitted())
    assert story.state.sequence is not None
    if stage == "research":
        story.sees()
    else:
        story.hears(GOOD[stage])
    assert story.run.waiting == "sequence"
