"""A run's table: every move in it is made by facts, and none that is not in it (C2)."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

import rawr
from rawr.core.policy.models import Models
from rawr.core.run import ending
from rawr.core.run.table import ANY, ROWS, TABLE, Move, after, diagram
from rawr.core.state.run import Waiting
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import RunCheck
from rawr.errors import Bug
from tests.core.runs import DONE, JOINED, RULES, STARTED, WAITING, Auto, in_a_sequence, in_a_turn, ordered, waiting_for

MODELS = replace(RULES, models=Models(decisions="model"))


def check_lost() -> Auto:
    story = waiting_for("check")
    return story.tell(facts.EffectFailed(effect=story.name(RunCheck), problem="gone", code="lost"))


def lost() -> Auto:
    """The connection goes down in the middle of a turn, and comes back without it."""
    story = in_a_turn().tell(facts.ServerLost(epoch=1, problem="it ended"))
    return story.tell(replace(JOINED, last_turn="T1", last_status="interrupted"))


STORIES: dict[Move, Callable[[], Auto]] = {
    Move.READY: ordered,
    Move.GRANTED: ordered,
    Move.TURN_ENDED: lambda: ordered().works("T1"),
    Move.CHECKING: lambda: waiting_for("check"),
    Move.CHECKED: lambda: waiting_for("check").checks(),
    Move.CHECK_LOST: check_lost,
    Move.REVIEWING: lambda: waiting_for("review"),
    Move.MODEL_ASKED: lambda: ordered(policy=MODELS).works("T1"),
    Move.GUIDED: lambda: ordered(guidance=True),
    Move.COMPACTING: in_a_sequence,
    Move.RETRYING: lambda: waiting_for("retry"),
    Move.LIMITED: lambda: waiting_for("limit"),
    Move.CUT_OFF: lost,
    Move.RESUMED: lambda: in_a_turn().tell(STARTED, facts.RunResumed()),
    Move.RESTED: lambda: ordered().works("T1", DONE),
}


def moves(story: Callable[[], Auto], patch: pytest.MonkeyPatch) -> list[tuple[Waiting, Move]]:
    """What happened, as it is looked up in the table."""
    made: list[tuple[Waiting, Move]] = []

    def look_up(waiting: Waiting, move: Move) -> Waiting:
        made.append((waiting, move))
        return after(waiting, move)

    patch.setattr(ending, "after", look_up)
    story()
    return made


@pytest.mark.parametrize("move", Move)
def test_every_move_is_made(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in at least one way, and from what the one before led to."""
    made = moves(STORIES[move], monkeypatch)
    assert move in [one for _, one in made]
    waiting: Waiting = ""
    for before, one in made:
        assert before == waiting
        waiting = TABLE[before, one]


@pytest.mark.parametrize("what", WAITING)
def test_a_run_rests_whatever_it_waits_for(what: Waiting) -> None:
    """C5: rawr ends, and the run is paused."""
    story = waiting_for(what)
    assert story.run.waiting == what
    story.tell(facts.RunPauseSubmitted(leaving=True))
    assert (story.ended, story.run.waiting) == (("paused", "run.paused.leaving"), "")


def test_every_row_leads_somewhere_and_every_wait_has_an_end() -> None:
    assert set(ROWS) == set(Move)
    assert {then for _, then in ROWS.values()} == set(get_args(Waiting))
    for waiting in ANY:
        assert {then for (before, _), then in TABLE.items() if before == waiting} - {waiting}


def test_a_move_that_is_not_in_the_table_says_so() -> None:
    for waiting in ANY:
        for move in Move:
            if (waiting, move) in TABLE:
                assert after(waiting, move) == TABLE[waiting, move]
            else:
                with pytest.raises(Bug, match=f"“{move.value}” while it waits for “{waiting or 'nothing'}”"):
                    after(waiting, move)


def test_the_diagram_is_the_table() -> None:
    lines = diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "  [*] --> deciding: a person orders it"]
    assert "  slot --> turn: its slot comes" in lines
    assert "  any --> [*]: it comes to rest" in lines
    assert "  [*] --> resume: a person resumes it" in lines
    assert len(lines) == 2 + sum(1 if states == ANY else len(states) for states, _ in ROWS.values())


def test_nothing_else_sets_what_a_run_waits_for_or_the_phase_of_a_sequence() -> None:
    """C2, A9: by `replace` a state could be changed past its table. `ending.move` and `path.move` look it up."""
    allowed = {("ending.py", "waiting"), ("path.py", "phase")}
    found = set()
    for path in (Path(rawr.__file__).parent / "core").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in (
                "replace",
                "change",
                "force_setattr",
            ):
                found |= {(path.name, one.arg) for one in node.keywords if one.arg in ("waiting", "phase")}
    assert found == allowed
