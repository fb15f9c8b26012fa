"""``rawr explain``, ``rawr log`` and labels for decisions about what a model said."""

from pathlib import Path

import pytest

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision
from tests.cli.in_process import Rawr, rawr
from tests.views.labelled_journal import Told, says

__all__ = ["rawr"]

THREAD = "0199-3f2a"


@pytest.fixture
def decided(own_home: Path) -> dict[Reason, Decision]:
    """A run whose model was not sure, so the rules paused it."""
    with Told(own_home / "rawr") as told:
        goal = "\n".join(f"step {n}" for n in range(60))
        told.asked(THREAD, goal).hears(THREAD, says(confidence=0.2))
        return {one.record.reason: one for taken in told.taken for one in taken.decisions}


@pytest.mark.parametrize(
    "reason", [Reason.MODEL_ASKED_QUESTION, Reason.MODEL_ANSWERED_OPINION, Reason.RUN_PAUSED_UNSURE]
)
def test_what_was_asked_and_what_came_back(rawr: Rawr, decided: dict[Reason, Decision], reason: Reason) -> None:
    (line,) = rawr("explain", decided[reason].id, "--json").lines
    question, answer = line["question"], line["answer"]
    assert isinstance(question, dict)
    assert isinstance(answer, dict)
    assert question["signature"] == "full_auto_decision"
    assert question["inputs"]["goal"].endswith("step 59")
    assert set(question) == {"signature", "inputs", "models", "instructions"}
    assert (answer["opinion"]["action"], answer["model"], answer["tokens"]) == ("continue", "m", 0)
    assert {"raw", "diagnostics", "duration_ms"} <= answer.keys()
    said = rawr("explain", decided[reason].id).out
    assert "rawr asked codex, ollama:llama3.2 for full_auto_decision:\n" in said
    assert "    step 39\n    (20 more lines; --json prints all)\n" in said
    assert "step 40" not in said
    assert "Answer from m (0 tokens, 0.0 s):\n  action: continue\n" in said


def test_a_decision_without_a_model_has_neither(rawr: Rawr, decided: dict[Reason, Decision]) -> None:
    (line,) = rawr("explain", decided[Reason.RUN_STARTED_SUBMITTED].id, "--json").lines
    assert not {"question", "answer", "question_effect"} & line.keys()


def test_a_question_without_an_answer(rawr: Rawr, own_home: Path) -> None:
    with Told(own_home / "rawr") as told:
        told.asked(THREAD, "g")
        asked = told.taken[-1].decisions
        effect = next(one.record.evidence["question"] for one in asked if "question" in one.record.evidence)
        told.tell(THREAD, facts.EffectFailed(effect=str(effect), code="lost", problem="away"))
    rows = {line["reason"]: line for line in rawr("log", "--json").lines}
    name = str(rows["model.asked.question"]["id"])
    assert "No answer is on record." in rawr("explain", name).out


def test_the_log_carries_the_effect_that_asked(rawr: Rawr, decided: dict[Reason, Decision]) -> None:
    effect = decided[Reason.MODEL_ASKED_QUESTION].record.evidence["question"]
    rows = {line["reason"]: line.get("question_effect") for line in rawr("log", "--json").lines}
    assert rows["model.asked.question"] == rows["model.answered.opinion"] == rows["run.paused.unsure"] == effect
    assert rows["run.started.submitted"] is None


@pytest.mark.parametrize("reason", [Reason.MODEL_ASKED_QUESTION, Reason.RUN_PAUSED_UNSURE])
def test_a_label_that_teaches_nothing_names_the_decision_that_would(
    rawr: Rawr, decided: dict[Reason, Decision], reason: Reason
) -> None:
    answer = decided[Reason.MODEL_ANSWERED_OPINION]
    said = rawr("log", decided[reason].id, "--label", "bad").out
    note = said.splitlines()[1]
    assert note == f"`rawr tune` learns nothing from it. To teach the model, label its answer: 3f2a:{answer.seq}/0"
    named = note.rpartition(" ")[2]
    (line,) = rawr("log", named, "--label", "bad", "--json").lines
    assert (line["decision"], line["tuning"]) == (answer.id, "")


def test_a_label_on_what_no_model_said(rawr: Rawr, decided: dict[Reason, Decision]) -> None:
    said = rawr("log", decided[Reason.RUN_STARTED_SUBMITTED].id, "--label", "good").out
    assert "no usable model answer led to this decision" in said


def test_every_name_that_the_log_prints_is_taken_and_the_help_shows_one_like_it(
    rawr: Rawr, decided: dict[Reason, Decision]
) -> None:
    for line in rawr("log").out.splitlines():
        assert rawr("explain", line.split()[2]).code == 0, line
    assert "rawr log 3f2a:29/0 --label bad" in " ".join(rawr("log", "--help").out.split())
