"""Full Auto: what follows the end of a turn. Continue, check, review, wait, pause or stop (C1–C9)."""

from msgspec.structs import replace

from rawr.core.compaction import breaker
from rawr.core.compaction.tracking import compacts
from rawr.core.draft import ThreadDraft
from rawr.core.events import GuidanceOvertaken, GuidanceWanted
from rawr.core.run import ending, failures, going_on, guards, instructions, next_move, progress, resuming
from rawr.core.run.progress import work_digest
from rawr.core.run.table import Move
from rawr.core.state.run import MAX_HISTORY
from rawr.core.state.turn import TurnOutcome
from rawr.core.thread import outbox
from rawr.core.vocabulary.facts import SessionRead, TreeSeen
from rawr.core.vocabulary.reasons import Reason


def turn_ended(draft: ThreadDraft, turn: TurnOutcome) -> bool:
    """Decide what comes next. Return True if a run took care of it; otherwise it is an ordinary turn's end."""
    run = draft.state.run
    if run is None or not run.active:
        return False
    if turn.synthetic and turn.purpose not in ("handoff", "recovery"):
        return True
    if compacts(draft.state, turn.id):
        _compaction_over(draft, turn)
        return True
    # Another turn came in between: the model's answer would be about the one before it.
    ending.drop_questions(draft)
    draft.emit(GuidanceOvertaken())
    _account(draft, turn)
    if ending.rests_as_asked(draft):
        return True
    if run.check or (run.review and not turn.review) or (run.opens and run.waiting == "guidance"):
        # Another client's turn came in between; the requested one is still to come.
        return True
    ending.move(draft, Move.TURN_ENDED)
    if run.opens:
        draft.emit(GuidanceWanted("opening"))
        return True
    ending.change(draft, review="")
    draft.cancel_deadline(ending.RETRY)
    _ended_somehow(draft, turn, was_resumed=run.waiting == "resume")
    return True


def files_matter(draft: ThreadDraft) -> bool:
    """Return True if the files that a turn wrote may change what is decided at its end: a compaction, for which they
    are on record, or a guard, which looks for progress. If there is a check, its own files must not be among them."""
    run = draft.state.run
    if run is None or not run.active:
        return True
    left = breaker.percent(draft.state)
    checked = bool(run.order.done) and run.order.check == "every-turn"
    roomy = left is not None and left >= max(draft.policy.thresholds.values())
    return checked or not roomy or guards.is_near(run, draft.policy.full_auto)


def report_matters(draft: ThreadDraft, turn: TurnOutcome) -> bool:
    """Return True if what Codex did not report of a turn may change what is decided at its end even where files do not:
    a model decides, errors are reviewed, or the turn seems to have done nothing."""
    run = draft.state.run
    if run is None or turn.status != "completed" or turn.synthetic:
        return True
    by_model = draft.policy.models.decisions == "model" or run.guidance is not None
    return by_model or run.order.review == "on-error" or not (turn.commands or turn.files or turn.tools)


def session_read(draft: ThreadDraft, fact: SessionRead) -> None:
    """What Codex did not report of a turn that was judged without it: it counts for the turns to come."""
    file, run, turn = draft.state.session, draft.state.run, draft.state.last_turn
    if file is None or file.reading != fact.effect or not fact.found or turn is None or turn.id != file.late:
        return
    if run is None or not run.history or run.history[-1].turn != turn.id:
        return
    known = progress.summarise(draft.state, turn, tokens=run.tokens)
    last = replace(
        run.history[-1],
        actions=known.actions,
        problem=known.problem,
        commands=known.commands,
        commands_failed=known.commands_failed,
        files=known.files,
        tools=known.tools,
    )
    ending.change(draft, history=(*run.history[:-1], last))


def tree_seen(draft: ThreadDraft, fact: TreeSeen) -> None:
    """A look for which nobody waited is back: what the turn did is known only now."""
    run = draft.state.run
    if run is None or not run.history:
        return
    history = run.history if fact.changes else progress.seen_first(run.history, draft.state)
    if history[-1].turn == fact.turn:
        history = (*history[:-1], replace(history[-1], work=work_digest(draft.state)))
    if history != run.history:
        ending.change(draft, history=history)


def _ended_somehow(draft: ThreadDraft, turn: TurnOutcome, *, was_resumed: bool) -> None:
    if turn.status == "failed":
        failures.failed(draft, turn)
    elif turn.status == "interrupted":
        failures.interrupted(draft, turn, was_resumed=was_resumed)
        resuming.go_on_after_absence(draft)
    else:
        _completed(draft, turn)


def _compaction_over(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """Not a turn of the run, and no reason to continue or to stop, unless a person interrupted it."""
    if turn.status == "interrupted" and not turn.lost:
        resuming.sequence_cancelled(draft)
    else:
        resuming.go_on_after_absence(draft)


def _completed(draft: ThreadDraft, turn: TurnOutcome) -> None:
    ending.change(draft, retries=0)
    if turn.review:
        ending.remark(draft, instructions.review_found(turn.review))
        ending.change(draft, claimed=False, passed=False)
    if outbox.work_waits(draft.state):
        if not ending.rests_over_budget(draft):
            going_on.queue_up(draft)
    elif turn.review:
        ending.note(draft, Reason.RUN_CONTINUED_REVIEW, "continue")
        going_on.go_on(draft)
    else:
        next_move.decide(draft, turn)


def _account(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """Compaction turns, reviews and rawr's own turns are no progress and not turns of the run (C1)."""
    run, policy = ending.run_of(draft), draft.policy.full_auto
    if turn.review:
        return
    summary = progress.summarise(draft.state, turn, tokens=run.tokens)
    history = (*run.history, summary)[-max(MAX_HISTORY, guards.remembered(policy)) :]
    acted = bool(turn.commands or turn.files or turn.tools)
    idle = run.wasted + 1 if progress.wasted(run, summary, now=draft.at) else 0
    ending.change(draft, turns=run.turns + 1, history=history, unchecked=run.unchecked or acted, wasted=idle)
