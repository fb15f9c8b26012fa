"""Whether a job that is said to be done is done: the user's check, and Codex's own review (C7, C9)."""

from typing import Literal

from rawr.core.compaction import decision as deciding
from rawr.core.draft import ThreadDraft
from rawr.core.run import ending as run_rest
from rawr.core.run import guards as run_guards
from rawr.core.run import instructions
from rawr.core.run import turn_end as fullauto
from rawr.core.run.guards import Guard
from rawr.core.state.run import Run
from rawr.core.text import head
from rawr.core.thread import turns
from rawr.core.vocabulary.effects import StartReview
from rawr.core.vocabulary.facts import DoneChecked, EffectFailed, ThreadJoined
from rawr.core.vocabulary.reasons import Reason

MAX_REVIEWS = 2
REVIEW_SECONDS = 60
"""How long a review may take to begin. What runs in its turn takes as long as it takes."""


def checked(draft: ThreadDraft, fact: DoneChecked) -> None:
    run = draft.state.run
    if run is None or run.check != fact.effect or not run.active:
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
    run_rest.change(draft, check="", passed=passed, waiting="")
    if run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    elif passed:
        fullauto.finish(draft, "checked")
    else:
        note = instructions.check_failed(run.order.done, fact.exit_code, fact.output, timed_out=fact.timed_out)
        run_rest.remark(draft, note)
        run_rest.change(draft, claimed=False)
        _after_refusal(draft)
    turns.advance(draft)


def check_lost(draft: ThreadDraft, fact: EffectFailed) -> bool:
    """The check did not come to an end: rawr was away, or could not run it."""
    run = draft.state.run
    if run is None or run.check != fact.effect:
        return False
    run_rest.change(draft, check="")
    if run.active and fact.code == "gone":
        way_out = "rawr run PROMPT --resume THREAD --done CMD goes on there"
        run_rest.stop(draft, "paused", Reason.RUN_PAUSED_GONE, way_out)
    elif run.active:
        run_rest.change(draft, waiting="resume")
    return True


def _after_refusal(draft: ThreadDraft) -> None:
    """The agent was wrong about being done. Guards come before another turn."""
    run = run_rest.run_of(draft)
    asked = (*run_guards.budgets(run, now=draft.at), *run_guards.soft(run, draft.policy.full_auto))
    hit = next((guard for guard in asked if guard.hit), None)
    if hit is not None:
        run_rest.stop(draft, "stopped", hit.reason, hit.detail, guards=asked)
        return
    run_rest.note(draft, Reason.RUN_CONTINUED_CHECK, "continue", guards=asked)
    deciding.weigh(draft)
    fullauto.go_on(draft)


def may_review(run: Run, when: Literal["on-error", "at-end"]) -> bool:
    return run.order.review == when and run.reviews < (1 if when == "at-end" else MAX_REVIEWS)


def review(draft: ThreadDraft, guards: tuple[Guard, ...] = ()) -> None:
    run = run_rest.run_of(draft)
    effect = draft.do(StartReview())
    run_rest.note(draft, Reason.RUN_REVIEWED_POLICY, "review", guards=guards)
    run_rest.change(draft, review=effect, reviews=run.reviews + 1, waiting="review")
    # Should it never begin, or end unseen, the run goes on without it.
    draft.set_deadline(run_rest.RETRY, REVIEW_SECONDS)


def review_failed(draft: ThreadDraft, fact: EffectFailed) -> bool:
    """A review that could not be begun: the run goes on without it."""
    run = draft.state.run
    if run is None or not run.active or run.review != fact.effect:
        return False
    _without_review(draft, fact.problem)
    return True


def _without_review(draft: ThreadDraft, problem: str) -> None:
    run = run_rest.run_of(draft)
    draft.note(Reason.RUN_SKIPPED_REVIEW, run=run.id, problem=problem)
    draft.cancel_deadline(run_rest.RETRY)
    run_rest.change(draft, review="")
    if run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    elif run.claimed:
        fullauto.finish(draft, "checked" if run.passed else "self_reported")
    else:
        fullauto.go_on(draft)


def joined(draft: ThreadDraft, fact: ThreadJoined) -> None:
    """A review that went down with Codex is asked for again."""
    run = draft.state.run
    if run is not None and run.active and run.review and draft.state.turn is None and fact.fresh:
        run_rest.change(draft, reviews=run.reviews - 1, review="")
        review(draft)


def review_late(draft: ThreadDraft) -> None:
    if draft.state.turn is not None:
        draft.set_deadline(run_rest.RETRY, REVIEW_SECONDS)
    else:
        _without_review(draft, "it did not begin, or its end was not seen")
