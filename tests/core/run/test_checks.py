"""Is the job done? The user's check, and Codex's own review (C7, C9)."""

from typing import Any

import pytest
from msgspec.structs import replace

from rawr.core.run.checks import MAX_ERRORS_REVIEWED, REVIEW_SECONDS
from rawr.core.run.ending import RETRY, TIME
from rawr.core.state.deadlines import Deadline
from rawr.core.state.run import Waiting
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import ObserveCommand, RunCheck, StartReview
from rawr.core.vocabulary.order import Budgets
from rawr.core.vocabulary.reasons import Reason
from tests.core.runs import (
    BACK,
    DONE,
    GOAL,
    JOINED,
    LOST,
    PAUSE,
    RESUME,
    RULES,
    SPOKEN,
    STARTED,
    STOP,
    Auto,
    ordered,
    waiting_for,
)

# -- the user's check -------------------------------------------------------------------------------------------------


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
    [(2, False, "exit code 2"), (None, True, "did not end in time")],
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


# -- a check that nobody asked for ----------------------------------------------------------------------------------


def at_work(**changes: Any) -> Auto:
    """A run that is checked after every turn that did something."""
    return ordered(**{"done": "make check", "check": "every-turn", **changes})


def test_a_passing_check_ends_the_run_whatever_the_agent_says() -> None:
    """C7: at once, without another turn."""
    story = at_work().works("T1", "There is a lot left.", commands=("touch finished",))
    assert (story.run.waiting, story.reasons()[-1]) == ("check", Reason.RUN_CHECKED_WORK)
    assert story.checks(0).ended == ("done", "run.done.checked")
    assert (story.run.done, len(story.sent)) == ("checked", 1)


def test_a_failing_one_that_nobody_asked_for_is_no_news_to_the_agent() -> None:
    """C7, C8: it had not said that it was done. The guards are heard all the same."""
    story = at_work().works("T1", commands=("ls",)).checks(1, output="two tests fail")
    assert (story.run.waiting, story.run.note) == ("turn", "")
    assert "two tests fail" not in story.sent[-1]
    assert story.reasons()[-3:-1] == [Reason.RUN_FAILED_CHECK, Reason.RUN_CONTINUED_POLICY]


def test_a_turn_that_did_nothing_is_not_checked() -> None:
    """C7: nothing can have changed."""
    story = at_work().works("T1", "Let me think.")
    assert (story.run.waiting, story.wanted(RunCheck)) == ("turn", [])


def test_on_claim_means_on_claim() -> None:
    story = ordered(done="make check", check="on-claim").works("T1", commands=("touch finished",))
    assert (story.run.waiting, story.wanted(RunCheck)) == ("turn", [])
    assert story.works("T2", "Everything passes. All done.").reasons()[-1] is Reason.RUN_CHECKED_CLAIM


def test_a_slow_check_is_run_less_often() -> None:
    """C7: it takes no more than a tenth of the run's time, unless the agent says that it is done."""
    story = at_work().works("T1", commands=("a",))
    story.tell(facts.DoneChecked(effect=story.name(RunCheck), exit_code=1, duration_ms=60_000))
    story.works("T2", commands=("b",))
    assert len(story.wanted(RunCheck)) == 1
    story.at += 601_000
    story.works("T3", commands=("c",))
    assert len(story.wanted(RunCheck)) == 2
    story.tell(facts.DoneChecked(effect=story.name(RunCheck), exit_code=1, duration_ms=60_000))
    story.works("T4", DONE)
    assert len(story.wanted(RunCheck)) == 3


STOPS: dict[str, tuple[dict[str, Any], str]] = {
    "circles": ({}, "run.stopped.churn"),
    "turns": ({"budgets": Budgets(turns=3)}, "run.stopped.turns"),
}


@pytest.mark.parametrize("name", STOPS)
@pytest.mark.parametrize("code", [0, 1])
def test_a_run_is_checked_before_anything_stops_it(name: str, code: int) -> None:
    """C6, C7: the job may be done, and nobody has noticed. Otherwise it stops for the reason that it had."""
    changes, reason = STOPS[name]
    story = ordered(done="make check", check="on-claim", **changes)
    for n in range(1, 6):
        if story.run.waiting == "check":
            break
        story.works(f"T{n}", commands=("make",))
    assert story.reasons()[-1] is Reason.RUN_CHECKED_LAST
    story.checks(code)
    assert story.ended == (("stopped", reason) if code else ("done", "run.done.checked"))
    assert len(story.wanted(RunCheck)) == 1


def test_what_was_just_checked_is_not_checked_again_before_a_stop() -> None:
    story = at_work(budgets=Budgets(turns=1)).works("T1", commands=("make",)).checks(1)
    assert story.ended == ("stopped", "run.stopped.turns")
    assert len(story.wanted(RunCheck)) == 1


def test_a_budget_that_ends_a_turn_is_followed_by_the_check() -> None:
    """C5, C7: in the middle of a turn; what the turn had done by then may be all."""
    story = at_work(budgets=Budgets(tokens=1_000))
    story.begin("T1", story.sent[-1], ours=True)
    ran = items.Command(id="c", command="make", cwd="/project", status="completed", exit_code=0)
    story.tell(facts.ItemCompleted(turn="T1", item=ran)).uses("T1", 5_000).end("T1", "interrupted")
    assert (story.run.waiting, story.reasons()[-1]) == ("check", Reason.RUN_CHECKED_LAST)
    assert story.checks(0).ended == ("done", "run.done.checked")


def test_an_override_in_the_last_check_takes_the_stop_back() -> None:
    """C5: what a person says next is not stopped by what was to stop the work before it."""
    story = at_work(check="on-claim", budgets=Budgets(turns=1)).works("T1", commands=("make",))
    assert (story.run.waiting, story.reasons()[-1]) == ("check", Reason.RUN_CHECKED_LAST)
    story.tell(facts.RunOverridden(text="Do this."))
    assert (story.run.last, story.run.check, story.run.active) == (None, "", True)


def test_of_a_long_output_the_end_is_on_record() -> None:
    """C7, C17: a person is shown the last lines."""
    story = at_work().works("T1", commands=("ls",)).checks(1, output="x" * 5_000 + "\nAssertionError: two")
    [found] = [one for one in story.records if one.reason is Reason.RUN_FAILED_CHECK]
    assert str(found.evidence["output"]).endswith("\nAssertionError: two")


def late(story: Auto) -> Auto:
    """The same, with work that was not checked, and all of its minutes used up."""
    order = replace(story.run.order, done="make check", budgets=Budgets(minutes=1))
    story.state = replace(story.state, run=replace(story.run, order=order, unchecked=True))
    story.slots = False
    story.at += 60_000
    return story


@pytest.mark.parametrize("what", ["slot", "retry", "limit", "model"])
def test_a_run_that_waits_is_checked_before_its_time_is_up(what: Waiting) -> None:
    """C5, C7."""
    story = late(waiting_for(what))
    story.state = replace(story.state, deadlines=(*story.state.deadlines, Deadline(TIME, story.at)))
    story.tell(facts.DeadlinePassed(name=TIME))
    assert (story.run.waiting, story.reasons()[-1]) == ("check", Reason.RUN_CHECKED_LAST)
    assert story.checks(1).ended == ("stopped", "run.stopped.time")


def test_a_run_that_comes_back_is_checked_before_its_time_is_up() -> None:
    """C5, C7, D5: the connection was lost, and with it what was under way."""
    story = late(waiting_for("resume")).tell(LOST, BACK).tell(replace(JOINED, idle=True))
    assert (story.run.waiting, story.reasons()[-1]) == ("check", Reason.RUN_CHECKED_LAST)


CANNOT = "bash: line 1: nosuch: command not found"


@pytest.mark.parametrize(
    ("code", "output", "paused"),
    [
        (127, CANNOT, True),
        (127, f"building\n{CANNOT}\n", True),
        (126, "bash: line 1: nosuch: Permission denied", True),
        (None, "rawr could not run it: No such file or directory", True),
        (127, "bash: line 1: ./verify.sh: No such file or directory", False),
        (127, "./verify.sh: line 3: nosuch: command not found", False),
        (127, "", False),
        (1, CANNOT, False),
    ],
)
def test_a_check_that_cannot_be_run_pauses_at_once(code: int | None, output: str, paused: bool) -> None:
    """C7: no work of the agent's makes it pass. A script that is not there yet may be what it is to write."""
    story = at_work().works("T1", commands=("ls",)).checks(code, output=output)
    assert story.run.active is not paused
    if paused:
        assert story.ended == ("paused", "run.paused.check")
        assert story.run.stop is not None
        assert "another --done" in story.run.stop.detail
        # Resumed, it is tried again before anything is said to the agent.
        story.tell(RESUME)
        assert (story.run.waiting, len(story.wanted(RunCheck)), len(story.sent)) == ("check", 2, 1)


def test_work_that_was_cut_off_before_its_check_is_checked_when_it_is_resumed() -> None:
    """C7, C13: a passing check ends it before the agent is asked anything."""
    story = at_work().works("T1", commands=("ls",)).tell(PAUSE, RESUME)
    assert (story.run.waiting, len(story.wanted(RunCheck)), len(story.sent)) == ("check", 2, 1)
    assert story.checks(0).ended == ("done", "run.done.checked")


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


def test_an_error_is_reviewed_at_once_and_each_one_once() -> None:
    """C9: not only when it has come three times; the same one again stops the run as ever."""
    story = ordered(review="on-error").works("T1", commands=("make",), code=2)
    assert story.run.waiting == "review"
    story.reviews("R1")
    for n in range(2, 6):
        story.works(f"T{n}", commands=("make",), code=2)
        if not story.run.active:
            break
    assert story.ended[0] == "stopped"
    assert len(story.wanted(StartReview)) == 1


def test_reviews_of_errors_have_an_end() -> None:
    """C9: every turn another error."""
    story = ordered(review="on-error")
    for n in range(12):
        story.begin(f"T{n}", story.sent[-1], ours=True)
        ran = items.Command(
            id=f"i{n}", command=f"step {n}", cwd="/p", status="failed", exit_code=2, output_tail="boom " + "x" * n
        )
        story.tell(facts.ItemCompleted(turn=f"T{n}", item=ran)).says(f"T{n}", "On I go.").end(f"T{n}")
        if story.run.waiting == "review":
            story.reviews(f"R{n}")
    assert len(story.wanted(StartReview)) == MAX_ERRORS_REVIEWED


def test_a_review_that_a_pause_cut_short_comes_again() -> None:
    """C9, C13."""
    story = ordered(review="on-error").works("T1", commands=("make",), code=2)
    assert story.run.reviewed
    story.tell(STARTED)
    assert (story.run.reviews, story.run.reviewed) == (0, ())


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


def test_what_a_person_says_during_the_check_comes_before_the_end() -> None:
    """A15, C7: the check is run again after it. Beyond a budget nothing is sent, so the run is done."""
    story = ordered(done="make check", check="every-turn").works("T1", DONE)
    story.tell(SPOKEN)
    story.checks(0)
    assert (story.run.status, story.sent[-1]) == ("running", SPOKEN.text)
    story.works("T2", "Noted.").checks(0)
    assert story.ended == ("done", "run.done.checked")
    story = ordered(done="make check", budgets=Budgets(turns=1)).works("T1", DONE)
    story.tell(SPOKEN)
    story.checks(0)
    assert (story.ended, SPOKEN.text in story.sent) == (("done", "run.done.checked"), False)


NEW: dict[str, Any] = {"done": "make check", "check": "every-turn", "tree": True}


def looked(story: Auto) -> Auto:
    """The look at the tree after a turn is back."""
    return story.tell(facts.TreeSeen(turn="T", digest="d"), facts.EffectSucceeded(effect=story.state.observing[-1]))


def idle(**order: Any) -> Auto:
    """The agent says something each turn and does nothing, until a guard objects."""
    story = ordered(**{**NEW, **order})
    for n in range(8):
        if story.run.waiting == "turn":
            story.works(f"T{n}", f"Hm, {n}.")
    return story


@pytest.mark.parametrize("check", ["every-turn", "on-claim"])
def test_the_check_is_asked_before_a_guard_stops_a_run_that_did_nothing(check: str) -> None:
    """C7: the job may have been done already, or by somebody else."""
    story = idle(check=check)
    assert (story.run.waiting, story.run.last is not None) == ("check", True)
    assert story.checks(0).ended == ("done", "run.done.checked")


def test_it_has_the_last_word_once() -> None:
    """C6."""
    assert idle().checks(1).ended == ("stopped", "run.stopped.progress")


def test_it_is_asked_before_a_budget_stops_a_run_that_is_resumed() -> None:
    """C7, C13: a person may have finished the job meanwhile."""
    story = looked(ordered(**NEW, budgets=Budgets(turns=1)).works("T1", commands=("make",))).checks(1)
    assert story.ended == ("stopped", "run.stopped.turns")
    story.tell(RESUME)
    assert (story.run.waiting, len(story.sent)) == ("check", 1)
    assert story.checks(0).ended == ("done", "run.done.checked")


def test_a_run_that_is_resumed_is_checked_before_another_turn() -> None:
    """C7, C13."""
    story = looked(ordered(**NEW).works("T1", commands=("make",)))
    story.tell(PAUSE).checks(1)
    assert story.ended == ("paused", "run.paused.person")
    before = len(story.sent)
    story.tell(RESUME)
    assert (story.run.waiting, len(story.sent)) == ("check", before)


@pytest.mark.parametrize(("code", "ended"), [(0, ("done", "run.done.checked")), (1, ("failed", "run.failed.turn"))])
def test_a_turn_that_fails_may_have_finished_the_job(code: int, ended: tuple[str, str]) -> None:
    """C7: the check decides, not how the turn ended."""
    problem = facts.Problem("401 Unauthorized", code="other", http_status=401)
    story = looked(ordered(**NEW).works("T1", commands=("make",), status="failed", problem=problem))
    assert story.run.waiting == "check"
    assert story.checks(code).ended == ended
