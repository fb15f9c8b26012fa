"""Is the job done? The user's check says so, whatever anybody else says, and Codex's own review has a look (C7, C9)."""

from typing import Literal

from rawr.core.compaction import moment
from rawr.core.draft import ThreadDraft
from rawr.core.events import NotDone
from rawr.core.run import ending, going_on, guards, instructions
from rawr.core.run.guards import Guard
from rawr.core.run.table import Move
from rawr.core.state.run import Done, Run, Status, Stop
from rawr.core.text import head, tail
from rawr.core.thread import outbox, repository
from rawr.core.vocabulary.effects import RunCheck, StartReview
from rawr.core.vocabulary.facts import DoneChecked, EffectFailed, ThreadJoined
from rawr.core.vocabulary.reasons import Reason

MAX_REVIEWS = 2
"""As many as a model may choose to have."""
MAX_ERRORS_REVIEWED = 5
"""A job that runs into more errors than this has another trouble than each of them."""
REVIEW_SECONDS = 60
"""How long a review may take to begin. Its turn may take as long as it needs."""


# -- the check --------------------------------------------------------------------------------------------------------


QUICK_MS = 2_000
"""A check that takes less is run after every turn."""
SPACING = 10
"""A check that nobody asked for waits until ten times as long as the last one took has passed: of a run's time, one
that is slow takes no more than a tenth."""


def due(run: Run, *, now: int) -> bool:
    """Return True if the work may have changed since the last check, and it is time for another."""
    if not run.order.done or run.order.check != "every-turn" or not run.unchecked:
        return False
    return run.check_ms < QUICK_MS or now - run.checked_at >= run.check_ms * SPACING


def check(draft: ThreadDraft, why: Reason) -> None:
    """Done means checked (C7)."""
    # What the check writes is not the turn's.
    repository.owed_look(draft)
    run = ending.run_of(draft)
    seconds = draft.policy.full_auto.done_seconds
    effect = draft.do(RunCheck(command=run.order.done, cwd=draft.state.cwd, seconds=seconds))
    ending.note(draft, why, "check")
    ending.move(draft, Move.CHECKING, check=effect, checks=run.checks + 1, unchecked=False)


def last_check_due(draft: ThreadDraft) -> None:
    check(draft, Reason.RUN_CHECKED_LAST)


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
        output=tail(fact.output, 1_000),
    )
    took, done_at = fact.duration_ms, draft.at
    turns = run.turns
    ending.move(
        draft, Move.CHECKED, check="", passed=passed, last=None, check_ms=took, checked_at=done_at, judged=turns
    )
    if ending.rests_as_asked(draft):
        return
    if passed and run.last is None and outbox.work_waits(draft.state):
        _more_to_do(draft)
    elif passed:
        finish(draft, "checked")
    elif run.last is not None:
        asked = guards.both(ending.run_of(draft), draft.policy.full_auto, now=draft.at)
        ending.stop(draft, _status(run.last), Reason.named(run.last.reason), run.last.detail, guards=asked)
    elif _cannot_run(fact):
        ending.change(draft, unchecked=True)
        way_out = "install it and resume, or order the run again with another --done"
        ending.stop(draft, "paused", Reason.RUN_PAUSED_CHECK, f"{_last_line(fact.output)}; {way_out}")
    elif run.claimed:
        note = instructions.check_failed(run.order.done, fact.exit_code, fact.output, timed_out=fact.timed_out)
        ending.remark(draft, note)
        ending.change(draft, claimed=False)
        _after_refusal(draft)
    else:
        draft.emit(NotDone())


def _status(last: Stop) -> Status:
    return "failed" if last.reason.startswith("run.failed.") else "stopped"


def _more_to_do(draft: ThreadDraft) -> None:
    """What a person has said in the meantime comes before the end, and the check comes again after it."""
    if any(guard.hit for guard in guards.budgets(ending.run_of(draft), now=draft.at)):
        finish(draft, "checked")
        return
    ending.note(draft, Reason.RUN_CONTINUED_MESSAGE, "continue")
    ending.change(draft, claimed=False, passed=False, unchecked=True)
    going_on.queue_up(draft)


NOT_RUN = frozenset({126, 127})
"""What a shell exits with if it finds no such command, or may not run it."""
BY_BASH = "bash: "
"""How the shell that runs the check begins its own complaints. Those of a script inside it begin with its name."""


def _cannot_run(fact: DoneChecked) -> bool:
    """Return True if there is no such program, so that no work of the agent's will make the check pass.

    A path is another matter: the agent may be about to write the script that the check runs.
    """
    if fact.exit_code is None:
        return not fact.timed_out
    last = _last_line(fact.output)
    _line, _, complaint = last.removeprefix(BY_BASH).partition(": ")
    program = complaint.partition(": ")[0]
    return fact.exit_code in NOT_RUN and last.startswith(BY_BASH) and "/" not in program


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return head(lines[-1], 300) if lines else ""


def check_lost(draft: ThreadDraft, fact: EffectFailed) -> bool:
    """The check did not finish: rawr was away, or could not run it."""
    run = draft.state.run
    if run is None or not run.check or run.check != fact.effect:
        return False
    ending.change(draft, check="", unchecked=True, last=None)
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
    return run.order.review == when and run.reviews < (1 if when == "at-end" else MAX_ERRORS_REVIEWED)


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
