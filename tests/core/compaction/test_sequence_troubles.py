"""The golden path when something goes wrong around it: nothing hangs, nothing is said that nobody wants any more."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction.packet_turn import DEADLINE
from rawr.core.kernel import Kernel
from rawr.core.policy.compaction import TierPolicy
from rawr.core.policy.policy import Policy
from rawr.core.state import ledger
from rawr.core.text import tail
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import (
    FindMessage,
    InjectPacket,
    InterruptTurn,
    Notify,
    SetDeadline,
    StartCompaction,
    StartTurn,
    SteerTurn,
)
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import compacting, handed
from tests.core.samples import GOLDEN, IDLE, PACKET, WINDOW, WORDS, Story, decided

BACK = (
    facts.ServerLost(epoch=1, problem="gone"),
    facts.ServerConnected(epoch=2, user_agent="", codex_home="", transport="socket"),
)


def rules(**changes: Any) -> Policy:
    return replace(GOLDEN, compaction=replace(GOLDEN.compaction, **changes))


def handing_over() -> Story:
    """The compaction is done and the handoff is on its way."""
    return decided().answers("H", PACKET).compacts()


# -- the handoff ----------------------------------------------------------------------------------------------------


def test_a_handoff_that_only_the_history_knows_ends_the_sequence() -> None:
    """A14, A15, D5: its turn ran while rawr was away."""
    story = handing_over().tell(*BACK)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="G", last_status="completed"))
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="G"), facts.UserSubmitted(text="hi"))
    assert story.state.sequence is None
    assert story.wanted(StartTurn)[-1].text == "hi"


@pytest.mark.parametrize("code", ["refused", "moot"])
def test_a_handoff_that_codex_refuses_holds_nobody_up(code: facts.FailureCode) -> None:
    story = handing_over()
    story.tell(
        facts.EffectFailed(effect=story.name(StartTurn), problem="no", code=code), facts.UserSubmitted(text="hi")
    )
    assert Reason.HANDOFF_FAILED_UNDELIVERED in story.reasons()
    assert story.wanted(StartTurn)[-1].text == "hi"
    assert any(one.level == "error" for one in story.wanted(Notify))


def test_a_handoff_that_nobody_confirms_holds_nobody_up() -> None:
    story = handing_over()
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="slow", code="timed_out"))
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result=""), facts.UserSubmitted(text="hi"))
    assert story.state.sequence is None
    assert story.wanted(StartTurn)[-1].text == "hi"


def test_a_heads_up_that_codex_refuses_is_no_reason_to_wait() -> None:
    """A12: rawr writes the packet."""
    story = decided()
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="no", code="refused"))
    assert len(story.wanted(InjectPacket)) == 1
    assert [one.name for one in story.state.deadlines] == []


# -- a person who interrupts ------------------------------------------------------------------------------------------


def test_a_landing_that_a_person_cancelled_is_not_sent_after_all() -> None:
    """A19."""
    story = Story().begin("W", "x").uses("W", WINDOW - 3_000).tell(facts.InterruptSubmitted()).end("W", "interrupted")
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result=""))
    assert story.state.sequence is None
    assert story.wanted(StartTurn) == []


def test_an_interrupt_before_the_heads_up_is_shown_cancels_too() -> None:
    """A17."""
    story = decided()
    story.tell(facts.EffectSucceeded(effect=story.name(StartTurn), result="H"), facts.TurnStarted(turn="H"))
    story.tell(facts.InterruptSubmitted()).end("H", "interrupted")
    assert Reason.COMPACT_CANCELLED_PERSON in story.reasons()
    assert story.state.sequence is None


def test_with_the_thread_the_sequence_ends() -> None:
    story = decided().tell(facts.ThreadClosed())
    assert (story.state.sequence, story.state.deadlines, story.state.queue) == (None, (), ())
    story.tell(facts.DeadlinePassed(name=DEADLINE), after=300)
    assert story.state.sequence is None


# -- modes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["tag", "suggest"])
def test_preflight_is_for_auto_only(mode: str) -> None:
    """A2, A16."""
    policy = rules(mode=mode, asap=TierPolicy(65, ("turn_complete",)))
    story = Story(policy=policy).begin("W", "x").uses("W", 110_000).says("W", WORDS).end("W")
    story.tell(facts.UserSubmitted(text="next"))
    assert story.wanted(StartTurn)[-1].text == "next"


def test_an_emergency_is_suggested_once() -> None:
    """A2: not every turn."""
    story = Story(policy=rules(mode="suggest", soft_landing=False))
    for turn in ("A", "B", "C"):
        story.begin(turn, "x").uses(turn, 240_000).says(turn, WORDS).end(turn)
    assert len([one for one in story.wanted(Notify) if "compact now" in one.text]) == 1


# -- work in flight ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (items.Command(id="c", command="sleep 9", cwd="/", status="running"), Reason.COMPACT_DEFERRED_COMMAND_RUNNING),
        (items.SubAgent(id="s", status="running"), Reason.COMPACT_DEFERRED_SUBAGENT_BUSY),
    ],
)
def test_what_outlives_its_turn_is_still_in_flight(item: items.AnyItem, reason: Reason) -> None:
    """A7: a command in the background, a sub-agent that works on."""
    story = Story().begin("W", "x").tell(facts.ItemStarted(turn="W", item=item), facts.PhaseSubmitted(phase="research"))
    story.uses("W", 100_000).says("W", WORDS).end("W")
    assert reason in story.reasons()
    assert story.state.sequence is None


# -- the record -------------------------------------------------------------------------------------------------------


def test_a_compaction_that_failed_is_none() -> None:
    """A7, B2: no cooldown counts from it, and it is not recorded as completed."""
    story = decided().answers("H", PACKET)
    story.tell(facts.EffectFailed(effect=story.name(StartCompaction), problem="no", code="refused"))
    assert story.state.last_compaction is None
    assert "compaction_completed" not in [one.kind for taken in story.steps for one in taken.boundaries]


@pytest.mark.parametrize("native", [True, False])
def test_a_compaction_of_others_starts_the_cooldown_and_leaves_an_audit(native: bool) -> None:
    """A7, A23."""
    story = Story(policy=rules(mode="tag")).begin("W", "x").says("W", "Working.").uses("W", 100_000)
    if not native:
        story.end("W").tell(facts.TurnStarted(turn="C"))
    turn = "W" if native else "C"
    item = items.Compaction(id="k")
    story.tell(facts.ItemStarted(turn=turn, item=item), facts.ItemCompleted(turn=turn, item=item)).end(turn)
    [audit] = [one for one in story.records if one.reason is Reason.COMPACT_AUDITED_OUTSIDE]
    assert audit.evidence["trigger"] == ("Codex itself" if native else "another client")
    assert (audit.evidence["outcome"], audit.evidence["tokens_before"]) == ("compacted", 100_000)
    assert story.state.last_compaction is not None


def test_a_pasted_page_is_not_a_directive_but_its_rules_are() -> None:
    """D3: each rule verbatim, and nothing that crowds out the rest."""
    log = "\n".join(f"row {n}: done" for n in range(2_000))
    book = ledger.add_message(ledger.Ledger(goal="g"), f"{log}\nNever touch the schema.\n{log}", at=0)
    assert [(one.text, one.standing) for one in book.directives] == [("Never touch the schema.", True)]
    book = ledger.add_message(ledger.Ledger(goal="g"), log, at=0)
    assert [one.standing for one in book.directives] == [False]


def test_no_tail_is_no_text() -> None:
    assert tail("abc", 0) == "[3 earlier characters…] "


def test_a_pin_is_whole_or_refused() -> None:
    """D3: never cut in silence; taken back by its beginning."""
    long = "row\n" * 1_500 + "never push"
    story = Story().tell(facts.PinSubmitted(text=long), facts.PinSubmitted(text=long))
    assert [one.text for one in story.state.ledger.directives] == [long]
    assert story.tell(facts.PinSubmitted(text="x" * 10_000)).reasons()[-1] is Reason.DIRECTIVE_REFUSED_LENGTH
    assert story.tell(facts.PinRemoved(text="row")).state.ledger.directives == ()
    assert story.newest.records[-1].evidence == {"removed": 1, "left": []}


def test_a_greeting_is_not_the_goal() -> None:
    """D3: and the user's words stay in their order."""
    book = ledger.Ledger()
    for at, text in enumerate(("good morning", "hello?", "Build the importer.", "Mind the tests.", "Hi.")):
        book = ledger.add_message(book, text, at=at)
    assert (book.goal, [one.text for one in book.directives]) == ("Build the importer.", ["Mind the tests.", "Hi."])


@pytest.mark.parametrize(
    "rule", ["No new dependencies.", "Keep the API stable.", "dont push", "Ask me before you delete."]
)
def test_short_orders_are_rules(rule: str) -> None:
    """D3."""
    assert ledger.sounds_standing(rule)


def test_what_rawr_says_is_sent_also_where_it_quotes_a_lost_secret() -> None:
    """D3: a handoff that is not sent would be worse than one with a gap."""
    assert handing_over().wanted(StartTurn)[-1].own
    assert not Story().tell(facts.UserSubmitted(text="hi")).wanted(StartTurn)[-1].own


def test_a_packet_that_was_written_from_beginning_to_end_while_rawr_was_away_is_taken() -> None:
    """D5: the turn is known only from the history."""
    story = decided().tell(*BACK)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="H", last_status="completed", last_said=PACKET))
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="H"))
    assert Reason.PACKET_TAKEN_AGENT in story.reasons()
    assert len(story.wanted(StartCompaction)) == 1


def test_a_handoff_whose_turn_fails_before_it_is_shown_ends_the_sequence() -> None:
    story = handing_over()
    story.tell(facts.EffectSucceeded(effect=story.name(StartTurn), result="G"), facts.TurnStarted(turn="G"))
    story.end("G", "failed").tell(facts.UserSubmitted(text="hi"))
    assert story.state.sequence is None
    assert story.wanted(StartTurn)[-1].text == "hi"


def test_a_late_turn_whose_end_is_not_seen_is_not_waited_for_without_end() -> None:
    """Of what happens to a turn that does not end, see test_cutting."""
    story = decided().begin("H", "heads-up", ours=True)
    for _ in range(2):
        story.at = next(one.at for one in reversed(story.wanted(SetDeadline)) if one.name == DEADLINE)
        story.tell(facts.DeadlinePassed(name=DEADLINE))
    assert len(story.wanted(InterruptTurn)) == 2
    assert [one.name for one in story.state.deadlines] == ["interrupt", DEADLINE]


def test_a_heads_up_whose_showing_was_not_seen_has_asked_for_the_packet_all_the_same() -> None:
    """D5: its turn had begun when rawr was killed, and ended while it was away."""
    story = decided()
    story.tell(facts.EffectSucceeded(effect=story.name(StartTurn), result="H"), facts.TurnStarted(turn="H"), *BACK)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="H", last_status="completed", last_said=PACKET))
    assert Reason.PACKET_TAKEN_AGENT in story.reasons()
    assert len(story.wanted(StartTurn)) == 1


@pytest.mark.parametrize("phase", ["heads-up", "handoff"])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_turn_that_was_cut_off_before_its_message_was_written_says_it_again(phase: str, *, is_there: bool) -> None:
    """D5: Codex answers, begins the turn, and is killed before it has the message on disk. An answer is no proof."""
    story = decided() if phase == "heads-up" else handing_over()
    said = story.wanted(StartTurn)[-1].text
    story.tell(facts.EffectSucceeded(effect=story.name(StartTurn), result="G"), facts.TurnStarted(turn="G"), *BACK)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="G", last_status="interrupted", fresh=True))
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="G" if is_there else ""))
    assert [one.text for one in story.wanted(StartTurn)].count(said) == (1 if is_there else 2)
    assert (story.state.sequence is None) == (phase == "handoff" and is_there)


# -- Codex is away when it would go on -------------------------------------------------------------------------------


def test_a_compaction_that_codex_never_heard_of_is_begun_again() -> None:
    """D5: the connection broke first. That is no evidence against compaction."""
    story = decided().answers("H", PACKET)
    story.tell(facts.EffectFailed(effect=story.name(StartCompaction), problem="no connection", code="unsent"), *BACK)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="H", last_status="completed", fresh=True))
    assert len(story.wanted(StartCompaction)) == 2
    assert story.state.breaker == IDLE.breaker


@pytest.mark.parametrize("outcome", ["lost", "unsent"])
def test_a_packet_whose_fate_is_not_known_waits_for_codex(outcome: facts.FailureCode) -> None:
    """A12, D5: one was killed while the packet was put into the history. The handoff carries it either way."""
    story = decided(policy=rules(packet_author="watcher")).answers("H", "Ready.")
    injected = story.name(InjectPacket)
    story.tell(BACK[0], facts.EffectFailed(effect=injected, problem="gone", code=outcome))
    assert story.wanted(StartCompaction) == []
    story.tell(BACK[1], facts.ThreadJoined(cwd="/project", last_turn="H", last_status="completed", fresh=True))
    assert len(story.wanted(StartCompaction)) == 1
    assert story.state.breaker == IDLE.breaker


# -- Codex is faster ---------------------------------------------------------------------------------------------------


def test_a_native_compaction_before_the_packet_is_the_one_that_is_handed_over() -> None:
    """A13, A19: the context is compacted and the agent does not know. A second compaction would gain nothing."""
    compaction = items.Compaction(id="c")
    story = decided().begin("H", "heads-up", ours=True)
    story.tell(facts.ItemStarted(turn="H", item=compaction), facts.ItemCompleted(turn="H", item=compaction))
    assert story.state.sequence is None
    assert Reason.COMPACT_CANCELLED_UPSTREAM in story.reasons()
    [handoff] = story.wanted(SteerTurn)
    assert handoff.turn == "H"
    assert "the context was compacted, not by rawr" in handoff.text
    assert story.wanted(StartCompaction) == []


def test_a_native_compaction_in_place_of_ours_is_audited_as_codexs() -> None:
    """A13, A23: the user's turn came first and began with it. The packet is handed over once."""
    item = items.Compaction(id="c")
    spoke = facts.ItemCompleted(turn="U", item=items.UserMessage(id="u", text="And mind the tests."))
    story = compacting().tell(facts.TurnStarted(turn="U"), facts.ItemStarted(turn="U", item=item))
    story.tell(facts.ItemCompleted(turn="U", item=item), spoke).says("U", "I mind them.").end("U")
    handed(story)
    [audit] = [one for one in story.records if one.reason is Reason.COMPACT_AUDITED_SEQUENCE]
    assert (audit.evidence["by"], audit.evidence["outcome"]) == ("Codex itself", "compacted")
    assert len(story.wanted(StartCompaction)) == 1


def test_a_sub_agent_that_began_before_it_was_announced_counts() -> None:
    """A7: its turn and the item that spawned it come in either order."""
    kernel = Kernel(GOLDEN)
    kernel.take("child", facts.TurnStarted(turn="C"), at=1)
    spawned = facts.ItemCompleted(turn="T", item=items.SubAgent(id="s", status="completed", threads=("child", "other")))
    assert kernel.kin("parent", spawned) == (("parent", facts.SubAgentTurn(thread="child", running=True)),)
