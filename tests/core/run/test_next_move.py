"""What a run does next: it is done, a guard stops it, or on with it (C2, C4, C6)."""

import pytest

from rawr.core.thread.unattended import NOTHING_LEFT
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.reasons import Reason
from tests.core.runs import DONE, in_a_turn, ordered


def plan(*statuses: facts.StepStatus) -> facts.PlanUpdated:
    return facts.PlanUpdated(turn="T1", steps=tuple(PlanStep(f"s{n}", status) for n, status in enumerate(statuses)))


# -- the receipt ------------------------------------------------------------------------------------------------------


def test_a_receipt_says_what_the_guards_saw() -> None:
    """C17: also where no guard objects."""
    story = ordered().works("T1", commands=("ls",))
    [receipt] = [one for one in story.records if one.reason is Reason.RUN_CONTINUED_POLICY]
    assert receipt.evidence["action"] == "continue"
    assert receipt.evidence["guards"] == [
        "turns ok (1 of 200)",
        "tokens ok (0 of no limit)",
        "minutes ok (0 of no limit)",
        "cost ok (0.00 of no limit)",
        "churn ok (0 of 3 turns in circles)",
        "no_progress ok (0 of 3 turns without progress)",
        "same_error ok (0 of 3 turns with the same error)",
        "compactions ok (0 of 4 compactions in 6 turns)",
    ]


# -- done -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [DONE, f"All good.\n\n**{DONE}**"])
def test_done_by_the_agents_own_words(text: str) -> None:
    """C6, C7: without a check the record says so."""
    story = ordered().works("T1").works("T2", text)
    assert story.ended == ("done", "run.done.reported")
    assert (story.run.done, len(story.sent)) == ("self_reported", 2)


PARTS = (
    "I finished the lexer. The parser and the printer remain.",
    "Step 1 of 5 is done.",
    "The overall work is not done. What is done: the research.",
    "Everything passes. All done.",
    "The first task is complete; I continue with the second.",
    "I completed the migration of two modules.",
    "The parser is now complete.",
)


@pytest.mark.parametrize("text", PARTS)
def test_words_of_its_own_end_nothing(text: str) -> None:
    """C7: a part sounds like the whole. It is asked, in the form that it knows."""
    story = ordered().works("T1", text, commands=("ls",))
    assert story.run.active
    assert "Your last message may mean" in story.sent[-1]
    assert NOTHING_LEFT in story.sent[-1]
    assert story.works("T2", DONE).ended == ("done", "run.done.reported")


def test_done_by_the_plan() -> None:
    """C7: the last step is completed."""
    story = in_a_turn().tell(plan("completed", "completed"))
    story.says("T1", "There.").end("T1")
    assert story.run.done == "self_reported"


def test_an_open_plan_outweighs_words_but_not_the_phrase() -> None:
    """C7: “done” can be said of one step; the phrase was asked for."""
    story = in_a_turn()
    story.tell(plan("completed", "pending")).says("T1", "All done.").end("T1")
    assert story.run.active
    story.works("T2", DONE)
    assert story.ended[0] == "done"


# -- soft stops -----------------------------------------------------------------------------------------------------


def test_nothing_advances() -> None:
    """C6."""
    story = ordered()
    for n in range(1, 5):
        story.works(f"T{n}", f"Hm, {n}.")
    assert story.ended == ("stopped", "run.stopped.progress")


def test_reading_is_not_standing_still() -> None:
    """C6."""
    story = ordered()
    for n in range(1, 8):
        story.works(f"T{n}", commands=(f"cat file{n}",))
    assert story.run.active


def test_going_in_circles() -> None:
    """C6."""
    story = ordered()
    for n in range(1, 5):
        story.works(f"T{n}", f"Again, {n}.", commands=("make", "make test"))
    assert story.ended == ("stopped", "run.stopped.churn")


def test_the_same_error_again_and_again() -> None:
    """C6: although something else is tried each time."""
    story = ordered()
    for n in range(1, 4):
        story.works(f"T{n}", commands=(f"touch f{n}", "make"), code=1)
    assert story.ended == ("stopped", "run.stopped.error")
