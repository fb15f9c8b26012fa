"""The golden path fact by fact: every move of the table, and what must never happen on it (A8–A17, A23, B5)."""

from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.compaction import packet_turn
from rawr.core.compaction.precompact import selected
from rawr.core.compaction.table import TABLE
from rawr.core.policy.compaction import TierPolicy
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import Tier
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import (
    CancelDeadline,
    FindMessage,
    InjectPacket,
    InterruptTurn,
    Notify,
    SetDeadline,
    StartCompaction,
    StartTurn,
    SteerTurn,
)
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import (
    BACK,
    GONE,
    OWN,
    SCRATCH,
    SHIPPED,
    WALKS,
    WATCHER,
    asked,
    compacted,
    compacting,
    handed,
    handoffs,
    injected,
    noted,
    phase,
    rules,
    texts,
)
from tests.core.samples import GOLDEN, PACKET, WORDS, Story, decided, worked
from tests.core.strategies import values

# -- facts that do not belong ---------------------------------------------------------------------------------------

PLACES: dict[Phase, Callable[[], Story]] = {
    Phase.IDLE: Story,
    Phase.HEADS_UP_INJECTED: decided,
    Phase.AWAITING_SCRATCH: noted,
    Phase.AWAITING_PACKET: asked,
    Phase.COMPACTING: compacting,
    Phase.HANDOFF_PENDING: compacted,
}
STRAY = [
    facts.TurnCompleted(turn="W", status="completed"),
    facts.TurnCompleted(turn="W", status="interrupted"),
    facts.EffectSucceeded(effect="t:1.0"),
    facts.EffectFailed(effect="t:1.0", problem="no", code="refused"),
    facts.DeadlinePassed(name="scratch"),
    facts.ThreadStatusChanged(status="idle"),
    facts.CompactionSubmitted(),
]


@pytest.mark.parametrize("fact", STRAY, ids=lambda fact: type(fact).__name__)
@pytest.mark.parametrize("place", [one for one in PLACES if one is not Phase.IDLE])
def test_a_fact_that_does_not_belong_moves_nothing(place: Phase, fact: facts.AnyFact) -> None:
    """A9: at most a record; the sequence, its messages and its deadline stay as they are."""
    story = PLACES[place]()
    before = story.state
    assert phase(story) is place
    story.tell(fact)
    assert story.state.sequence == before.sequence
    assert (story.state.queue, story.state.sent, story.state.compactions) == (
        before.queue,
        before.sent,
        before.compactions,
    )
    assert [one for one in story.newest.effects if not isinstance(one.effect, Notify | SetDeadline)] == []


def test_a_second_wish_to_compact_is_one_too_many() -> None:
    """A3: one sequence at a time."""
    story = asked().tell(facts.CompactionSubmitted())
    assert story.newest.records[0].reason is Reason.COMPACT_SKIPPED_SEQUENCE
    assert story.newest.effects == ()


AFTER_ONE = {before: {before, *(to for (where, _), to in TABLE.items() if where is before)} for before in Phase}
AFTER_ONE[Phase.IDLE] = {Phase.IDLE, Phase.HEADS_UP_INJECTED, Phase.AWAITING_PACKET}
"""Where one fact can lead. From Idle the decision, and where no turn fits the packet, come in one step."""


TURNS = st.sampled_from(["W", "H", "P", "C", "G", "U"])
STATUSES = st.sampled_from(["completed", "interrupted", "failed"])
CODES = st.sampled_from(["refused", "unsent", "lost", "timed_out", "moot"])
COMPACTION = items.Compaction(id="c")


def message(turn: str, effect: str) -> facts.AnyFact:
    return facts.ItemCompleted(turn=turn, item=items.UserMessage(id=effect, text="x", client_id=effect))


def reply(turn: str, text: str) -> facts.AnyFact:
    return facts.ItemCompleted(turn=turn, item=items.AgentMessage(id="a", text=text))


def told(story: Story) -> st.SearchStrategy[facts.AnyFact]:
    """Anything that may be told next, about the turns and the effects that there are."""
    effects = st.sampled_from([one.id for one in story.effects] or ["t:1.0"])
    return st.one_of(
        st.builds(lambda turn: facts.TurnStarted(turn=turn), TURNS),
        st.builds(lambda turn, status: facts.TurnCompleted(turn=turn, status=status), TURNS, STATUSES),
        st.builds(message, TURNS, effects),
        st.builds(reply, TURNS, st.sampled_from([PACKET, "No."])),
        st.builds(lambda turn: facts.ItemStarted(turn=turn, item=COMPACTION), TURNS),
        st.builds(lambda turn: facts.ItemCompleted(turn=turn, item=COMPACTION), TURNS),
        st.builds(lambda effect, turn: facts.EffectSucceeded(effect=effect, result=turn), effects, TURNS | st.just("")),
        st.builds(lambda effect, code: facts.EffectFailed(effect=effect, problem="no", code=code), effects, CODES),
        st.builds(lambda name: facts.DeadlinePassed(name=name), st.sampled_from([packet_turn.DEADLINE, "compaction"])),
        st.builds(
            lambda idle, turn, done, fresh: facts.ThreadJoined(
                cwd="", idle=idle, last_turn=turn, missed=(facts.MissedTurn(turn, done),), fresh=fresh
            ),
            st.booleans(),
            TURNS,
            st.booleans(),
            st.booleans(),
        ),
        st.sampled_from(
            [
                GONE,
                BACK,
                facts.UserSubmitted(text="hello"),
                facts.InterruptSubmitted(),
                facts.CompactionSubmitted(),
                facts.PhaseSubmitted(phase="x"),
                facts.ThreadClosed(),
                facts.UsageUpdated(turn="W", in_context=255_000, spent=0),
            ]
        ),
    )


@settings(max_examples=100, deadline=None)
@given(place=st.sampled_from(list(PLACES)), data=st.data())
def test_any_facts_follow_the_table(place: Phase, data: st.DataObject) -> None:
    """A9, A13, A14: never a Bug, never a jump, no compaction without a packet, no handoff without a compaction."""
    story = PLACES[place]()
    for _ in range(data.draw(st.integers(1, 12))):
        before = phase(story)
        story.tell(data.draw(told(story)), after=data.draw(st.sampled_from([1, 700])))
        assert phase(story) in AFTER_ONE[before]
        if any(isinstance(one.effect, StartCompaction) for one in story.newest.effects):
            assert (before, phase(story)) == (Phase.AWAITING_PACKET, Phase.COMPACTING)
            assert story.state.sequence is not None
            assert story.state.sequence.packet
        assert len(set(handoffs(story))) <= story.state.compaction_count


ANY: st.SearchStrategy[facts.AnyFact] = st.one_of([values(kind) for kind in get_args(facts.AnyFact)])


@given(st.lists(ANY, max_size=6), st.sampled_from(list(PLACES)))
def test_whatever_comes_the_table_holds(strange: list[facts.AnyFact], place: Phase) -> None:
    """A9: also for facts that no server would send."""
    story = PLACES[place]()
    for fact in strange:
        before = phase(story)
        story.tell(fact)
        assert phase(story) in AFTER_ONE[before]


# -- deciding -------------------------------------------------------------------------------------------------------


def test_a_boundary_is_used_up_by_the_decision() -> None:
    """A8: at most one sequence comes of it, whatever follows."""
    assert decided().state.signals == ()
    story = handed(compacted()).says("G", "On I go.").end("G")
    assert (story.state.sequence, story.state.signals) == (None, ())
    patient = rules(cooldown_turns=0, cooldown_seconds=0)
    story.policy = patient
    story.begin("N", "Next.").uses("N", 120_000).says("N", WORDS).end("N")
    assert story.state.sequence is None
    assert story.reasons().count(Reason.COMPACT_DECIDED_BOUNDARY) == 1


def test_a_sticky_plan_does_not_fire_twice() -> None:
    """A8: sent again unchanged, a completed step is no news."""
    plan = facts.PlanUpdated(turn="W", steps=(PlanStep("a", "pending"), PlanStep("b", "pending")))
    done = replace(plan, steps=(PlanStep("a", "completed"), PlanStep("b", "pending")))
    loose = rules(cooldown_turns=0, cooldown_seconds=0, mode="tag")
    story = Story(policy=loose).begin("W", "Do it.").tell(plan, done).uses("W", 110_000).says("W", WORDS).end("W")
    assert story.reasons() == [Reason.COMPACT_TAGGED_BOUNDARY]
    story.begin("X", "Go on.").tell(replace(done, turn="X")).says("X", WORDS).end("X")
    assert story.reasons()[1:] == [Reason.COMPACT_SKIPPED_NO_BOUNDARY]


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (rules(mode="tag"), Reason.COMPACT_TAGGED_BOUNDARY),
        (rules(mode="suggest"), Reason.COMPACT_SUGGESTED_BOUNDARY),
        (rules(enabled=False), Reason.COMPACT_SKIPPED_DISABLED),
    ],
)
def test_only_auto_acts(policy: Policy, reason: Reason) -> None:
    """A1, A2: the others mark, recommend or record."""
    story = decided(policy=policy)
    assert story.reasons()[-1] is reason
    assert (story.state.sequence, texts(story)) == (None, [])
    assert len(story.wanted(Notify)) == (reason is Reason.COMPACT_SUGGESTED_BOUNDARY)


def test_a_suggestion_is_made_once_for_a_boundary() -> None:
    """A2: not every turn."""
    story = decided(policy=rules(mode="suggest"))
    for turn in ("X", "Y"):
        story.begin(turn, "Go on.").says(turn, WORDS).end(turn)
    assert story.reasons().count(Reason.COMPACT_SUGGESTED_BOUNDARY) == 1
    assert len(story.wanted(Notify)) == 1


def test_a_decision_says_what_it_was_made_of() -> None:
    """B4: tier, percent, signals, reasons for and against, also where the answer is no."""
    story = decided(policy=rules(cooldown_turns=2))
    yes = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY).evidence
    assert (yes["tier"], yes["percent"], yes["satisfied"], yes["against"]) == ("asap", 64, ["phase_boundary"], [])
    assert yes["boundaries"] == ["phase_boundary: research", "turn_complete"]
    no = Story().tell(facts.HoldSubmitted(until="later"))
    evidence = worked(no).records[-1].evidence
    assert evidence["against"] == [Reason.COMPACT_DEFERRED_GUARD.value]


# -- what the agent is asked ----------------------------------------------------------------------------------------


def test_the_heads_up_comes_first_and_names_what_ended() -> None:
    """A10, A11: the request is the body of auto-compact.md, verbatim, in the same turn by default."""
    story = decided(policy=SHIPPED)
    [text] = texts(story)
    assert story.state.sequence is not None
    assert text.startswith(f"[rawr {story.state.sequence.id}] Heads-up")
    assert "phase boundary, research" in text
    assert "64 % of the context" in text
    assert text.endswith(f"\n\n{SHIPPED.prompts.packet_request}")


@pytest.mark.parametrize("policy", [OWN, WATCHER, SCRATCH, GOLDEN])
def test_the_heads_up_is_always_sent(policy: Policy) -> None:
    """A10: once the decision is made."""
    assert texts(decided(policy=policy))[0].startswith("[rawr c")


def test_a_request_of_its_own_is_verbatim() -> None:
    """A11."""
    story = decided(policy=rules(SHIPPED, packet_turn="own")).answers("H", "I wait.")
    assert texts(story)[1] == SHIPPED.prompts.packet_request
    assert phase(story) is Phase.AWAITING_PACKET


@pytest.mark.parametrize(
    ("policy", "tier", "requests"),
    [
        (GOLDEN, "asap", ("packet",)),
        (SCRATCH, "asap", ("scratch", "packet")),
        (SCRATCH, "early", ("scratch", "packet")),
        (SCRATCH, "emergency", ("packet",)),
    ],
)
def test_the_queue_of_requests(policy: Policy, tier: Tier, requests: tuple[str, ...]) -> None:
    """B5: one place that orders them; the packet is the last, and an emergency has no time for notes."""
    assert selected(policy.compaction, tier) == requests


def test_a_decision_names_the_requests_that_it_leads_to() -> None:
    """B4."""
    yes = next(one for one in decided(policy=SCRATCH).records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    assert (yes.evidence["requests"], yes.evidence["judgment"]) == (["scratch", "packet"], None)


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
    assert story.wanted(Notify)[-1].text == "[rawr] you interrupted; nothing is compacted for now."
    story.tell(facts.UserSubmitted(text="Do this instead."))
    assert texts(story)[-1] == "Do this instead."


def test_a_message_that_waited_goes_out_when_the_sequence_is_cancelled() -> None:
    """A15: never lost."""
    story = asked().tell(facts.UserSubmitted(text="wait")).end("H", "interrupted")
    assert texts(story)[-1] == "wait"


# -- compaction and handoff -----------------------------------------------------------------------------------------

ITEM = items.Compaction(id="c")


def begun() -> Story:
    story = compacting()
    story.tell(facts.EffectSucceeded(effect=story.name(StartCompaction)), facts.TurnStarted(turn="C"))
    return story.tell(facts.ItemStarted(turn="C", item=ITEM))


BOTH = (facts.ItemCompleted(turn="C", item=ITEM), facts.TurnCompleted(turn="C", status="completed"))


@pytest.mark.parametrize("signals", [BOTH, BOTH[::-1]], ids=["item first", "turn first"])
def test_both_signals_in_either_order(signals: tuple[facts.AnyFact, facts.AnyFact]) -> None:
    """A13: done with the second, and not before."""
    story = begun().tell(signals[0])
    assert (phase(story), handoffs(story)) == (Phase.COMPACTING, [])
    story.tell(signals[1])
    assert (phase(story), len(handoffs(story))) == (Phase.HANDOFF_PENDING, 1)


@given(st.lists(st.sampled_from(BOTH), min_size=1, max_size=8))
def test_signals_that_come_again_bring_no_second_handoff(signals: list[facts.AnyFact]) -> None:
    """A13, A14: once per compaction, whatever is doubled or late."""
    story = begun().tell(*signals)
    assert len(handoffs(story)) == (len(set(map(type, signals))) == 2)
    assert story.state.compaction_count == len(handoffs(story))


@pytest.mark.parametrize(("completed", "author"), [(True, "agent"), (False, "rawr")])
def test_a_packet_that_was_written_while_rawr_was_away_is_taken(completed: bool, author: str) -> None:
    """D5: its turn ended unseen and the user spoke after it. Nobody waits for what is over."""
    story = decided()
    heads_up = story.name(StartTurn)
    story.tell(GONE, BACK)
    aside = facts.MissedTurn("U", spoken=True)
    joined = facts.ThreadJoined(
        cwd="", last_turn="U", last_status="completed", missed=(facts.MissedTurn("H", spoken=True), aside)
    )
    story.tell(joined)
    said = PACKET if completed else ""
    story.tell(
        facts.MessageFound(message=heads_up, turn="H", completed=completed, said=said),
        facts.EffectSucceeded(effect=story.name(FindMessage), result="H"),
    )
    assert story.state.sequence is not None
    assert (story.state.sequence.packet_author, story.state.sequence.packet != "") == (author, True)


@pytest.mark.parametrize(
    "ending",
    [
        (facts.TurnCompleted(turn="C", status="failed"),),
        (facts.TurnCompleted(turn="C", status="interrupted"),),
        (facts.TurnCompleted(turn="C", status="failed"), BOTH[0]),
    ],
)
def test_a_compaction_that_failed_brings_no_handoff(ending: tuple[facts.AnyFact, ...]) -> None:
    """A13: told apart by its status, recorded, and the thread goes on."""
    story = begun().tell(*ending)
    assert (story.state.sequence, handoffs(story)) == (None, [])
    assert Reason.COMPACT_FAILED_TURN in story.reasons()
    [audit] = [one for one in story.records if one.reason is Reason.COMPACT_AUDITED_SEQUENCE]
    assert audit.evidence["outcome"] == "failed"
    assert story.wanted(Notify)[-1].level == "error"
    story.tell(facts.UserSubmitted(text="and now?"))
    assert texts(story)[-1] == "and now?"


def test_one_that_never_ends_has_failed_when_its_time_is_over() -> None:
    """A13."""
    story = begun().tell(facts.DeadlinePassed(name="compaction"), after=600)
    assert (story.state.sequence, handoffs(story)) == (None, [])


def test_the_handoff_is_sent_once_and_ends_the_sequence() -> None:
    """A14."""
    story = compacted()
    assert phase(story) is Phase.HANDOFF_PENDING
    handed(story).says("G", "On I go.").end("G")
    assert (story.state.sequence, story.state.sent, len(handoffs(story))) == (None, (), 1)
    assert "Write the draft." in handoffs(story)[0]


def test_a_handoff_that_died_with_the_server_is_sent_again_after_a_look() -> None:
    """A14, D5: only where Codex's history lacks it."""
    story = compacted().tell(GONE, BACK, facts.ThreadJoined(cwd="/project"))
    assert len(handoffs(story)) == 1
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result=""))
    first, second = handoffs(story)
    assert first == second
    assert handed(story).state.sequence is None


def test_nothing_left_is_said_in_place_of_go_on() -> None:
    """A14."""
    story = decided().answers("H", PACKET.replace("Write the draft.", "Nothing is left to do.")).compacts()
    assert "do not start new work" in handoffs(story)[0]
    assert "Continue from here." not in handoffs(story)[0]


# -- what the user says meanwhile -----------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [one for one in PLACES if one is not Phase.IDLE])
def test_a_message_waits_in_every_state(place: Phase) -> None:
    """A15: no turn of the user's starts while a sequence runs."""
    story = PLACES[place]()
    before = len(texts(story))
    story.tell(facts.UserSubmitted(text="  one\n"), facts.UserSubmitted(text="two"))
    assert [one.text for one in story.state.queue if one.purpose == "user"] == ["  one\n", "two"]
    assert len(texts(story)) == before


def test_messages_follow_the_handoff_in_order_and_unchanged() -> None:
    """A15: never prefixed, never lost."""
    story = asked().tell(facts.UserSubmitted(text="  one\n"))
    story.says("H", PACKET).end("H").tell(facts.UserSubmitted(text="two")).compacts()
    assert "Handoff" in texts(story)[-1]
    handed(story).end("G")
    assert texts(story)[-1] == "  one\n"
    handed(story, "U").end("U")
    assert texts(story)[-2:] == ["  one\n", "two"]
    assert len(handoffs(story)) == 1


def test_where_another_clients_message_got_in_first_the_handoff_is_steered_after_it() -> None:
    """A15: ``turn/start`` would cut in."""
    story = begun().tell(BOTH[1]).begin("U", "I was faster.").tell(BOTH[0])
    assert [one.turn for one in story.wanted(SteerTurn)] == ["U"]
    steer = items.UserMessage(id="s", text="x", client_id=story.name(SteerTurn))
    story.tell(facts.ItemCompleted(turn="U", item=steer)).end("U")
    assert (story.state.sequence, len(handoffs(story))) == (None, 1)


def test_a_steer_that_is_refused_becomes_a_turn() -> None:
    """A15: in the next turn, then; and still once."""
    story = begun().tell(BOTH[1]).begin("U", "I was faster.").tell(BOTH[0])
    story.tell(facts.EffectFailed(effect=story.name(SteerTurn), problem="no", code="refused")).end("U")
    assert len(story.wanted(StartTurn)) == 2
    assert handed(story).state.sequence is None


PREFLIGHT = rules(asap=TierPolicy(65, ("turn_complete",)))


def quiet_turn(policy: Policy = PREFLIGHT) -> Story:
    return Story(policy=policy).begin("W", "Do it.").uses("W", 110_000).says("W", WORDS).end("W")


def test_preflight_waits_for_the_next_message_and_delivers_it_unchanged() -> None:
    """A16."""
    story = quiet_turn()
    assert (story.state.preflight, texts(story)) == (True, [])
    story.tell(facts.UserSubmitted(text=" next "))
    assert phase(story) is Phase.HEADS_UP_INJECTED
    handed(story.answers("H", PACKET).compacts()).end("G")
    assert texts(story)[-1] == " next "


def test_a_shell_message_does_not_count() -> None:
    """A16: ``!`` goes straight through, and the sequence waits on."""
    story = quiet_turn().tell(facts.UserSubmitted(text="!git status"))
    assert texts(story) == ["!git status"]
    assert (story.state.preflight, story.state.sequence) == (True, None)


# -- what is shown, and what stays on record ------------------------------------------------------------------------


def test_a_compaction_leaves_an_audit() -> None:
    """A23: trigger, tier, percent, boundaries, judgment, author, tokens, duration, outcome."""
    story = handed(compacted())
    [audit] = [one.evidence for one in story.records if one.reason is Reason.COMPACT_AUDITED_SEQUENCE]
    assert story.state.last_compaction is not None
    assert audit == {
        "sequence": story.state.last_compaction.sequence,
        "trigger": "compact.decided.boundary",
        "tier": "asap",
        "percent": 64,
        "boundaries": ["phase_boundary", "turn_complete"],
        "judgment": None,
        "packet_author": "agent",
        "corrections": 0,
        "tokens_before": 100_000,
        "tokens_after": 20_000,
        "duration_ms": 12_000,
        "outcome": "compacted",
    }
    assert [one.kind for one in story.newest.boundaries] == ["compaction_completed"]


def test_the_last_compaction_is_kept_with_its_rationale() -> None:
    """B3."""
    last = handed(compacted()).state.last_compaction
    assert last is not None
    assert (last.tier, last.reason, last.work_turns) == ("asap", "compact.decided.boundary", 1)


@pytest.mark.parametrize("name", WALKS)
def test_lines_for_the_person_are_few_marked_and_not_in_the_conversation(name: str) -> None:
    """A21: one at the beginning, one where it ends otherwise than well."""
    story = WALKS[name]()
    lines = story.wanted(Notify)
    assert len(lines) <= 2
    assert all(one.text.startswith("[rawr] ") for one in lines)
    assert all(one.text not in text for one in lines for text in texts(story))


def test_on_the_happy_path_one_line_is_shown() -> None:
    """A21: an info line that says what happens and why."""
    assert handed(compacted()).wanted(Notify) == [
        Notify(level="info", text="[rawr] compacting (64 % left): phase boundary, research")
    ]
