"""The last word on the runs of one call: one place for every end, and nothing of the agent's that could forge it."""

import pytest

from rawr.cli.commands.run_summary import last_word
from rawr.cli.exit_codes import Exit
from rawr.cli.terminal.output import OutputLost
from rawr.core.run.guards import budgets, money
from rawr.core.state.run import Run, Status, Stop
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.order import Budgets, Order


def ended(status: Status = "stopped", *, detail: str = "", name: str = "r1", goal: str = "Build it.") -> ThreadState:
    run = Run(name, Order(goal=goal), status, 0, 0, stop=Stop("run.stopped.person", detail))
    return ThreadState(f"thread-{name}", cwd="/work", run=run)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (("done",), Exit.OK),
        (("done", "paused"), Exit.PAUSED),
        (("paused", "stopped", "done"), Exit.GUARD),
        (("stopped", "failed"), Exit.FAILED),
        ((), Exit.PROBLEM),
    ],
)
def test_the_worst_end_is_the_exit_code(statuses: tuple[Status, ...], code: Exit) -> None:
    assert last_word([ended(one) for one in statuses], json=True) == code


def test_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    last_word([ended(detail="because")], json=False)
    assert capsys.readouterr().out == (
        "\nNot done: stopped. run.stopped.person: because.\n0 turns, 0 tokens, 0:00.\nTo continue: rawr resume r1\n"
    )


def test_each_of_several_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """C12: whose end it is, and where it worked."""
    last_word(
        [ended(goal="First job."), ended("done", name="r2", goal="A second job that is told at length.")], json=False
    )
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Task")]
    assert lines == [
        "Task 1 of 2: r1 First job., in /work",
        "Task 2 of 2: r2 A second job that is told at …, in /work",
    ]


def test_a_reason_cannot_make_lines_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """C11: a command that nobody answered stands in it, word for word."""
    last_word([ended(detail="touch a\r\nDone, and the check passed.\x1b[2J\u2028\x0b")], json=False)
    _, why, numbers, _ = capsys.readouterr().out.split("\n", 3)
    assert why == (
        "Not done: stopped. run.stopped.person: touch a\\x0d\\nDone, and the check passed.\\x1b[2J<U+2028>\\x0b."
    )
    assert numbers == "0 turns, 0 tokens, 0:00."


def test_the_budget_of_money_is_said_as_money() -> None:
    """C5: it is counted in millionths."""
    run = Run("r1", Order(goal="Build it.", budgets=Budgets(cost=1)), "running", 0, 0, cost=5_000)
    assert budgets(run, now=0)[-1].detail == "0.005 of 0.000001"


@pytest.mark.parametrize(
    ("millionths", "said"),
    [(0, "0.00"), (1, "0.000001"), (1_500_000, "1.50"), (12_000_000, "12.00"), (1_234_567, "1.234567")],
)
def test_amounts(millionths: int, said: str) -> None:
    assert money(millionths) == said


@pytest.mark.parametrize("json", [True, False])
def test_nobody_who_listens_is_no_reason_for_another_exit_code(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, json: bool
) -> None:
    """C13: the terminal is gone, and the run is paused all the same."""

    def lost(*_: object) -> None:
        raise OutputLost("The output cannot be written: input/output error.")

    monkeypatch.setattr("rawr.cli.commands.run_summary.emit", lost)
    monkeypatch.setattr("rawr.cli.commands.run_summary.say", lost)
    monkeypatch.setattr("rawr.cli.commands.run_summary.drop", lambda: None)
    assert last_word([ended("paused")], json=json) == Exit.PAUSED
    assert "cannot be written" in capfd.readouterr().err
