"""Full Auto: what follows the end of a turn. Go on, check, review, wait, pause or stop (C1–C9).

One arbiter: a run asks whether the job is done, then the guards, and only when it goes on whether this is a moment to
compact. So a finished job is not compacted and sent on, and a pause waits for a sequence to end.
"""

from typing import Literal

from msgspec.structs import replace

from rawr.core import instructions, link, run_guards, sequence, turns
from rawr.core.boundaries import words
from rawr.core.draft import ThreadDraft
from rawr.core.effects import ClearGoal, InterruptTurn, Notify, RunCheck, StartReview
from rawr.core.facts import (
    DoneChecked,
    EffectFailed,
    RateLimitsUpdated,
    RunOverridden,
    RunPauseSubmitted,
    RunResumed,
    RunSubmitted,
)
from rawr.core.progress import summarise
from rawr.core.reasons import Reason
from rawr.core.run import MAX_HISTORY, Done, Run, Status, Stop
from rawr.core.run_guards import Guard
from rawr.core.schedule import FULL
from rawr.core.sequence_table import Phase
from rawr.core.state import WORK, Purpose, Queued, ThreadState, TurnOutcome
from rawr.core.text import head
from rawr.core.trouble import pause_seconds, trouble

RETRY = "run.retry"
TIME = "run.time"
MAX_REVIEWS = 2
AGAIN_SECONDS = 60
REVIEW_SECONDS = 60
"""How long a review may take to begin. What runs in its turn takes as long as it takes."""
MILLION = 1_000_000
_EACH_LOST = "each time the connection was lost"
_CANCELLABLE = frozenset({Phase.HEADS_UP_INJECTED, Phase.AWAITING_SCRATCH, Phase.AWAITING_PACKET})
"""Until there is a packet nothing is lost by giving a sequence up. After that it is brought to its end."""

# -- what a person submits --------------------------------------------------------------------------------------


def submitted(draft: ThreadDraft, fact: RunSubmitted) -> None:
    state, order = draft.state, fact.order
    if state.run is not None and state.run.active:
        draft.note(Reason.IGNORED_RUN_ACTIVE, run=state.run.id)
        return
    if state.closed:
        draft.note(Reason.IGNORED_CLOSED_THREAD)
        return
    # What an earlier run still wanted to say is out of date.
    draft.change(queue=tuple(one for one in state.queue if not _of_run(one, state.run)))
    spent = state.usage.spent if state.usage is not None else 0
    run = Run(f"r{draft.seq}", order, "running", draft.at, draft.at, spent=spent)
    draft.change(run=run)
    goal = state.goal
    if goal is not None and goal.status == "active":
        if not order.take_goal:
            _stop(draft, "stopped", Reason.RUN_REFUSED_GOAL, f"Codex itself pursues a goal here: {goal.objective}")
            return
        draft.do(ClearGoal())
    draft.note(Reason.RUN_STARTED_SUBMITTED, run=run.id, goal=head(order.goal, 500), done=order.done)
    _clock(draft)
    _send(draft, order.goal, "user")
    link.wake(draft)


def pause_submitted(draft: ThreadDraft, fact: RunPauseSubmitted) -> None:
    run = _running(draft)
    if run is None:
        return
    _change(draft, pause_asked=True)
    _end_turn_or_settle(draft, interrupt=fact.now)
    turns.advance(draft)


def stop_submitted(draft: ThreadDraft) -> None:
    run = draft.state.run
    if run is None or run.status in ("stopped", "done"):
        draft.note(Reason.IGNORED_NO_RUN)
        return
    if not run.active:
        _stop(draft, "stopped", Reason.RUN_STOPPED_PERSON, "")
        return
    _change(draft, stop_asked=True)
    _end_turn_or_settle(draft, interrupt=True)
    turns.advance(draft)


def _end_turn_or_settle(draft: ThreadDraft, *, interrupt: bool) -> None:
    """Where something is under way its end settles it. A sequence is not cut in two."""
    state, run = draft.state, _run(draft)
    if not state.online:
        # Nothing can be ended from here, and what is on its way is looked for before anything else is said.
        _settle(draft)
    elif state.sequence is not None:
        if run.stop_asked:
            _cut(draft)
    elif state.turn is not None and not _compacts(state, state.turn.id):
        if interrupt:
            _cut(draft)
    elif run.waiting != "review" and not any(one.message.purpose in WORK for one in state.sent):
        _settle(draft)


def _cut(draft: ThreadDraft) -> bool:
    """Interrupt the running turn, if that cuts nothing in two."""
    state = draft.state
    if state.turn is None or not state.turn.id or state.compacting is not None:
        return False
    if state.sequence is not None and state.sequence.phase not in _CANCELLABLE:
        return False
    draft.do(InterruptTurn(turn=state.turn.id))
    return True


def _compacts(state: ThreadState, turn: str) -> bool:
    """Whether a turn is a compaction's, which is nobody's work (C1)."""
    known = [(one.turn, one.by) for one in (*state.compactions, state.compacting) if one is not None]
    return bool(turn) and any(name == turn and by != "upstream" for name, by in known)


def resumed(draft: ThreadDraft, fact: RunResumed) -> None:
    run = draft.state.run
    if run is None or run.active or run.status == "done":
        draft.note(Reason.IGNORED_NO_RUN)
        return
    if draft.state.closed:
        draft.note(Reason.IGNORED_CLOSED_THREAD)
        return
    order = replace(run.order, budgets=fact.budgets) if fact.budgets is not None else run.order
    draft.note(Reason.RUN_RESUMED_SUBMITTED, run=run.id, was=run.status, stop=run.stop.reason if run.stop else "")
    _change(
        draft,
        order=order,
        status="running",
        stretch=draft.at,
        stop=None,
        retries=0,
        history=run.history[-1:],
        pause_asked=False,
        stop_asked=False,
        waiting="resume",
    )
    _clock(draft)
    go_on_after_absence(draft)


def go_on_after_absence(draft: ThreadDraft) -> None:
    """The thread is (again) ours to drive: a run for which nothing else is under way goes on, from what Codex's history
    says. A check, a review and a wait for better times have ends of their own."""
    state, run = draft.state, draft.state.run
    if run is None or not run.active or not state.online:
        return
    if state.sequence is not None or state.unjudged or any(one.doubt or not one.steer for one in state.sent):
        return
    if state.turn is not None and not _compacts(state, state.turn.id):
        return
    if run.waiting not in ("resume", "turn", "sequence"):
        return
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if run.stop_asked or run.pause_asked:
        _settle(draft)
    elif over is not None:
        _stop(draft, "stopped", over.reason, over.detail)
    elif any(one.purpose in WORK for one in state.queue):
        _queue_up(draft)
    elif run.waiting == "turn" and run.retries >= draft.policy.full_auto.retries:
        _stop(draft, "failed", Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; {_EACH_LOST}")
    elif run.waiting == "resume" and run.claimed:
        # It stopped between the agent's word and what was to follow from it.
        _claimed(draft)
    else:
        draft.note(Reason.RUN_CONTINUED_RESUMED, run=run.id)
        _change(draft, retries=run.retries + (run.waiting == "turn"))
        _continue(draft)


def overridden(draft: ThreadDraft, fact: RunOverridden) -> None:
    """A person says what comes next, in the policy's place. A run that does not run is resumed by it."""
    run = draft.state.run
    if run is None or not fact.text.strip() or draft.state.closed:
        draft.note(Reason.IGNORED_NO_RUN)
        return
    draft.note(Reason.RUN_OVERRIDDEN_PERSON, run=run.id, text=head(fact.text, 500))
    # A check or a review that is still under way is about what came before.
    _change(draft, note="", check="", review="", claimed=False, pause_asked=False, stop_asked=False)
    draft.change(queue=tuple(one for one in draft.state.queue if one.purpose != "continue"))
    if not run.active:
        _change(draft, status="running", stretch=draft.at, stop=None, retries=0, history=run.history[-1:])
        _clock(draft)
    draft.cancel_deadline(RETRY)
    _send(draft, fact.text, "user")


# -- the end of a turn ------------------------------------------------------------------------------------------


def turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> bool:
    """Decide what comes next. Whether a run took care of it; otherwise it is an ordinary turn's end."""
    run = draft.state.run
    if run is None or not run.active:
        return False
    if turn.synthetic and turn.purpose not in ("handoff", "recovery"):
        return True
    if _compacts(draft.state, turn.id):
        _compaction_over(draft, turn)
        return True
    was = run.waiting
    _account(draft, turn)
    run = _run(draft)
    if run.stop_asked or run.pause_asked:
        _settle(draft)
    elif run.check or (run.review and not turn.review):
        # Somebody else's turn got in between; what was asked for is still to come.
        _change(draft, waiting=was)
    else:
        _change(draft, review="")
        draft.cancel_deadline(RETRY)
        _ended_somehow(draft, turn, was_resumed=was == "resume")
    return True


def _ended_somehow(draft: ThreadDraft, turn: TurnOutcome, *, was_resumed: bool) -> None:
    if turn.status == "failed":
        _failed(draft, turn)
    elif turn.status == "interrupted":
        _interrupted(draft, turn, was_resumed=was_resumed)
    else:
        _completed(draft, turn)


def _compaction_over(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """No turn of the run, and no reason to go on or to stop, unless a person put an end to it."""
    if turn.status == "interrupted" and not turn.lost:
        sequence_cancelled(draft)
    else:
        go_on_after_absence(draft)


def _completed(draft: ThreadDraft, turn: TurnOutcome) -> None:
    run = _run(draft)
    _change(draft, retries=0)
    if turn.review:
        _change(draft, note=instructions.review_found(turn.review), claimed=False, passed=False)
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if any(one.purpose in WORK for one in draft.state.queue):
        if over is not None:
            _stop(draft, "stopped", over.reason, over.detail)
        else:
            _queue_up(draft)
    elif turn.review:
        _note(draft, Reason.RUN_CONTINUED_REVIEW, "continue")
        _continue(draft)
    else:
        _decide(draft, turn)


def _account(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """Compaction turns, reviews and rawr's own are no progress and no turns of the run (C1)."""
    run, policy = _run(draft), draft.policy.full_auto
    if turn.review:
        _change(draft, waiting="")
        return
    summary = summarise(draft.state, turn, tokens=run.tokens)
    looked_at = max(policy.no_progress_turns, policy.same_error_turns, policy.compactions_in_turns) + 1
    _change(
        draft,
        turns=run.turns + 1,
        history=(*run.history, summary)[-max(MAX_HISTORY, looked_at) :],
        waiting="",
    )


def _decide(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """The deterministic policy: done, or stopped by a guard, or on with it."""
    run = _run(draft)
    claimed = _claims_done(draft, turn)
    _change(draft, claimed=claimed)
    if claimed:
        _claimed(draft)
        return
    budgets, soft = run_guards.budgets(run, now=draft.at), run_guards.soft(run, draft.policy.full_auto)
    asked = (*budgets, *soft)
    hit = next((guard for guard in asked if guard.hit), None)
    same_error = any(guard.hit and guard.name == "same_error" for guard in soft)
    if same_error and hit not in budgets and _may_review(run, "on-error"):
        _review(draft, asked)
    elif hit is not None:
        _stop(draft, "stopped", hit.reason, hit.detail, guards=asked)
    else:
        _note(draft, Reason.RUN_CONTINUED_POLICY, "continue", guards=asked)
        sequence.weigh(draft)
        if draft.state.sequence is not None and not run.note:
            # The handoff sends the agent on.
            _change(draft, waiting="sequence")
        else:
            _continue(draft)


def _claims_done(draft: ThreadDraft, turn: TurnOutcome) -> bool:
    """By the plan, by the words it was asked to use, or, without a plan, by saying so in its own."""
    steps = draft.state.plan.steps
    if instructions.says_finished(turn.agent_text):
        return True
    if steps:
        return all(step.status == "completed" for step in steps)
    return any(kind == "agent_done" for kind, _ in words(turn.agent_text, draft.policy.compaction.markers))


def _claimed(draft: ThreadDraft) -> None:
    run = _run(draft)
    if run.order.done:
        seconds = draft.policy.full_auto.done_seconds
        effect = draft.do(RunCheck(command=run.order.done, cwd=draft.state.cwd, seconds=seconds))
        _note(draft, Reason.RUN_CHECKED_CLAIM, "check")
        _change(draft, check=effect, checks=run.checks + 1, waiting="check")
    else:
        _finish(draft, "self_reported")


def _finish(draft: ThreadDraft, how: Done) -> None:
    """Done, unless it is to be reviewed first."""
    run = _run(draft)
    if _may_review(run, "at-end"):
        _review(draft)
        return
    reason = Reason.RUN_DONE_CHECKED if how == "checked" else Reason.RUN_DONE_REPORTED
    _change(draft, done=how)
    _stop(draft, "done", reason, "")


def _continue(draft: ThreadDraft) -> None:
    run = _run(draft)
    text = instructions.go_on(run, draft.state.ledger, draft.state.plan)
    _change(draft, note="")
    _send(draft, text, "continue")


def _send(draft: ThreadDraft, text: str, purpose: Literal["user", "continue"]) -> None:
    """Say it next, unless Codex drives the thread itself (C14)."""
    goal = draft.state.goal
    if goal is not None and goal.status == "active":
        if not _run(draft).order.take_goal:
            _stop(draft, "paused", Reason.RUN_REFUSED_GOAL, f"Codex itself pursues a goal here: {goal.objective}")
            return
        draft.do(ClearGoal())
    turns.put(draft, text, purpose)
    _queue_up(draft)


def _queue_up(draft: ThreadDraft) -> None:
    """Wait for the slot; or for the account's limit, if that is known to be reached."""
    _change(draft, waiting="slot", ready=draft.seq)
    if draft.state.limited_until > draft.at:
        _wait_for_limit(draft, draft.state.limited_until, "the account's limit is reached")


def granted(draft: ThreadDraft) -> None:
    """It is this run's turn among the others."""
    run = draft.state.run
    if run is None or not run.active or run.waiting != "slot":
        return
    if run.stop_asked or run.pause_asked:
        _settle(draft)
    else:
        _change(draft, waiting="turn")
    turns.advance(draft)


def next_message(state: ThreadState) -> Queued | None:
    """The message that may start a turn now. On a thread that a run drives, its slot must have come; on one whose run
    does not run, only what a person says."""
    run = state.run
    if run is None or not run.active:
        return next((one for one in state.queue if one.purpose == "user" and not _of_run(one, run)), None)
    if run.waiting != "turn" or run.stop_asked or run.pause_asked:
        return None
    return state.queue[0] if state.queue else None


def _of_run(message: Queued, run: Run | None) -> bool:
    """The run's own words: its goal goes out as a person's message, and still waits for the run."""
    return message.purpose == "continue" or (run is not None and run.id == f"r{message.seq}")


# -- checks and reviews -----------------------------------------------------------------------------------------


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
    _change(draft, check="", passed=passed, waiting="")
    if run.stop_asked or run.pause_asked:
        _settle(draft)
    elif passed:
        _finish(draft, "checked")
    else:
        note = instructions.check_failed(run.order.done, fact.exit_code, fact.output, timed_out=fact.timed_out)
        _change(draft, note=note, claimed=False)
        _after_refusal(draft)
    turns.advance(draft)


def check_lost(draft: ThreadDraft, effect: str) -> bool:
    """The check did not come to an end: rawr was away, or could not run it."""
    run = draft.state.run
    if run is None or run.check != effect:
        return False
    _change(draft, check="")
    if run.active:
        _change(draft, waiting="resume")
    return True


def _after_refusal(draft: ThreadDraft) -> None:
    """The agent was wrong about being done. Guards come before another turn."""
    run = _run(draft)
    asked = (*run_guards.budgets(run, now=draft.at), *run_guards.soft(run, draft.policy.full_auto))
    hit = next((guard for guard in asked if guard.hit), None)
    if hit is not None:
        _stop(draft, "stopped", hit.reason, hit.detail, guards=asked)
        return
    _note(draft, Reason.RUN_CONTINUED_CHECK, "continue", guards=asked)
    sequence.weigh(draft)
    _continue(draft)


def _may_review(run: Run, when: Literal["on-error", "at-end"]) -> bool:
    return run.order.review == when and run.reviews < (1 if when == "at-end" else MAX_REVIEWS)


def _review(draft: ThreadDraft, guards: tuple[Guard, ...] = ()) -> None:
    run = _run(draft)
    effect = draft.do(StartReview())
    _note(draft, Reason.RUN_REVIEWED_POLICY, "review", guards=guards)
    _change(draft, review=effect, reviews=run.reviews + 1, waiting="review")
    # Should it never begin, or end unseen, the run goes on without it.
    draft.set_deadline(RETRY, REVIEW_SECONDS)


def review_failed(draft: ThreadDraft, fact: EffectFailed) -> bool:
    """A review that could not be begun: the run goes on without it."""
    run = draft.state.run
    if run is None or not run.active or run.review != fact.effect:
        return False
    _without_review(draft, fact.problem)
    return True


def _without_review(draft: ThreadDraft, problem: str) -> None:
    run = _run(draft)
    draft.note(Reason.RUN_SKIPPED_REVIEW, run=run.id, problem=problem)
    draft.cancel_deadline(RETRY)
    _change(draft, review="")
    if run.stop_asked or run.pause_asked:
        _settle(draft)
    elif run.claimed:
        _finish(draft, "checked" if run.passed else "self_reported")
    else:
        _continue(draft)


# -- when a turn goes wrong -------------------------------------------------------------------------------------


def _failed(draft: ThreadDraft, turn: TurnOutcome) -> None:
    run, policy, compaction = _run(draft), draft.policy.full_auto, draft.policy.compaction
    said = turn.problem.message if turn.problem is not None else "it did not say why"
    kind = trouble(turn.problem)
    if kind == "full" and run.retries == 0 and compaction.enabled and compaction.mode == "auto":
        _change(draft, retries=1, waiting="sequence")
        draft.note(Reason.COMPACT_DECIDED_FULL, problem=said)
        sequence.begin(draft, tier="emergency", percent=0, reason=Reason.COMPACT_DECIDED_FULL)
        return
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if over is not None:
        _stop(draft, "stopped", over.reason, over.detail)
    elif kind in ("lasting", "full"):
        _stop(draft, "failed", Reason.RUN_FAILED_TURN, said)
    elif run.retries >= policy.retries:
        _stop(draft, "failed", Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; the last one: {said}")
    elif kind == "limit" and draft.state.limited_until > draft.at:
        _wait_for_limit(draft, draft.state.limited_until, said)
    else:
        seconds = pause_seconds(run.retries, first=policy.retry_seconds, most=policy.retry_most_seconds)
        draft.note(Reason.RUN_RETRIED_PASSING, run=run.id, attempt=run.retries + 1, seconds=seconds, problem=said)
        draft.do(Notify(level="warning", text=f"[rawr] trying again in {seconds} s: {said}"))
        _change(draft, retries=run.retries + 1, waiting="retry")
        draft.set_deadline(RETRY, seconds)


def _wait_for_limit(draft: ThreadDraft, until: int, said: str) -> None:
    run = _run(draft)
    seconds = max((until - draft.at) // 1000 + 1, 1)
    if seconds > draft.policy.full_auto.limit_wait_seconds:
        _stop(draft, "paused", Reason.RUN_PAUSED_LIMIT, f"the limit resets in {seconds} s: {said}")
        return
    draft.note(Reason.RUN_WAITS_LIMIT, run=run.id, seconds=seconds, problem=said)
    draft.do(Notify(level="warning", text=f"[rawr] rate limit: going on in {seconds} s, when it resets."))
    _change(draft, waiting="limit")
    draft.set_deadline(RETRY, seconds)


def limits_updated(draft: ThreadDraft, fact: RateLimitsUpdated) -> None:
    """Told to threads with a run when a limit is reached: a wait then ends when it resets."""
    if fact.resets_at is not None:
        known, until = draft.state.limited_until, fact.resets_at * 1000
        if until == known or (known > draft.at and fact.used_percent < FULL):
            # Windows are told one by one, and all of them say that a limit is reached.
            return
        draft.change(limited_until=until)
        run = draft.state.run
        if run is not None and run.active and run.waiting in ("retry", "slot", "limit") and until > draft.at:
            _wait_for_limit(draft, until, "the account's limit is reached")
            turns.advance(draft)


def _interrupted(draft: ThreadDraft, turn: TurnOutcome, *, was_resumed: bool) -> None:
    """Cut off with the connection, or resumed before it had ended, it is taken up again. Otherwise a person did it, and
    it is theirs to go on."""
    run = _run(draft)
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if over is not None:
        _stop(draft, "stopped", over.reason, over.detail)
    elif turn.lost and run.retries >= draft.policy.full_auto.retries:
        _stop(draft, "failed", Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; {_EACH_LOST}")
    elif turn.lost or was_resumed:
        draft.note(Reason.RUN_CONTINUED_LOST if turn.lost else Reason.RUN_CONTINUED_RESUMED, run=run.id)
        _change(draft, waiting="resume", retries=run.retries + turn.lost)
        go_on_after_absence(draft)
    else:
        _stop(draft, "paused", Reason.RUN_PAUSED_INTERRUPTED, "the turn was interrupted by a person")


def deadline_passed(draft: ThreadDraft, name: str) -> None:
    run = draft.state.run
    if run is None or not run.active:
        return
    if name == TIME:
        _over_budget(draft)
        if _run(draft).active:
            # Whatever could not be ended now is tried again.
            draft.set_deadline(TIME, AGAIN_SECONDS)
    elif run.waiting == "review":
        _review_late(draft)
    elif run.waiting in ("retry", "limit"):
        draft.note(Reason.RUN_CONTINUED_RETRY, run=run.id)
        if any(one.purpose in WORK for one in draft.state.queue):
            _queue_up(draft)
        else:
            _continue(draft)
    turns.advance(draft)


def _review_late(draft: ThreadDraft) -> None:
    if draft.state.turn is not None:
        draft.set_deadline(RETRY, REVIEW_SECONDS)
    else:
        _without_review(draft, "it did not begin, or its end was not seen")


def usage_updated(draft: ThreadDraft, *, output: int, cached: int) -> None:
    """Tokens and money are counted with every model call; a budget ends the run in the middle of a turn."""
    run, usage = draft.state.run, draft.state.usage
    if run is None or usage is None or usage.spent == run.spent:
        return
    prices = draft.policy.full_auto
    fresh = max(usage.in_context - cached - output, 0)
    cost = (fresh * prices.price_input + cached * prices.price_cached + output * prices.price_output) // MILLION
    more = max(usage.spent - run.spent, 0)
    _change(draft, spent=usage.spent, tokens=run.tokens + more, cost=run.cost + cost)
    if not run.active or draft.state.turn is None:
        return
    if run.stop_asked:
        # It was asked for while the turn was on its way, or while a sequence had to come to its end.
        _cut(draft)
    else:
        _over_budget(draft)


def _over_budget(draft: ThreadDraft) -> None:
    """Ends the turn; its end ends the run. What was used before the turn began does not count against it here."""
    run, state = _run(draft), draft.state
    hard = [one for one in run_guards.budgets(run, now=draft.at) if one.name != "turns" and one.hit]
    if not hard:
        return
    if state.turn is not None:
        if not run.stop_asked and _cut(draft):
            draft.note(hard[0].reason, run=run.id, detail=hard[0].detail, action="interrupt")
    elif state.sequence is None and run.waiting not in ("check", "review") and not state.busy:
        _stop(draft, "stopped", hard[0].reason, hard[0].detail)


def unanswered(draft: ThreadDraft, what: str) -> None:
    """Nobody answered an approval or a question in time: the run is paused, with its turn ended (C5, C11)."""
    run = draft.state.run
    if run is None or not run.active:
        return
    _stop(draft, "paused", Reason.RUN_PAUSED_UNANSWERED, what)
    turn = draft.state.turn
    if turn is not None and turn.id:
        draft.do(InterruptTurn(turn=turn.id))


def undelivered(draft: ThreadDraft, purpose: Purpose, problem: str) -> None:
    """Codex did not take the run's message. What it takes next time nobody knows, so a person is asked."""
    run = draft.state.run
    if run is None or not run.active:
        return
    if purpose == "handoff":
        sequence_over(draft)
    elif purpose not in WORK:
        return
    elif run.stop_asked or run.pause_asked:
        _settle(draft)
    elif run.waiting == "turn":
        _stop(draft, "paused", Reason.RUN_PAUSED_REFUSED, problem)


# -- when a sequence is over ------------------------------------------------------------------------------------


def sequence_over(draft: ThreadDraft) -> None:
    """A sequence ended without a handoff, so nobody has sent the agent on."""
    run, turn = draft.state.run, draft.state.turn
    if run is None or not run.active or (turn is not None and not _compacts(draft.state, turn.id)):
        return
    if run.stop_asked or run.pause_asked:
        _settle(draft)
    elif run.waiting == "resume":
        go_on_after_absence(draft)
    elif run.waiting in ("sequence", "turn"):
        if any(one.purpose in WORK for one in draft.state.queue):
            _queue_up(draft)
        else:
            draft.note(Reason.RUN_CONTINUED_SEQUENCE, run=run.id)
            _continue(draft)


def sequence_cancelled(draft: ThreadDraft) -> None:
    """Its turn was interrupted: for a budget, or by a person, and then the run is theirs too."""
    run = draft.state.run
    if run is None or not run.active:
        return
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if run.stop_asked or run.pause_asked:
        _settle(draft)
    elif over is not None:
        _stop(draft, "stopped", over.reason, over.detail)
    else:
        _stop(draft, "paused", Reason.RUN_PAUSED_INTERRUPTED, "a person interrupted rawr")


# -- coming to rest ---------------------------------------------------------------------------------------------


def absent(draft: ThreadDraft) -> None:
    """rawr was away. A run does not go on by itself because some rawr starts on this home: it is resumed by name."""
    run = draft.state.run
    if run is None or not run.active:
        return
    _stop(draft, "paused", Reason.RUN_PAUSED_AWAY, "rawr ended while it ran")


def closed(draft: ThreadDraft) -> None:
    run = draft.state.run
    if run is not None and run.active:
        _stop(draft, "failed", Reason.RUN_FAILED_THREAD, "Codex cannot go on with the thread")


def _settle(draft: ThreadDraft) -> None:
    """What a person asked for takes place, now that nothing is cut in two by it."""
    run = _run(draft)
    if run.stop_asked:
        _stop(draft, "stopped", Reason.RUN_STOPPED_PERSON, "")
    else:
        _stop(draft, "paused", Reason.RUN_PAUSED_PERSON, "")


def _stop(draft: ThreadDraft, status: Status, reason: Reason, detail: str, *, guards: tuple[Guard, ...] = ()) -> None:
    run = _run(draft)
    _note(draft, reason, status, guards=guards, detail=detail)
    _change(
        draft,
        status=status,
        used_ms=run.used(draft.at),
        stop=Stop(reason.value, detail),
        waiting="",
        check="",
        review="",
        # One that was cut short is asked for again.
        reviews=run.reviews - bool(run.review),
        pause_asked=False,
        stop_asked=False,
    )
    # What the run still wanted to say is said again when it is resumed.
    draft.change(queue=tuple(one for one in draft.state.queue if one.purpose != "continue"))
    draft.cancel_deadline(RETRY)
    draft.cancel_deadline(TIME)
    level: Literal["info", "warning", "error"] = (
        "info" if status == "done" else "error" if status == "failed" else "warning"
    )
    more = f" ({detail})" if detail else ""
    draft.do(Notify(level=level, text=f"[rawr] the run is {status}: {reason.meaning}{more}"))


def _note(draft: ThreadDraft, reason: Reason, action: str, *, guards: tuple[Guard, ...] = (), detail: str = "") -> None:
    """The receipt of a decision: what went in, what the guards saw, what came out (C17)."""
    run = _run(draft)
    summary = run.history[-1] if run.history else None
    plan = f"{summary.plan_done}/{summary.plan_steps}" if summary is not None else ""
    draft.note(
        reason,
        run=run.id,
        action=action,
        detail=detail,
        confidence=1.0,
        by="policy",
        turn=summary.turn if summary is not None else "",
        status=summary.status if summary is not None else "",
        plan=plan,
        problem=summary.problem if summary is not None else "",
        turns=run.turns,
        tokens=run.tokens,
        claimed=run.claimed,
        guards=[f"{one.name} {'hit' if one.hit else 'ok'} ({one.detail})" for one in guards],
    )


def _clock(draft: ThreadDraft) -> None:
    run = _run(draft)
    minutes = run.order.budgets.minutes
    if minutes:
        left = max(minutes * 60 - run.used(draft.at) // 1000, 1)
        draft.set_deadline(TIME, left)


def _running(draft: ThreadDraft) -> Run | None:
    run = draft.state.run
    if run is None or not run.active:
        draft.note(Reason.IGNORED_NO_RUN)
        return None
    return run


def _run(draft: ThreadDraft) -> Run:
    run = draft.state.run
    assert run is not None, "only called where there is a run"  # noqa: S101
    return run


def _change(draft: ThreadDraft, **fields: object) -> None:
    draft.change(run=replace(_run(draft), **fields))
