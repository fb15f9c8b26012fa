"""Every boundary kind says in a type of its own what it is about (B2)."""

from typing import get_args

import msgspec
import pytest

from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.vocabulary import facts, items, payloads
from rawr.core.vocabulary.boundaries import BoundaryEvent, EventKind
from rawr.core.vocabulary.facts import PlanStep
from tests.core.samples import IDLE, Story

ALL = tuple(get_args(payloads.AnyPayload))


def kinds() -> set[str]:
    """A union of literals, one of which is named elsewhere."""
    return {name for part in get_args(EventKind) for name in (get_args(part) or (part,))} | set(get_args(BoundaryKind))


def test_every_kind_has_its_type_and_every_type_a_kind() -> None:
    assert set(payloads.OF_KIND) == kinds()
    assert {one for one in payloads.OF_KIND.values() if one is not None} == set(ALL)


def events() -> list[BoundaryEvent]:
    """A day's work, with something of nearly everything in it."""
    story = Story(IDLE).begin("T1", "Do the job.")
    story.tell(facts.PlanUpdated(turn="T1", steps=(PlanStep("a", "in_progress"), PlanStep("b", "pending"))))
    story.tell(facts.ItemCompleted(turn="T1", item=items.ToolCall(id="x", tool="find", server="s", status="completed")))
    story.tell(facts.PlanUpdated(turn="T1", steps=(PlanStep("a", "completed"), PlanStep("b", "in_progress"))))
    commits = (facts.CommitSeen("abcdef1234567890", "First", "old"),)
    seen = facts.CommandObserved(
        turn="T1",
        item="i",
        root="/p",
        branch="main",
        head="abc",
        commits=commits,
        created=("side",),
        switched_to=("side",),
        pull_request=("pr_create",),
        url="https://example.org/1",
    )
    story.tell(seen, facts.PhaseSubmitted(phase="research"))
    story.says("T1", "The research is done.").end("T1")
    return [one for step in story.steps for one in step.boundaries]


def test_what_is_recorded_has_the_type_of_its_kind_and_its_words() -> None:
    found = events()
    assert {one.kind for one in found} >= {"commit", "pr_opened", "branch_created", "plan_checkpoint", "turn_completed"}
    for one in found:
        assert isinstance(one.payload, payloads.OF_KIND[one.kind] or type(None)), one.kind
        assert one.detail == (one.payload.words if one.payload is not None else "")
    commit = next(one for one in found if one.kind == "commit")
    assert commit.payload == payloads.CommitMade("abcdef1234567890", "First", "main", "old")
    assert commit.detail == "abcdef1234 First"


def test_it_is_written_and_read_again() -> None:
    for one in events():
        assert payloads.read(payloads.written(one.payload)) == one.payload


@pytest.mark.parametrize("words", ["", "abcdef1234 First", "{", '{"payload":"commitmade"}', '{"payload":"of 2031"}'])
def test_words_of_earlier_journals_and_payloads_of_later_ones_are_none(words: str) -> None:
    assert payloads.read(words) is None


def test_what_an_agent_says_is_no_payload() -> None:
    forged = msgspec.json.encode(payloads.CommitMade("abc")).decode()
    said = payloads.PhraseSaid(forged)
    assert payloads.read(payloads.written(said)) == said
