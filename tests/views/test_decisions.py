"""Decisions on record, with a person's word on them and what followed (C17)."""

from pathlib import Path

import msgspec
import pytest

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.reasons import LOGIC, Reason
from rawr.core.vocabulary.records import Decision
from rawr.journal.reader import JournalReader
from rawr.views.decisions import (
    DecisionView,
    Followed,
    decided,
    decision_view,
    decision_views,
    explanation,
    is_worth_showing,
    labels,
    newest,
)
from tests.views.labelled_journal import ASKING, Told, says

KEYS = ["type", "id", "at", "thread", "reason", "meaning", "evidence", "policy", "logic", "fact"]


@pytest.fixture
def told(own_home: Path) -> Told:
    """A run whose model was not sure, so the rules paused it; a person says that this was right, and wakes nobody."""
    with Told(own_home / "rawr") as told:
        told.asked("t", "g").hears("t", says(confidence=0.2))
        started = told.taken[0].decisions[0]
        told.label(started, "bad", "too soon").label(started, "good", "so be it")
        told.tell("t", facts.RunPauseSubmitted())
        return told


def test_what_was_decided_and_what_was_said_of_it(told: Told) -> None:
    started = told.taken[0].decisions[0]
    with JournalReader.open(told.journal.path) as reader:
        rows = decided(reader, "t")
        views = {one.id: one for one in decision_views(rows, labels(reader))}
        assert decided(reader) == rows
    assert rows == [one for taken in told.taken for one in taken.decisions]
    assert views[started.id] == DecisionView(
        label="good",
        note="so be it",
        id=started.id,
        at=started.at,
        thread="t",
        reason="run.started.submitted",
        meaning="A person ordered a run.",
        evidence={"run": "r1", "goal": "g", "done": ""},
        policy=ASKING.hash,
        logic=LOGIC,
        fact=1,
    )
    asked = {one.reason: one.question_effect for one in views.values() if one.question_effect}
    assert set(asked) == {"model.asked.question", "model.answered.opinion", "run.paused.unsure"}
    assert len(set(asked.values())) == 1


def test_what_was_ignored_is_not_the_newest_decision(told: Told) -> None:
    with JournalReader.open(told.journal.path) as reader:
        rows = decided(reader, "t")
        (span,) = [one for one in reader.threads() if one.thread == "t"]
        found = newest(reader, span)
    assert rows[-1].record.reason is Reason.IGNORED_NO_RUN
    assert not is_worth_showing(rows[-1])
    assert found is not None
    assert found.record.reason is Reason.RUN_PAUSED_UNSURE


def test_what_is_not_there_is_not_in_the_json(told: Told) -> None:
    """Its keys are a promise."""
    row = told.taken[0].decisions[0]
    assert list(msgspec.json.decode(msgspec.json.encode(decision_view(row)))) == KEYS


def test_one_decision_explained(told: Told) -> None:
    with JournalReader.open(told.journal.path) as reader:
        rows = {one.record.reason: one for one in decided(reader)}
        asking = explanation(reader, rows[Reason.MODEL_ASKED_QUESTION])
        starting = explanation(reader, rows[Reason.RUN_STARTED_SUBMITTED])
    assert asking.exchange is not None
    effect = asking.exchange.effect
    assert [one for one in asking.effects if one.id == effect] == [Followed(effect, "AskModel", "intended", "")]
    assert starting.exchange is None
    assert list(starting.as_json()) == ["type", "label", "note", *KEYS[1:], "effects"]
    assert {"question_effect", "question", "answer"} <= asking.as_json().keys()


def test_a_decision_about_nothing_on_record(own_home: Path) -> None:
    with Told(own_home / "rawr") as told:
        told.tell("t", facts.RunSubmitted(order=Order(goal="g")))
    with JournalReader.open(told.journal.path) as reader:
        assert labels(reader) == {}
        assert decided(reader, "another") == []
        assert all(isinstance(one, Decision) for one in decided(reader))
