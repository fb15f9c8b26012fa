"""Every effect and every move of the golden path has its kill points, and a job that passes them (D5)."""

from typing import get_args

from rawr.core.compaction.table import TABLE
from rawr.core.state.sequence import Phase
from rawr.core.vocabulary import effects, facts
from tests.crash import points
from tests.crash.jobs import JOBS
from tests.crash.reached import EFFECTS, ELSEWHERE, MOVES, SECOND_LIFE, promised


def test_every_effect_is_passed_by_some_job() -> None:
    """A new effect is not forgotten: it stands here with the job in which it is killed."""
    assert {*EFFECTS, *ELSEWHERE} == set(get_args(effects.AnyEffect))


def test_every_move_of_the_golden_path_is_passed_by_some_job() -> None:
    """A new phase is not forgotten either: what can be seen of the table's moves stands here, and nothing else."""
    assert set(MOVES) == points.transitions()
    assert {phase for move in MOVES for phase in move} == set(Phase) - {points.TRANSIENT}


def test_the_jobs_are_there() -> None:
    assert {*EFFECTS.values(), *MOVES.values()} <= {*JOBS, SECOND_LIFE}


def test_what_the_jobs_promise_is_every_point_of_effects_and_moves() -> None:
    names = {*EFFECTS.values(), *MOVES.values()}
    elsewhere = {kind.__name__ for kind in ELSEWHERE}
    expected = {one for one in points.effect_points() if one.partition(":")[2] not in elsewhere}
    assert set().union(*map(promised, names)) == expected | points.phase_points()


def test_the_names_of_the_points() -> None:
    every = points.all_points()
    assert {
        "writing:StartCompaction",
        "before:StartCompaction",
        "sent:StartCompaction",
        "answered:StartCompaction",
        "recorded:StartCompaction",
        "told:TurnCompleted",
        "kept:TurnCompleted",
        "entering:Compacting>HandoffPending",
        "phase:Compacting>HandoffPending",
    } <= every
    assert "answered:SetDeadline" not in every
    assert len(points.fact_points()) == 2 * len(get_args(facts.AnyFact))


def test_what_passes_through_the_transient_phase_is_one_move() -> None:
    seen = points.transitions()
    assert (Phase.IDLE, Phase.HEADS_UP_INJECTED) in seen
    assert not any(points.TRANSIENT in move for move in seen)
    assert {(one, to) for (one, _), to in TABLE.items() if points.TRANSIENT not in (one, to)} <= seen
