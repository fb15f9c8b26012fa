"""A finished turn after which the user stays away is a boundary (D9)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction.idle import DEADLINE
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts, requests
from rawr.core.vocabulary.effects import CancelDeadline, SetDeadline, StartTurn
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import GOLDEN, IDLE, Story

THEIRS = replace(IDLE, ours=False)
AWAY = facts.DeadlinePassed(name=DEADLINE)
LONG = 300
APPROVAL = requests.CommandApproval(command="rm notes", cwd="/w")
SAID = "All of it is in the notes now, file by file. Which of the two do you want to see first?"
HALF_FULL = 105_000
"""Tokens: below 65 % left, and room for another turn like it."""


def rules(**changes: Any) -> Policy:
    return replace(GOLDEN, compaction=replace(GOLDEN.compaction, **changes))


MEASURED = rules()


def read(story: Story, turn: str = "W", *, tokens: int = HALF_FULL) -> Story:
    """A turn that is settled, and ends without any boundary."""
    return story.begin(turn, "Go on.").changes(turn, "notes.md").uses(turn, tokens).says(turn, SAID).end(turn)


def waits(story: Story) -> bool:
    return any(one.name == DEADLINE for one in story.state.deadlines)


@pytest.mark.parametrize("state", [IDLE, THEIRS], ids=["ours", "theirs"])
def test_nobody_there_for_five_minutes(state: ThreadState) -> None:
    """The heads-up goes out, and names what ended."""
    story = read(Story(state, policy=MEASURED))
    assert (waits(story), story.wanted(StartTurn)) == (True, [])
    story.tell(AWAY, after=LONG)
    assert story.reasons()[-2:] == [Reason.COMPACT_DECIDED_BOUNDARY, Reason.TURN_STARTED_SEQUENCE]
    decided = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    assert decided.evidence["satisfied"] == ["idle"]
    assert "idle, nobody there for 5 min" in story.wanted(StartTurn)[-1].text


def test_somebody_comes_back_in_time() -> None:
    """The wait ends with the turn that begins, and starts over when that one ends."""
    story = read(Story(policy=MEASURED)).begin("X", "And now?")
    assert CancelDeadline(name=DEADLINE) in [one.effect for one in story.effects]
    assert not waits(story)
    story.says("X", SAID).end("X").tell(AWAY, after=LONG - 10)
    assert Reason.COMPACT_DECIDED_BOUNDARY not in story.reasons()


def test_a_deadline_from_before_another_turn_counts_for_nothing() -> None:
    story = read(read(Story(policy=MEASURED)), "X")
    early = replace(story.state, deadlines=tuple(replace(one, at=0) for one in story.state.deadlines))
    again = Story(early, policy=MEASURED).tell(AWAY)
    assert Reason.COMPACT_DECIDED_BOUNDARY not in again.reasons()
    assert waits(again)


@pytest.mark.parametrize(
    ("policy", "tokens"),
    [
        (rules(idle_seconds=0), HALF_FULL),
        (rules(enabled=False), HALF_FULL),
        (MEASURED, 60_000),
        (rules(asap=replace(GOLDEN.compaction.asap, requires_any_boundary=("commit",))), HALF_FULL),
    ],
    ids=["switched off", "compaction switched off", "room enough", "not asked for"],
)
def test_nobody_waits(policy: Policy, tokens: int) -> None:
    assert not waits(read(Story(policy=policy), tokens=tokens))


def test_not_after_a_turn_that_left_all_in_the_conversation() -> None:
    """What it found out would go with it."""
    story = Story(policy=MEASURED).begin("W", "Read it all.").uses("W", HALF_FULL).says("W", SAID).end("W")
    assert not waits(story)


def test_not_after_a_turn_that_was_interrupted() -> None:
    story = (
        Story(policy=MEASURED).begin("W", "Read it all.").uses("W", HALF_FULL).says("W", SAID).end("W", "interrupted")
    )
    assert not waits(story)


def test_not_while_something_is_asked_or_waits() -> None:
    """An approval is open: nobody is done there."""
    story = read(Story(policy=MEASURED))
    asked = facts.RequestReceived(request="1/1", question=APPROVAL, turn="W")
    story.tell(asked).tell(AWAY, after=LONG)
    assert Reason.COMPACT_DECIDED_BOUNDARY not in story.reasons()


def test_a_rawr_that_comes_back_waits_for_the_rest() -> None:
    """What is left of the time, counted from the turn's end."""
    story = read(Story(THEIRS, policy=MEASURED))
    ended = story.state.last_turn
    assert ended is not None
    story.tell(facts.ThreadJoined(cwd="/w", last_turn="W", last_status="completed"), after=200)
    [newest] = [one.effect for one in story.newest.effects if isinstance(one.effect, SetDeadline)]
    assert (newest.name, (newest.at - ended.ended_at) // 1000) == (DEADLINE, LONG)
