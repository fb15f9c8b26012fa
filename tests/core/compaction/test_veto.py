"""A model's judgment before a compaction: when it is asked for, what follows from it, and what goes before it (A18)."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction import sequence
from rawr.core.compaction.assessment import assess
from rawr.core.compaction.judgment_context import write
from rawr.core.draft import ThreadDraft
from rawr.core.policy.compaction import TierPolicy
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Phase, Sequence
from rawr.core.state.thread import Asking
from rawr.core.state.turn import TurnOutcome
from rawr.core.thread import asking as questions
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import (
    AskModel,
    CancelDeadline,
    InjectPacket,
    Intended,
    Notify,
    SetDeadline,
    StartCompaction,
    StartTurn,
)
from rawr.core.vocabulary.opinions import NoOpinion
from rawr.core.vocabulary.order import Budgets
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence
from tests.core.judged import (
    JUDGED,
    PERCENT,
    PROMPT,
    TOKENS,
    approval,
    approves,
    asking,
    awaiting,
    fails,
    nothing,
    veto,
    vetoes,
)
from tests.core.runs import BACK, GOAL, JOINED, LOST, STARTED, Auto, in_a_turn
from tests.core.samples import GOLDEN, PACKET, WORDS, Story, worked

CALM = ("early", "ready", "asap")
WAIT = f"{questions.DEADLINE}compaction_judgment"
APPROVED = "compact, m says: A phase is over."
VETOED = "do not compact, m says: It is in the middle of it."
PREFLIGHT = asking(replace(GOLDEN.compaction, asap=TierPolicy(65, ("turn_complete",))))


def phase(story: Story) -> Phase:
    return story.state.sequence.phase if story.state.sequence is not None else Phase.IDLE


def evidence(story: Story, reason: Reason) -> dict[str, Evidence]:
    [found] = [one.evidence for one in story.records if one.reason is reason]
    return found


def rules(policy: Policy = JUDGED, **changes: Any) -> Policy:
    return replace(policy, compaction=replace(policy.compaction, **changes))


def texts(story: Story) -> list[str]:
    return [one.text for one in story.wanted(StartTurn)]


def asked(story: Story) -> int:
    return len(story.wanted(AskModel))


# -- asking ---------------------------------------------------------------------------------------------------------


def test_a_model_is_asked_where_everything_else_says_yes() -> None:
    """A18: a typed question with the tier's own instructions, one at a time, with a deadline, and nothing else."""
    story = awaiting()
    answer = assess(replace(story.state, sequence=None), JUDGED.compaction, now=story.at)
    context = write(JUDGED.prompts.judgment_context, story.state, answer)
    question = AskModel(
        signature="compaction_judgment",
        inputs={"context": context},
        models=JUDGED.models.order,
        attempts=2,
        seconds=60,
        instructions=PROMPT,
    )
    name = f"t:{story.seq}"
    shown = "[rawr] a model is asked whether to compact now (64 % left): phase boundary, research"
    assert story.newest.effects == (
        Intended(f"{name}.0", "t", question),
        Intended(f"{name}.1", "t", SetDeadline(name=WAIT, at=story.at + 65_000)),
        Intended(f"{name}.2", "t", Notify(level="status", text=shown)),
    )
    assert story.state.asking == (Asking(f"{name}.0", "compaction_judgment", story.at),)
    assert story.state.sequence == Sequence(
        id=f"c{story.seq}",
        phase=Phase.AWAITING_JUDGMENT,
        since=story.at,
        tier="asap",
        percent=64,
        boundaries=story.state.signals,
        ended="phase boundary, research",
        reason="compact.decided.boundary",
        requests=("judgment", "packet"),
    )
    assert [one.kind for one in story.state.signals] == ["phase_boundary", "turn_complete"]
    assert evidence(story, Reason.JUDGMENT_ASKED_MODEL) == {
        "tier": "asap",
        "percent": 64,
        "boundaries": ["phase_boundary: research", "turn_complete"],
        "satisfied": ["phase_boundary"],
        "against": [],
        "requests": ["judgment", "packet"],
        "judgment": None,
        "outcome": "asked",
    }


@pytest.mark.parametrize("tier", CALM)
def test_it_is_asked_in_the_tiers_that_say_so(tier: str) -> None:
    story = awaiting(tier)
    assert (asked(story), phase(story)) == (1, Phase.AWAITING_JUDGMENT)
    assert story.state.sequence is not None
    assert (story.state.sequence.tier, story.state.sequence.percent) == (tier, PERCENT[tier])
    quiet = replace(getattr(JUDGED.compaction, tier), decision_prompt="  \n")
    assert asked(awaiting(tier, rules(**{tier: quiet}))) == 0


def test_it_is_never_asked_in_an_emergency() -> None:
    """A18: whatever is configured."""
    story = awaiting("emergency", rules(soft_landing=False))
    assert (asked(story), phase(story)) == (0, Phase.HEADS_UP_INJECTED)


def test_it_is_never_asked_without_a_boundary() -> None:
    story = Story(policy=JUDGED).begin("W", "Do it.").uses("W", 100_000).says("W", WORDS).end("W")
    assert (asked(story), story.reasons()) == (0, [Reason.COMPACT_SKIPPED_NO_BOUNDARY])


def test_it_is_never_asked_where_something_stands_against_it() -> None:
    story = worked(Story(policy=JUDGED).tell(facts.HoldSubmitted(until="later")))
    assert (asked(story), story.reasons()[-1]) == (0, Reason.COMPACT_DEFERRED_GUARD)


def test_nobody_is_asked_where_nothing_would_be_done() -> None:
    """A1: off means observe and record."""
    story = awaiting(policy=rules(enabled=False))
    assert (asked(story), story.reasons()[-1]) == (0, Reason.COMPACT_SKIPPED_DISABLED)


def test_a_persons_own_wish_is_not_judged() -> None:
    story = Story(policy=JUDGED).tell(facts.CompactionSubmitted())
    assert (asked(story), phase(story)) == (0, Phase.HEADS_UP_INJECTED)
    assert story.state.sequence is not None
    assert story.state.sequence.requests == ("packet",)


def test_a_soft_landing_is_not_judged() -> None:
    """A19: there is no time for it."""
    story = Story(policy=JUDGED).begin("W", "Do it.").uses("W", 255_000)
    assert (asked(story), story.reasons()) == (0, [Reason.COMPACT_DECIDED_LANDING])


def test_it_is_asked_after_a_persons_word_that_a_phase_is_over() -> None:
    story = Story(policy=JUDGED).begin("W", "Do it.").uses("W", 100_000).says("W", WORDS).end("W")
    story.tell(facts.PhaseSubmitted(phase="research"))
    assert (asked(story), phase(story)) == (1, Phase.AWAITING_JUDGMENT)


def test_where_codex_is_away_nobody_is_asked() -> None:
    story = Story(policy=JUDGED).begin("W", "Do it.").uses("W", 100_000).says("W", WORDS).end("W")
    story.tell(LOST, facts.PhaseSubmitted(phase="research"))
    assert (asked(story), story.state.sequence) == (0, None)
    assert evidence(story, Reason.COMPACT_DEFERRED_OFFLINE)["outcome"] == "deferred"


# -- yes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", CALM)
def test_with_its_approval_the_sequence_begins_as_it_does_without(tier: str) -> None:
    """A18: the same messages, the same deadline; only the record says who was asked."""
    story, plain = approves(awaiting(tier)), awaiting(tier, GOLDEN)
    assert story.state.sequence is not None
    assert plain.state.sequence is not None
    known: dict[str, Any] = {"id": "c", "since": 0, "judgment": ""}
    assert replace(story.state.sequence, **known) == replace(plain.state.sequence, **known)
    assert story.state.sequence.judgment == APPROVED
    assert [text.partition("]")[2] for text in texts(story)] == [text.partition("]")[2] for text in texts(plain)]
    assert (story.state.signals, story.state.asking) == ((), ())
    assert [one.name for one in story.state.deadlines] == [one.name for one in plain.state.deadlines]
    decision = dict(evidence(plain, Reason.COMPACT_DECIDED_BOUNDARY))
    assert evidence(story, Reason.COMPACT_DECIDED_BOUNDARY) == {
        **decision,
        "judgment": APPROVED,
        "requests": ["judgment", "packet"],
    }


def test_the_audit_says_who_was_asked_and_what_they_said() -> None:
    """A23, B3."""
    story = approves(awaiting()).answers("H", PACKET).compacts()
    story.begin("G", texts(story)[-1], ours=True)
    assert evidence(story, Reason.COMPACT_AUDITED_SEQUENCE)["judgment"] == APPROVED
    assert story.state.last_compaction is not None
    assert story.state.last_compaction.judgment == APPROVED


@pytest.mark.parametrize(
    ("mode", "reason"),
    [("tag", Reason.COMPACT_TAGGED_BOUNDARY), ("suggest", Reason.COMPACT_SUGGESTED_BOUNDARY)],
)
def test_gating_is_the_same_in_every_mode(mode: str, reason: Reason) -> None:
    """A2: they differ in what follows."""
    story = awaiting(policy=rules(mode=mode))
    assert (asked(story), reason in story.reasons()) == (1, False)
    assert (approves(story).state.sequence, texts(story)) == (None, [])
    assert evidence(story, reason)["judgment"] == APPROVED
    refused = vetoes(awaiting(policy=rules(mode=mode)))
    assert (reason in refused.reasons(), refused.state.sequence) == (False, None)


# -- no -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", CALM)
def test_a_veto_compacts_nothing_and_is_on_record(tier: str) -> None:
    story = vetoes(awaiting(tier))
    assert (phase(story), texts(story), story.wanted(StartCompaction)) == (Phase.IDLE, [], [])
    assert story.newest.effects == (
        Intended(f"t:{story.seq}.0", "t", CancelDeadline(name=WAIT)),
        Intended(f"t:{story.seq}.1", "t", Notify(level="info", text=f"[rawr] not compacted; judgment: {VETOED}")),
    )
    assert evidence(story, Reason.JUDGMENT_VETOED_MODEL) == {
        "tier": tier,
        "percent": PERCENT[tier],
        "boundaries": ["phase_boundary: research", "turn_complete"],
        "satisfied": ["phase_boundary"],
        "against": [],
        "requests": ["judgment", "packet"],
        "judgment": VETOED,
        "outcome": "vetoed",
    }
    assert story.state.since.vetoed == tuple(one.id for one in story.state.signals)


def test_a_boundary_that_was_vetoed_is_not_asked_about_again_and_not_compacted_on() -> None:
    """A18: also where the tier has nobody asked any more."""
    topic = rules(asap=replace(JUDGED.compaction.asap, requires_any_boundary=("concluding",)))
    story = Story(policy=topic).begin("W", "Do it.").tell(ran("W")).uses("W", 100_000)
    vetoes(story.says("W", "In conclusion, everything that was to be found is in the notes.").end("W"))
    for policy in (topic, rules(topic, asap=replace(topic.compaction.asap, decision_prompt=""))):
        story.policy = policy
        story.tell(facts.PhaseSubmitted(phase="a kind that this tier does not ask for"))
        assert (asked(story), story.state.sequence) == (1, None)
        assert story.records[-1].reason is Reason.JUDGMENT_VETOED_BOUNDARY
        assert story.records[-1].evidence["outcome"] == "vetoed"


def ran(turn: str) -> facts.AnyFact:
    command = items.Command(id="c", command="ls", cwd="/project", status="completed", exit_code=0)
    return facts.ItemCompleted(turn=turn, item=command)


def test_a_new_boundary_is_asked_about() -> None:
    story = vetoes(awaiting())
    story.tell(facts.PhaseSubmitted(phase="draft"))
    assert (asked(story), phase(story)) == (2, Phase.AWAITING_JUDGMENT)
    worked(vetoes(story), turn="X")
    assert (asked(story), phase(story)) == (3, Phase.AWAITING_JUDGMENT)
    assert phase(approves(story)) is Phase.HEADS_UP_INJECTED


def test_a_boundary_that_came_while_a_model_was_asked_is_not_what_it_said_no_to() -> None:
    story = awaiting().tell(facts.PhaseSubmitted(phase="draft"))
    assert (asked(story), story.reasons()[-1]) == (1, Reason.COMPACT_SKIPPED_SEQUENCE)
    vetoes(story)
    assert (asked(story), phase(story)) == (2, Phase.AWAITING_JUDGMENT)
    vetoes(story)
    assert (asked(story), phase(story)) == (2, Phase.IDLE)


def test_an_emergency_does_not_heed_a_veto() -> None:
    calm = rules(soft_landing=False)
    story = vetoes(awaiting(policy=calm)).uses("W", TOKENS["emergency"])
    story.tell(facts.PhaseSubmitted(phase="draft"))
    assert (asked(story), phase(story)) == (1, Phase.HEADS_UP_INJECTED)


def test_what_was_vetoed_is_forgotten_with_a_compaction() -> None:
    story = vetoes(awaiting()).tell(facts.CompactionSubmitted()).answers("H", PACKET).compacts()
    story.begin("G", texts(story)[-1], ours=True)
    assert story.state.since.vetoed == ()


# -- neither --------------------------------------------------------------------------------------------------------

CODES: tuple[NoOpinion, ...] = ("unavailable", "timed_out", "unreadable", "refused", "lost")


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    ("on_error", "compacts"),
    [("tier", ("asap",)), ("defer", ()), ("compact", CALM)],
)
def test_without_a_judgment_the_setting_decides(on_error: str, compacts: tuple[str, ...], code: NoOpinion) -> None:
    """A18: by default deferred in early and ready, compacted in asap."""
    for tier in CALM:
        story = fails(awaiting(tier, asking(judgment_on_error=on_error)), code)
        words = f"none ({code}): no model"
        if tier in compacts:
            assert (phase(story), len(texts(story))) == (Phase.HEADS_UP_INJECTED, 1)
            assert evidence(story, Reason.JUDGMENT_WAIVED_ERROR)["judgment"] == words
            assert evidence(story, Reason.COMPACT_DECIDED_BOUNDARY)["judgment"] == words
        else:
            assert (phase(story), texts(story)) == (Phase.IDLE, [])
            found = evidence(story, Reason.JUDGMENT_DEFERRED_ERROR)
            assert (found["judgment"], found["outcome"]) == (words, "deferred")
            assert story.wanted(Notify)[-1] == Notify(
                level="info", text=f"[rawr] not compacted for now; judgment: {words}"
            )


def test_a_deferral_is_no_veto() -> None:
    """A18: the next turn's end may ask again."""
    story = fails(awaiting("early"))
    assert story.state.since.vetoed == ()
    worked(story, turn="X", tokens=TOKENS["early"])
    assert (asked(story), phase(story)) == (2, Phase.AWAITING_JUDGMENT)


def test_an_answer_that_never_comes_is_none() -> None:
    """Every wait has a deadline."""
    story = awaiting("ready").tell(facts.DeadlinePassed(name=WAIT), after=64)
    assert phase(story) is Phase.AWAITING_JUDGMENT
    story.tell(facts.DeadlinePassed(name=WAIT))
    assert (phase(story), story.state.deadlines, story.state.asking) == (Phase.IDLE, (), ())
    words = "none (timed_out): no answer came in time"
    assert evidence(story, Reason.JUDGMENT_DEFERRED_ERROR)["judgment"] == words


def test_an_answer_to_another_question_changes_nothing() -> None:
    """A18: one in flight, each known by its id."""
    story = awaiting()
    before = story.state
    story.tell(veto("t:1.0"))
    assert (story.state, story.reasons()[-1]) == (before, Reason.IGNORED_STALE_OPINION)


def test_an_answer_that_comes_again_changes_nothing() -> None:
    story = vetoes(awaiting())
    before = story.state
    approves(story)
    assert (story.state, story.reasons()[-1]) == (before, Reason.IGNORED_STALE_OPINION)


def test_a_question_that_could_not_be_asked_is_one_without_an_answer() -> None:
    story = awaiting("early")
    story.tell(facts.EffectFailed(effect=story.name(AskModel), problem="away", code="lost"))
    assert evidence(story, Reason.JUDGMENT_DEFERRED_ERROR)["judgment"] == "none (lost): away"


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


# -- before a user's message ----------------------------------------------------------------------------------------


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
            level="info", text="[rawr] your message waits, 65 s at most: a model is asked whether to compact before it."
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


# -- a run ----------------------------------------------------------------------------------------------------------


def running(policy: Policy = JUDGED, **changes: Any) -> Auto:
    """A run whose turn ended at a boundary: a model is asked."""
    story = in_a_turn(policy=policy, **changes)
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000).says("T1", WORDS).end("T1")
    assert (phase(story), story.run.waiting) == (Phase.AWAITING_JUDGMENT, "sequence")
    return story


def test_a_run_waits_for_the_judgment_and_then_for_the_handoff() -> None:
    story = running()
    approves(story)
    assert (phase(story), story.run.waiting, len(story.sent)) == (Phase.HEADS_UP_INJECTED, "sequence", 2)


@pytest.mark.parametrize("answer", [vetoes, lambda story: fails(story.tell(facts.HoldSubmitted(until="later")))])
def test_a_run_simply_goes_on_after_a_no(answer: Callable[[Story], Story]) -> None:
    story = running()
    answer(story)
    assert (phase(story), story.ended, story.run.waiting) == (Phase.IDLE, ("running", ""), "turn")
    assert story.sent[0] == GOAL
    assert story.sent[1].startswith(f"[rawr {story.run.id}] Go on with the job.")
    assert len(story.sent) == 2


@pytest.mark.parametrize("mode", ["tag", "suggest"])
def test_a_run_goes_on_where_the_mode_does_not_act(mode: str) -> None:
    story = running(policy=rules(mode=mode))
    approves(story)
    assert (phase(story), story.run.waiting, len(story.sent)) == (Phase.IDLE, "turn", 2)


@pytest.mark.parametrize(
    ("fact", "ended"),
    [
        (facts.RunPauseSubmitted(), ("paused", "run.paused.person")),
        (facts.RunPauseSubmitted(now=True), ("paused", "run.paused.person")),
        (facts.RunStopSubmitted(), ("stopped", "run.stopped.person")),
    ],
)
def test_a_pause_settles_at_once(fact: facts.AnyFact, ended: tuple[str, str]) -> None:
    """C13: nothing is cut in two by it."""
    story = running().tell(fact)
    assert (story.ended, phase(story), story.state.asking, story.deadlines) == (ended, Phase.IDLE, (), ())
    assert Reason.JUDGMENT_DROPPED_RUN in story.reasons()
    approves(story)
    assert (phase(story), len(story.sent)) == (Phase.IDLE, 1)


def test_a_pause_while_codex_is_away_settles_at_once() -> None:
    story = running().tell(LOST, facts.RunPauseSubmitted())
    assert (story.ended, phase(story)) == (("paused", "run.paused.person"), Phase.IDLE)


def test_what_the_judgment_cost_counts_against_the_runs_budget() -> None:
    """C5: and a run whose budget is used up is not compacted first."""
    story = running(budgets=Budgets(tokens=150_000))
    story.tell(approval(story.name(AskModel), tokens=60_000))
    assert (story.ended, phase(story), len(story.sent)) == (("stopped", "run.stopped.tokens"), Phase.IDLE, 1)


def test_the_runs_time_can_end_while_a_model_is_asked() -> None:
    story = running(budgets=Budgets(minutes=1))
    story.tell(facts.DeadlinePassed(name="run.time"), after=60)
    assert (story.ended, phase(story), story.state.asking) == (("stopped", "run.stopped.time"), Phase.IDLE, ())


def test_a_run_that_was_overridden_says_so_at_once() -> None:
    story = running().tell(facts.RunOverridden(text="Do that instead."))
    assert (phase(story), story.sent[1:], story.run.waiting) == (Phase.IDLE, ["Do that instead."], "turn")


def test_what_a_person_says_to_a_run_goes_out_at_once() -> None:
    story = running().tell(facts.UserSubmitted(text="and mind the tests"))
    assert (phase(story), story.sent[1:]) == (Phase.IDLE, ["and mind the tests"])


def test_a_run_lives_through_another_clients_turn() -> None:
    story = running()
    story.begin("U", "I was faster.").says("U", "So you were.").end("U")
    assert (phase(story), story.run.turns, story.run.waiting) == (Phase.IDLE, 2, "turn")
    assert story.sent[-1].startswith(f"[rawr {story.run.id}] Go on with the job.")


def test_a_run_that_was_away_is_not_compacted_by_itself() -> None:
    """C13: it is resumed by name, and then goes on."""
    story = running()
    question = story.name(AskModel)
    story.tell(STARTED, facts.EffectFailed(effect=question, problem="rawr ended", code="lost"))
    assert (story.ended, phase(story)) == (("paused", "run.paused.away"), Phase.IDLE)


def test_a_run_goes_on_after_a_lost_connection() -> None:
    story = running()
    vetoes(story.tell(LOST))
    assert (phase(story), len(story.sent)) == (Phase.AWAITING_JUDGMENT, 1)
    story.tell(BACK, replace(JOINED, last_turn="T1", last_status="completed"))
    assert (phase(story), len(story.sent), story.run.waiting) == (Phase.IDLE, 2, "turn")


def test_a_runs_own_message_that_is_held_back_goes_out_after_a_veto() -> None:
    """A16: its slot has come already."""
    story = in_a_turn(policy=PREFLIGHT)
    story.uses("T1", 110_000).says("T1", WORDS).end("T1")
    assert (phase(story), story.run.waiting, len(story.sent)) == (Phase.AWAITING_JUDGMENT, "turn", 1)
    story.slots = False
    vetoes(story)
    assert (phase(story), story.run.waiting, len(story.sent)) == (Phase.IDLE, "turn", 2)


def test_a_thread_whose_run_is_ordered_meanwhile_begins_with_it() -> None:
    story = Auto(policy=JUDGED)
    worked(story)
    assert phase(story) is Phase.AWAITING_JUDGMENT
    story.tell(facts.RunSubmitted(order=in_a_turn().run.order))
    assert (phase(story), story.sent) == (Phase.IDLE, [GOAL])


def test_without_room_for_a_turn_the_packet_is_rawrs_after_an_approval_too() -> None:
    """A10, A12: in a small window room is short before it is an emergency."""
    small = facts.UsageUpdated(turn="W", in_context=31_000, spent=0, window=36_500)
    story = Story(policy=rules(soft_landing=False, min_gain_percent=0)).begin("W", "Do it.")
    story.tell(facts.PhaseSubmitted(phase="research"), small).says("W", WORDS).end("W")
    approves(story)
    assert (phase(story), len(story.wanted(InjectPacket))) == (Phase.AWAITING_PACKET, 1)


@pytest.mark.parametrize("answer", [approval, veto, nothing])
def test_an_answer_without_a_question_is_dropped(answer: Callable[[str], facts.ModelAnswered]) -> None:
    story = Story(policy=JUDGED).tell(answer("t:1.0"))
    assert (story.state.sequence, story.reasons()) == (None, [Reason.IGNORED_STALE_OPINION])
