"""A plan step that is reworded as it is completed is still the same step where that is plain (B7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.thread.observations import newly_completed
from rawr.core.vocabulary.facts import PlanStep, StepStatus

MARKS: dict[str, StepStatus] = {"x": "completed", ">": "in_progress", " ": "pending"}


def plan(*steps: str) -> tuple[PlanStep, ...]:
    """``x`` is done, ``>`` is being done, a blank is to do."""
    return tuple(PlanStep(one[2:], MARKS[one[0]]) for one in steps)


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        (("> Write the parser", "  Ship"), ("x Parser written, 12 tests", "> Ship"), ["Parser written, 12 tests"]),
        (("> Run tests", "  Ship"), ("x Ran all 42 tests (green)", "> Ship"), ["Ran all 42 tests (green)"]),
        (
            ("> Add the config loader", "  Document it"),
            ("x Added config loader with defaults", "x Documented it", "  Release"),
            ["Added config loader with defaults", "Documented it"],
        ),
        (("> Write the parser",), ("x Bake a cake",), []),
        (("> Write the tests", "  Ship"), ("x Write the changelog", "  Ship"), []),
        (
            ("> Load the config and validate it", "  Ship"),
            ("x Config loading, with defaults", "> Ship"),
            ["Config loading, with defaults"],
        ),
        (("> Write the parser", "  Ship"), ("x Fixed the lint errors", "> Write the parser", "  Ship"), []),
        (("x Write the parser",), ("x Parser written",), []),
        (("> Fix the parser test", "  Fix the lexer test"), ("x Fixed the test", "  Ship it", "  Rest"), []),
        (("> Write the parser",), ("> Parser, second half",), []),
        ((), ("x Parser written",), []),
    ],
)
def test_what_moved(before: tuple[str, ...], after: tuple[str, ...], moved: list[str]) -> None:
    """B7: half of its words are left, or nothing else changed; two that it may have been are none."""
    assert list(newly_completed(plan(*before), plan(*after))) == moved


STEPS = st.lists(st.builds(PlanStep, st.text("ab ", max_size=6), st.sampled_from(list(MARKS.values()))), max_size=6)


@given(STEPS, STEPS)
def test_no_more_move_than_were_open(before: list[PlanStep], after: list[PlanStep]) -> None:
    """B7: and none that was completed before."""
    moved = newly_completed(tuple(before), tuple(after))
    done = [one.step for one in before if one.status == "completed"]
    assert all(PlanStep(step, "completed") in after for step in moved)
    again = [step for step in moved if after.count(PlanStep(step, "completed")) <= done.count(step)]
    assert again == []
    assert len(moved) <= len(before) - len(done)
