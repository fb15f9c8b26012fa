"""What a decision was made of, and what would have changed it (C17)."""

from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision, Record
from rawr.views.otherwise import grounds_of
from tests.core.runs import in_a_sequence


def made(reason: Reason, **evidence: object) -> Decision:
    return Decision("t:1/0", 1, 0, "t", Record(reason, evidence), "p", 6)  # type: ignore[arg-type]


def test_objections_are_guards_and_what_would_have_changed_it() -> None:
    against = [Reason.COMPACT_DEFERRED_GUARD.value, Reason.COMPACT_DEFERRED_NO_NEED.value]
    found = grounds_of(made(Reason.COMPACT_DEFERRED_GUARD, tier="ready", percent=60, against=against, judgment=None))
    assert found.inputs == (("tier", "ready"), ("percent", "60"))
    assert found.guards == (Reason.COMPACT_DEFERRED_GUARD.meaning, Reason.COMPACT_DEFERRED_NO_NEED.meaning)
    assert found.otherwise[0] == "rawr would have compacted if none of these held:"
    assert len(found.otherwise) == 3


def test_a_real_decision_to_compact_names_its_boundary() -> None:
    story = in_a_sequence()
    record = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    found = grounds_of(Decision("t:1/0", 1, 0, "t", record, "p", 6))
    assert found.otherwise == ("Without the boundary phase_boundary, it would have waited.",)


def test_room_and_missing_boundaries() -> None:
    assert grounds_of(made(Reason.COMPACT_SKIPPED_ROOMY, percent=90)).otherwise[0].startswith("Less room: at 90 %")
    assert "the tier ready" in grounds_of(made(Reason.COMPACT_SKIPPED_NO_BOUNDARY, tier="ready")).otherwise[0]


def test_a_decision_without_evidence_says_nothing() -> None:
    found = grounds_of(made(Reason.TURN_STARTED_INPUT))
    assert (found.inputs, found.guards, found.otherwise) == ((), (), ())
