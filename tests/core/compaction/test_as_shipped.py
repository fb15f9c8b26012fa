"""What the documents promise of the tiers, with nothing configured (A3 to A8): the rule, and when it is accepted."""

import pytest
from msgspec.structs import replace

from rawr.core.policy.tiers import BASELINE
from rawr.core.thread import quiet
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import StartCompaction, StartTurn, SteerTurn
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.reasons import Reason
from tests.core.compaction.stories import SHIPPED
from tests.core.compaction.test_endings import FINISHED, UNFINISHED
from tests.core.samples import IDLE, WINDOW, Story

pytestmark = pytest.mark.mission("A4", "A6", "A7a")
THEIRS = replace(IDLE, ours=False)


def held(percent: int) -> int:
    """Tokens with so many percent left, as Codex shows it."""
    return BASELINE + (WINDOW - BASELINE) * (100 - percent) // 100


def committed(turn: str) -> facts.CommandObserved:
    return facts.CommandObserved(turn=turn, item="i", commits=(facts.CommitSeen(f"abc{turn}", "More"),))


def stepped(turn: str, done: int) -> facts.PlanUpdated:
    steps = tuple(PlanStep(f"step {n}", "completed" if n < done else "pending") for n in range(40))
    return facts.PlanUpdated(turn=turn, steps=steps)


@pytest.mark.parametrize("fall", [3, 8, 17])
def test_however_fast_it_falls_it_opens_while_there_is_room(fall: int) -> None:
    """Each turn makes a commit and finishes a step of the plan."""
    story, left, count = Story(THEIRS, policy=SHIPPED), 95, 0
    while Reason.COMPACT_DECIDED_BOUNDARY not in story.reasons():
        turn, left, count = f"W{count}", left - fall, count + 1
        story.begin(turn, "Go on.").tell(stepped(turn, count - 1), stepped(turn, count), committed(turn))
        story.uses(turn, held(left)).says(turn, "Committed; the next step of the plan is ready to begin.").end(turn)
        story.tell(facts.DeadlinePassed(name=quiet.DEADLINE), after=5)
        assert left > 0
    decided = next(one for one in story.records if one.reason is Reason.COMPACT_DECIDED_BOUNDARY)
    assert int(str(decided.evidence["percent"])) >= 56


def ended(text: str) -> Story:
    """At 61 % left: files changed, a check passed, and the agent says so."""
    story = Story(THEIRS, policy=SHIPPED).begin("W", "Do the next piece.").changes("W", "src/a.py")
    story.runs("W", "make test").uses("W", held(61)).says("W", text).end("W")
    return story.tell(facts.DeadlinePassed(name=quiet.DEADLINE), after=5)


@pytest.mark.parametrize("text", FINISHED)
def test_finished_work_opens_the_path(text: str) -> None:
    assert Reason.COMPACT_DECIDED_BOUNDARY in ended(text).reasons()


@pytest.mark.parametrize("text", UNFINISHED)
def test_unfinished_work_does_not(text: str) -> None:
    story = ended(text)
    assert (story.state.sequence, story.wanted(StartTurn), story.wanted(StartCompaction)) == (None, [], [])


# -- the rule, line by line -------------------------------------------------------------------------------------------


def marked(percent: int) -> Story:
    story = Story(THEIRS, policy=SHIPPED).begin("W", "Go on.").tell(facts.PhaseSubmitted(phase="research"))
    story.uses("W", held(percent)).says("W", "The research is written down, all of it, file by file.").end("W")
    return story.tell(facts.DeadlinePassed(name=quiet.DEADLINE), after=5)


def asked(percent: int) -> Story:
    story = Story(THEIRS, policy=SHIPPED).begin("W", "Which?").uses("W", held(percent)).says("W", "Which one?").end("W")
    return story.tell(facts.DeadlinePassed(name=quiet.DEADLINE), after=5)


def test_an_emergency_needs_no_boundary() -> None:
    assert Reason.COMPACT_DECIDED_EMERGENCY in asked(14).reasons()


def test_above_the_threshold_no_boundary_suffices() -> None:
    assert marked(86).wanted(StartTurn) == []
    assert marked(84).wanted(StartTurn) != []


def test_without_a_boundary_nothing_happens() -> None:
    story = asked(60)
    assert (Reason.COMPACT_SKIPPED_NO_BOUNDARY in story.reasons(), story.wanted(StartTurn)) == (True, [])


def test_a_boundary_that_the_assessment_holds_against_waits() -> None:
    story = Story(THEIRS, policy=SHIPPED).tell(facts.HoldSubmitted(until="the release"))
    story.begin("W", "Go on.").tell(facts.PhaseSubmitted(phase="research")).uses("W", held(60))
    story.says("W", "The research is written down, all of it, file by file.").end("W")
    assert (story.reasons()[-1], story.wanted(StartTurn)) == (Reason.COMPACT_DEFERRED_GUARD, [])


def test_never_in_the_middle_of_a_turn() -> None:
    """Boundaries come and go while a turn runs with little room; only Codex's own limit stops it."""
    story = Story(THEIRS, policy=SHIPPED).begin("W", "Go on.")
    for count, percent in enumerate((60, 50, 40, 30, 20)):
        story.tell(stepped("W", count), stepped("W", count + 1), committed("W")).changes("W", "src/a.py")
        story.runs("W", "make test").uses("W", held(percent))
    assert (story.wanted(SteerTurn), story.wanted(StartCompaction), story.state.sequence) == ([], [], None)
