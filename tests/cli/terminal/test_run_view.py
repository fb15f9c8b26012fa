"""A run as it is shown (C16, C18)."""

import pytest
from msgspec.structs import replace
from rawr.cli.terminal.run_view import PROMPT, RunView, ending, named, plan_line, progress

from rawr.cli.terminal.conversation import ASCII_MARKS
from rawr.cli.terminal.lines import Line
from rawr.core.kernel import Kernel, Taken
from rawr.core.run.plan import Stage
from rawr.core.state.ledger import Commit, Ledger, Touched
from rawr.core.state.run import Run, Stop, Waiting
from rawr.core.state.thread import ActiveTurn, Plan, ThreadState, Usage
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.order import Budgets, Order
from tests.cli.terminal.test_conversation import Kept
from tests.core.runs import DONE, GOAL, RULES
from tests.core.samples import AT, IDLE, WINDOW

RUN = Run("r1", Order(goal="g"), "running", AT, AT, waiting="turn")


def state(run: Run = RUN, **changes: object) -> ThreadState:
    return replace(IDLE, run=run, **changes)


# -- how far it is --------------------------------------------------------------------------------------------------


def test_progress_says_turn_plan_tokens_context_and_time() -> None:
    """C18."""
    plan = Plan((PlanStep("a", "completed"), PlanStep("b", "pending")))
    run = replace(RUN, turns=2, tokens=152_000)
    now = state(run, plan=plan, turn=ActiveTurn("T3", AT), usage=Usage(80_000, 152_000, WINDOW))
    assert progress(now, now=AT + 65_000) == "turn 3/200, plan 1/2, 152 k tokens, 72 % left, 1:05"


def test_progress_says_what_the_budgets_leave() -> None:
    """C18."""
    budgets = Budgets(turns=9, tokens=2_000_000, minutes=90, cost=3_000_000)
    run = replace(RUN, order=Order(goal="g", budgets=budgets), turns=4, tokens=1_250_000, cost=1_240_000)
    line = progress(state(run), now=AT + 3_725_000)
    assert line == "turn 4/9, 1.2 M/2 M tokens, 1:02:05/90 min, 1.24/3.00"


@pytest.mark.parametrize(
    ("waiting", "shown"), [("turn", ""), ("slot", ""), ("check", "waits: check"), ("limit", "waits: limit")]
)
def test_progress_says_what_is_waited_for(waiting: Waiting, shown: str) -> None:
    """C18."""
    line = progress(state(replace(RUN, waiting=waiting)), now=AT)
    assert line.endswith(shown)
    assert ("waits" in line) == bool(shown)


def test_without_a_run_there_is_nothing_to_say() -> None:
    assert progress(IDLE, now=AT) == ""
    assert ending(IDLE) == "There was no run."


def test_a_run_that_is_paused_does_not_grow_older() -> None:
    """C5, C13."""
    paused = replace(RUN, status="paused", used_ms=61_000)
    assert "1:01" in progress(state(paused), now=AT + 10**9)


def test_a_turn_that_is_not_judged_yet_is_still_the_turn() -> None:
    """C18: a look at the repository is under way, and until then it is not counted."""
    assert progress(state(unjudged=True), now=AT).startswith("turn 1/200")


# -- the run's own plan ---------------------------------------------------------------------------------------------


def test_the_plan_is_shown_as_the_agents_is() -> None:
    """C16."""
    plan = (Stage("work", "completed"), Stage("check", "in_progress", "attempt 2"), Stage("report", "pending"))
    assert plan_line(plan, ASCII_MARKS) == "[x] work   [>] check (attempt 2)   [ ] report"


def test_the_plan_is_shown_at_the_start_and_when_it_changes() -> None:
    """C16: and not again when the run only rests."""
    story: list[facts.AnyFact] = [
        facts.ThreadOpened(cwd="/p", ours=True),
        facts.RunSubmitted(order=Order(goal=GOAL, done="make")),
        facts.SlotGranted(),
        facts.TurnStarted(turn="T1"),
        facts.ItemCompleted(turn="T1", item=items.AgentMessage(id="a", text=DONE)),
        facts.TurnCompleted(turn="T1", status="completed"),
        facts.ThreadClosed(),
    ]
    printer = shown(("t", *story))[0]
    assert [line.text for line in printer.lines if "work" in line.text] == [
        "▸ work   ○ check   ○ report",
        "✓ work   ▸ check   ○ report",
    ]
    assert printer.statuses[-1] == "", "nothing runs, so nothing stands"


def test_of_a_run_that_was_done_before_nothing_is_shown() -> None:
    """C16: it is in the journal, and this is about another."""
    printer, view = shown()
    view.states = {"t": state(replace(RUN, status="done", done="checked", stop=Stop("x")))}
    view.taken(Taken(facts.Recorded(1, AT, "t", facts.RuntimeStarted(version="0", policy=""))))
    assert (printer.lines, printer.statuses) == ([], [""])


# -- the last word --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "first"),
    [
        (
            replace(RUN, status="done", done="checked", stop=Stop("run.done.checked")),
            "Done, and the check passed. run.done.checked.",
        ),
        (
            replace(RUN, status="done", done="self_reported", stop=Stop("run.done.reported")),
            "Done, by the agent's own word: nothing checked it. run.done.reported.",
        ),
        (
            replace(RUN, status="stopped", stop=Stop("run.stopped.turns", "9 of 9")),
            "Not done: stopped. run.stopped.turns: 9 of 9.",
        ),
        (RUN, "Not done: running. it still runs."),
    ],
)
def test_the_end_names_the_stop_and_whether_it_was_checked(run: Run, first: str) -> None:
    """C7, C18."""
    assert ending(state(run)).splitlines()[0] == first


def test_the_end_says_what_was_done() -> None:
    """C18."""
    run = replace(RUN, status="done", done="checked", turns=1, tokens=900, used_ms=61_000, stop=Stop("x"))
    kept = Ledger(commits=(Commit("a", "s"), Commit("b", "t")), files=(Touched("x", "add"),))
    line = ending(state(run, ledger=kept, compaction_count=2)).splitlines()[1]
    assert line == "1 turn, 2 commits, 1 file changed, 2 compactions, 900 tokens, 1:01."


# -- while it happens -----------------------------------------------------------------------------------------------


def shown(*stories: tuple[str | facts.AnyFact, ...]) -> tuple[Kept, RunView]:
    """What a view shows of these threads, each by its name and its facts."""
    printer, kernel = Kept(), Kernel(RULES)
    view = RunView(printer, symbols=True)
    view.states = kernel.threads
    for thread, *story in stories:
        for n, fact in enumerate(story):
            assert isinstance(thread, str)
            assert not isinstance(fact, str)
            view.taken(kernel.take(thread, fact, at=AT + n))
    return printer, view


OPENED = facts.ThreadOpened(cwd="/p", ours=True)
BEGUN = (OPENED, facts.RunSubmitted(order=Order(goal=GOAL)), facts.SlotGranted(), facts.TurnStarted(turn="T1"))


def test_the_view_shows_each_decision_and_how_far_it_is() -> None:
    """C18."""
    failed = facts.TurnCompleted(turn="T1", status="failed", problem=facts.Problem("down", code="serverOverloaded"))
    printer, _ = shown(("t", *BEGUN, failed))
    assert "The turn failed for a reason that may pass." in printer.texts
    assert any(line.who == "auto" and line.text.startswith("turn 1/200") for line in printer.lines)
    assert printer.statuses[-1].endswith("waits: retry")


def test_a_thread_without_a_run_has_no_line_of_its_own() -> None:
    printer, _ = shown(("t", facts.TurnStarted(turn="T1"), facts.TurnCompleted(turn="T1", status="completed")))
    assert not [line for line in printer.lines if line.who == "auto"]


def test_with_several_runs_each_line_says_which() -> None:
    """C12: by the run's id, which is what one types, and its goal."""
    order = facts.RunSubmitted(order=Order(goal="Second job.\nWith a very long description of it."))
    ended = facts.TurnCompleted(turn="T1", status="completed")
    printer, view = shown(("aaaa", *BEGUN), ("bbbb", OPENED, order, facts.SlotGranted()), ("aaaa", ended))
    assert view.label("aaaa") == f"[r2 {GOAL}] "
    assert view.label("bbbb") == "[r6 Second job. With a very long …] "
    first, second, third = [line.text for line in printer.lines if line.who == "auto"]
    assert (first, second) == ("▸ work   ○ report", "[r6 Second job. With a very long …] ▸ work   ○ report")
    assert third.startswith(f"[r2 {GOAL}] turn 1/200")


def test_what_is_typed_stands_in_the_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """C18: whatever else is shown meanwhile; of a long line its end, in columns."""
    monkeypatch.setenv("COLUMNS", "20")
    printer, view = shown(("t", *BEGUN))
    stood = printer.statuses[-1]
    view.typing("y")
    view.show("t", Line("rawr", "something"))
    assert (printer.statuses[-1], printer.texts[-1]) == (f"{PROMPT}y", "something")
    view.typing("0123456789" * 3)
    assert printer.statuses[-1] == ("0123456789" * 3)[-19:]
    view.typing("漢" * 30)
    assert printer.statuses[-1] == "漢" * 9
    view.typing(None)
    assert printer.statuses[-1] == stood


def test_a_question_that_is_put_needs_no_notice_beside_it() -> None:
    """C10."""
    printer, view = shown(("t", *BEGUN))
    view.tell(Line("asks", "May I?"), instead_of=[("t", "May I? waits.")])
    view.notify("t", "info", "May I? waits.")
    view.notify("t", "info", "May I? waits.")
    assert printer.texts[-2:] == ["May I?", "May I? waits."]


def test_a_name_is_short() -> None:
    assert named(RUN) == "r1 g"
