"""What went wrong, for now or for good: retries, limits, a full context, a turn that hangs (C5, C8)."""

from msgspec.structs import replace

from rawr.core.run.ending import RETRY, STALL
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import InterruptTurn, ObserveCommand
from tests.core.runs import DOWN, FULL, GOAL, GOLDEN, LIMIT, RULES, Auto, in_a_turn, ordered, rules, waiting_for
from tests.core.samples import PACKET, WINDOW


def limit(story: Auto, seconds: int, *, percent: int = 100) -> facts.RateLimitsUpdated:
    reset = story.at // 1000 + seconds
    return facts.RateLimitsUpdated(limit="codex", used_percent=percent, resets_at=reset, reached=True)


# -- what passes, and what does not ---------------------------------------------------------------------------------


def test_a_passing_failure_is_tried_again_with_growing_waits_and_not_for_ever() -> None:
    """C5."""
    story = ordered(policy=rules(retries=3, retry_seconds=2, retry_most_seconds=5))
    waits = []
    for n in range(1, 5):
        story.works(f"T{n}", status="failed", problem=DOWN)
        if story.run.active:
            [deadline] = story.deadlines
            waits.append((deadline.at - story.at) // 1000)
            story.tell(facts.DeadlinePassed(name=RETRY), after=waits[-1])
    assert waits == [2, 4, 5]
    assert story.ended == ("failed", "run.failed.retries")
    assert len(story.sent) == 4


def test_a_turn_that_succeeds_forgets_the_failures() -> None:
    """C5."""
    story = ordered().works("T1", status="failed", problem=DOWN)
    story.tell(facts.DeadlinePassed(name=RETRY), after=2).works("T2", commands=("ls",))
    assert story.run.retries == 0


def test_no_effect_that_ends_cuts_the_wait_short() -> None:
    """C5: back-off is back-off."""
    story = ordered(policy=replace(RULES, watch_repositories=True))
    story.begin("T1", GOAL, ours=True)
    ran = items.Command(id="c", command="make", cwd="/project", status="completed", exit_code=0)
    story.tell(facts.ItemCompleted(turn="T1", item=ran))
    story.tell(facts.TurnCompleted(turn="T1", status="failed", problem=DOWN))
    story.tell(facts.EffectSucceeded(effect=story.name(ObserveCommand)))
    assert (story.run.waiting, len(story.sent)) == ("retry", 1)


def test_a_lasting_failure_fails_the_run() -> None:
    """C5."""
    story = ordered().works("T1", status="failed", problem=facts.Problem("no such model", code="badRequest"))
    assert story.ended == ("failed", "run.failed.turn")
    assert story.run.stop is not None
    assert story.run.stop.detail == "no such model"


def test_a_limit_whose_reset_is_known_is_waited_for() -> None:
    """C5, C12: told before the turn fails."""
    story = in_a_turn()
    story.tell(limit(story, 60)).tell(facts.TurnCompleted(turn="T1", status="failed", problem=LIMIT))
    assert (story.run.waiting, len(story.sent)) == ("limit", 1)
    [deadline] = story.deadlines
    assert deadline.at - story.at in range(58_000, 62_000)
    story.tell(facts.DeadlinePassed(name=RETRY), after=61)
    assert (story.run.waiting, len(story.sent)) == ("turn", 2)


def test_a_reset_that_is_told_after_the_failure_takes_the_place_of_the_retry() -> None:
    """C5, C12."""
    story = ordered().works("T1", status="failed", problem=LIMIT)
    told = (limit(story, 600), facts.DeadlinePassed(name=RETRY))
    assert [story.run.waiting, *(story.tell(fact, after=5).run.waiting for fact in told)] == ["retry", "limit", "limit"]


def test_a_limit_without_a_reset_is_tried_again() -> None:
    """C5."""
    story = ordered().works("T1", status="failed", problem=facts.Problem("slow down", http_status=429))
    assert story.run.waiting == "retry"


def test_a_reset_that_is_too_far_pauses_the_run() -> None:
    """C5."""
    story = in_a_turn(policy=rules(limit_wait_seconds=600))
    story.tell(limit(story, 7_200)).tell(facts.TurnCompleted(turn="T1", status="failed", problem=LIMIT))
    assert story.ended == ("paused", "run.paused.limit")


def test_a_limit_that_is_reached_with_a_turns_end_is_waited_for_too() -> None:
    """C12: nobody would wake a run that waits for a slot in vain."""
    story = in_a_turn()
    story.tell(limit(story, 60)).says("T1", "On.").end("T1")
    assert story.run.waiting == "limit"
    story.tell(facts.DeadlinePassed(name=RETRY), after=61)
    assert (story.run.waiting, len(story.sent)) == ("turn", 2)
    waiting = ordered(slots=False)
    waiting.tell(limit(waiting, 60))
    assert waiting.run.waiting == "limit"
    waiting.tell(facts.DeadlinePassed(name=RETRY), after=61)
    assert (waiting.run.waiting, len(waiting.state.queue)) == ("slot", 1)


def test_a_reset_that_is_put_off_is_waited_for() -> None:
    """C12."""
    story = waiting_for("limit")
    [before] = story.deadlines
    story.tell(limit(story, 600))
    assert story.run.waiting == "limit"
    assert [one.at - before.at for one in story.deadlines] == [600_000 - 60_000 + 2_000]


def test_the_window_that_is_full_counts() -> None:
    """C12: both windows of an account say that a limit is reached, and only one of them is."""
    story = in_a_turn()
    story.tell(limit(story, 60), limit(story, 5 * 24 * 3600, percent=40))
    story.tell(facts.TurnCompleted(turn="T1", status="failed", problem=LIMIT))
    assert story.run.waiting == "limit"


def test_a_full_context_is_compacted_at_once() -> None:
    """C5, A6: and the handoff sends the agent on."""
    story = in_a_turn(policy=GOLDEN)
    story.uses("T1", WINDOW - 1_000)
    story.tell(facts.TurnCompleted(turn="T1", status="failed", problem=FULL))
    assert story.run.waiting in ("sequence", "turn")
    assert story.state.sequence is not None
    assert story.state.sequence.tier == "emergency"


def test_a_context_that_is_full_again_at_once_fails_the_run() -> None:
    """C5: no circle of compactions."""
    story = ordered(policy=GOLDEN).works("T1", status="failed", problem=FULL)
    story.answers("H", PACKET).compacts()
    story.begin("G", story.sent[-1], ours=True)
    story.tell(facts.TurnCompleted(turn="G", status="failed", problem=FULL))
    assert story.ended == ("failed", "run.failed.turn")


def test_a_full_context_is_left_alone_where_compaction_is_off() -> None:
    """A1."""
    story = ordered().works("T1", status="failed", problem=FULL)
    assert story.ended == ("failed", "run.failed.turn")
    assert story.state.sequence is None


# -- a turn that hangs --------------------------------------------------------------------------------------------


def test_a_turn_in_which_nothing_happens_is_ended_and_tried_again() -> None:
    """C5: a model that never says a word."""
    story = in_a_turn()
    story.tell(facts.DeadlinePassed(name=STALL), after=1_201)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T1")]
    story.tell(facts.TurnCompleted(turn="T1", status="interrupted"))
    assert (story.run.status, story.run.waiting, story.run.stalled) == ("running", "retry", False)


def test_a_long_command_is_no_standstill() -> None:
    story = in_a_turn()
    command = items.Command(id="c", command="make", cwd="/", status="running")
    story.tell(facts.ItemStarted(turn="T1", item=command)).tell(facts.DeadlinePassed(name=STALL), after=5_000)
    assert story.wanted(InterruptTurn) == []
    assert STALL in [one.name for one in story.state.deadlines]
