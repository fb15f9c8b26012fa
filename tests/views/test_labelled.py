"""Which receipts a journal holds to learn from, and what a person said of each."""

from pathlib import Path
from typing import get_args

import pytest

from rawr.cli.commands import receipt_commands
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.opinions import CompactionJudgment, GuidanceDecision, GuidanceRouter, Move, SignatureName
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision
from rawr.journal.reader import JournalReader
from rawr.models.tuning.examples import Receipt
from rawr.views import labelled
from tests.core.judged import JUDGED
from tests.core.samples import WORDS
from tests.views.labelled_journal import Told, says

OVERRIDE = facts.RunOverridden(text="Do the docs first.")


def read(home: Path, name: SignatureName = "full_auto_decision") -> list[Receipt]:
    with JournalReader.open(home) as reader:
        return labelled.read(reader).receipts[name]


def words(receipts: list[Receipt]) -> list[tuple[str, str, bool]]:
    return [(one.label, one.note, one.implied) for one in receipts]


def by(decisions: list[Decision], reason: Reason) -> Decision:
    return next(one for one in decisions if one.record.reason is reason)


def test_the_command_knows_the_signatures_of_the_core() -> None:
    assert receipt_commands.SignatureName == SignatureName


def test_a_labelled_answer_is_a_receipt_with_its_question(tmp_path: Path) -> None:
    with Told(tmp_path) as told:
        decided = told.asked("t", "Build it.").hears("t", says())
        told.label(by(decided, Reason.RUN_CONTINUED_MODEL), "good", "as I would have")
    (receipt,) = read(tmp_path)
    assert receipt.id == by(decided, Reason.MODEL_ANSWERED_OPINION).id
    assert receipt.question.inputs["goal"] == "Build it."
    assert receipt.opinion == says()
    assert (receipt.label, receipt.note, receipt.implied) == ("good", "as I would have", False)


@pytest.mark.parametrize("reason", [Reason.MODEL_ANSWERED_OPINION, Reason.RUN_PAUSED_MODEL])
def test_a_label_on_any_decision_that_followed_counts(tmp_path: Path, reason: Reason) -> None:
    with Told(tmp_path) as told:
        told.label(by(told.asked("t", "g").hears("t", says("pause")), reason), "bad")
    assert words(read(tmp_path)) == [("bad", "", False)]


def test_the_last_word_counts_whichever_decision_it_is_on(tmp_path: Path) -> None:
    with Told(tmp_path) as told:
        decided = told.asked("t", "g").hears("t", says())
        opinion, move = by(decided, Reason.MODEL_ANSWERED_OPINION), by(decided, Reason.RUN_CONTINUED_MODEL)
        told.label(move, "bad", "1").label(opinion, "good", "2").label(move, "bad", "3")
    assert words(read(tmp_path)) == [("bad", "3", False)]


def test_a_label_on_what_was_decided_in_the_models_place_is_not_about_the_model(tmp_path: Path) -> None:
    """To pause was right, because the model was not sure; that says nothing about “continue”."""
    with Told(tmp_path) as told:
        unsure = told.asked("t", "g").hears("t", says(confidence=0.2))
        told.label(by(unsure, Reason.RUN_PAUSED_UNSURE), "good")
    assert read(tmp_path) == []
    with Told(tmp_path) as told:
        told.label(by(unsure, Reason.MODEL_ANSWERED_OPINION), "bad")
    assert words(read(tmp_path)) == [("bad", "", False)]


def test_without_a_word_there_is_no_receipt(tmp_path: Path) -> None:
    with Told(tmp_path) as told:
        told.asked("t", "g").hears("t", says())
    with JournalReader.open(tmp_path) as reader:
        found = labelled.read(reader)
    assert (found.answers["full_auto_decision"], found.receipts["full_auto_decision"]) == (1, [])


# -- an override ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["continue", "pause", "stop"])
def test_an_override_right_after_means_bad(tmp_path: Path, action: Move) -> None:
    with Told(tmp_path) as told:
        told.asked("t", "g").hears("t", says(action))
        told.tell("t", OVERRIDE)
    assert words(read(tmp_path)) == [("bad", "Do the docs first.", True)]


def test_an_override_in_the_turn_that_followed_means_bad(tmp_path: Path) -> None:
    with Told(tmp_path) as told:
        told.asked("t", "g").hears("t", says())
        told.begin("t", "T2").tell("t", OVERRIDE)
    assert words(read(tmp_path)) == [("bad", "Do the docs first.", True)]


def test_what_a_person_said_of_it_wins_over_what_they_did(tmp_path: Path) -> None:
    with Told(tmp_path) as told:
        decided = told.asked("t", "g").hears("t", says())
        told.tell("t", OVERRIDE).label(decided[0], "good", "only a better idea")
    assert words(read(tmp_path)) == [("good", "only a better idea", False)]


def test_an_override_later_on_says_nothing(tmp_path: Path) -> None:
    with Told(tmp_path) as told:
        told.asked("after a turn", "g").hears("after a turn", says())
        told.turn("after a turn", "T2").tell("after a turn", OVERRIDE)
        told.asked("after a word", "g").hears("after a word", says("pause"))
        told.tell("after a word", facts.RunResumed(), OVERRIDE)
        told.asked("before the answer", "g").tell("before the answer", OVERRIDE)
        told.asked("not the model's", "g").hears("not the model's", says(confidence=0.1))
        told.tell("not the model's", OVERRIDE)
        told.asked("of nothing", "g").hears("of nothing", says())
        told.tell("of nothing", facts.RunOverridden(text=" "))
        reasons = [one.record.reason for taken in told.taken for one in taken.decisions]
    assert reasons.count(Reason.RUN_OVERRIDDEN_PERSON) == 4
    assert read(tmp_path) == []


# -- other questions ---------------------------------------------------------------------------------------------------


def test_a_judgment(tmp_path: Path) -> None:
    with Told(tmp_path, JUDGED) as told:
        asked = items.UserMessage(id="u", text="Do the job.")
        told.tell("t", facts.TurnStarted(turn="W"), facts.ItemCompleted(turn="W", item=asked))
        told.tell("t", facts.PhaseSubmitted(phase="research"))
        told.tell("t", facts.UsageUpdated(turn="W", in_context=100_000, spent=100_000, window=258_400))
        done = items.AgentMessage(id="a", text=WORDS)
        told.tell("t", facts.ItemCompleted(turn="W", item=done), facts.TurnCompleted(turn="W", status="completed"))
        decided = told.hears("t", CompactionJudgment(should_compact=False, reason="no"))
        told.label(by(decided, Reason.JUDGMENT_VETOED_MODEL), "bad", "it was the moment")
    (receipt,) = read(tmp_path, "compaction_judgment")
    assert (receipt.question.instructions, receipt.label) == ("Decide whether to compact now.", "bad")


def test_guidance(tmp_path: Path) -> None:
    with Told(tmp_path) as told:
        told.tell("t", facts.RunSubmitted(order=Order(goal="What does this project do?", guidance=True)))
        routed = told.hears("t", GuidanceRouter(route="respond", response="I answer that."))
        told.label(by(routed, Reason.GUIDANCE_ROUTED_MESSAGE), "good")
        told.turn("t", "T1")
        told.hears("t", GuidanceDecision(action="pause", next_input="", reason="so", confidence=0.9))
        told.tell("t", OVERRIDE)
    assert words(read(tmp_path, "guidance_router")) == [("good", "", False)]
    assert words(read(tmp_path, "guidance_decision")) == [("bad", "Do the docs first.", True)]


def test_every_signature_has_its_consequences() -> None:
    """A new one without a line would break the first journal that holds its answer."""
    assert set(labelled.FOLLOWS) == set(get_args(SignatureName))
