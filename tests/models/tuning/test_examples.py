"""What counts as right, what is known to be, and how many it takes."""

import json
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from rawr.core.vocabulary.opinions import CompactionJudgment, FullAutoDecision, InputAnswer, Move, Planning, ToolInput
from rawr.models.tuning import examples
from rawr.models.tuning.examples import Label, Receipt, demos, divide, is_right, lacks, lesson
from tests.models.questions import question
from tests.models.receipts import decision, decisions, judgment, plan


def says(action: Move) -> FullAutoDecision:
    return FullAutoDecision(action=action, next_input="other words", reason="another", confidence=0.6)


@dataclass
class Case:
    label: Label
    said: Move
    right: bool


@pytest.mark.parametrize(
    "case",
    [
        Case("good", "continue", True),
        Case("good", "pause", False),
        Case("bad", "continue", False),
        Case("bad", "pause", True),
        Case("bad", "review", False),  # not among the open moves: it would be thrown away
    ],
)
def test_the_choice_is_compared_and_free_text_is_not(case: Case) -> None:
    assert is_right(decision(1, "continue", case.label), says(case.said)) is case.right


def test_what_cannot_be_read_is_never_right() -> None:
    assert not is_right(decision(1, "continue", "good"), None)
    assert not is_right(decision(1, "continue", "bad"), None)


QUESTIONS = json.dumps(
    [{"id": "q", "header": "", "question": "Which?", "options": [{"label": "SQLite"}, {"label": "Postgres"}]}]
)


@pytest.mark.parametrize(
    ("label", "answer", "right"),
    [
        ("good", "SQLite", True),
        ("good", "Postgres", False),
        ("bad", "SQLite", False),
        ("bad", "Postgres", True),
        ("bad", "Oracle", False),  # no option: it could not be given
    ],
)
def test_answers_to_questions_are_compared_as_a_whole(label: Label, answer: str, right: bool) -> None:
    def given(text: str) -> ToolInput:
        return ToolInput(answers=(InputAnswer("q", text),), reason="so", confidence=0.9)

    receipt = Receipt(
        id="t:1/0", question=question("tool_input", questions=QUESTIONS).thing, opinion=given("SQLite"), label=label
    )
    assert is_right(receipt, given(answer)) is right


def test_of_two_the_other_one_is_right() -> None:
    """With the person's own words as the reason, where there are any."""
    assert lesson(judgment(1, True, "good")) == CompactionJudgment(should_compact=True, reason="so")
    noted = lesson(judgment(1, True, "bad", note="it was in the middle of it"))
    assert noted == CompactionJudgment(should_compact=False, reason="it was in the middle of it")
    silent = lesson(judgment(1, False, "bad"))
    assert silent == CompactionJudgment(should_compact=True, reason="A person who looked at it decided so.")


def test_of_several_nobody_knows_which_other_one() -> None:
    assert lesson(decision(1, "continue", "bad")) is None


def test_a_move_that_was_not_open_is_no_example() -> None:
    assert lesson(decision(1, "review", "good")) is None


def test_how_many_it_takes() -> None:
    good = [decision(n, "continue", "good") for n in range(8)]
    assert lacks("full_auto_decision", []) == "8 are needed, 2 good and 2 bad ones at least"
    assert lacks("full_auto_decision", good) == "8 are needed, 2 good and 2 bad ones at least"
    assert lacks("full_auto_decision", decisions(7)) != ""
    assert lacks("full_auto_decision", decisions(8)) == ""


def test_a_judgment_needs_both_sides_whatever_the_labels() -> None:
    yes = [judgment(n, True, "good") for n in range(4)] + [judgment(n, False, "bad") for n in range(4, 8)]
    assert lacks("compaction_judgment", yes) == (
        "8 are needed, 2 of each side at least "
        "(there are 8 where it was right to compact, 0 where it was right not to compact)"
    )
    no = [judgment(8, False, "good"), judgment(9, True, "bad")]
    assert lacks("compaction_judgment", [*yes, *no]) == ""


def test_of_free_text_only_good_ones_tell_anything() -> None:
    good, bad = [plan(n) for n in range(8)], [plan(n, "bad") for n in range(8, 20)]
    assert lacks("planning", [*good[:7], *bad]) == "8 good ones are needed"
    assert lacks("planning", good) == ""
    assert divide("planning", [*good, *bad]).scored == divide("planning", good).scored
    other = Planning(steps=("Another.",), files=(), checks=(), confidence=0.1)
    assert is_right(good[0], other)


def ids(receipts: tuple[Receipt, ...]) -> set[str]:
    return {one.id for one in receipts}


def test_a_few_are_each_scored_without_themselves_and_many_are_divided() -> None:
    few = divide("full_auto_decision", decisions(9))
    assert (few.method, few.learned) == ("leave-one-out", few.scored)
    many = decisions(60)
    division = divide("full_auto_decision", many)
    assert division.method == "held-out"
    assert not ids(division.learned) & ids(division.scored)
    assert divide("full_auto_decision", many[::-1]) == division
    more = divide("full_auto_decision", decisions(300))
    assert ids(division.learned) <= ids(more.learned)
    assert len(more.scored) == examples.SCORED


def test_each_choice_has_its_turn_among_the_examples_and_the_newest_come_first() -> None:
    found = demos([decision(n, "continue", "good") for n in range(5)] + [decision(9, "pause", "good")])
    assert [(one["action"], one["receipt"]) for one in found[:3]] == [
        ("pause", "t:9/0"),
        ("continue", "t:4/0"),
        ("continue", "t:3/0"),
    ]
    assert len(found) == 6


def test_an_example_is_bounded() -> None:
    """Short fields stay whole; long ones are cut; an answer that is too long is not used by halves."""
    one = decision(1, "continue", "good", said="x" * 50_000)
    (demo,) = demos([replace(one, question=replace(one.question, inputs={**one.question.inputs, "goal": "y" * 9_000}))])
    assert demo["open_moves"] == "continue, pause, stop"
    assert "more characters" in str(demo["last_message"])
    assert len(str(demo)) < examples.DEMO_INPUTS + examples.DEMO_OUTPUTS
    assert demos([plan(1, step="z" * 5_000)]) == []
