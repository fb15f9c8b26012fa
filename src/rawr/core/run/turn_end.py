"""Full Auto: what follows the end of a turn. Go on, check, review, wait, pause or stop (C1–C9).

One arbiter: a run asks whether the job is done, then the guards, and only when it goes on whether this is a moment to
compact. So a finished job is not compacted and sent on, and a pause waits for a sequence to end. What a person says is
in ``run_words``, checks and reviews in ``run_checks``, what goes wrong in ``run_trouble``, how it ends in ``run_rest``.
"""

from operator import attrgetter

from rawr.core.compaction import decision as deciding
from rawr.core.compaction.phrases import words
from rawr.core.draft import ThreadDraft
from rawr.core.guidance import pipeline as guidance
from rawr.core.run import advice as run_opinions
from rawr.core.run import checks as run_checks
from rawr.core.run import ending as run_rest
from rawr.core.run import failures as run_trouble
from rawr.core.run import guards as run_guards
from rawr.core.run import instructions
from rawr.core.run.progress import summarise
from rawr.core.state.messages import Queued
from rawr.core.state.run import MAX_HISTORY, Done, Run, Status
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import WORK, TurnOutcome
from rawr.core.thread import asking, turns
from rawr.core.vocabulary.effects import ClearGoal, RunCheck
from rawr.core.vocabulary.reasons import Reason


def compacts(state: ThreadState, turn: str) -> bool:
    """Whether a turn is a compaction's, which is nobody's work (C1)."""
    known = [(one.turn, one.by) for one in (*state.compactions, state.compacting) if one is not None]
    return bool(turn) and any(name == turn and by != "upstream" for name, by in known)


def go_on_after_absence(draft: ThreadDraft) -> None:
    """The thread is (again) ours to drive: a run for which nothing else is under way goes on, from what Codex's history
    says. A check, a review and a wait for better times have ends of their own."""
    state, run = draft.state, draft.state.run
    if run is None or not run.active or not state.online:
        return
    if state.sequence is not None or state.unjudged or any(one.doubt or not one.steer for one in state.sent):
        return
    if state.turn is not None and not compacts(state, state.turn.id):
        return
    if run.waiting not in ("resume", "turn", "sequence"):
        return
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    elif over is not None:
        run_rest.stop(draft, "stopped", over.reason, over.detail)
    elif guidance.opens(run):
        guidance.take_up(draft, run.waiting)
    elif any(one.purpose in WORK for one in state.queue):
        queue_up(draft)
    elif run.waiting == "turn" and run.retries >= draft.policy.full_auto.retries:
        run_rest.stop(draft, "failed", Reason.RUN_FAILED_RETRIES, f"{run.retries} retries; {run_trouble.EACH_LOST}")
    elif run.waiting == "resume" and run.claimed:
        # It stopped between the agent's word and what was to follow from it.
        _claimed(draft)
    else:
        draft.note(Reason.RUN_CONTINUED_RESUMED, run=run.id)
        run_rest.change(draft, retries=run.retries + (run.waiting == "turn"))
        go_on(draft)


def turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> bool:
    """Decide what comes next. Whether a run took care of it; otherwise it is an ordinary turn's end."""
    run = draft.state.run
    if run is None or not run.active:
        return False
    if turn.synthetic and turn.purpose not in ("handoff", "recovery"):
        return True
    if compacts(draft.state, turn.id):
        _compaction_over(draft, turn)
        return True
    was = run.waiting
    # Somebody's turn got in between: what the model says would be about the one before it.
    asking.drop(draft, "full_auto_decision")
    guidance.overtaken(draft)
    _account(draft, turn)
    run = run_rest.run_of(draft)
    if run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    elif run.check or (run.review and not turn.review):
        # Somebody else's turn got in between; what was asked for is still to come.
        run_rest.change(draft, waiting=was)
    elif guidance.opens(run):
        guidance.take_up(draft, was)
    else:
        run_rest.change(draft, review="")
        draft.cancel_deadline(run_rest.RETRY)
        _ended_somehow(draft, turn, was_resumed=was == "resume")
    return True


def _ended_somehow(draft: ThreadDraft, turn: TurnOutcome, *, was_resumed: bool) -> None:
    if turn.status == "failed":
        run_trouble.failed(draft, turn)
    elif turn.status == "interrupted":
        run_trouble.interrupted(draft, turn, was_resumed=was_resumed)
    else:
        _completed(draft, turn)


def _compaction_over(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """No turn of the run, and no reason to go on or to stop, unless a person put an end to it."""
    if turn.status == "interrupted" and not turn.lost:
        sequence_cancelled(draft)
    else:
        go_on_after_absence(draft)


def _completed(draft: ThreadDraft, turn: TurnOutcome) -> None:
    run = run_rest.run_of(draft)
    run_rest.change(draft, retries=0)
    if turn.review:
        run_rest.remark(draft, instructions.review_found(turn.review))
        run_rest.change(draft, claimed=False, passed=False)
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if any(one.purpose in WORK for one in draft.state.queue):
        if over is not None:
            run_rest.stop(draft, "stopped", over.reason, over.detail)
        else:
            queue_up(draft)
    elif turn.review:
        run_rest.note(draft, Reason.RUN_CONTINUED_REVIEW, "continue")
        go_on(draft)
    else:
        _decide(draft, turn)


def _account(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """Compaction turns, reviews and rawr's own are no progress and no turns of the run (C1)."""
    run, policy = run_rest.run_of(draft), draft.policy.full_auto
    if turn.review:
        run_rest.change(draft, waiting="")
        return
    summary = summarise(draft.state, turn, tokens=run.tokens)
    looked_at = max(policy.no_progress_turns, policy.same_error_turns, policy.compactions_in_turns) + 1
    run_rest.change(
        draft,
        turns=run.turns + 1,
        history=(*run.history, summary)[-max(MAX_HISTORY, looked_at) :],
        waiting="",
    )


def _decide(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """The deterministic policy: done, or stopped by a guard, or on with it."""
    run = run_rest.run_of(draft)
    claimed = _claims_done(draft, turn)
    run_rest.change(draft, claimed=claimed)
    if claimed:
        _claimed(draft)
        return
    budgets, soft = run_guards.budgets(run, now=draft.at), run_guards.soft(run, draft.policy.full_auto)
    asked = (*budgets, *soft)
    hit = next((guard for guard in asked if guard.hit), None)
    same_error = any(guard.hit and guard.name == "same_error" for guard in soft)
    if same_error and hit not in budgets and run_checks.may_review(run, "on-error"):
        run_checks.review(draft, asked)
    elif hit is not None:
        run_rest.stop(draft, "stopped", hit.reason, hit.detail, guards=asked)
    elif guidance.decide(draft):
        pass
    elif run_opinions.asks(draft):
        run_opinions.ask(draft)
    else:
        go_on_by_rules(draft, asked)


def go_on_by_rules(draft: ThreadDraft, guards: tuple[run_guards.Guard, ...]) -> None:
    run_rest.note(draft, Reason.RUN_CONTINUED_POLICY, "continue", guards=guards)
    deciding.weigh(draft)
    go_on_or_await_handoff(draft)


def go_on_or_await_handoff(draft: ThreadDraft) -> None:
    if draft.state.sequence is not None and not run_rest.run_of(draft).note:
        # The handoff sends the agent on.
        run_rest.change(draft, waiting="sequence")
    else:
        go_on(draft)


def _claims_done(draft: ThreadDraft, turn: TurnOutcome) -> bool:
    """By the plan, by the words it was asked to use, or, without a plan, by saying so in its own."""
    steps = draft.state.plan.steps
    if instructions.says_finished(turn.agent_text):
        return True
    if steps:
        return all(step.status == "completed" for step in steps)
    return any(kind == "agent_done" for kind, _ in words(turn.agent_text, draft.policy.compaction.markers))


def _claimed(draft: ThreadDraft) -> None:
    if run_rest.run_of(draft).order.done:
        check(draft)
    elif _over(draft):
        finish(draft, "self_reported")
    elif guidance.decide(draft):
        pass
    elif run_opinions.asks(draft):
        run_opinions.ask(draft)
    else:
        finish(draft, "self_reported")


def check(draft: ThreadDraft) -> None:
    """Done means checked (C7)."""
    run = run_rest.run_of(draft)
    seconds = draft.policy.full_auto.done_seconds
    effect = draft.do(RunCheck(command=run.order.done, cwd=draft.state.cwd, seconds=seconds))
    run_rest.note(draft, Reason.RUN_CHECKED_CLAIM, "check")
    run_rest.change(draft, check=effect, checks=run.checks + 1, waiting="check")


def _over(draft: ThreadDraft) -> bool:
    return any(guard.hit for guard in run_guards.budgets(run_rest.run_of(draft), now=draft.at))


def finish(draft: ThreadDraft, how: Done) -> None:
    """Done, unless it is to be reviewed first."""
    run = run_rest.run_of(draft)
    if run_checks.may_review(run, "at-end"):
        run_checks.review(draft)
        return
    reason = Reason.RUN_DONE_CHECKED if how == "checked" else Reason.RUN_DONE_REPORTED
    run_rest.change(draft, done=how)
    run_rest.stop(draft, "done", reason, "")


def go_on(draft: ThreadDraft) -> None:
    if not guidance.leads(draft):
        say_go_on(draft)


def say_go_on(draft: ThreadDraft) -> None:
    run = run_rest.run_of(draft)
    text = instructions.go_on(run, draft.state.ledger, draft.state.plan)
    run_rest.remark(draft)
    send(draft, Queued.own(draft.seq, text, "continue"))


def send(draft: ThreadDraft, message: Queued) -> None:
    """Say it next, unless Codex drives the thread itself (C14)."""
    if not give_way(draft):
        turns.put(draft, message)
        queue_up(draft)


def send_first(draft: ThreadDraft, message: Queued) -> None:
    """The same for what the run begins with, which somebody has looked at first."""
    if not give_way(draft):
        put_first(draft, message)
        queue_up(draft)


def put_first(draft: ThreadDraft, message: Queued) -> None:
    """It was submitted with the run's order, whatever has been submitted since."""
    draft.change(queue=tuple(sorted((message, *draft.state.queue), key=attrgetter("seq"))))


def ordered_at(run: Run) -> int:
    """The fact that ordered the run, and brought what it begins with."""
    return int(run.id.removeprefix("r"))


def give_way(draft: ThreadDraft, status: Status = "paused") -> bool:
    """Whether Codex drives the thread itself, so that the run rests; unless it was to take over (C14)."""
    goal = draft.state.goal
    if goal is None or goal.status != "active":
        return False
    if run_rest.run_of(draft).order.take_goal:
        draft.do(ClearGoal())
        return False
    detail = f"{goal.objective}; with --take-goal rawr takes over from it"
    run_rest.stop(draft, status, Reason.RUN_REFUSED_GOAL, f"Codex itself pursues a goal here: {detail}")
    return True


def goal_came_up(draft: ThreadDraft) -> None:
    """Codex was given a goal, or has one that we are told of now. A turn that runs comes to its end first."""
    run = draft.state.run
    if run is not None and run.active and draft.state.turn is None:
        give_way(draft)


def queue_up(draft: ThreadDraft) -> None:
    """Wait for the slot; or for the account's limit, if that is known to be reached."""
    run_rest.change(draft, waiting="slot", ready=draft.seq)
    if draft.state.limited_until > draft.at:
        run_trouble.wait_for_limit(draft, draft.state.limited_until, "the account's limit is reached")


def granted(draft: ThreadDraft) -> None:
    """It is this run's turn among the others."""
    run = draft.state.run
    if run is None or not run.active or run.waiting != "slot":
        return
    if run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    else:
        run_rest.change(draft, waiting="turn", heard=draft.at)
        draft.set_deadline(run_rest.STALL, draft.policy.full_auto.stall_seconds)
    turns.advance(draft)


def next_message(state: ThreadState) -> Queued | None:
    """The message that may start a turn now. On a thread that a run drives, its slot must have come; on one whose run
    does not run, only what a person says."""
    run = state.run
    if run is None or not run.active:
        return next((one for one in state.queue if one.purpose == "user" and not of_run(one, run)), None)
    if run.waiting != "turn" or run.stop_asked or run.pause_asked:
        return None
    return state.queue[0] if state.queue else None


def of_run(message: Queued, run: Run | None) -> bool:
    """The run's own words: its goal goes out as a person's message, and still waits for the run."""
    return message.purpose == "continue" or (run is not None and begins(message, run))


def begins(message: Queued, run: Run) -> bool:
    """Whether it is what the run was ordered with."""
    return run.id == f"r{message.seq}"


def sequence_over(draft: ThreadDraft) -> None:
    """A sequence ended without a handoff, so nobody has sent the agent on."""
    run, turn = draft.state.run, draft.state.turn
    if run is None or not run.active or (turn is not None and not compacts(draft.state, turn.id)):
        return
    if run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    elif run.waiting == "resume":
        go_on_after_absence(draft)
    elif run.waiting in ("sequence", "turn"):
        if any(one.purpose in WORK for one in draft.state.queue):
            queue_up(draft)
        else:
            draft.note(Reason.RUN_CONTINUED_SEQUENCE, run=run.id)
            go_on(draft)


def comes_to_rest(draft: ThreadDraft) -> bool:
    """Before a judgment is acted upon: whether the run must end first. Then nothing is compacted for it."""
    run = draft.state.run
    if run is None or not run.active:
        return False
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    elif over is not None:
        run_rest.stop(draft, "stopped", over.reason, over.detail)
    return not run_rest.run_of(draft).active


def judgment_over(draft: ThreadDraft) -> None:
    """Nothing is compacted after all. A message that already has its slot goes out by itself."""
    run = draft.state.run
    if not comes_to_rest(draft) and run is not None and run.waiting != "turn":
        sequence_over(draft)


def sequence_cancelled(draft: ThreadDraft) -> None:
    """Its turn was interrupted: for a budget, or by a person, and then the run is theirs too."""
    run = draft.state.run
    if run is None or not run.active:
        return
    over = next((guard for guard in run_guards.budgets(run, now=draft.at) if guard.hit), None)
    if run.stop_asked or run.pause_asked:
        run_rest.settle(draft)
    elif over is not None:
        run_rest.stop(draft, "stopped", over.reason, over.detail)
    else:
        run_rest.stop(draft, "paused", Reason.RUN_PAUSED_INTERRUPTED, "a person interrupted rawr")


def absent(draft: ThreadDraft, *, since: int) -> None:
    """rawr was away. A run does not go on by itself because some rawr starts on this home: it is resumed by name. The
    time of its absence is not used up."""
    run = draft.state.run
    if run is None or not run.active:
        return
    if since:
        run_rest.change(draft, stretch=run.stretch + max(draft.at - max(since, run.stretch), 0))
    run_rest.stop(draft, "paused", Reason.RUN_PAUSED_AWAY, "rawr ended while it ran")


def closed(draft: ThreadDraft, reason: Reason, detail: str) -> None:
    run = draft.state.run
    if run is not None and run.active:
        status: Status = "paused" if reason is Reason.RUN_PAUSED_CLOSED else "failed"
        run_rest.stop(draft, status, reason, detail)
