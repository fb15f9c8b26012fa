"""What a run does next, once a turn of work has ended: done, stopped by a guard, or continue (C2, C4, C6).

One arbiter, in this order: is the job done, do the guards object, and, only if the run continues, is this a moment to
compact? So a finished job is not compacted and continued.
"""

from rawr.core.compaction.phrases import words
from rawr.core.draft import ThreadDraft
from rawr.core.events import GuidanceWanted
from rawr.core.run import advice, checks, ending, going_on, guards, instructions, progress
from rawr.core.state.turn import TurnOutcome
from rawr.core.vocabulary.reasons import Reason


def decide(draft: ThreadDraft, turn: TurnOutcome) -> None:
    """The deterministic policy; if it leaves a choice, a model may be asked."""
    claimed = _claims_done(draft, turn)
    ending.change(draft, claimed=claimed)
    if claimed:
        claimed_done(draft)
    elif checks.due(ending.run_of(draft), now=draft.at):
        checks.check(draft, Reason.RUN_CHECKED_WORK)
    else:
        not_done(draft)


def not_done(draft: ThreadDraft) -> None:
    """Nobody says that the job is done: the guards come first, then whoever decides, then the rules."""
    run = ending.run_of(draft)
    budgets, soft = guards.budgets(run, now=draft.at), guards.soft(run, draft.policy.full_auto)
    asked = (*budgets, *soft)
    error = progress.new_problem(run)
    if error and not any(guard.hit for guard in budgets) and checks.may_review(run, "on-error"):
        ending.change(draft, reviewed=(*run.reviewed, error))
        checks.review(draft, asked)
    elif not ending.rests_by_guard(draft, asked) and not _somebody_else_decides(draft):
        if _sounds_done(draft):
            ending.remark(draft, instructions.is_that_all())
        going_on.by_rules(draft, asked)


def claimed_done(draft: ThreadDraft) -> None:
    """The agent says that it is done. Only a check can confirm it (C7)."""
    run = ending.run_of(draft)
    if run.order.done:
        checks.check(draft, Reason.RUN_CHECKED_CLAIM)
    elif any(guard.hit for guard in guards.budgets(run, now=draft.at)) or not _somebody_else_decides(draft):
        checks.finish(draft, "self_reported")


def _somebody_else_decides(draft: ThreadDraft) -> bool:
    """Return True if guidance, or a model, decides what comes next."""
    if ending.run_of(draft).guidance is not None:
        draft.emit(GuidanceWanted("decision"))
        return True
    if advice.asks(draft):
        advice.ask(draft)
        return True
    return False


def _claims_done(draft: ThreadDraft, turn: TurnOutcome) -> bool:
    """By the words it was asked to use, or by its plan. Where there is a check to say no, any other words do too."""
    steps = draft.state.plan.steps
    if instructions.says_finished(turn.agent_text) or (steps and all(step.status == "completed" for step in steps)):
        return True
    return bool(ending.run_of(draft).order.done) and _sounds_done(draft)


def _sounds_done(draft: ThreadDraft) -> bool:
    """In its own words. A part that is done sounds the same, so nothing ends for it."""
    turn = draft.state.last_turn
    said = turn.agent_text if turn is not None else ""
    return any(kind == "agent_done" for kind, _ in words(said, draft.policy.compaction.markers))
