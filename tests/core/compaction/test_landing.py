"""Soft landing before Codex's own compaction, and mending what that one breaks (A19)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction.room import USUAL_SHARE, native_limit
from rawr.core.handover.messages import landing
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Breaker, CompactionRun, Guard, Phase
from rawr.core.state.session import SessionFile
from rawr.core.state.thread import Goal, ThreadState
from rawr.core.state.turn import Purpose
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import (
    InjectPacket,
    ObserveCommand,
    ReadSession,
    StartCompaction,
    StartTurn,
    SteerTurn,
)
from rawr.core.vocabulary.native import Native
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.session import SessionMark
from tests.core.compaction.stories import SHIPPED
from tests.core.samples import AT, GOLDEN, IDLE, PACKET, WINDOW, Story, decided, take

THEIRS = replace(IDLE, ours=False)
ROOM = GOLDEN.compaction.packet_room_tokens


def rules(**changes: Any) -> Policy:
    return replace(GOLDEN, compaction=replace(GOLDEN.compaction, **changes))


def filling(*tokens: int, state: ThreadState = IDLE, policy: Policy = GOLDEN) -> Story:
    """A user's turn runs, and the context fills up, call by call."""
    story = Story(state, policy=policy).begin("W", "Do the job.")
    for one in tokens:
        story.uses("W", one)
    return story


def landed(story: Story) -> bool:
    return Reason.COMPACT_DECIDED_LANDING in story.reasons()


# -- when -----------------------------------------------------------------------------------------------------------

LATE = rules(native_emergency_only=False)


@pytest.mark.parametrize(
    ("state", "policy", "limit"),
    [
        (IDLE, GOLDEN, WINDOW),
        (IDLE, LATE, native_limit(WINDOW)),
        (THEIRS, GOLDEN, native_limit(WINDOW)),
    ],
    ids=["moved to the end of the window", "left where it was", "somebody else's thread"],
)
def test_it_comes_before_codexs_own(state: ThreadState, policy: Policy, limit: int) -> None:
    """A19: as soon as a packet would not fit any more, and not before."""
    assert not landed(filling(limit - ROOM - 1, state=state, policy=policy))
    assert landed(filling(limit - ROOM, state=state, policy=policy))


def test_it_comes_where_the_call_that_is_under_way_would_leave_no_room_for_a_packet() -> None:
    """A19: a request sent now is read after that call; the packet is written in the one after."""
    held = WINDOW - 8_000 - ROOM
    story = filling(held - 8_000, held)
    assert landed(story)
    assert story.records[-1].evidence == {"tokens": held, "coming": 8_000, "limit": WINDOW, "percent": 6}
    assert not landed(filling(held - 8_001, held - 1))
    assert not landed(filling(200_000, 201_000, 202_000))


def test_what_calls_added_in_turns_before_counts_too() -> None:
    """A19: the first call of a turn is no surprise."""
    story = filling(140_000, 148_000).end("W").begin("X", "Go on.")
    assert story.state.growth == (8_000,)
    assert landed(story.uses("X", WINDOW - ROOM - 8_000))
    assert not landed(Story().begin("X", "Go on.").uses("X", WINDOW - ROOM - 8_000))


def test_one_huge_output_says_little_about_the_next() -> None:
    """A19: the call under way is expected to add a twenty-fifth of the window at most."""
    most = WINDOW * USUAL_SHARE // 100
    assert not landed(filling(10_000, WINDOW - most - ROOM - 1))
    assert landed(filling(10_000, WINDOW - most - ROOM))


def test_two_large_calls_in_a_row_say_that_a_third_may_come() -> None:
    """A19: at most a quarter of the window."""
    assert landed(filling(60_000, 120_000, WINDOW - 60_000 - ROOM))
    assert not landed(filling(60_000, 120_000, WINDOW - 70_000 - ROOM))
    assert not landed(filling(60_000, 61_000, WINDOW - 60_000 - ROOM))


@pytest.mark.mission("A4", "A19")
def test_a_limit_that_the_user_has_set_is_codexs_own() -> None:
    """On somebody's own thread; on ours it is moved to the end of the window."""
    for state, limit in ((THEIRS, 60_000), (IDLE, WINDOW)):
        told = replace(state, native=Native(limit=60_000))
        assert not landed(filling(limit - ROOM - 1, state=told))
        assert landed(filling(limit - ROOM, state=told))


@pytest.mark.mission("A4")
def test_reasoning_that_no_report_has_counts() -> None:
    """Codex counts encrypted reasoning of earlier turns before it compacts by itself; a compaction drops it."""
    kept = facts.ReasoningKept(40_000, anew=True)
    thinking = take(IDLE, kept).state
    assert landed(filling(WINDOW - ROOM - 40_000, state=thinking))
    assert not landed(filling(WINDOW - ROOM - 40_000))
    assert take(thinking, facts.ReasoningKept(2_000)).state.reasoning == 42_000
    assert decided(state=thinking).answers("H", PACKET).compacts().state.reasoning == 0


@pytest.mark.mission("A4")
def test_the_agent_is_told_how_much_fits() -> None:
    story = filling(WINDOW - ROOM)
    [steer] = story.wanted(SteerTurn)
    assert "about 6 thousand tokens fit" in landing(SHIPPED.prompts, "c1", left=ROOM, by_agent=True)
    assert story.state.sequence is not None
    assert steer.text == landing(GOLDEN.prompts, story.state.sequence.id, left=ROOM, by_agent=True)


@pytest.mark.parametrize("pause", ["a commit", "a check that passed", "a phase that was marked"])
def test_a_pause_in_a_running_turn_is_no_place_to_stop(pause: str) -> None:
    """A19: its end is."""
    seen = facts.CommandObserved(turn="W", item="i", commits=(facts.CommitSeen("abc1234", "Parser"),))
    story = filling(WINDOW - 60_000, WINDOW - 50_000)
    match pause:
        case "a commit":
            story.tell(seen)
        case "a phase that was marked":
            story.tell(facts.PhaseSubmitted(phase="research"))
        case _:
            story.changes("W", "src/a.py").runs("W", "make test")
    assert (story.state.sequence, story.wanted(SteerTurn)) == (None, [])


def test_a_turn_that_is_about_to_end_is_left_to_its_end() -> None:
    """A19: its end is the better place."""
    story = filling(WINDOW // 2).says("W", "Which of the two shall I take?").uses("W", WINDOW - 3_000)
    assert not landed(story)
    announced = items.AgentMessage(id="m", text="Now the tests.", phase="commentary")
    going_on = filling(WINDOW // 2).tell(facts.ItemCompleted(turn="W", item=announced)).uses("W", WINDOW - 3_000)
    assert landed(going_on)


def test_a_turn_that_is_past_the_limit_already_is_not_told_to_stop() -> None:
    """A19: Codex compacts before it reads another message."""
    story = filling(WINDOW - 20_000, WINDOW + 4_000, WINDOW + 4_000)
    assert (landed(story), story.wanted(SteerTurn)) == (False, [])
    assert story.reasons() == [Reason.COMPACT_SKIPPED_OVERRUN]


def test_where_codex_does_not_compact_at_its_limit_the_next_call_lands_it() -> None:
    """A19: its user may have moved the limit."""
    assert landed(filling(WINDOW - 60_000, WINDOW + 100, WINDOW + 2_000))


def test_the_running_turn_is_steered_to_a_clean_stop_with_a_packet() -> None:
    """A19: a steer, no turn of its own, and no interruption."""
    story = filling(WINDOW - ROOM)
    sequence = story.state.sequence
    assert sequence is not None
    assert (sequence.phase, sequence.landing, sequence.tier) == (Phase.HEADS_UP_INJECTED, True, "emergency")
    text = landing(GOLDEN.prompts, sequence.id, left=ROOM, by_agent=True)
    assert story.wanted(SteerTurn) == [SteerTurn(turn="W", text=text, own=True)]
    assert story.wanted(StartTurn) == []


def test_it_is_said_once() -> None:
    story = filling(WINDOW - ROOM).uses("W", WINDOW - 100).uses("W", WINDOW)
    assert len(story.wanted(SteerTurn)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"guards": (Guard("x"),)},
        {"breaker": Breaker(2, 0, stopped=True)},
        {"goal": Goal("win", "active")},
        {"token_budget": True},
        {"online": False},
        {"compacting": CompactionRun("other", AT, turn="W")},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_stands_against_it(changes: dict[str, Any]) -> None:
    """A3, A20, B3."""
    assert not landed(filling(WINDOW - ROOM, state=replace(IDLE, **changes)))


def test_in_a_review_it_is_not_for_us() -> None:
    """A3."""
    review = facts.ItemCompleted(turn="W", item=items.ReviewEntered(id="r", review="x"))
    assert not landed(Story().begin("W", "Review it.").tell(review).uses("W", WINDOW - ROOM))


@pytest.mark.parametrize(
    "policy", [rules(enabled=False), rules(mode="tag"), rules(mode="suggest"), rules(soft_landing=False)]
)
def test_who_did_not_ask_for_it_does_not_get_it(policy: Policy) -> None:
    """A1, A2."""
    story = filling(WINDOW - ROOM, policy=policy)
    assert (landed(story), story.state.sequence, story.effects) == (False, None, [])


def test_between_turns_there_is_nothing_to_land() -> None:
    story = Story().uses("W", WINDOW - ROOM)
    assert not landed(story)


def test_without_a_window_nothing_is_forecast() -> None:
    """A3."""
    usage = facts.UsageUpdated(turn="W", in_context=10**7, spent=10**7)
    assert not landed(Story().begin("W", "Do it.").tell(usage))


@pytest.mark.parametrize("purpose", ["heads_up", "scratch", "packet", "correction", "landing"])
def test_a_turn_in_which_a_packet_is_asked_for_anyway_is_left_alone(purpose: Purpose) -> None:
    story = Story().begin("W", "Do it.")
    assert story.state.turn is not None
    story.state = replace(story.state, turn=replace(story.state.turn, purpose=purpose))
    assert not landed(story.uses("W", WINDOW - ROOM))


def test_the_work_that_follows_a_handoff_is_landed_too() -> None:
    """A19: the agent goes on in the handoff's own turn, for as long as the work takes."""
    story = decided().answers("H", PACKET).compacts()
    story.begin("G", story.wanted(StartTurn)[-1].text, ours=True)
    assert story.state.sequence is None
    assert not landed(story.uses("G", 100_000))
    assert landed(story.uses("G", WINDOW - ROOM))


# -- and then -------------------------------------------------------------------------------------------------------


def heard(story: Story, turn: str = "W") -> Story:
    """The steer stands in the turn."""
    [steer] = story.wanted(SteerTurn)
    item = items.UserMessage(id="s", text=steer.text, client_id=story.name(SteerTurn))
    return story.tell(facts.ItemCompleted(turn=turn, item=item))


def test_the_end_of_the_turn_brings_the_packet_and_the_compaction() -> None:
    """A19: compacts at the turn's end, with the agent's own packet."""
    story = heard(filling(WINDOW - ROOM))
    assert story.state.sequence is not None
    assert story.state.sequence.phase is Phase.AWAITING_PACKET
    story.says("W", PACKET).end("W")
    assert len(story.wanted(StartCompaction)) == 1
    assert story.reasons()[-1] is Reason.PACKET_TAKEN_AGENT
    handoff = story.compacts().wanted(StartTurn)[-1].text
    assert "Write the draft." in handoff


def test_a_turn_that_ends_without_a_packet_gets_one_chance_more() -> None:
    """A12, D2: then rawr writes it."""
    story = heard(filling(WINDOW - ROOM)).says("W", "I stopped.").end("W")
    assert story.reasons()[-2] is Reason.PACKET_RETURNED_CHECK
    story.answers("X", "No.")
    assert story.reasons()[-1] is Reason.PACKET_WRITTEN_WATCHER
    assert len(story.wanted(InjectPacket)) == 1


def missed(tokens: int, *, policy: Policy = GOLDEN) -> Story:
    """The turn ends before the request to stop is in it."""
    story = filling(tokens, policy=policy)
    refused = facts.EffectFailed(effect=story.name(SteerTurn), code="refused", problem="no active turn to steer")
    return story.says("W", "That was that, and it all went well enough.").end("W").tell(refused)


def test_a_turn_that_ended_first_is_followed_by_the_ordinary_path() -> None:
    """A19, A10: a request to stop makes no sense at the start of a turn; a heads-up does."""
    story = missed(WINDOW - ROOM)
    assert [one.text.partition("]")[2][:6] for one in story.wanted(StartTurn)] == [" Pause"]
    assert Reason.LANDING_MISSED_TURN in story.reasons()
    assert len(story.answers("H", PACKET).wanted(StartCompaction)) == 1


def test_where_no_turn_fits_rawr_writes_the_packet_and_starts_none() -> None:
    """A12, A19: Codex would compact at the start of that turn."""
    story = missed(WINDOW - ROOM + 1)
    assert (story.wanted(StartTurn), len(story.wanted(InjectPacket))) == ([], 1)
    story.tell(facts.EffectSucceeded(effect=story.name(InjectPacket)))
    assert len(story.wanted(StartCompaction)) == 1


def test_a_turn_that_ends_past_the_limit_is_compacted_once_and_by_rawr() -> None:
    """A13, A19: no turn is started, at whose beginning Codex would compact by itself."""
    story = filling(WINDOW - 8_400, WINDOW + 4_000).says("W", "That is as far as I got with it today.").end("W")
    assert (story.wanted(StartTurn), story.wanted(SteerTurn)) == ([], [])
    story.tell(facts.EffectSucceeded(effect=story.name(InjectPacket))).compacts()
    assert len(story.wanted(StartCompaction)) == 1
    assert [one.by for one in story.state.compactions] == ["rawr"]


def test_a_person_who_interrupts_cancels_it() -> None:
    story = heard(filling(WINDOW - ROOM)).end("W", "interrupted")
    assert (story.state.sequence, story.wanted(StartCompaction)) == (None, [])
    assert Reason.COMPACT_CANCELLED_PERSON in story.reasons()


@pytest.mark.parametrize("status", ["completed", "interrupted"])
def test_the_turn_before_which_is_judged_late_is_not_the_landed_one(status: facts.TurnStatus) -> None:
    """A19: its session file was still being read. It brings no packet, and a person's end of it cancels nothing."""
    file = SessionFile("/codex/sessions/r.jsonl", SessionMark())
    story = Story(replace(THEIRS, session=file)).begin("T0", "Hello.").says("T0", "Good morning.").end("T0", status)
    read = facts.EffectSucceeded(effect=story.name(ReadSession))
    heard(story.begin("W", "Do the job.").uses("W", native_limit(WINDOW) - ROOM)).tell(read)
    assert story.state.sequence is not None
    assert (story.state.unweighed, story.state.sequence.phase) == (False, Phase.AWAITING_PACKET)
    story.says("W", PACKET).end("W").tell(facts.EffectSucceeded(effect=story.name(ReadSession)))
    assert story.reasons()[-1] is Reason.PACKET_TAKEN_AGENT


# -- where Codex was faster -----------------------------------------------------------------------------------------

COMPACTION = items.Compaction(id="c")
NATIVE = (facts.ItemStarted(turn="W", item=COMPACTION), facts.ItemCompleted(turn="W", item=COMPACTION))
HARD = rules(soft_landing=False)


def test_a_native_compaction_is_followed_by_the_record() -> None:
    """A19: recognised, recorded as upstream, mended at once, in the running turn."""
    state = replace(IDLE, ledger=Story().tell(facts.PinSubmitted(text="Always use tabs.")).state.ledger)
    story = filling(250_000, state=state, policy=HARD).runs("W", "make").tell(*NATIVE)
    assert story.reasons() == [
        Reason.COMPACT_SEEN_UPSTREAM,
        Reason.COMPACT_AUDITED_OUTSIDE,
        Reason.HANDOFF_SENT_RECOVERY,
    ]
    assert [one.by for one in story.state.compactions] == ["upstream"]
    [mended] = story.wanted(SteerTurn)
    assert mended.turn == "W"
    for told in ("the context was compacted", "Goal: Do the job.", "Always use tabs.", "Recorded by rawr"):
        assert told in mended.text
    assert "packet" not in mended.text


def test_a_record_that_came_too_late_goes_along_with_the_users_next_message() -> None:
    """A19, A20a: the turn ended before the record was in it. rawr begins no turn for it, however often Codex compacts;
    it comes once, behind the message."""
    story = filling(250_000, policy=HARD).runs("W", "make").tell(*NATIVE)
    steered = story.newest.effects[-1].id
    story.uses("W", 6_000).end("W").tell(
        facts.EffectFailed(effect=steered, code="moot", problem="no active turn to steer")
    )
    assert (story.wanted(StartTurn), story.reasons()[-1]) == ([], Reason.HANDOFF_HELD_RECOVERY)
    again = items.Compaction(id="d")
    story.tell(facts.TurnStarted(turn="R"), facts.ItemStarted(turn="R", item=again))
    story.tell(facts.ItemCompleted(turn="R", item=again))
    assert len(story.wanted(SteerTurn)) == 1
    story.tell(facts.ItemCompleted(turn="R", item=items.UserMessage(id="m", text="Go on.", client_id="")))
    assert (story.wanted(StartTurn), len(story.wanted(SteerTurn))) == ([], 2)
    told = items.UserMessage(id="n", text="the record", client_id=story.state.sent[-1].effect)
    story.tell(facts.ItemCompleted(turn="R", item=told))
    assert story.state.recovering is None
    assert story.state.turn is not None
    assert story.state.turn.purpose == ""


def test_a_record_that_was_read_before_a_native_compaction_is_told_again() -> None:
    """A19: it was in what was compacted."""
    story = filling(250_000, policy=HARD).runs("W", "make").tell(*NATIVE)
    steered = story.newest.effects[-1].id
    shown = items.UserMessage(id="m", text="the record", client_id=steered)
    story.tell(facts.ItemCompleted(turn="W", item=shown), *NATIVE)
    assert story.reasons()[-1] is Reason.HANDOFF_SENT_RECOVERY
    assert len(story.wanted(SteerTurn)) == 2


@pytest.mark.parametrize("policy", [replace(HARD, compaction=replace(HARD.compaction, **one)) for one in (
    {"enabled": False}, {"mode": "tag"}, {"mode": "suggest"})])  # fmt: skip
def test_it_is_only_recorded_where_rawr_may_not_act(policy: Policy) -> None:
    """A1, A2."""
    story = filling(250_000, policy=policy).runs("W", "make").tell(*NATIVE)
    assert story.reasons() == [Reason.COMPACT_SEEN_UPSTREAM, Reason.COMPACT_AUDITED_OUTSIDE]
    assert story.wanted(SteerTurn) == []


def test_a_persons_own_compaction_ends_the_sequence_too() -> None:
    """A13, A14: they compact in their terminal program before rawr does. One compaction, one handoff, with the packet
    that is there."""
    story = decided(state=THEIRS)
    story.begin("H", story.wanted(StartTurn)[-1].text, ours=True).says("H", PACKET).breaks("H")
    theirs = items.Compaction(id="x")
    story.tell(facts.TurnStarted(turn="C"), facts.ItemStarted(turn="C", item=theirs))
    story.tell(facts.ItemCompleted(turn="C", item=theirs)).uses("C", 9_000).end("C")
    assert Reason.COMPACT_SEEN_ALONG in story.reasons()
    assert story.wanted(StartCompaction) == []
    handoff = story.wanted(StartTurn)[-1].text
    assert "Write the draft." in handoff
    story.begin("G", handoff, ours=True).end("G")
    [audit] = [one for one in story.records if one.reason is Reason.COMPACT_AUDITED_SEQUENCE]
    assert (audit.evidence["by"], audit.evidence["outcome"]) == ("another client", "compacted")
    assert len([one for one in story.wanted(StartTurn) if "Handoff" in one.text]) == 1


def test_the_record_waits_for_looks_at_the_repository() -> None:
    """A19, D3: a commit right before the compaction is in the record."""
    policy = replace(HARD, watch_repositories=True)
    story = filling(250_000, policy=policy)
    commit = items.Command(id="c", command="git commit -m x", cwd="/project", status="completed", exit_code=0)
    story.tell(facts.ItemCompleted(turn="W", item=commit), *NATIVE)
    assert story.wanted(SteerTurn) == []
    look = story.name(ObserveCommand)
    seen = facts.CommandObserved(
        turn="W",
        item="c",
        root="/project",
        branch="main",
        head="abc1234",
        commits=(facts.CommitSeen("abc1234def", "x"),),
    )
    story.tell(seen, facts.EffectSucceeded(effect=look))
    [mended] = story.wanted(SteerTurn)
    assert "commit abc1234def" in mended.text


def test_a_recovery_starts_nothing_by_itself() -> None:
    """A8: it is no boundary, and no sequence runs."""
    story = filling(250_000, policy=HARD).runs("W", "make").tell(*NATIVE)
    assert (story.state.sequence, story.state.signals) == (None, ())
