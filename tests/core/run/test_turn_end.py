"""Full Auto: what follows the end of a turn, and how a run comes to rest."""

import pytest
from msgspec.structs import replace

from rawr.core.run.checks import REVIEW_SECONDS
from rawr.core.run.ending import RETRY, STALL, TIME
from rawr.core.state.deadlines import Deadline
from rawr.core.state.run import Waiting
from rawr.core.state.thread import Goal
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import (
    AskModel,
    ClearGoal,
    FindMessage,
    InjectPacket,
    InterruptTurn,
    Notify,
    ObserveCommand,
    ResumeThread,
    RunCheck,
    StartCompaction,
    StartReview,
    StartTurn,
)
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.opinions import FullAutoDecision
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import UserInput, UserQuestion
from tests.core.runs import (
    BACK,
    DONE,
    DOWN,
    FULL,
    GOAL,
    GOLDEN,
    JOINED,
    LIMIT,
    LOST,
    RULES,
    STARTED,
    WAITING,
    Auto,
    handed_off,
    in_a_sequence,
    in_a_turn,
    ordered,
    rules,
    waiting_for,
)
from tests.core.samples import CLOSED, IDLE, PACKET, WINDOW

STOP = facts.RunStopSubmitted()
PAUSE = facts.RunPauseSubmitted()
NOW = facts.RunPauseSubmitted(now=True)
RESUME = facts.RunResumed()
OVERRIDE = facts.RunOverridden(text="Do that instead.")
SPOKEN = facts.UserSubmitted(text="And mind the docs.")
QUESTION = UserInput(questions=(UserQuestion("q", "Which", "Which one?"),))


def plan(*statuses: facts.StepStatus) -> facts.PlanUpdated:
    return facts.PlanUpdated(turn="T1", steps=tuple(PlanStep(f"s{n}", status) for n, status in enumerate(statuses)))


def limit(story: Auto, seconds: int, *, percent: int = 100) -> facts.RateLimitsUpdated:
    reset = story.at // 1000 + seconds
    return facts.RateLimitsUpdated(limit="codex", used_percent=percent, resets_at=reset, reached=True)


# -- from an order to the next turn ---------------------------------------------------------------------------------


def test_the_goal_starts_the_first_turn_word_for_word() -> None:
    """C1, C8."""
    story = ordered()
    assert story.sent == [GOAL]
    assert (story.run.id, story.run.status, story.run.waiting) == ("r101", "running", "turn")
    assert story.reasons()[:2] == [Reason.RUN_STARTED_SUBMITTED, Reason.TURN_STARTED_INPUT]


def test_turn_follows_turn_and_each_message_carries_the_goal() -> None:
    """C1, C8."""
    story = ordered().works("T1").works("T2", commands=("ls",))
    assert [GOAL in text for text in story.sent] == [True, True, True]
    assert story.sent[2].startswith("[rawr r101] Go on")
    assert (story.run.turns, story.run.waiting) == (2, "turn")


def test_a_receipt_says_what_the_guards_saw() -> None:
    """C17: also where no guard objects."""
    story = ordered().works("T1", commands=("ls",))
    [receipt] = [one for one in story.records if one.reason is Reason.RUN_CONTINUED_POLICY]
    assert receipt.evidence["action"] == "continue"
    assert receipt.evidence["guards"] == [
        "turns ok (1 of 200)",
        "tokens ok (0 of no limit)",
        "minutes ok (0 of no limit)",
        "cost ok (0.00 of no limit)",
        "churn ok (0 of 3 turns in circles)",
        "no_progress ok (0 of 3 turns without progress)",
        "same_error ok (0 of 3 turns with the same error)",
        "compactions ok (0 of 4 compactions in 6 turns)",
    ]


def test_one_run_at_a_time() -> None:
    story = in_a_turn().tell(facts.RunSubmitted(order=Order(goal="Another.")))
    assert story.reasons()[-1] is Reason.IGNORED_RUN_ACTIVE
    assert story.run.order.goal == GOAL


def test_a_thread_that_is_closed_takes_no_order() -> None:
    """Nothing would ever wake it."""
    story = Auto(CLOSED).tell(facts.RunSubmitted(order=Order(goal=GOAL)))
    assert story.state.run is None


def test_an_order_wakes_a_thread_that_was_left_alone() -> None:
    """C13: without being joined it would wait for its slot without end."""
    story = Auto(replace(IDLE, online=False, wanted=False)).tell(facts.RunSubmitted(order=Order(goal=GOAL)))
    assert story.wanted(ResumeThread) == [ResumeThread()]
    assert story.tell(JOINED).sent == [GOAL]


def test_a_new_run_does_not_begin_with_what_the_last_one_wanted_to_say() -> None:
    story = ordered(slots=False).tell(STOP)
    story.slots = True
    story.tell(facts.RunSubmitted(order=Order(goal="Another.")))
    assert story.sent == ["Another."]


# -- done -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [DONE, f"All good.\n\n**{DONE}**", "Everything passes. All done."])
def test_done_by_the_agents_own_words(text: str) -> None:
    """C6, C7: without a check the record says so."""
    story = ordered().works("T1").works("T2", text)
    assert story.ended == ("done", "run.done.reported")
    assert (story.run.done, len(story.sent)) == ("self_reported", 2)


def test_done_by_the_plan() -> None:
    """C7: the last step is completed."""
    story = in_a_turn().tell(plan("completed", "completed"))
    story.says("T1", "There.").end("T1")
    assert story.run.done == "self_reported"


def test_an_open_plan_outweighs_words_but_not_the_phrase() -> None:
    """C7: “done” can be said of one step; the phrase was asked for."""
    story = in_a_turn()
    story.tell(plan("completed", "pending")).says("T1", "All done.").end("T1")
    assert story.run.active
    story.works("T2", DONE)
    assert story.ended[0] == "done"


def test_only_exit_code_zero_is_done() -> None:
    """C7."""
    story = ordered(done="make check").works("T1", DONE)
    [check] = story.wanted(RunCheck)
    assert (check.command, check.cwd, check.seconds) == ("make check", "/project", 600)
    assert story.run.waiting == "check"
    story.checks(0)
    assert story.ended == ("done", "run.done.checked")
    assert story.run.done == "checked"
    assert len(story.sent) == 1


@pytest.mark.parametrize(
    ("code", "timed_out", "words"),
    [(2, False, "exit code 2"), (None, True, "did not end in time"), (None, False, "could not be run")],
)
def test_a_check_that_fails_goes_back_to_the_agent(code: int | None, timed_out: bool, words: str) -> None:
    """C7: with its output, and then the agent has another turn."""
    story = ordered(done="make check").works("T1", DONE).checks(code, output="two tests fail", timed_out=timed_out)
    assert words in story.sent[-1]
    assert "two tests fail" in story.sent[-1]
    assert (story.run.waiting, story.run.claimed, story.run.note) == ("turn", False, "")
    assert story.works("T2", DONE).checks(0).ended == ("done", "run.done.checked")
    assert story.run.checks == 2


def test_nothing_is_said_while_a_check_runs() -> None:
    """C7: whatever effect ends meanwhile, the check decides."""
    story = ordered(done="make check", policy=replace(RULES, watch_repositories=True))
    story.begin("T1", GOAL, ours=True)
    ran = items.Command(id="c", command="make", cwd="/project", status="completed", exit_code=0)
    story.tell(facts.ItemCompleted(turn="T1", item=ran)).says("T1", DONE).end("T1")
    assert story.state.unweighed
    story.tell(facts.EffectSucceeded(effect=story.name(ObserveCommand)))
    assert (story.run.waiting, len(story.sent)) == ("check", 1)


def test_a_check_that_always_fails_comes_to_an_end() -> None:
    """C6, C7: claiming and failing in turns is no progress."""
    story = ordered(done="make check")
    for n in range(1, 6):
        if not story.run.active:
            break
        story.works(f"T{n}", DONE).checks(1)
    assert story.ended == ("stopped", "run.stopped.progress")
    assert story.run.turns == 4


@pytest.mark.parametrize("word", [STOP, PAUSE])
def test_stop_and_pause_do_not_wait_for_a_check(word: facts.AnyFact) -> None:
    """C5: and its result, when it comes, changes nothing."""
    story = waiting_for("check").tell(word)
    assert story.run.status in ("stopped", "paused")
    story.checks(0)
    assert story.run.done == "no"
    assert Reason.IGNORED_STALE_CHECK in story.reasons()


def test_a_run_that_was_paused_in_a_check_is_checked_again() -> None:
    """C13: the agent has said that it is done; it need not say it again. The old result is not taken for the new."""
    story = waiting_for("check")
    old = story.name(RunCheck)
    story.tell(PAUSE, RESUME)
    assert (story.run.waiting, len(story.wanted(RunCheck)), len(story.sent)) == ("check", 2, 1)
    story.tell(facts.DoneChecked(effect=old, exit_code=0))
    assert story.run.waiting == "check"
    assert story.checks(0).ended == ("done", "run.done.checked")


def test_a_check_that_was_lost_with_rawr_is_run_again() -> None:
    """C7, C13, D5."""
    story = waiting_for("check")
    lost = facts.EffectFailed(effect=story.name(RunCheck), problem="rawr ended", code="lost")
    story.tell(STARTED, lost)
    assert story.ended == ("paused", "run.paused.away")
    story.tell(RESUME, JOINED)
    assert (story.run.waiting, len(story.wanted(RunCheck)), len(story.sent)) == ("check", 2, 1)


def test_somebody_elses_turn_does_not_overtake_a_check() -> None:
    """C7: nothing is said twice, and the result still counts."""
    story = waiting_for("check")
    story.begin("X", "What time is it?").says("X", "Late.").end("X")
    assert (story.run.waiting, len(story.sent)) == ("check", 1)
    assert story.checks(1).run.waiting == "turn"
    assert len(story.sent) == 2


# -- reviews --------------------------------------------------------------------------------------------------------


def test_a_review_at_the_end_goes_to_the_agent_and_is_decided_again() -> None:
    """C9."""
    story = ordered(review="at-end").works("T1", DONE)
    assert (story.run.waiting, len(story.wanted(StartReview))) == ("review", 1)
    story.reviews("R")
    assert "One thing is wrong." in story.sent[-1]
    assert story.works("T2", DONE).ended == ("done", "run.done.reported")
    assert (story.run.turns, len(story.wanted(StartReview))) == (2, 1)


def test_the_check_comes_before_the_review_and_again_after_it() -> None:
    """C7, C9: that its effect is over does not send the agent on."""
    story = ordered(review="at-end", done="make check").works("T1", DONE).checks(0)
    assert (story.run.waiting, len(story.sent)) == ("review", 1)
    story.reviews("R").works("T2", DONE).checks(0)
    assert story.ended == ("done", "run.done.checked")


def test_the_same_error_is_reviewed_before_the_run_is_stopped() -> None:
    """C9: twice, and not for ever."""
    story = ordered(review="on-error")
    for n in range(1, 6):
        story.works(f"T{n}", commands=("make",), code=2)
        if story.run.waiting == "review":
            story.reviews(f"R{n}")
    assert story.ended[0] == "stopped"
    assert len(story.wanted(StartReview)) == 2


@pytest.mark.parametrize("code", ["refused", "lost", "timed_out", "unsent"])
def test_a_review_that_cannot_begin_is_left_out(code: facts.FailureCode) -> None:
    """C9."""
    story = waiting_for("review")
    story.tell(facts.EffectFailed(effect=story.name(StartReview), problem="no", code=code))
    assert story.ended == ("done", "run.done.reported")
    assert Reason.RUN_SKIPPED_REVIEW in story.reasons()


def test_a_review_whose_end_nobody_saw_holds_nothing_up() -> None:
    """C9, D5: the connection was lost between its start and its end."""
    story = waiting_for("review")
    story.tell(facts.EffectSucceeded(effect=story.name(StartReview), result="R"), LOST, BACK, JOINED)
    assert story.run.waiting == "review"
    story.tell(facts.DeadlinePassed(name=RETRY), after=REVIEW_SECONDS)
    assert story.ended == ("done", "run.done.reported")


def test_a_review_that_takes_its_time_is_waited_for() -> None:
    """C9."""
    story = waiting_for("review")
    story.tell(facts.TurnStarted(turn="R"))
    for _ in range(3):
        story.tell(facts.DeadlinePassed(name=RETRY), after=REVIEW_SECONDS)
    assert story.run.waiting == "review"
    story.reviews("R")
    assert "One thing is wrong." in story.sent[-1]


def test_a_review_that_fails_is_tried_like_any_turn() -> None:
    """C5, C9: what hangs on it is let go."""
    story = waiting_for("review").reviews("R", status="failed")
    assert (story.run.waiting, story.run.review) == ("retry", "")


def test_a_message_of_the_user_does_not_swallow_what_a_review_found() -> None:
    """A15, C9: both are said, the user's first."""
    story = waiting_for("review").tell(SPOKEN).reviews("R")
    assert story.sent[-1] == "And mind the docs."
    story.works("T2")
    assert "One thing is wrong." in story.sent[-1]


# -- budgets --------------------------------------------------------------------------------------------------------


def test_a_budget_of_turns_ends_the_run_at_a_turns_end() -> None:
    """C5."""
    story = ordered(budgets=Budgets(turns=2)).works("T1", commands=("a",)).works("T2", commands=("b",))
    assert story.ended == ("stopped", "run.stopped.turns")
    assert (story.cuts, len(story.sent)) == (0, 2)


def test_what_is_finished_with_the_last_turn_is_done() -> None:
    """C5, C7."""
    story = ordered(budgets=Budgets(turns=1), done="make check").works("T1", DONE).checks(0)
    assert story.ended == ("done", "run.done.checked")
    story = ordered(budgets=Budgets(turns=1), done="make check").works("T1", DONE).checks(1)
    assert story.ended == ("stopped", "run.stopped.turns")


def test_a_budget_of_tokens_is_kept_in_the_middle_of_a_turn() -> None:
    """C5: it is exceeded by no more than the model call that is running."""
    story = in_a_turn(budgets=Budgets(tokens=30_000))
    story.uses("T1", 20_000)
    assert story.cuts == 0
    story.uses("T1", 31_000)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T1")]
    story.end("T1", "interrupted")
    assert story.state.queue == ()
    assert (story.ended, story.run.tokens) == (("stopped", "run.stopped.tokens"), 31_000)


def test_tokens_of_before_the_run_do_not_count() -> None:
    """C5."""
    state = Auto().tell(facts.UsageUpdated(turn="X", in_context=90_000, spent=90_000, window=WINDOW)).state
    story = Auto(state).tell(facts.RunSubmitted(order=Order(goal=GOAL, budgets=Budgets(tokens=50_000))))
    story.begin("T1", GOAL, ours=True).uses("T1", 100_000)
    assert (story.run.tokens, story.cuts) == (10_000, 0)


def test_a_budget_of_money_needs_prices_and_counts_what_was_cached() -> None:
    """C5."""
    prices = rules(price_input=2_000_000, price_cached=200_000, price_output=8_000_000)
    story = in_a_turn(policy=prices, budgets=Budgets(cost=100_000))
    used = facts.UsageUpdated(
        turn="T1", in_context=41_000, spent=41_000, window=WINDOW, cached_input=10_000, output=1_000
    )
    story.tell(used)
    assert (story.run.cost, story.cuts) == (30_000 * 2 + 2_000 + 8_000, 0)
    story.tell(replace(used, spent=82_000))
    assert story.cuts == 1
    story.end("T1", "interrupted")
    assert story.ended == ("stopped", "run.stopped.cost")


def test_a_budget_of_minutes_ends_the_turn_that_runs() -> None:
    """C5."""
    story = in_a_turn(budgets=Budgets(minutes=1))
    story.tell(facts.DeadlinePassed(name=TIME), after=60)
    assert story.cuts == 1
    story.end("T1", "interrupted")
    assert story.ended == ("stopped", "run.stopped.time")
    assert story.state.deadlines == ()


def test_a_turn_that_does_not_end_is_interrupted_again() -> None:
    """C5: the first time it was not there yet."""
    story = ordered(budgets=Budgets(minutes=1)).tell(facts.DeadlinePassed(name=TIME), after=60)
    assert (story.cuts, story.run.status) == (0, "running")
    story.begin("T1", GOAL, ours=True).tell(facts.DeadlinePassed(name=TIME), after=60)
    assert story.cuts == 1


@pytest.mark.parametrize("what", ["slot", "retry", "limit"])
def test_a_budget_of_minutes_ends_a_wait(what: Waiting) -> None:
    """C5: and a message of the user's that waited behind it goes out."""
    story = waiting_for(what)
    assert story.state.run is not None
    order = replace(story.run.order, budgets=Budgets(minutes=1))
    story.state = replace(story.state, run=replace(story.run, order=order))
    story.tell(SPOKEN)
    story.slots = False
    story.state = replace(story.state, deadlines=(*story.state.deadlines, Deadline(TIME, story.at)))
    story.tell(facts.DeadlinePassed(name=TIME), after=60)
    assert story.ended == ("stopped", "run.stopped.time")
    assert story.sent[-1] == "And mind the docs."


def test_a_budget_is_kept_in_the_middle_of_a_sequence() -> None:
    """C5: until there is a packet the sequence is given up; nothing was compacted."""
    story = in_a_sequence(budgets=Budgets(tokens=110_000))
    story.begin("H", story.sent[-1], ours=True).uses("H", 111_000)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="H")]
    story.end("H", "interrupted")
    assert story.ended == ("stopped", "run.stopped.tokens")
    assert (story.state.sequence, story.wanted(StartCompaction)) == (None, [])


def test_a_budget_that_is_used_up_stays_used_up() -> None:
    """C5, C13: resumed without a larger one, the run does not have another turn."""
    story = ordered(budgets=Budgets(turns=1)).works("T1").tell(RESUME)
    assert (story.ended, len(story.sent)) == (("stopped", "run.stopped.turns"), 1)
    story.tell(facts.RunResumed(budgets=Budgets(turns=5)))
    assert (story.run.status, len(story.sent)) == ("running", 2)


def test_a_budget_is_kept_although_messages_wait() -> None:
    """C5: the user's message is theirs and goes out, outside of the run."""
    story = in_a_turn(budgets=Budgets(turns=1)).tell(SPOKEN)
    story.says("T1", "On.").end("T1")
    assert story.ended == ("stopped", "run.stopped.turns")
    assert story.sent[-1] == "And mind the docs."


# -- soft stops -----------------------------------------------------------------------------------------------------


def test_nothing_advances() -> None:
    """C6."""
    story = ordered()
    for n in range(1, 5):
        story.works(f"T{n}", f"Hm, {n}.")
    assert story.ended == ("stopped", "run.stopped.progress")


def test_reading_is_not_standing_still() -> None:
    """C6."""
    story = ordered()
    for n in range(1, 8):
        story.works(f"T{n}", commands=(f"cat file{n}",))
    assert story.run.active


def test_going_in_circles() -> None:
    """C6."""
    story = ordered()
    for n in range(1, 5):
        story.works(f"T{n}", f"Again, {n}.", commands=("make", "make test"))
    assert story.ended == ("stopped", "run.stopped.churn")


def test_the_same_error_again_and_again() -> None:
    """C6: although something else is tried each time."""
    story = ordered()
    for n in range(1, 4):
        story.works(f"T{n}", commands=(f"touch f{n}", "make"), code=1)
    assert story.ended == ("stopped", "run.stopped.error")


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


# -- interrupted, lost, away ----------------------------------------------------------------------------------------


def test_a_turn_that_a_person_interrupts_pauses_the_run() -> None:
    """C5."""
    story = in_a_turn().tell(facts.InterruptSubmitted())
    story.end("T1", "interrupted")
    assert story.state.queue == ()
    assert story.ended == ("paused", "run.paused.interrupted")


def test_a_turn_that_was_cut_off_is_taken_up_once() -> None:
    """D5, C13."""
    story = in_a_turn().tell(LOST, BACK)
    story.tell(facts.ThreadJoined(cwd="/project", last_turn="T1", last_status="interrupted"))
    story.tell(facts.EffectSucceeded(effect=story.name(ResumeThread)))
    assert len(story.sent) == 1
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="T1"))
    assert (story.run.waiting, len(story.sent)) == ("turn", 2)
    assert story.sent[-1].startswith("[rawr")


def test_a_message_that_was_lost_is_sent_again_and_no_other() -> None:
    """D5."""
    story = in_a_turn().tell(LOST, BACK, JOINED)
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage)))
    assert story.sent == [GOAL, GOAL]


def test_a_codex_that_dies_in_every_turn_is_given_up() -> None:
    """C5: passing trouble is tried again, and not for ever."""
    story = in_a_turn(policy=rules(retries=2))
    for n in range(1, 5):
        if not story.run.active:
            break
        turn = f"T{n}"
        if n > 1:
            story.begin(turn, story.sent[-1], ours=True)
        story.tell(LOST, BACK, facts.ThreadJoined(cwd="/project", last_turn=turn, last_status="interrupted"))
        story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result=turn))
    assert story.ended == ("failed", "run.failed.retries")


def test_a_turn_that_completed_unseen_is_judged() -> None:
    """C7, D5."""
    story = in_a_turn().tell(LOST, BACK)
    seen = facts.ThreadJoined(cwd="/project", last_turn="T1", last_status="completed", last_said=DONE)
    story.tell(seen)
    assert story.ended == ("done", "run.done.reported")


@pytest.mark.parametrize("what", WAITING)
def test_a_run_does_not_go_on_because_some_rawr_starts(what: Waiting) -> None:
    """C13: it is resumed by name, and until then nothing of it is said."""
    story = waiting_for(what)
    said = len(story.sent)
    story.tell(STARTED, BACK, JOINED)
    for intended in list(story.effects):
        if isinstance(intended.effect, FindMessage | ResumeThread):
            story.tell(facts.EffectSucceeded(effect=intended.id))
    assert story.ended == ("paused", "run.paused.away")
    again = [text for text in story.sent[said:] if text == GOAL or text.startswith("[rawr r")]
    assert again == []


@pytest.mark.parametrize("first", ["resumed", "joined"])
@pytest.mark.parametrize("what", WAITING)
def test_resumed_after_a_restart_it_goes_on_exactly_once(what: Waiting, first: str) -> None:
    """C13, D5: whichever comes first, the word to resume or the thread."""
    story = waiting_for(what)
    story.slots = True
    said = len(story.sent)
    story.tell(STARTED)
    told: list[facts.AnyFact] = [RESUME, BACK, JOINED] if first == "resumed" else [BACK, JOINED, RESUME]
    story.tell(*told)
    for _ in range(3):
        for intended in list(story.effects):
            if isinstance(intended.effect, FindMessage | ResumeThread):
                story.tell(facts.EffectSucceeded(effect=intended.id))
    assert story.run.active
    assert len(story.sent) <= said + 1
    if what == "limit":
        assert story.run.waiting == "limit"
    else:
        assert len(story.state.sent) + len(story.wanted(RunCheck)) + len(story.wanted(StartReview)) >= 1


def test_a_run_that_waits_is_not_touched_by_a_lost_connection() -> None:
    """C12: the wait goes on, and then the connection is waited for."""
    story = waiting_for("retry").tell(LOST)
    story.tell(facts.DeadlinePassed(name=RETRY), after=2)
    assert (story.run.waiting, len(story.sent)) == ("slot", 1)
    story.tell(BACK, JOINED)
    assert (story.run.waiting, len(story.sent)) == ("turn", 2)


@pytest.mark.parametrize("word", [RESUME, OVERRIDE])
def test_a_thread_that_is_closed_pauses_the_run(word: facts.AnyFact) -> None:
    """C5, C13: going on with it opens the thread again. See test_closing for every moment in which it may happen."""
    story = in_a_turn().tell(facts.ThreadClosed())
    assert story.ended == ("paused", "run.paused.closed")
    story.tell(word)
    assert (story.run.active, story.state.closed, len(story.wanted(ResumeThread))) == (True, False, 1)


def test_a_message_that_codex_refuses_pauses_the_run() -> None:
    """C5."""
    story = ordered()
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="not now", code="refused"))
    assert story.ended == ("paused", "run.paused.refused")
    story.tell(RESUME)
    assert (story.run.waiting, len(story.sent)) == ("turn", 2)


def test_a_heads_up_whose_turn_was_cut_off_unseen_is_not_waited_for() -> None:
    """C13, D5: rawr died as it said it. History has the message, and a turn that nobody will end."""
    story = in_a_sequence().tell(STARTED)
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="rawr ended", code="lost"))
    story.tell(BACK, facts.RunResumed())
    story.tell(replace(JOINED, last_turn="H", last_status="interrupted"))
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="H"))
    assert story.wanted(InjectPacket)


# -- a person: pause, stop, resume, override ------------------------------------------------------------------------


@pytest.mark.parametrize("word", [NOW, STOP])
def test_a_turn_that_was_on_its_way_is_cut_short_once_its_message_is_in(
    word: facts.RunPauseSubmitted | facts.RunStopSubmitted,
) -> None:
    """C5, C13: “now” was said while the turn was being started, so there was nothing yet to interrupt."""
    story = ordered().tell(word)
    assert (story.run.active, story.cuts) == (True, 0)
    story.begin("T1", GOAL, ours=True)
    story.says("T1", "Off I go.")
    assert story.cuts == 1
    story.end("T1", "interrupted")
    assert story.ended[0] == ("paused" if word is NOW else "stopped")


def test_a_pause_at_the_turns_end_lets_the_turn_that_was_on_its_way_run() -> None:
    """C5, C13"""
    story = ordered().tell(PAUSE)
    story.begin("T1", GOAL, ours=True)
    assert story.cuts == 0
    story.end("T1")
    assert story.ended == ("paused", "run.paused.person")


def test_after_a_pause_in_a_sequence_the_handoff_is_said_and_its_turn_cut_short() -> None:
    """C5, B6: the sequence comes to its end; what follows from it does not begin."""
    story = handed_off(in_a_sequence().tell(NOW))
    assert story.cuts == 0
    story.begin("G", story.sent[-1], ours=True)
    assert story.cuts == 1
    story.end("G", "interrupted")
    assert story.ended == ("paused", "run.paused.person")


@pytest.mark.parametrize("what", WAITING)
@pytest.mark.parametrize("word", [PAUSE, NOW])
def test_pause_in_every_state(what: Waiting, word: facts.RunPauseSubmitted) -> None:
    """C5, C13: at once where nothing is under way, otherwise at its end."""
    story = waiting_for(what).tell(word)
    if what == "turn":
        assert story.cuts == word.now
        story.end("T1", "interrupted" if word.now else "completed")
    elif what == "review":
        story.reviews("R")
    elif what == "sequence":
        assert story.cuts == 0
        handed_off(story).works("G")
    assert story.ended == ("paused", "run.paused.person")
    assert not story.state.deadlines
    assert story.tell(RESUME).run.active


@pytest.mark.parametrize("what", WAITING)
def test_stop_in_every_state(what: Waiting) -> None:
    """C5."""
    story = waiting_for(what).tell(STOP)
    if what == "turn":
        assert story.cuts == 1
        story.end("T1", "interrupted")
    elif what == "review":
        story.reviews("R", status="interrupted")
    elif what == "sequence":
        story.begin("H", story.sent[-1], ours=True).uses("H", 101_000)
        assert story.wanted(InterruptTurn) == [InterruptTurn(turn="H")]
        story.end("H", "interrupted")
    assert story.ended == ("stopped", "run.stopped.person")
    assert story.state.queue == () or what == "slot"
    assert story.tell(RESUME).run.active


@pytest.mark.parametrize("what", WAITING)
def test_override_in_every_state(what: Waiting) -> None:
    """C18: the person's words come next, and nothing of the policy's before them."""
    story = waiting_for(what)
    story.slots = True
    said = len(story.sent)
    story.tell(OVERRIDE)
    if what == "turn":
        story.end("T1")
    elif what == "sequence":
        handed_off(story).works("G")
    elif what == "resume":
        story.tell(BACK, JOINED)
        story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="T1"))
    elif what == "limit":
        story.tell(facts.DeadlinePassed(name=RETRY), after=61)
    rest = [text for text in story.sent[said:] if not text.startswith("[rawr c") and text != GOAL]
    if what == "sequence":
        rest = [text for text in rest if text == "Do that instead."]
    if what != "slot":
        assert rest[0] == "Do that instead."
    assert story.run.active


@pytest.mark.parametrize("status", ["stopped", "paused", "failed"])
def test_override_resumes_a_run_that_does_not_run(status: str) -> None:
    """C13, C18: with its clock, and without the history that stopped it."""
    story = in_a_turn(budgets=Budgets(minutes=5))
    if status != "failed":
        story.tell(STOP if status == "stopped" else NOW).end("T1", "interrupted")
    else:
        story.tell(facts.TurnCompleted(turn="T1", status="failed", problem=facts.Problem("no", code="badRequest")))
    story.tell(OVERRIDE)
    assert (story.run.status, story.sent[-1]) == ("running", "Do that instead.")
    assert [one.name for one in story.deadlines] == [TIME]


def test_an_override_takes_the_place_of_a_check() -> None:
    """C18: a result that comes later is about what came before."""
    story = waiting_for("check").tell(OVERRIDE)
    assert story.sent[-1] == "Do that instead."
    story.checks(0)
    assert story.run.active


def test_an_override_after_a_passed_check_takes_its_word_back() -> None:
    """C7, C18: what was checked is not what comes next."""
    story = waiting_for("check").checks(0)
    assert (story.run.status, story.run.done) == ("done", "checked")
    story.tell(OVERRIDE).tell(STOP).begin("T9", "Do that instead.", ours=True).end("T9", "interrupted")
    assert (story.run.status, story.run.done) == ("stopped", "no")


def test_a_stop_that_comes_while_a_message_is_on_its_way_ends_its_turn() -> None:
    """C5: after no more than one model call."""
    story = ordered().tell(STOP)
    assert story.run.active
    story.begin("T1", GOAL, ours=True).uses("T1", 20_000)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="T1")]
    story.end("T1", "interrupted")
    assert story.ended == ("stopped", "run.stopped.person")


def test_a_stop_does_not_wait_for_a_connection() -> None:
    """C5: nothing could be ended from here, and it may never come back."""
    assert in_a_turn().tell(LOST, STOP).ended == ("stopped", "run.stopped.person")
    assert in_a_sequence().tell(LOST, NOW).ended == ("paused", "run.paused.person")


def test_a_stop_is_kept_although_its_message_was_lost() -> None:
    """C5, D5: what comes back to the queue is not sent any more."""
    story = in_a_turn().tell(STOP, LOST, BACK, JOINED)
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage)))
    assert story.ended == ("stopped", "run.stopped.person")
    assert len(story.sent) == 1


def test_a_goal_that_was_not_said_yet_is_not_said_by_a_run_that_is_stopped() -> None:
    """C5: the first message looks like a person's, and still it is the run's."""
    story = ordered(slots=False).tell(STOP, facts.UserSubmitted(text="Hello."))
    assert story.sent == ["Hello."]
    story.slots = True
    story.begin("X", "Hello.", ours=True).end("X")
    assert story.sent == ["Hello."]
    story.tell(RESUME)
    assert story.sent == ["Hello.", GOAL]


def test_words_of_the_user_that_equal_the_goal_are_theirs() -> None:
    """A15: no message of a person is lost."""
    story = ordered().works("T1", DONE).tell(facts.UserSubmitted(text=GOAL))
    assert story.sent == [GOAL, GOAL]


def test_a_run_that_is_resumed_while_its_turn_is_still_ending_goes_on() -> None:
    """C13: that turn was interrupted by the pause, not by a person who wants to stop now."""
    story = in_a_turn()
    asked = facts.RequestReceived(request="1/1", question=QUESTION, turn="T1")
    story.tell(asked).tell(facts.DeadlinePassed(name="request:1/1"), after=900)
    assert story.ended == ("paused", "run.paused.unanswered")
    story.tell(RESUME).end("T1", "interrupted")
    assert story.run.active
    assert len(story.sent) == 2


def test_words_that_are_about_no_run_are_ignored() -> None:
    for word in (STOP, PAUSE, RESUME, OVERRIDE):
        story = Auto().tell(word)
        assert story.reasons() == [Reason.IGNORED_NO_RUN]
    story = ordered().works("T1", DONE)
    for word in (STOP, PAUSE, RESUME):
        story.tell(word)
        assert story.reasons()[-1] is Reason.IGNORED_NO_RUN
    assert story.ended[0] == "done"


# -- a person who speaks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", WAITING)
def test_a_message_of_the_user_is_delivered_once_in_every_state(what: Waiting) -> None:
    """A15: none is lost, and none is said twice."""
    story = waiting_for(what)
    story.slots = True
    story.tell(SPOKEN)
    for n in range(8):
        if story.sent.count("And mind the docs."):
            break
        _lead_on(story, f"N{n}")
    assert story.sent.count("And mind the docs.") == 1


def _lead_on(story: Auto, turn: str) -> None:
    """Whatever the run waits for comes, and goes well."""
    run, state = story.run, story.state
    if run.waiting == "check":
        story.checks(0)
    elif run.waiting == "review":
        story.reviews("R")
    elif run.waiting in ("retry", "limit"):
        story.tell(facts.DeadlinePassed(name=RETRY), after=61)
    elif run.waiting == "model":
        sure = FullAutoDecision(action="continue", next_input="", reason="", confidence=1)
        asked = facts.ModelAnswered(effect=story.name(AskModel), signature="full_auto_decision", opinion=sure)
        story.tell(asked)
    elif state.sequence is not None:
        handed_off(story).works(turn)
    elif not state.online:
        story.tell(BACK, JOINED)
    elif any(one.finding for one in state.sent):
        story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="T1"))
    elif state.turn is not None:
        story.end(state.turn.id)
    elif state.sent:
        story.works(turn)
    else:
        story.tell(facts.EffectSucceeded(effect="t:0.0"))


def test_a_message_of_the_user_comes_before_the_agents_word_that_it_is_done() -> None:
    """A15, C7: there is still something to do."""
    story = in_a_turn().tell(SPOKEN)
    story.says("T1", DONE).end("T1")
    assert (story.run.status, story.sent[-1]) == ("running", "And mind the docs.")


def test_a_steer_goes_into_the_turn_that_runs() -> None:
    """A15."""
    story = in_a_turn().tell(facts.SteerSubmitted(text="Left."))
    assert [type(one.effect).__name__ for one in story.newest.effects] == ["SteerTurn"]
    assert story.run.waiting == "turn"


# -- sequences ------------------------------------------------------------------------------------------------------


def test_the_handoff_sends_the_agent_on_and_its_turn_is_decided_like_any() -> None:
    """C1, A14: one message, not two; and the turns of a sequence are none of the run's."""
    story = in_a_sequence()
    assert (story.run.waiting, story.run.turns) == ("sequence", 1)
    handed_off(story)
    assert (len(story.sent), story.run.turns) == (3, 1)
    story.works("G", DONE)
    assert (story.ended, story.run.turns) == (("done", "run.done.reported"), 2)


def test_a_finished_job_is_not_compacted_and_sent_on() -> None:
    """C7."""
    story = in_a_turn(policy=GOLDEN)
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000).says("T1", DONE).end("T1")
    assert story.ended[0] == "done"
    assert (story.state.sequence, len(story.sent)) == (None, 1)


def test_a_compaction_that_fails_does_not_end_the_run_and_counts_as_no_turn() -> None:
    """C1, A13: the agent is sent on once."""
    story = in_a_sequence()
    story.answers("P", PACKET)
    story.tell(facts.EffectSucceeded(effect=story.name(StartCompaction)), facts.TurnStarted(turn="C"))
    story.tell(facts.TurnCompleted(turn="C", status="failed", problem=DOWN))
    assert (story.run.waiting, story.run.turns, story.state.queue) == ("turn", 1, ())
    assert len([text for text in story.sent if text.startswith("[rawr r")]) == 1


@pytest.mark.parametrize("code", ["refused", "lost", "timed_out"])
def test_a_compaction_that_cannot_begin_leaves_nobody_waiting(code: facts.FailureCode) -> None:
    """A13: where nobody knows whether it has begun, its deadline tells."""
    story = in_a_sequence()
    story.answers("P", PACKET)
    story.tell(facts.EffectFailed(effect=story.name(StartCompaction), problem="no", code=code))
    if story.state.compacting is not None:
        story.tell(facts.DeadlinePassed(name="compaction"), after=600)
    assert story.run.waiting == "turn"
    assert story.sent[-1].startswith("[rawr r")


def test_a_handoff_that_cannot_be_delivered_leaves_nobody_waiting() -> None:
    """A14: the run sends the agent on itself."""
    story = handed_off(in_a_sequence())
    story.tell(facts.EffectFailed(effect=story.name(StartTurn), problem="no", code="refused"))
    assert story.state.sequence is None
    assert story.run.waiting == "turn"
    assert story.sent[-1].startswith("[rawr r")


def test_a_handoff_whose_turn_ended_unseen_leaves_nobody_waiting() -> None:
    """A14, D5: it stands in Codex's history, and nobody saw what came of it."""
    story = handed_off(in_a_sequence()).tell(LOST, BACK, JOINED)
    story.tell(facts.EffectSucceeded(effect=story.name(FindMessage), result="G"))
    assert (story.state.sequence, story.run.waiting) == (None, "turn")
    assert story.sent[-1].startswith("[rawr r")


def test_a_person_who_interrupts_a_sequence_has_the_run_paused() -> None:
    """C5."""
    story = in_a_sequence()
    story.answers("P", PACKET, status="interrupted")
    assert story.ended == ("paused", "run.paused.interrupted")
    assert story.state.sequence is None


def test_a_person_who_interrupts_the_compaction_has_the_run_paused() -> None:
    """C5."""
    story = in_a_sequence()
    story.answers("P", PACKET)
    story.tell(facts.TurnStarted(turn="C"), facts.TurnCompleted(turn="C", status="interrupted"))
    assert story.ended == ("paused", "run.paused.interrupted")
    assert story.state.queue == ()


def test_a_stop_after_the_compaction_waits_for_the_handoff_and_no_longer() -> None:
    """C5, A14: a compaction without its handoff would cost the agent what it knew."""
    story = in_a_sequence()
    story.answers("P", PACKET).tell(STOP)
    assert story.cuts == 0
    story.compacts()
    story.begin("G", story.sent[-1], ours=True).uses("G", 21_000)
    assert story.wanted(InterruptTurn) == [InterruptTurn(turn="G")]
    story.end("G", "interrupted")
    assert story.ended == ("stopped", "run.stopped.person")


def test_a_check_that_failed_is_not_forgotten_over_a_compaction() -> None:
    """C7: the note follows the handoff."""
    story = in_a_turn(policy=GOLDEN, done="make check")
    story.tell(facts.PhaseSubmitted(phase="research")).uses("T1", 100_000)
    story.says("T1", f"{'A long report. ' * 9}\n{DONE}").end("T1")
    assert story.run.waiting == "check"
    story.checks(1, output="two tests fail")
    assert story.state.sequence is not None
    handed_off(story).works("G", "On.")
    assert "two tests fail" in story.sent[-1]


def test_a_soft_landing_is_part_of_the_run() -> None:
    """A19."""
    story = in_a_turn(policy=GOLDEN)
    story.uses("T1", WINDOW - 1_000)
    assert story.state.sequence is not None
    assert story.state.sequence.landing
    steered = next(one.id for one in story.effects if type(one.effect).__name__ == "SteerTurn")
    shown = items.UserMessage(id="u", text="…", client_id=steered)
    story.tell(facts.ItemCompleted(turn="T1", item=shown)).says("T1", PACKET).end("T1")
    story.compacts()
    story.works("G")
    assert (story.run.waiting, story.run.turns) == ("turn", 1)


def test_a_soft_landing_that_comes_to_nothing_leaves_nobody_waiting() -> None:
    """A19: its compaction never ends."""
    story = in_a_turn(policy=GOLDEN)
    story.uses("T1", WINDOW - 1_000)
    steered = next(one.id for one in story.effects if type(one.effect).__name__ == "SteerTurn")
    shown = items.UserMessage(id="u", text="…", client_id=steered)
    story.tell(facts.ItemCompleted(turn="T1", item=shown)).says("T1", PACKET).end("T1")
    story.tell(facts.DeadlinePassed(name="compaction"), after=600)
    assert (story.state.sequence, story.run.waiting) == (None, "turn")
    assert story.sent[-1].startswith("[rawr r")


def test_codex_may_compact_by_itself_in_the_middle() -> None:
    """A19: the record goes into the turn, and its end is decided like any."""
    story = in_a_turn(policy=GOLDEN)
    story.says("T1", "On.")
    compaction = items.Compaction(id="c")
    story.tell(facts.ItemStarted(turn="T1", item=compaction), facts.ItemCompleted(turn="T1", item=compaction))
    steered = next(one.id for one in story.effects if type(one.effect).__name__ == "SteerTurn")
    shown = items.UserMessage(id="u", text="…", client_id=steered)
    story.tell(facts.ItemCompleted(turn="T1", item=shown)).says("T1", "On.").end("T1")
    assert (story.run.waiting, story.run.turns) == ("turn", 1)


@pytest.mark.parametrize("what", ["slot", "check", "retry"])
def test_a_compaction_of_somebody_else_changes_nothing(what: Waiting) -> None:
    """C1: it is no turn of the run, and no reason to go on."""
    story = waiting_for(what)
    said, turns = len(story.sent), story.run.turns
    item = items.Compaction(id="c")
    story.tell(facts.TurnStarted(turn="X"), facts.ItemStarted(turn="X", item=item))
    story.tell(facts.ItemCompleted(turn="X", item=item)).end("X")
    assert (story.run.waiting, len(story.sent), story.run.turns) == (what, said, turns)


# -- Codex's own goal -----------------------------------------------------------------------------------------------


def test_a_goal_of_codexs_own_is_not_raced() -> None:
    """C14."""
    state = replace(IDLE, goal=Goal("Write a book", "active"))
    story = Auto(state).tell(facts.RunSubmitted(order=Order(goal=GOAL)))
    assert story.ended == ("stopped", "run.refused.goal")
    assert story.sent == []


def test_a_goal_of_codexs_own_is_taken_over_when_asked() -> None:
    """C14."""
    state = replace(IDLE, goal=Goal("Write a book", "active"))
    story = Auto(state).tell(facts.RunSubmitted(order=Order(goal=GOAL, take_goal=True)))
    assert story.wanted(ClearGoal)
    assert story.sent == [GOAL]


BOOK = facts.GoalUpdated(objective="Write a book", status="active")


def test_a_goal_that_comes_up_during_a_run_pauses_it() -> None:
    """C14."""
    story = in_a_turn().tell(BOOK)
    story.says("T1", "On.").end("T1")
    assert story.ended == ("paused", "run.refused.goal")
    story.tell(facts.GoalCleared(), RESUME)
    assert (story.run.status, len(story.sent)) == ("running", 2)


def test_a_goal_that_comes_up_between_two_turns_is_given_way_to_at_once() -> None:
    """C14: Codex would start a turn of its own for it."""
    story = ordered(slots=False).tell(BOOK)
    assert story.ended == ("paused", "run.refused.goal")
    assert story.run.stop is not None
    assert "--take-goal" in story.run.stop.detail
    assert story.sent == []


def test_a_run_is_resumed_with_the_goal_taken_over() -> None:
    """C14"""
    story = in_a_turn().tell(BOOK)
    story.says("T1", "On.").end("T1")
    story.tell(facts.RunResumed(take_goal=True))
    assert story.wanted(ClearGoal)
    assert (story.run.status, len(story.sent)) == ("running", 2)


def test_an_end_is_told_to_whoever_watches() -> None:
    """C18."""
    story = ordered().works("T1", DONE)
    assert story.wanted(Notify)[-1] == Notify(
        level="info",
        text="[rawr] the run is done: The job is done, by the agent's own word; nothing checked it.",
    )


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
