"""What a person types as an answer, and how a question is put in words (C10, C11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.real import Real
from rawr.core.state.thread import OpenRequest
from rawr.core.vocabulary.bounds import MAX_COMMAND
from rawr.core.vocabulary.requests import (
    CommandApproval,
    FileChangeApproval,
    Option,
    PermissionsApproval,
    Question,
    Replies,
    UserInput,
    UserQuestion,
    Verdict,
)
from rawr.views.answers import SHOWN_LINES, TOO_LONG, asked_in_full, how_to_answer, read_answer
from rawr.views.questions import fits
from tests.cli.terminal.questions import BOTH, CHOICE, COMMAND, FORM, OPEN, QUESTIONS


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


@pytest.mark.parametrize("typed", ["2", "0", "-1", "99999"])
def test_a_number_that_no_option_has_is_a_slip(typed: str) -> None:
    """C11: where own words are wanted too; whoever means the number says so."""
    question = UserInput(questions=(BOTH,))
    refused = read_answer(question, typed)
    assert isinstance(refused, str)
    assert f"={typed} sends it as your own words" in refused
    assert read_answer(question, f"={typed}") == Replies(replies={"b": (typed,)})
    assert read_answer(UserInput(questions=(OPEN,)), typed) == Replies(replies={"o": (typed,)})


def test_an_option_that_is_a_number_is_an_option() -> None:
    """C11."""
    port = UserQuestion("p", "Port", "Which port?", options=(Option("80"), Option("443")), free_text=True)
    question = UserInput(questions=(port,))
    assert read_answer(question, "443") == Replies(replies={"p": ("443",)})
    assert read_answer(question, "=x") == Replies(replies={"p": ("=x",)})
    assert isinstance(read_answer(question, "8080"), str)


def test_no_questions_need_no_words() -> None:
    """C11: it does not stay open for ever."""
    assert read_answer(UserInput(questions=()), "") == Replies(replies={})


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


# -- how it is put --------------------------------------------------------------------------------------------------

HOW = "y approves, a approves for the session, n declines (add words after n for the agent to read), c ends the turn"


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            CommandApproval(command="rm x", cwd="/p", reason="Old."),
            ["approval of: rm x", "in /p", "it says: Old.", HOW],
        ),
        (FileChangeApproval(), ["approval of a file change", "files: a.py, b.py", HOW]),
        (
            FileChangeApproval(grant_root="/p", reason="Mine."),
            [
                "approval of a file change",
                "files: a.py, b.py",
                "and from then on everything in /p",
                "it says: Mine.",
                HOW,
            ],
        ),
        (
            PermissionsApproval(cwd="/p", permissions="{}"),
            ["a request for permissions {}", "in /p", HOW],
        ),
        (FORM, ["a question of the MCP server mcp: Fill in", HOW.partition(", ")[2].partition(", ")[2]]),
        (UserInput(questions=(OPEN, CHOICE)), ["Name: What name?", "your own words"]),
        (
            UserInput(questions=(UserQuestion("c", "", "Which?", options=(Option("red", "Warm."), Option("blue"))),)),
            ["Which?", "1) red: Warm.", "2) blue", "a number"],
        ),
    ],
)
def test_a_question_is_put_with_all_that_matters(question: Question, lines: list[str]) -> None:
    """C10, C11: what, where, why, and how to answer."""
    opened = OpenRequest("1/0", question, 0, "T1", paths=("a.py", "b.py"))
    assert asked_in_full(Real(opened)).split("\n") == lines


def test_a_long_question_says_what_is_left_out() -> None:
    """C10: and how to answer comes after it all the same."""
    question = CommandApproval(command="\n".join("x" * 200), cwd="/p")
    lines = asked_in_full(Real(OpenRequest("1/0", question, 0, "T1"))).split("\n")
    assert len(lines) == SHOWN_LINES + 3
    assert lines[-3:] == ["(150 lines more not shown: see `rawr approvals`)", "in /p", HOW]


@pytest.mark.mission("D12")
@pytest.mark.parametrize("typed", ["y", "a"])
def test_what_cannot_be_shown_whole_is_not_approved(typed: str) -> None:
    """Nobody has seen the end of it, and it would run."""
    question = CommandApproval(command="x" * MAX_COMMAND, cwd="/w", cut=True)
    assert read_answer(question, typed) == TOO_LONG
    assert not fits(question, Verdict(verdict="accept"))
    assert not fits(question, Verdict(verdict="accept_for_session"))
    assert read_answer(question, "n") == Verdict(verdict="decline")
    assert how_to_answer(question) == "n declines, c ends the turn"
