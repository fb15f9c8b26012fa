"""Replies to the letter. That servers may send such things is shown in test_desk."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.vocabulary.opinions import SHAPES, CompactionJudgment, FullAutoDecision, SignatureName
from rawr.models.reading import MAX_REPLY, Reading, read
from tests.models.questions import GOOD, NAMES

DECISION = {"action": "stop", "next_input": "", "reason": "Done.", "confidence": 0.9}
STOP = FullAutoDecision(action="stop", next_input="", reason="Done.", confidence=0.9)


def decide(**changed: object) -> Reading:
    return read(FullAutoDecision, json.dumps(DECISION | changed))


@pytest.mark.parametrize(
    "fence", ["```json\n{}\n```", "```\n{}\n```", "``` \r\n{}\n```", "\n\n```JSON\n{}\n  ```\n", " {} "]
)
def test_a_whole_fence_is_taken_off(fence: str) -> None:
    assert read(FullAutoDecision, fence.replace("{}", json.dumps(DECISION))) == Reading(STOP)


@pytest.mark.parametrize(
    "fence", ["```json {}```", "`{}`", "~~~\n{}\n~~~", "```\n{}", "{}\n```", "```\n```\n{}\n```\n```"]
)
def test_half_a_fence_is_none(fence: str) -> None:
    assert read(FullAutoDecision, fence.replace("{}", json.dumps(DECISION))).opinion is None


@pytest.mark.parametrize("text", ["0.8", " 0.8 ", "+0.8", "8e-1", "80E-2"])
def test_a_number_as_text_is_a_number(text: str) -> None:
    assert decide(confidence=text).opinion == FullAutoDecision(
        action="stop", next_input="", reason="Done.", confidence=0.8
    )


@pytest.mark.parametrize(
    "value",
    ["80%", "0,8", "high", "", "nan", "inf", "-0.1", "1.01", "0x1", "\u0660", 1.5, -1, 80, True, None, [0.8], {}],
)
def test_what_is_no_share_of_certainty_is_refused(value: object) -> None:
    reading = decide(confidence=value)
    assert reading.opinion is None
    assert "confidence" in reading.problem


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5_000])
def test_numbers_beyond_all_bounds_are_refused(number: str) -> None:
    text = json.dumps(DECISION).replace("0.9", number)
    assert read(FullAutoDecision, text).opinion is None


@pytest.mark.parametrize(("text", "value"), [("true", True), ("False", False), (" TRUE ", True)])
def test_a_boolean_as_text_is_a_boolean(text: str, value: bool) -> None:
    judgment = json.dumps({"should_compact": text, "reason": "r"})
    assert read(CompactionJudgment, judgment).opinion == CompactionJudgment(should_compact=value, reason="r")


@pytest.mark.parametrize("value", [1, 0, "yes", "1", "null", None, ""])
def test_what_is_no_boolean_is_none(value: object) -> None:
    judgment = json.dumps({"should_compact": value, "reason": "r"})
    assert read(CompactionJudgment, judgment).opinion is None


def test_unknown_fields_are_passed_over_and_told() -> None:
    assert decide(thoughts="hm", opinion="ToolInput") == Reading(
        STOP, notes=("ignored unknown fields: thoughts, opinion",)
    )


def test_a_field_that_is_given_twice_counts_not_at_all() -> None:
    twice = json.dumps(DECISION)[:-1] + ', "action": "continue"}'
    assert read(FullAutoDecision, twice) == Reading(problem="“action” is given twice")


def test_what_is_missing_is_named() -> None:
    assert read(FullAutoDecision, '{"action": "stop"}') == Reading(problem="missing: next_input, reason, confidence")


def test_a_shape_that_says_nothing_is_no_answer() -> None:
    assert read(SHAPES["planning"], json.dumps(GOOD["planning"] | {"steps": []})) == Reading(problem="“steps” is empty")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 30_000, "x" * (MAX_REPLY + 1), '{"reason": "\\ud800"}'])
def test_a_hostile_reply_is_only_unreadable(text: str) -> None:
    assert read(FullAutoDecision, text).opinion is None


@pytest.mark.parametrize("name", NAMES)
def test_no_beginning_of_a_good_answer_is_one(name: SignatureName) -> None:
    """Nothing is mended: a reply that is cut off anywhere is not read as what might have come."""
    text = json.dumps(GOOD[name])
    assert read(SHAPES[name], text).opinion is not None
    assert [cut for cut in range(len(text)) if read(SHAPES[name], text[:cut]).opinion is not None] == []


@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_any_text_can_be_read_or_not(text: str) -> None:
    assert read(FullAutoDecision, text).opinion is None
