"""Whatever is told, the golden path is gone along by its table, and by nothing else (A9)."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.core.compaction import packet_turn
from rawr.core.compaction.table import TABLE
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import Notify, SetDeadline, StartCompaction
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import BACK, GONE, PLACES, asked, handoffs, phase
from tests.core.samples import PACKET, Story
from tests.core.strategies import values

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
            again = Reason.COMPACT_STARTED_AGAIN in [one.reason for one in story.newest.records]
            came_from = Phase.COMPACTING if again else Phase.AWAITING_PACKET
            assert (before, phase(story)) == (came_from, Phase.COMPACTING)
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


def test_a_compaction_of_codexs_own_that_was_cut_off_is_not_begun_again_without_a_packet() -> None:
    """A13: rawr begins only its own again."""
    story = PLACES[Phase.HEADS_UP_INJECTED]()
    rejoined = facts.ThreadJoined(
        cwd="", idle=True, last_turn="W", missed=(facts.MissedTurn("W", compacted=False),), fresh=True
    )
    story.tell(facts.ItemStarted(turn="W", item=COMPACTION), GONE, rejoined)
    assert story.wanted(StartCompaction) == []
