"""The golden path's table: every move in it is made by facts, and none that is not in it (A9)."""

from collections.abc import Callable
from typing import get_args

import pytest

from rawr.core.compaction import path
from rawr.core.compaction.sequence import LATE, TELLING
from rawr.core.compaction.table import TABLE, Move, after, cancellable, diagram
from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import StartCompaction, StartTurn
from rawr.errors import Bug
from tests.core.compaction import stories
from tests.core.compaction.stories import asked, compacted, compacting, noted, phase
from tests.core.judged import approves, awaiting, vetoes
from tests.core.runs import FULL, GOLDEN, in_a_turn
from tests.core.samples import WINDOW, Story, decided

DECIDED = (Move.TURN_ENDED, Move.DECIDED_YES)
ASKED = (Move.TURN_ENDED, Move.JUDGMENT_ASKED)
TO_HANDOFF = (*DECIDED, Move.PACKET_ASKED, Move.PACKET_READY, Move.COMPACTED)
SHUT = facts.ThreadClosed()


def refused(story: Story) -> Story:
    """Codex does not take the newest message."""
    return story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="no", code="refused"))


def overtaken(story: Story) -> Story:
    """A turn began before the compaction could be asked for."""
    return story.tell(facts.EffectFailed(effect=story.name(StartCompaction), problem="a turn", code="moot"))


def full() -> Story:
    return in_a_turn(policy=GOLDEN).tell(facts.TurnCompleted(turn="T1", status="failed", problem=FULL))


ALONG: dict[str, list[Move]] = {
    "to the end": [*DECIDED, Move.PACKET_ASKED, Move.PACKET_READY, Move.COMPACTED, Move.HANDED_OFF],
    "packet in a turn of its own": [*DECIDED, Move.PACKET_ASKED, Move.PACKET_READY],
    "packet by the watcher": [*DECIDED, Move.PACKET_ASKED, Move.PACKET_READY],
    "Codex is faster": [*DECIDED, Move.PACKET_ASKED, Move.FORESTALLED],
    "notes first": [*DECIDED, Move.SCRATCH_ASKED, Move.PACKET_ASKED, Move.PACKET_READY],
    "sent back once": [*DECIDED, Move.PACKET_ASKED, Move.PACKET_RETURNED, Move.PACKET_READY],
    "it failed": [*DECIDED, Move.PACKET_ASKED, Move.PACKET_READY, Move.COMPACTION_FAILED],
    "cancelled at the heads-up": [*DECIDED, Move.CANCELLED],
    "cancelled at the notes": [*DECIDED, Move.SCRATCH_ASKED, Move.CANCELLED],
    "cancelled at the packet": [*DECIDED, Move.PACKET_ASKED, Move.CANCELLED],
}
"""The moves of each way along it that begins with a decision."""
WALKS: dict[str, tuple[Callable[[], Story], list[Move]]] = {
    **{name: (stories.WALKS[name], moves) for name, moves in ALONG.items()},
    "a person asks for it": (lambda: Story().tell(facts.CompactionSubmitted()), [Move.SUBMITTED]),
    "the window is nearly full": (
        lambda: Story().begin("W", "Do the job.").uses("W", WINDOW - GOLDEN.compaction.packet_room_tokens),
        [Move.NEARLY_FULL],
    ),
    "the window is full": (full, [Move.FULL]),
    "a model approves": (lambda: approves(awaiting()), [*ASKED, Move.DECIDED_YES]),
    "a model vetoes": (lambda: vetoes(awaiting()), [*ASKED, Move.DECIDED_NO]),
    "a person is faster than the model": (
        lambda: awaiting().tell(facts.UserSubmitted(text="hello")),
        [*ASKED, Move.OVERTAKEN],
    ),
    "somebody's turn is faster": (
        lambda: overtaken(compacting()),
        [*DECIDED, Move.PACKET_ASKED, Move.PACKET_READY, Move.OVERTAKEN],
    ),
    "the handoff is not taken": (lambda: refused(compacted()), [*TO_HANDOFF, Move.HANDOFF_LOST]),
    "closed at the heads-up": (lambda: decided().tell(SHUT), [*DECIDED, Move.CLOSED]),
    "closed at the notes": (lambda: noted().tell(SHUT), [*DECIDED, Move.SCRATCH_ASKED, Move.CLOSED]),
    "closed at the packet": (lambda: asked().tell(SHUT), [*DECIDED, Move.PACKET_ASKED, Move.CLOSED]),
    "closed while compacting": (
        lambda: compacting().tell(SHUT),
        [*DECIDED, Move.PACKET_ASKED, Move.PACKET_READY, Move.COMPACTION_FAILED],
    ),
    "closed at the handoff": (lambda: compacted().tell(SHUT), [*TO_HANDOFF, Move.CLOSED]),
}
WITHOUT_A_TRACE = (Phase.ASSESSING, Move.DECIDED_NO)
"""An assessment takes no time: that it comes to nothing leaves no phase behind."""


def walk(story: Callable[[], Story], patch: pytest.MonkeyPatch) -> tuple[list[tuple[Phase, Move]], Phase]:
    """The moves that are made, as they are looked up in the table, and where they lead."""
    made: list[tuple[Phase, Move]] = []

    def look_up(where: Phase, move: Move) -> Phase:
        made.append((where, move))
        return after(where, move)

    patch.setattr(path, "after", look_up)
    return made, phase(story())


@pytest.mark.parametrize("name", WALKS)
def test_the_moves_of_a_walk(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A9: driven by facts alone, each move from the phase that the one before led to."""
    story, expected = WALKS[name]
    made, end = walk(story, monkeypatch)
    where = Phase.IDLE
    assert [move for _, move in made] == expected
    for before, move in made:
        assert before is where
        where = TABLE[before, move]
    assert end is where


def test_every_move_is_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A9: the table holds nothing that cannot happen."""
    made = {one for story, _ in WALKS.values() for one in walk(story, monkeypatch)[0]}
    assert set(TABLE) == {*made, WITHOUT_A_TRACE}


def test_a_move_that_is_not_in_the_table_says_so() -> None:
    """A9: with the state and the move."""
    for before in Phase:
        for move in Move:
            if (before, move) in TABLE:
                assert after(before, move) is TABLE[before, move]
            else:
                with pytest.raises(Bug, match=f"“{move.value}” in {before.value}"):
                    after(before, move)


def test_the_diagram_is_the_table() -> None:
    """A9: drawn from it."""
    lines = diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "  [*] --> Idle"]
    assert len(lines) == 2 + len(TABLE)
    assert "  Compacting --> HandoffPending: both signals came" in lines


def test_what_can_be_cancelled_is_what_can_be_late() -> None:
    """One list: the phases in which something is asked of the agent."""
    assert set(LATE) == {phase for phase in Phase if cancellable(phase)}


def test_what_is_telling_is_a_boundary() -> None:
    assert set(TELLING) < set(get_args(BoundaryKind))
