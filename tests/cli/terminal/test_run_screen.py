"""A run as it is shown while it happens (C16, C18)."""

import pytest
from msgspec.structs import replace

from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.run_screen import PROMPT, RunScreen
from rawr.cli.terminal.run_words import how_it_failed
from rawr.core.kernel import Kernel, Taken
from rawr.core.state.run import Run, Stop
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.order import Order
from rawr.core.vocabulary.requests import CommandApproval
from rawr.views import events as e
from tests.cli.terminal.test_conversation import Kept
from tests.core.runs import DONE, GOAL, RULES
from tests.core.samples import AT, IDLE

RUN = Run("r1", Order(goal="g"), "running", AT, AT, waiting="turn")

# -- the run's own plan ---------------------------------------------------------------------------------------------


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
    view.states = {"t": replace(IDLE, run=replace(RUN, status="done", done="checked", stop=Stop("x")))}
    view.taken(Taken(facts.Recorded(1, AT, "t", facts.RuntimeStarted(version="0", policy=""))))
    assert (printer.lines, printer.statuses) == ([], [""])


# -- while it happens -----------------------------------------------------------------------------------------------


def shown(*stories: tuple[str | facts.AnyFact, ...]) -> tuple[Kept, RunScreen]:
    """What a screen shows of these threads, each by its name and its facts."""
    printer, kernel = Kept(), Kernel(RULES)
    screen = RunScreen(printer, symbols=True)
    screen.states = kernel.threads
    for thread, *story in stories:
        for n, fact in enumerate(story):
            assert isinstance(thread, str)
            assert not isinstance(fact, str)
            screen.taken(kernel.take(thread, fact, at=AT + n))
    return printer, screen


OPENED = facts.ThreadOpened(cwd="/p", ours=True)
BEGUN = (OPENED, facts.RunSubmitted(order=Order(goal=GOAL)), facts.SlotGranted(), facts.TurnStarted(turn="T1"))


def test_the_screen_shows_each_decision_and_how_far_it_is() -> None:
    """C18."""
    failed = facts.TurnCompleted(turn="T1", status="failed", problem=facts.Problem("down", code="serverOverloaded"))
    printer, _ = shown(("t", *BEGUN, failed))
    assert "The turn failed for a reason that may pass." in printer.texts
    assert any(line.who == "auto" and line.text.startswith("turn 1/200") for line in printer.lines)
    assert printer.statuses[-1].startswith("retrying 0:02 left | turn 1/200")


def test_a_thread_without_a_run_has_no_line_of_its_own() -> None:
    printer, _ = shown(("t", facts.TurnStarted(turn="T1"), facts.TurnCompleted(turn="T1", status="completed")))
    assert not [line for line in printer.lines if line.who == "auto"]


def test_with_several_runs_each_line_says_which() -> None:
    """C12: by the run's id, which is what one types, and its goal."""
    order = facts.RunSubmitted(order=Order(goal="Second job.\nWith a very long description of it."))
    ended = facts.TurnCompleted(turn="T1", status="completed")
    printer, screen = shown(("aaaa", *BEGUN), ("bbbb", OPENED, order, facts.SlotGranted()), ("aaaa", ended))
    assert screen.label("aaaa") == f"[r2 {GOAL}] "
    assert screen.label("bbbb") == "[r6 Second job. With a very long …] "
    first, second, third = [line.text for line in printer.lines if line.who == "auto"]
    assert (first, second) == ("▸ work   ○ report", "[r6 Second job. With a very long …] ▸ work   ○ report")
    assert third.startswith(f"[r2 {GOAL}] turn 1/200")


def test_what_is_typed_stands_in_the_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """C18: whatever else is shown meanwhile; of a long line its end, in columns."""
    monkeypatch.setenv("COLUMNS", "20")
    printer, screen = shown(("t", *BEGUN))
    stood = printer.statuses[-1]
    screen.typing("y")
    screen.show("t", Line("rawr", "something"))
    assert (printer.statuses[-1], printer.texts[-1]) == (f"{PROMPT}y", "something")
    screen.typing("0123456789" * 3)
    assert printer.statuses[-1] == ("0123456789" * 3)[-19:]
    screen.typing("漢" * 30)
    assert printer.statuses[-1] == "漢" * 9
    screen.typing(None)
    assert printer.statuses[-1] == stood


def test_a_question_that_is_put_needs_no_notice_beside_it() -> None:
    """C10."""
    printer, screen = shown(("t", *BEGUN))
    screen.tell(Line("asks", "May I?"), instead_of=[("t", "May I? waits.")])
    screen.notify("t", "info", "May I? waits.")
    screen.notify("t", "info", "May I? waits.")
    assert printer.texts[-2:] == ["May I?", "May I? waits."]


def test_with_several_runs_a_question_stays_in_the_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """C10, C12: other runs' lines push the question away, but not what it was and how long it can be answered."""
    monkeypatch.setenv("COLUMNS", "120")
    asked = CommandApproval(command="rm x", cwd="/", network=True)
    put = facts.RequestReceived(request="1/0", turn="T1", item="i1", question=asked)
    printer, screen = shown(("aaaa", *BEGUN, put), ("bbbb", *BEGUN))
    screen.typing("y", thread="aaaa", question="approval of: rm x")
    assert printer.statuses[-1] == f"[r2 {GOAL}] approval of: rm x 15:00 left > y"
    said = [line.text for line in printer.lines if line.who not in ("auto", "rawr")]
    assert all(text.startswith("[r") for text in said), said


def test_a_pause_that_is_asked_for_shows_beside_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """C13, C18."""
    monkeypatch.setenv("COLUMNS", "120")
    put = facts.RequestReceived(request="1/0", turn="T1", item="i1", question=CommandApproval(command="rm x", cwd="/"))
    printer, screen = shown(("t", *BEGUN, put, facts.RunPauseSubmitted()))
    screen.typing("y", thread="t", question="approval of: rm x")
    assert printer.statuses[-1].startswith("pauses when its turn ends 1")
    assert printer.statuses[-1].endswith(" left > y")


def test_a_pending_pause_has_a_line_where_none_is_redrawn() -> None:
    """C13, C18: once; not for one that cuts the turn off; and not once more when the turn has ended."""
    waits = (facts.RunPauseSubmitted(), facts.RunPauseSubmitted(), facts.TurnCompleted(turn="T1", status="completed"))
    printer, _ = shown(("t", *BEGUN, *waits))
    assert [line.text for line in printer.lines if "pauses" in line.text] == ["pauses when its turn ends"]
    printer, _ = shown(("t", *BEGUN, facts.RunPauseSubmitted(now=True)))
    assert not [line for line in printer.lines if "pauses" in line.text]


@pytest.mark.parametrize(
    ("code", "timed_out", "words"),
    [
        (2, False, "exit code 2"),
        (-9, False, "killed by signal 9"),
        (None, True, "it did not end in time"),
        (None, False, "it could not be run"),
    ],
)
def test_how_a_check_failed(code: int | None, timed_out: bool, words: str) -> None:
    """C7: the person is told what the agent is told."""
    assert how_it_failed(e.RunChecked(passed=False, exit_code=code, timed_out=timed_out)) == words
