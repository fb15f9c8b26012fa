"""What only changes what is known: plan, diff, usage, errors, goals."""

import pytest
from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.state.messages import Sent
from rawr.core.state.thread import (
    MAX_ERRORS,
    MAX_PLAN_TRAIL,
    MAX_STEP_ACTIONS,
    Diff,
    Goal,
    Plan,
    StepDone,
    ThreadState,
    Usage,
)
from rawr.core.thread.observations import newly_completed
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import StartTurn
from rawr.core.vocabulary.facts import PlanStep, Problem
from rawr.core.vocabulary.payloads import PlanChanged, StepsCompleted
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import AT, HELLO, IDLE, Story, bare, do, fold, seen, take, why


def plan(*steps: str) -> tuple[PlanStep, ...]:
    """``"+a"`` is done, ``">a"`` in progress, ``"-a"`` pending."""
    marks: dict[str, facts.StepStatus] = {"+": "completed", ">": "in_progress", "-": "pending"}
    return tuple(PlanStep(step[1:], marks[step[0]]) for step in steps)


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ((">a", "-b"), ("+a", ">b"), ("a",)),
        (("-a", "-b"), ("+a", "+b"), ("a", "b")),
        (("+a", ">b"), ("+a", ">b"), ()),
        (("+a", ">b"), (">b", "+a"), ()),
        ((), ("+a", "+b"), ()),
        ((">a",), (">a", "+b"), ()),
        ((">a",), (), ()),
        (("+a", "+b"), (), ()),
        ((), (), ()),
        ((">write the tests",), ("+bake a cake",), ()),
        ((">a", ">a"), ("+a", ">a"), ("a",)),
        ((">a", ">a"), ("+a", "+a"), ("a", "a")),
        (("+a", ">a"), ("+a", "+a"), ("a",)),
        (("+a", ">a"), ("+a", ">a"), ()),
        ((">a",), ("+a", "+a"), ("a",)),
        (("+a",), (">a",), ()),
        (("-a", "+b"), ("-b", "+a"), ("a",)),
    ],
    ids=[
        "a step moves",
        "two steps move",
        "the plan is sent again",
        "it is sent again in another order",
        "a first plan with steps already done",
        "a step that is new and done at once",
        "the plan is cleared",
        "a finished plan is cleared",
        "nothing at all",
        "an edited text is another step",
        "one of two equal steps",
        "both of two equal steps",
        "the second of two equal steps",
        "two equal steps, sent again",
        "a done copy beside a step that moved",
        "a step is opened again",
        "one moves and one is opened again",
    ],
)
def test_a_step_that_moved_to_completed(
    before: tuple[str, ...], after: tuple[str, ...], moved: tuple[str, ...]
) -> None:
    """B7: a checkpoint is a step that moves, compared with the plan before; clearing, re-sending or editing is none."""
    assert newly_completed(plan(*before), plan(*after)) == moved


def test_a_plan_leaves_a_trail() -> None:
    """B7, A8: a plan that is sent again adds nothing to the trail, so it cannot fire twice."""
    first = facts.PlanUpdated(turn="T1", steps=plan(">a", "-b"), explanation="how")
    second = facts.PlanUpdated(turn="T1", steps=plan("+a", ">b"))
    state = fold(IDLE, first)
    assert state == replace(IDLE, plan=Plan(plan(">a", "-b"), "how"))
    done = (StepDone("a", AT, "T1"),)
    update = seen("plan_update", "T1", PlanChanged(2, 1, "b"), source="plan_tool")
    moved = seen("plan_step_completed", "T1", StepsCompleted(("a",), 1, 2), source="plan_tool", n=1)
    checkpoint = seen("plan_checkpoint", "T1", StepsCompleted(("a",), 1, 2), source="plan_tool", n=2)
    after = replace(IDLE, plan=Plan(plan("+a", ">b"), "", done), signals=bare(update, checkpoint))
    assert take(state, second) == Step(after, boundaries=(update, moved, checkpoint))
    assert take(after, second, at=AT + 9) == Step(after)
    cleared = take(after, facts.PlanUpdated(turn="T2", steps=()))
    assert cleared == Step(replace(after, plan=Plan((), "", done)))


def test_what_was_done_for_a_step_is_kept_with_it() -> None:
    """B3: Codex ties no action to a step; what came since the step before is this one's."""
    story = Story(IDLE).begin("T1", "Do it.").tell(facts.PlanUpdated(turn="T1", steps=plan(">a", "-b", "-c")))
    done: list[items.AnyItem] = [
        items.Command(id="1", command="/bin/bash -lc 'make test'", inner="make test", cwd="/p", status="completed"),
        items.FileChange(id="2", changes=(items.Change("/p/a.py", "add"),), status="completed"),
        items.ToolCall(id="3", tool="find", status="completed"),
    ]
    story.tell(*(facts.ItemCompleted(turn="T1", item=one) for one in done))
    story.tell(facts.PlanUpdated(turn="T1", steps=plan("+a", ">b", "-c")))
    story.tell(*(facts.ItemCompleted(turn="T1", item=replace(done[0], id=f"c{n}")) for n in range(99)))
    story.tell(facts.PlanUpdated(turn="T1", steps=plan("+a", "+b", "+c")))
    first, second, third = story.state.plan.trail
    assert first.actions == ("make test", "/p/a.py", "find")
    assert second.actions == third.actions == ("make test",) * MAX_STEP_ACTIONS
    assert story.state.plan.actions == ()
    assert [one.acted for one in story.state.plan.trail] == [3, 99, 99]
    assert story.newest.boundaries[-1].payload == StepsCompleted(("b", "c"), 3, 3, actions=99)


def test_the_trail_is_bounded() -> None:
    state = IDLE
    for number in range(MAX_PLAN_TRAIL + 5):
        todo = facts.PlanUpdated(turn="T", steps=plan(f"-{number}"))
        state = fold(state, todo, facts.PlanUpdated(turn="T", steps=plan(f"+{number}")))
    assert [done.step for done in state.plan.trail] == [str(number) for number in range(5, MAX_PLAN_TRAIL + 5)]


def test_usage_is_what_the_context_holds_now() -> None:
    """A4: never the cumulative total; a report without the window does not make the window unknown."""
    known = facts.UsageUpdated(turn="T1", in_context=40_500, spent=90_500, window=258_400, cached_input=5, output=1)
    state = take(IDLE, known).state
    assert take(IDLE, known) == Step(replace(IDLE, usage=Usage(40_500, 90_500, 258_400)))
    later = facts.UsageUpdated(turn="T1", in_context=10_000, spent=99_000)
    assert take(state, later) == Step(replace(IDLE, usage=Usage(10_000, 99_000, 258_400)))
    assert take(IDLE, later) == Step(replace(IDLE, usage=Usage(10_000, 99_000, None)))


def test_a_diff_is_the_newest_whole_one() -> None:
    files = (facts.FileDelta("a.py", 3, 1),)
    fact = facts.DiffUpdated(turn="T1", digest="abc", files=files, files_omitted=2)
    assert take(IDLE, fact) == Step(replace(IDLE, diff=Diff("T1", "abc", files, 2)))


def test_errors_are_kept_up_to_a_bound() -> None:
    problems = [Problem(str(number)) for number in range(MAX_ERRORS + 2)]
    state = fold(IDLE, *(facts.ErrorReported(turn="T1", problem=problem) for problem in problems))
    assert state == replace(IDLE, errors=tuple(problems[2:]))


def test_a_goal_is_seen_and_cleared() -> None:
    """C14: a goal of Codex's own on the thread is known."""
    state = take(IDLE, facts.GoalUpdated(objective="ship", status="active")).state
    assert state == replace(IDLE, goal=Goal("ship", "active"))
    assert take(state, facts.GoalCleared()) == Step(IDLE)


def test_a_thread_of_our_own_is_followed_from_its_start() -> None:
    fresh = ThreadState("t")
    opened = facts.ThreadOpened(cwd="/project", model="m", ours=True)
    assert take(fresh, opened) == Step(ThreadState("t", cwd="/project", model="m", ours=True, online=True, wanted=True))
    seen = facts.ThreadOpened(cwd="/project", model="m")
    assert take(take(fresh, opened).state, seen).state.ours, "the server's own notice does not take it away"


def test_somebody_elses_thread_is_only_known() -> None:
    seen = facts.ThreadOpened(cwd="/project", parent="p", ephemeral=True)
    assert take(ThreadState("t"), seen) == Step(ThreadState("t", cwd="/project", parent="p", ephemeral=True))


def test_what_waited_for_a_thread_goes_out_when_it_is_there() -> None:
    """A15: a message that came before its thread is delivered when the thread opens."""
    waiting = replace(ThreadState("t"), queue=(HELLO,))
    opened = facts.ThreadOpened(cwd="/project", ours=True)
    state = ThreadState("t", cwd="/project", ours=True, online=True, wanted=True, sent=(Sent("t:7.0", HELLO),))
    assert take(waiting, opened) == Step(
        state, (do(StartTurn(text="hello")),), (why(Reason.TURN_STARTED_INPUT, message=3, waiting=0),)
    )
