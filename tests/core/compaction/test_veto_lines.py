"""What a person reads of a judgment: it begins live, and its result always stays, with its reason (A18, A21)."""

import pytest
from msgspec.structs import replace

from rawr.core.policy.compaction import CompactionMode
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify
from rawr.core.vocabulary.facts import Level
from rawr.core.vocabulary.reasons import Reason
from tests.core.judged import JUDGED, approves, awaiting, evidence, fails, rules, vetoes
from tests.core.samples import Story

RESULT = "[rawr] auto-compaction judgment: "
YES = f"{RESULT}compact, m says: A phase is over."
MODES: tuple[CompactionMode, ...] = ("auto", "suggest", "tag")


def said(story: Story) -> list[tuple[Level, str]]:
    return [(one.level, one.text) for one in story.wanted(Notify) if "judgment" in one.text]


def acting(mode: CompactionMode) -> Policy:
    return replace(JUDGED, compaction=replace(JUDGED.compaction, mode=mode))


@pytest.mark.parametrize("mode", MODES)
def test_an_approval_is_told_like_a_veto(mode: CompactionMode) -> None:
    """A2, A21: whatever follows from it."""
    story = awaiting(policy=acting(mode))
    assert [level for level, _ in said(story)] == ["status"]
    before = len(said(story))
    assert said(approves(story))[before:] == [("info", YES)]


@pytest.mark.parametrize("mode", MODES)
def test_a_veto_is_told_once(mode: CompactionMode) -> None:
    story = awaiting(policy=acting(mode))
    before = len(said(story))
    assert said(vetoes(story))[before:] == [("info", f"{RESULT}do not compact, m says: It is in the middle of it.")]


@pytest.mark.parametrize(("tier", "then"), [("early", "not compacting for now"), ("asap", "compacting without one")])
def test_no_answer_is_told_with_what_follows(tier: str, then: str) -> None:
    story = awaiting(tier)
    before = len(said(story))
    assert said(fails(story))[before:] == [("info", f"{RESULT}none (unavailable): no model; {then}")]


def test_a_hold_that_came_meanwhile_is_named_beside_it() -> None:
    story = awaiting()
    story.tell(facts.HoldSubmitted(until="the release is out"))
    before = len(said(story))
    [(level, text)] = said(approves(story))[before:]
    assert (level, text.startswith(f"{YES}; not now: ")) == ("info", True)


def test_a_mark_names_its_boundary() -> None:
    """A2: on record, for whoever shows it."""
    story = approves(awaiting(policy=rules(mode="tag")))
    assert evidence(story, Reason.COMPACT_TAGGED_BOUNDARY)["ended"] == "phase boundary, research"
