"""Facts that only change what is known: plan, diff, usage, errors, goals, the thread itself."""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.state.thread import MAX_ERRORS, MAX_PLAN_TRAIL, Diff, Goal, Plan, StepDone, Usage
from rawr.core.state.turn import WORK
from rawr.core.thread import joining, limiting, repository, session
from rawr.core.thread.rewording import rewordings
from rawr.core.vocabulary.facts import (
    DiffUpdated,
    ErrorReported,
    GoalCleared,
    GoalUpdated,
    PlanStep,
    PlanUpdated,
    ThreadOpened,
    UsageUpdated,
)


def thread_opened(draft: ThreadDraft, fact: ThreadOpened) -> None:
    state = draft.state
    draft.change(
        cwd=fact.cwd or state.cwd,
        model=fact.model or state.model,
        parent=fact.parent or state.parent,
        ephemeral=fact.ephemeral,
        ours=state.ours or fact.ours,
        online=state.online or fact.ours,
        wanted=state.wanted or fact.ours,
        closed=False,
        token_budget=state.token_budget or fact.token_budget,
        server=fact.server or state.server,
        session_id=fact.session_id or state.session_id,
    )
    limiting.opened(draft, fact.limits, fact.in_force)
    session.opened(draft, fact)
    if fact.ours:
        repository.watch(draft)
    else:
        joining.opened(draft)


def plan_updated(draft: ThreadDraft, fact: PlanUpdated) -> None:
    plan = draft.state.plan
    if fact.found is not None and not _is_news(draft, fact):
        return
    done = tuple(StepDone(step, draft.at, fact.turn) for step in newly_completed(plan.steps, fact.steps))
    draft.state = replace(draft.state, plan=Plan(fact.steps, fact.explanation, (*plan.trail, *done)[-MAX_PLAN_TRAIL:]))
    running = draft.state.turn or (draft.state.last_turn if fact.found is not None else None)
    gates = running is None or running.purpose in WORK
    if not plan.steps and fact.steps:
        draft.signal("plan_created", source="plan_tool", turn=fact.turn, detail=fact.steps[0].step)
    elif plan.steps != fact.steps and fact.steps:
        draft.signal("plan_update", source="plan_tool", turn=fact.turn, gates=gates)
    for one in done:
        draft.signal("plan_step_completed", source="plan_tool", turn=fact.turn, detail=one.step)
    if done:
        draft.signal("plan_checkpoint", source="plan_tool", turn=fact.turn, detail=done[-1].step, gates=gates)


def _is_news(draft: ThreadDraft, fact: PlanUpdated) -> bool:
    """A plan from the session file. One that was made before we joined is known from here on, and says nothing new."""
    plan, file = draft.state.plan, draft.state.session
    if file is not None and file.mark is None:
        if not plan.steps:
            draft.change(plan=Plan(fact.steps, fact.explanation))
        return False
    return fact.steps != plan.steps


def newly_completed(before: tuple[PlanStep, ...], after: tuple[PlanStep, ...]) -> tuple[str, ...]:
    """The steps that moved to completed between two states of one plan.

    A step that is new and already completed did not *move*; nor did one that was completed before (B7). Steps are
    distinguished by their text, and a repeated text counts as often as it occurs. One that was reworded as it was
    completed is the same step where that is plain.
    """
    reworded = rewordings(before, after)
    open_before: dict[str, int] = {}
    for step in before:
        if step.status != "completed":
            open_before[step.step] = open_before.get(step.step, 0) + 1
    moved: list[str] = []
    done_before = [step.step for step in before if step.status == "completed"]
    for step in after:
        if step.status != "completed":
            continue
        if step.step in done_before:
            done_before.remove(step.step)
        elif open_before.get(step.step, 0) > 0:
            open_before[step.step] -= 1
            moved.append(step.step)
        elif step.step in reworded:
            reworded.remove(step.step)
            moved.append(step.step)
    return tuple(moved)


def diff_updated(draft: ThreadDraft, fact: DiffUpdated) -> None:
    draft.state = replace(draft.state, diff=Diff(fact.turn, fact.digest, fact.files, fact.files_omitted))


def usage_updated(draft: ThreadDraft, fact: UsageUpdated) -> None:
    # A report without the window does not make the window unknown again.
    window = fact.window
    if window is None and draft.state.usage is not None:
        window = draft.state.usage.window
    draft.state = replace(draft.state, usage=Usage(fact.in_context, fact.spent, window))


def error_reported(draft: ThreadDraft, fact: ErrorReported) -> None:
    draft.change(errors=(*draft.state.errors, fact.problem)[-MAX_ERRORS:])


def goal_updated(draft: ThreadDraft, fact: GoalUpdated) -> None:
    draft.change(goal=Goal(fact.objective, fact.status))


def goal_cleared(draft: ThreadDraft, _fact: GoalCleared) -> None:
    draft.change(goal=None)
