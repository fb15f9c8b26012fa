"""The golden path from the heads-up to the handoff, and what must never happen on it (A8–A17, A23, B5)."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import FindMessage, Notify, StartCompaction, StartTurn, SteerTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import (
    BACK,
    GONE,
    OWN,
    PLACES,
    SCRATCH,
    SHIPPED,
    WALKS,
    WATCHER,
    asked,
    compacted,
    compacting,
    handed,
    handoffs,
    phase,
    rules,
    texts,
)
from tests.core.samples import GOLDEN, PACKET, Story, decided

# -- the heads-up -----------------------------------------------------------------------------------------------------


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


# -- why ------------------------------------------------------------------------------------------------------------


def asked_by_a_person() -> Story:
    story = Story().begin("W", "Hello.").says("W", "Hello, what shall we do today?").uses("W", 30_000).end("W")
    return story.tell(facts.CompactionSubmitted())


@pytest.mark.parametrize(
    ("story", "why"),
    [
        (asked_by_a_person, "the user asked for it"),
        (lambda: decided(tokens=60_000), "this is a good place, and 81 % of the context is left"),
        (
            lambda: decided(policy=rules(soft_landing=False), tokens=235_000),
            "the context is nearly full, 9 % of the context is left",
        ),
    ],
    ids=["a person", "a boundary", "an emergency"],
)
def test_the_heads_up_says_the_true_reason(story: Callable[[], Story], why: str) -> None:
    """A10: how much is left is no reason where somebody asked for it, and room is not short at 81 %."""
    assert f": {why}." in texts(story())[-1]
