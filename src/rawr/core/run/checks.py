"""Is a job that is claimed to be done really done? The user's check, and Codex's own review (C7, C9)."""

from typing import Literal

from rawr.core.compaction import moment
from rawr.core.draft import ThreadDraft
from rawr.core.run import ending, going_on, guards, instructions
from rawr.core.run.guards import Guard
from rawr.core.run.table import Move
from rawr.core.state.run import Done, Run
from rawr.core.text import head
from rawr.core.vocabulary.effects import RunCheck, StartReview
from rawr.core.vocabulary.facts import DoneChecked, EffectFailed, ThreadJoined
from rawr.core.vocabulary.reasons import Reason

MAX_REVIEWS = 2
REVIEW_SECONDS = 60
"""How long a review may take to begin. Its turn may take as long as it needs."""


# -- the check --------------------------------------------------------------------------------------------------------


def check(draft: ThreadDraft) -> None:
    """Done means checked (C7)."""
    run = ending.run_of(draft)
    seconds = draft.policy.full_auto.done_seconds
    effect = draft.do(RunCheck(command=run.order.done, cwd=draft.state.cwd, seconds=seconds))
    ending.note(draft, Reason.RUN_CHECKED_CLAIM, "check")
    ending.move(draft, Move.CHECKING, check=effect, checks=run.checks + 1)


def checked(draft: ThreadDraft, fact: DoneChecked) -> None:
    run = draft.state.run
    if run is None or not run.check or run.check != fact.effect or not run.active:
        draft.note(Reason.IGNORED_STALE_CHECK, effect=fact.effect)
        return
    passed = fact.exit_code == 0 and not fact.timed_out
    draft.note(
        Reason.RUN_PASSED_CHECK if passed else Reason.RUN_FAILED_CHECK,
        run=run.id,
        command=run.order.done,
        exit_code=fact.exit_code,
        timed_out=fact.timed_out,
        output=head(fact.output, 1_000),
    )
    ending.move(draft, Move.CHECKED, check="", passed=passed)
    if ending.rests_as_asked(draft):
        return
    if passed:
        finish(draft, "checked")
    else:
        note = instructions.check_failed(run.order.done, fact.exit_code, fact.output, timed_out=fact.timed_out)
        ending.remark(draft, note)
        ending.change(draft, claimed=False)
        _after_refusal(draft)


def check_lost(draft: ThreadDraft, fact: EffectFailed) -> bool:
    """The check did not finish: rawr was away, or could not run it."""
    run = draft.state.run
    if run is None or not run.check or run.check != fact.effect:
        return False
    ending.change(draft, check="")
    if run.active and fact.code == "gone":
        way_out = "rawr run PROMPT --resume THREAD --done CMD goes on there"
        ending.stop(draft, "paused", Reason.RUN_PAUSED_GONE, way_out)
    elif run.active:
        ending.move(draft, Move.CHECK_LOST)
    return True


def _after_refusal(draft: ThreadDraft) -> None:
    """The agent was wrong about being done. Guards come before another turn."""
    asked = guards.both(ending.run_of(draft), draft.policy.full_auto, now=draft.at)
    if ending.rests_by_guard(draft, asked):
        return
    ending.note(draft, Reason.RUN_CONTINUED_CHECK, "continue", guards=asked)
    moment.weigh(draft)
    going_on.go_on(draft)


def finish(draft: ThreadDraft, how: Done) -> None:
    """Done, unless a review comes first."""
    run = ending.run_of(draft)
    if may_review(run, "at-end"):
        review(draft)
        return
    reason = Reason.RUN_DONE_CHECKED if how == "checked" else Reason.RUN_DONE_REPORTED
    ending.change(draft, done=how)
    ending.stop(draft, "done", reason, "")


# -- the review -------------------------------------------------------------------------------------------------------


def may_review(run: Run, when: Literal["on-error", "at-end"]) -> bool:
    return run.order.review == when and run.reviews < (1 if when == "at-end" else MAX_REVIEWS)


def review(draft: ThreadDraft, guards: tuple[Guard, ...] = ()) -> None:
    run = ending.run_of(draft)
    effect = draft.do(StartReview())
    ending.note(draft, Reason.RUN_REVIEWED_POLICY, "review", guards=guards)
    ending.move(draft, Move.REVIEWING, review=effect, reviews=run.reviews + 1)
    # If it never begins, or ends unseen, the run continues without it.
    draft.set_deadline(ending.RETRY, REVIEW_SECONDS)


def review_failed(draft: ThreadDraft, fact: EffectFailed) -> bool:
    """The review could not begin: the run continues without it."""
    run = draft.state.run
    if run is None or not run.active or not run.review or run.review != fact.effect:
        return False
    _without_review(draft, fact.problem)
    return True


def review_late(draft: ThreadDraft) -> None:
    if draft.state.turn is not None:
        draft.set_deadline(ending.RETRY, REVIEW_SECONDS)
    else:
        _without_review(draft, "it did not begin, or its end was not seen")


def _without_review(draft: ThreadDraft, problem: str) -> None:
    run = ending.run_of(draft)
    draft.note(Reason.RUN_SKIPPED_REVIEW, run=run.id, problem=problem)
    draft.cancel_deadline(ending.RETRY)
    ending.change(draft, review="")
    if ending.rests_as_asked(draft):
        return
    if run.claimed:
        finish(draft, "checked" if run.passed else "self_reported")
    else:
        going_on.go_on(draft)


def joined(draft: ThreadDraft, fact: ThreadJoined) -> None:
    """A review that was lost with Codex is requested again."""
    run = draft.state.run
    if run is not None and run.active and run.review and draft.state.turn is None and fact.fresh:
        ending.change(draft, reviews=run.reviews - 1, review="")
        review(draft)
