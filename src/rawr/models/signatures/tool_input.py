"""Answers to questions that the agent asks in the middle of a turn (C11)."""

import dspy
from pydantic import BaseModel


class InputAnswer(BaseModel):
    id: str
    answer: str


class ToolInput(dspy.Signature):
    """Answer a coding agent's questions as the person would whose goal and directives you are given.

    Answer only what follows from the goal, the directives or the question itself. Where the answer is a matter of
    taste, of money, of access or of risk, or where you would have to make it up, give a confidence below 0.5: then the
    person is asked. That an option comes first or is marked as recommended is no reason to take it.
    """

    questions: str = dspy.InputField(
        desc="the questions as JSON: id, header, question, and options where there are any"
    )
    goal: str = dspy.InputField(desc="what the person wants to have at the end")
    directives: str = dspy.InputField(desc="standing rules of the person, one a line")
    last_message: str = dspy.InputField(desc="what the agent said before it asked")

    answers: list[InputAnswer] = dspy.OutputField(
        desc="one answer for each question, by its id; the label of an option, word for word, where options are given"
    )
    reason: str = dspy.OutputField(desc="one sentence: what in the goal or the directives the answers follow from")
    confidence: float = dspy.OutputField(
        desc="how sure you are that the person would answer so, from 0 to 1; that of the least sure answer", ge=0, le=1
    )
