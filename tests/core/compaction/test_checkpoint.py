"""A long turn is landed where it pauses, if the limit is in sight (A19, D8)."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.compaction.room import AHEAD, USUAL_SHARE
from rawr.core.handover.messages import landing
from rawr.core.policy.policy import Policy
from rawr.core.state.sequence import Guard, Phase
from rawr.core.state.thread import Goal
from rawr.core.vocabulary import facts, items, requests
from rawr.core.vocabulary.effects import SteerTurn
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import GOLDEN, IDLE, WINDOW, Story

CHECKPOINT, LANDING = Reason.COMPACT_DECIDED_CHECKPOINT, Reason.COMPACT_DECIDED_LANDING
USUAL = WINDOW * USUAL_SHARE // 100
NEAR = WINDOW - 6 * USUAL
"""Tokens, two calls like the newest before the limit is too close."""
PHASE = requests.ToolInvocation(tool="phase_complete", call="p", arguments='{"phase":"research"}')


def rules(**changes: Any) -> Policy:
    return replace(GOLDEN, compaction=replace(GOLDEN.compaction, **{**changes}))


MEASURED = rules()


def working(held: int = NEAR, *, policy: Policy = MEASURED) -> Story:
    """A turn runs, and the newest call added as much as one in twenty does."""
    return Story(policy=policy).begin("W", "Do the job.").uses("W", held - USUAL).runs("W", "ls").uses("W", held)


def commits(story: Story) -> Story:
    return story.tell(facts.CommandObserved(turn="W", item="i", commits=(facts.CommitSeen("abc1234", "Parser"),)))


def completes(story: Story) -> Story:
    first = facts.PlanUpdated(turn="W", steps=(PlanStep("Parse", "in_progress"), PlanStep("Print", "pending")))
    done = facts.PlanUpdated(turn="W", steps=(PlanStep("Parse", "completed"), PlanStep("Print", "in_progress")))
    return story.changes("W", "src/parse.py").tell(first, done)


def passes(story: Story) -> Story:
    return story.changes("W", "src/a.py").runs("W", "make test")


def marks(story: Story) -> Story:
    return story.tell(facts.PhaseSubmitted(phase="research"))


PAUSES: dict[str, tuple[Callable[[Story], Story], str, str]] = {
    "a commit": (commits, "commit", "commit: abc1234 Parser"),
    "a step of the plan": (completes, "plan_checkpoint", "plan_checkpoint: Parse"),
    "a check that passed": (passes, "check_passed", "check_passed: make test"),
    "a phase that was marked": (marks, "phase_boundary", "phase_boundary: research"),
}


def test_a_step_of_the_plan_that_only_read_is_no_pause() -> None:
    """The next call writes what was read."""
    steps = (PlanStep("Read", "in_progress"), PlanStep("Write", "pending"))
    done = (PlanStep("Read", "completed"), PlanStep("Write", "in_progress"))
    story = working().tell(facts.PlanUpdated(turn="W", steps=steps), facts.PlanUpdated(turn="W", steps=done))
    assert landed(story) == []


def landed(story: Story) -> list[Reason]:
    return [one for one in story.reasons() if one in (CHECKPOINT, LANDING)]


@pytest.mark.parametrize("name", PAUSES)
def test_the_turn_is_landed_where_something_is_done(name: str) -> None:
    """A19: and the decision says what it was."""
    pause, kind, words = PAUSES[name]
    story = pause(working())
    assert landed(story) == [CHECKPOINT]
    sequence = story.state.sequence
    assert sequence is not None
    assert (sequence.phase, sequence.landing, sequence.reason) == (Phase.HEADS_UP_INJECTED, True, CHECKPOINT.value)
    text = landing(GOLDEN.prompts, sequence.id, by_agent=True)
    assert story.wanted(SteerTurn) == [SteerTurn(turn="W", text=text, own=True)]
    record = next(one for one in story.records if one.reason is CHECKPOINT)
    assert record.evidence == {
        "tokens": NEAR,
        "coming": AHEAD * USUAL,
        "limit": WINDOW,
        "percent": 25,
        "boundaries": [words],
        "satisfied": [kind],
    }


@pytest.mark.parametrize("name", PAUSES)
def test_with_plenty_of_room_nobody_is_steered(name: str) -> None:
    pause = PAUSES[name][0]
    room = GOLDEN.compaction.packet_room_tokens
    far = WINDOW - AHEAD * USUAL - room - 1
    assert landed(pause(working(far))) == []
    assert landed(pause(working(far + 1))) == [CHECKPOINT]


@pytest.mark.parametrize("name", PAUSES)
def test_the_documents_know_of_no_pauses(name: str) -> None:
    assert landed(PAUSES[name][0](working(policy=GOLDEN))) == []


def test_one_that_pauses_nowhere_is_landed_at_the_last_moment() -> None:
    """A19: when the call that is under way would leave no room for a packet."""
    last = WINDOW - USUAL - GOLDEN.compaction.packet_room_tokens
    assert landed(working(last - 1)) == []
    assert landed(working(last)) == [LANDING]


def test_a_check_counts_only_after_a_change_and_if_it_passes() -> None:
    assert landed(working().runs("W", "make test")) == []
    assert landed(working().changes("W", "a").runs("W", "make test", code=2)) == []
    assert landed(working().changes("W", "a").runs("W", "ls")) == []
    # The second time nothing has changed since.
    story = passes(Story(policy=MEASURED).begin("W", "Do it.")).uses("W", NEAR - USUAL).runs("W", "ls").uses("W", NEAR)
    assert landed(story.runs("W", "make test")) == []


def test_where_the_agent_has_gone_on_it_pauses_no_more() -> None:
    """A19: never in the middle of an edit."""
    far = passes(working(WINDOW // 2))
    assert landed(far.changes("W", "b").uses("W", NEAR)) == []
    far = passes(working(WINDOW // 2))
    assert landed(far.tell(_begins("Command")).uses("W", NEAR)) == []
    still = passes(working(WINDOW // 2))
    assert landed(still.uses("W", NEAR)) == [CHECKPOINT]


def _begins(_kind: str) -> facts.ItemStarted:
    return facts.ItemStarted(turn="W", item=items.Command(id="o", command="sleep 9", cwd="/", status="running"))


def test_a_check_among_commands_that_run_at_the_same_time() -> None:
    """A19: it is over when all of them are."""
    story = working().changes("W", "a").tell(_begins("Command")).runs("W", "make test")
    assert landed(story) == []
    slow = items.Command(id="o", command="sleep 9", cwd="/", status="completed", exit_code=0)
    assert landed(story.tell(facts.ItemCompleted(turn="W", item=slow)).uses("W", NEAR + 100)) == [CHECKPOINT]


@pytest.mark.parametrize("name", ["an open approval", "a running command", "a busy sub-agent"])
def test_what_is_in_flight_is_waited_for(name: str) -> None:
    approval = requests.CommandApproval(command="rm notes", cwd="/w")
    flying: dict[str, facts.AnyFact] = {
        "an open approval": facts.RequestReceived(request="1/1", question=approval, turn="W", item="i"),
        "a running command": _begins("Command"),
        "a busy sub-agent": facts.SubAgentTurn(thread="child", running=True),
    }
    assert landed(commits(working().tell(flying[name]))) == []


def test_a_phase_is_marked_by_a_tool_and_its_answer_is_awaited() -> None:
    """B9: the request is open when the phase is over; the next report of usage lands it."""
    story = working().tell(facts.RequestReceived(request="1/1", question=PHASE, turn="W", item="p"))
    assert landed(story) == []
    done = items.ToolCall(id="p", tool="phase_complete", status="completed")
    story.tell(facts.RequestResolved(request="1/1"), facts.ItemCompleted(turn="W", item=done))
    assert landed(story.uses("W", NEAR + 100)) == [CHECKPOINT]


@pytest.mark.parametrize(
    "changes",
    [{"mode": "suggest"}, {"soft_landing": False}, {"enabled": False}],
    ids=["only suggested", "switched off", "all of it switched off"],
)
def test_whoever_does_not_want_it(changes: dict[str, Any]) -> None:
    assert landed(commits(working(policy=rules(**changes)))) == []


def test_what_rules_out_a_landing_rules_out_this_one() -> None:
    held, aims = Story(policy=MEASURED), Story(policy=MEASURED)
    held.state = replace(IDLE, guards=(Guard("released"),))
    aims.state = replace(IDLE, goal=Goal("all of it", "active"))
    for story in (held, aims):
        story.begin("W", "Do it.").uses("W", NEAR - USUAL).runs("W", "ls").uses("W", NEAR)
        assert landed(commits(story)) == []


# -- the end of a turn ------------------------------------------------------------------------------------------------


def test_a_turn_that_is_about_to_end_is_left_to_its_end() -> None:
    """A19: its end is the better place."""
    story = working(WINDOW // 2).says("W", "Which of the two shall I take?").uses("W", WINDOW - 3_000)
    assert landed(story) == []
    announced = items.AgentMessage(id="m", text="Now the tests.", phase="commentary")
    going_on = working(WINDOW // 2).tell(facts.ItemCompleted(turn="W", item=announced)).uses("W", WINDOW - 3_000)
    assert landed(going_on) == [LANDING]


def test_the_end_of_a_turn_is_a_boundary_if_the_next_one_would_be_landed() -> None:
    """A6: nothing else speaks for it, and no better place comes."""
    asks = "It is unclear which of the two is meant here. Which one shall I take?"
    theirs = replace(IDLE, ours=False)
    near, far = WINDOW * 9 // 10 - 2 * USUAL - 6_000, WINDOW // 2
    for held, decided in ((near, True), (far, False)):
        story = Story(theirs, policy=rules(cooldown_turns=0)).begin("W", "Go on.").uses("W", held - USUAL)
        story.runs("W", "ls").uses("W", held).says("W", asks).end("W")
        assert (Reason.COMPACT_DECIDED_BOUNDARY in story.reasons()) is decided
    assert story.records[-1].reason is Reason.COMPACT_SKIPPED_NO_BOUNDARY
