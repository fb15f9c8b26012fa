"""A model's judgment before a compaction: when it is asked for, and what follows from it (A18)."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction.assessment import assess
from rawr.core.compaction.judgment_context import write
from rawr.core.compaction.need import explained
from rawr.core.state.sequence import Phase, Sequence
from rawr.core.state.thread import Asking
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import (
    AskModel,
    CancelDeadline,
    InjectPacket,
    Intended,
    Notify,
    SetDeadline,
    StartCompaction,
)
from rawr.core.vocabulary.opinions import NoOpinion
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import phase
from tests.core.judged import (
    APPROVED,
    JUDGED,
    PERCENT,
    PROMPT,
    TOKENS,
    WAIT,
    approval,
    approves,
    asked,
    asking,
    awaiting,
    evidence,
    fails,
    nothing,
    rules,
    texts,
    veto,
    vetoes,
)
from tests.core.runs import LOST
from tests.core.samples import GOLDEN, PACKET, WORDS, Story, worked

CALM = ("early", "ready", "asap")


VETOED = "do not compact, m says: It is in the middle of it."


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
    shown = "[rawr] auto-compaction judgment: asking a model at 64 % left: phase boundary, research"
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
        "need": explained(story.state, JUDGED.compaction),
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
        Intended(f"t:{story.seq}.1", "t", Notify(level="info", text=f"[rawr] auto-compaction judgment: {VETOED}")),
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
        "need": explained(story.state, JUDGED.compaction),
    }
    assert story.state.since.vetoed == tuple(one.id for one in story.state.signals)


def test_a_boundary_that_was_vetoed_is_not_asked_about_again_and_not_compacted_on() -> None:
    """A18: also where the tier has nobody asked any more."""
    topic = rules(asap=replace(JUDGED.compaction.asap, requires_any_boundary=("concluding",)))
    story = Story(policy=topic).begin("W", "Do it.").changes("W", "notes.md").uses("W", 100_000)
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
                level="info", text=f"[rawr] auto-compaction judgment: {words}; not compacting for now"
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


# -- what it leaves to rawr -------------------------------------------------------------------------------------------


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
