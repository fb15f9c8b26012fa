"""The agent's questions, put to a model: answered where it is sure and the answer fits, by a person otherwise (C11)."""

import msgspec
import pytest
from msgspec.structs import replace

from rawr.core.policy.models import Models
from rawr.core.thread.asking import DEADLINE
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AnswerRequest, AskModel
from rawr.core.vocabulary.opinions import InputAnswer, NoOpinion, ToolInput
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import Option, Replies, UserInput, UserQuestion
from tests.core.runs import GOAL, RULES, Auto, in_a_turn

ASKING = replace(RULES, models=Models(questions="model"))
COLOUR = UserQuestion("colour", "Colour", "Which colour?", (Option("red"), Option("blue")))
NAME = UserQuestion("name", "Name", "What name?", (Option("a"), Option("b")), free_text=True)
WORDS = UserQuestion("words", "Words", "In your own words?", free_text=True)
KEY = UserQuestion("key", "Key", "Which key?", secret=True)


def asked(*questions: UserQuestion) -> Auto:
    question = UserInput(questions=questions)
    return in_a_turn(policy=ASKING).tell(facts.RequestReceived(request="1/1", question=question, turn="T1", item="i"))


def answer(*answers: tuple[str, str], confidence: float = 0.9) -> ToolInput:
    return ToolInput(
        answers=tuple(InputAnswer(*one) for one in answers), reason="The goal says so.", confidence=confidence
    )


def hears(story: Auto, opinion: ToolInput | None, *, code: NoOpinion = "unreadable") -> Auto:
    fact = facts.ModelAnswered(effect=story.name(AskModel), signature="tool_input", opinion=opinion)
    return story.tell(fact if opinion is not None else replace(fact, code=code, problem="none"))


def given(story: Auto) -> list[tuple[dict[str, tuple[str, ...]], str]]:
    return [(one.answer.replies, one.by) for one in story.wanted(AnswerRequest) if isinstance(one.answer, Replies)]


def test_the_model_sees_the_question_and_the_goal() -> None:
    story = asked(COLOUR)
    [question] = story.wanted(AskModel)
    assert msgspec.json.decode(question.inputs["questions"], type=tuple[UserQuestion, ...]) == (COLOUR,)
    assert question.inputs["goal"] == GOAL
    assert Reason.REQUEST_WAITS_PERSON not in story.reasons()


def test_a_sure_answer_that_fits_is_given() -> None:
    story = hears(asked(COLOUR, WORDS), answer(("colour", "blue"), ("words", "something else")))
    assert given(story) == [({"colour": ("blue",), "words": ("something else",)}, "model")]
    assert story.state.ledger.decisions[0].answer == "blue; something else (by a model)"
    assert not [one for one in story.deadlines if one.name.startswith(DEADLINE)]


@pytest.mark.parametrize(
    "opinion",
    [
        answer(("colour", "blue"), confidence=0.54),
        answer(("colour", "green")),
        answer(("colour", "Blue")),
        answer(("colour", "1")),
        answer(("colour", " ")),
        answer(("other", "blue")),
        answer(("colour", "blue"), ("other", "x")),
        answer(("colour", "blue"), ("colour", "red")),
        answer(),
        None,
    ],
)
def test_anything_else_waits_for_a_person_and_never_for_the_first_option(opinion: ToolInput | None) -> None:
    """C11: unsure, no option, another question, two answers, none."""
    story = hears(asked(COLOUR), opinion)
    assert given(story) == []
    assert story.reasons()[-1] is Reason.REQUEST_WAITS_PERSON
    assert [one.name for one in story.deadlines] == ["request:1/1"]


@pytest.mark.parametrize(
    ("question", "said"),
    [(NAME, "Error: connection refused"), (NAME, "B"), (WORDS, "Error: connection refused"), (WORDS, '{"error": 1}')],
)
def test_an_error_text_and_words_beside_the_options_are_no_answers(question: UserQuestion, said: str) -> None:
    """C11, C15: also where a person could have answered in their own words."""
    story = hears(asked(question), answer((question.id, said)))
    assert given(story) == []
    assert story.reasons()[-1] is Reason.REQUEST_WAITS_PERSON


def test_an_answer_that_never_comes_leaves_it_to_a_person() -> None:
    story = asked(COLOUR).tell(facts.DeadlinePassed(name=f"{DEADLINE}tool_input"), after=100)
    assert story.reasons()[-1] is Reason.REQUEST_WAITS_PERSON


def test_a_secret_is_nobodys_to_make_up() -> None:
    story = asked(KEY)
    assert story.wanted(AskModel) == []
    assert Reason.REQUEST_WAITS_PERSON in story.reasons()


def test_a_second_question_meanwhile_waits_for_a_person() -> None:
    """One of a kind at a time."""
    story = asked(COLOUR)
    story.tell(facts.RequestReceived(request="1/2", question=UserInput(questions=(NAME,)), turn="T1", item="j"))
    assert len(story.wanted(AskModel)) == 1
    hears(story, answer(("colour", "red")))
    assert given(story) == [({"colour": ("red",)}, "model")]


def test_a_person_who_is_faster_is_not_overruled() -> None:
    story = asked(COLOUR)
    story.tell(facts.AnswerSubmitted(request="1/1", answer=Replies(replies={"colour": ("red",)})))
    hears(story, answer(("colour", "blue")))
    assert given(story) == [({"colour": ("red",)}, "person")]
    assert story.reasons()[-1] is Reason.IGNORED_STALE_OPINION


def test_on_a_thread_without_a_run_a_person_is_asked() -> None:
    story = Auto(policy=ASKING)
    story.begin("T1", "hello")
    story.tell(facts.RequestReceived(request="1/1", question=UserInput(questions=(COLOUR,)), turn="T1", item="i"))
    assert story.wanted(AskModel) == []
