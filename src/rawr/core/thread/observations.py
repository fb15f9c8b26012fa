"""Facts that only change what is known: plan, diff, usage, errors, goals, the thread itself."""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.state.thread import (
    MAX_ERRORS,
    MAX_PLAN_TRAIL,
    MAX_STEP_ACTION,
    MAX_STEP_ACTIONS,
    Diff,
    Goal,
    Plan,
    StepDone,
    Usage,
)
from rawr.core.state.turn import WORK
from rawr.core.text import head
from rawr.core.thread import joining, limiting, repository, session
from rawr.core.thread.rewording import rewordings
from rawr.core.vocabulary.facts import (
    DiffUpdated,
    ErrorReported,
    GoalCleared,
    GoalUpdated,
    PlanStep,
    PlanUpdated,
    ReasoningKept,
    ThreadOpened,
    UsageUpdated,
)
from rawr.core.vocabulary.items import Command, FileChange, ToolCall
from rawr.core.vocabulary.payloads import PlanChanged, PlanMade, StepsCompleted


def thread_opened(draft: ThreadDraft, fact: ThreadOpened) -> None:
    state = draft.state
    draft.change(
        cwd=fact.cwd or state.cwd,
        model=fact.model or state.model,
        parent=fact.parent or state.parent,
        ephemeral=fact.ephemeral,
        ours=state.ours or fact.ours,
        shared=state.shared or fact.shared,
        online=state.online or fact.ours,
        wanted=state.wanted or fact.ours,
        closed=False,
        token_budget=state.token_budget or fact.token_budget,
        native=fact.native or state.native,
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
    moved = newly_completed(plan.steps, fact.steps)
    # Nobody can tell apart what was done for steps that were completed together.
    done = tuple(StepDone(step, draft.at, fact.turn, plan.actions, plan.acted) for step in moved)
    trail = (*plan.trail, *done)[-MAX_PLAN_TRAIL:]
    actions, acted = ((), 0) if done or not plan.steps else (plan.actions, plan.acted)
    draft.state = replace(draft.state, plan=Plan(fact.steps, fact.explanation, trail, actions, acted))
    running = draft.state.turn or (draft.state.last_turn if fact.found is not None else None)
    gates = running is None or running.purpose in WORK
    far = _how_far(fact.steps)
    if not plan.steps and fact.steps:
        draft.signal("plan_created", PlanMade(fact.steps[0].step, len(fact.steps)), source="plan_tool", turn=fact.turn)
    elif plan.steps != fact.steps and fact.steps:
        draft.signal("plan_update", far, source="plan_tool", turn=fact.turn, gates=gates)
    for step in moved:
        completed = StepsCompleted((step,), far.completed, far.steps, plan.acted)
        draft.signal("plan_step_completed", completed, source="plan_tool", turn=fact.turn)
    if moved:
        completed = StepsCompleted(moved, far.completed, far.steps, plan.acted)
        draft.signal("plan_checkpoint", completed, source="plan_tool", turn=fact.turn, gates=gates)


def _how_far(steps: tuple[PlanStep, ...]) -> PlanChanged:
    statuses = [one.status for one in steps]
    current = steps[statuses.index("in_progress")].step if "in_progress" in statuses else ""
    return PlanChanged(len(steps), statuses.count("completed"), current)


def acted(draft: ThreadDraft, item: Command | FileChange | ToolCall, _turn: str) -> None:
    """What is done between two steps of the plan is done for the second."""
    plan = draft.state.plan
    if not plan.steps:
        return
    match item:
        case Command():
            done = item.meant
        case FileChange():
            done = ", ".join(one.moved_to or one.path for one in item.changes)
        case ToolCall():
            done = item.tool
    actions = (*plan.actions, head(done, MAX_STEP_ACTION))[-MAX_STEP_ACTIONS:]
    plan = Plan(plan.steps, plan.explanation, plan.trail, actions, plan.acted + 1)
    draft.state = replace(draft.state, plan=plan)


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
    open_before = [step.step for step in before if step.status != "completed"]
    done_before = [step.step for step in before if step.status == "completed"]
    reworded: list[str] | None = None
    moved: list[str] = []
    for step in after:
        if step.status != "completed":
            continue
        if step.step in done_before:
            done_before.remove(step.step)
        elif step.step in open_before:
            open_before.remove(step.step)
            moved.append(step.step)
        else:
            if reworded is None:
                reworded = rewordings(before, after)
            if step.step in reworded:
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


def reasoning_kept(draft: ThreadDraft, fact: ReasoningKept) -> None:
    before = 0 if fact.anew else draft.state.reasoning
    draft.change(reasoning=before + fact.tokens)


def error_reported(draft: ThreadDraft, fact: ErrorReported) -> None:
    draft.change(errors=(*draft.state.errors, fact.problem)[-MAX_ERRORS:])


def goal_updated(draft: ThreadDraft, fact: GoalUpdated) -> None:
    draft.change(goal=Goal(fact.objective, fact.status))


def goal_cleared(draft: ThreadDraft, _fact: GoalCleared) -> None:
    draft.change(goal=None)
