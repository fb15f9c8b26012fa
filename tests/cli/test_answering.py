"""What a person types as an answer (C10, C11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.cli.answering import how_to_answer, read_answer
from rawr.core.answering import fits
from rawr.core.requests import (
    CommandApproval,
    Elicitation,
    FileChangeApproval,
    Option,
    PermissionsApproval,
    Question,
    Replies,
    UserInput,
    UserQuestion,
    Verdict,
)

COMMAND = CommandApproval(command="rm x", cwd="/")
FORM = Elicitation(server="mcp", message="Fill in")
CHOICE = UserQuestion("c", "Colour", "Which?", options=(Option("red"), Option("green")))
OPEN = UserQuestion("o", "Name", "What name?")
BOTH = UserQuestion("b", "Size", "How big?", options=(Option("small"),), free_text=True)
QUESTIONS: tuple[Question, ...] = (
    COMMAND,
    FileChangeApproval(),
    PermissionsApproval(cwd="/", permissions="{}"),
    FORM,
    UserInput(questions=(CHOICE,)),
    UserInput(questions=(OPEN, BOTH)),
    UserInput(questions=()),
)


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("y", "accept"),
        (" YES \n", "accept"),
        ("a", "accept_for_session"),
        ("n", "decline"),
        ("no", "decline"),
        ("c", "cancel"),
    ],
)
def test_a_letter_answers_an_approval(typed: str, verdict: str) -> None:
    """C10."""
    answer = read_answer(COMMAND, typed)
    assert isinstance(answer, Verdict)
    assert answer.verdict == verdict


@pytest.mark.parametrize("typed", ["", "maybe", "yes please", "1"])
def test_anything_else_approves_nothing(typed: str) -> None:
    """C10: what is meant is asked again."""
    answer = read_answer(COMMAND, typed)
    assert isinstance(answer, str)
    assert "y approves" in answer


@pytest.mark.parametrize(("typed", "taken"), [("n", True), ("c", True), ("y", False), ("a", False)])
def test_a_form_cannot_be_accepted_with_a_letter(typed: str, taken: bool) -> None:
    """C11: and it is said, instead of being dropped on the way."""
    assert isinstance(read_answer(FORM, typed), Verdict) is taken


def test_an_option_by_its_number_or_its_name() -> None:
    """C11."""
    question = UserInput(questions=(CHOICE,))
    assert read_answer(question, "2\n") == Replies(replies={"c": ("green",)})
    assert read_answer(question, "red") == Replies(replies={"c": ("red",)})


@pytest.mark.parametrize("typed", ["", "  ", "3", "0", "-1", "blue", "9" * 5_000])
def test_what_is_no_option_is_not_taken_for_one(typed: str) -> None:
    """C11: never the first one."""
    assert isinstance(read_answer(UserInput(questions=(CHOICE,)), typed), str)


def test_own_words_where_they_are_wanted() -> None:
    """C11."""
    assert read_answer(UserInput(questions=(OPEN,)), " Ada; 1 ") == Replies(replies={"o": ("Ada; 1",)})
    assert read_answer(UserInput(questions=(BOTH,)), "huge") == Replies(replies={"b": ("huge",)})
    assert read_answer(UserInput(questions=(BOTH,)), "1") == Replies(replies={"b": ("small",)})


def test_several_questions_are_answered_in_their_order() -> None:
    """C11."""
    question = UserInput(questions=(OPEN, CHOICE))
    assert read_answer(question, "Ada; 2") == Replies(replies={"o": ("Ada",), "c": ("green",)})
    for typed in ("Ada", "Ada; 2; 3", "; 2", "Ada; blue"):
        assert isinstance(read_answer(question, typed), str)


def test_how_to_answer_says_what_is_there() -> None:
    """C11: for each question."""
    assert how_to_answer(UserInput(questions=(CHOICE,))) == "1) red  2) green  a number"
    assert how_to_answer(UserInput(questions=(OPEN, BOTH))) == "your own words; 1) small  a number, or your own words"
    assert how_to_answer(FORM) == "n declines, c ends the turn"


@given(question=st.sampled_from(QUESTIONS), typed=st.text(max_size=30) | st.sampled_from(["y", "1", "a;b", "n"]))
def test_whatever_is_typed_is_an_answer_that_fits_or_a_word_why_not(question: Question, typed: str) -> None:
    """C10, C11."""
    answer = read_answer(question, typed)
    assert isinstance(answer, str) or fits(question, answer)
