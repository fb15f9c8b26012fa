"""The last word on a run (C7, C18)."""

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from rawr.core.state.ledger import Commit, Ledger, Touched
from rawr.core.state.run import Run, Stop
from rawr.core.vocabulary.order import Order
from rawr.views.summary import Ending, RunSummary, Stopped, ending_of, summary_of
from tests.core.samples import AT, IDLE

RUN = Run("r1", Order(goal="g"), "running", AT, AT, waiting="turn")
STOPPED = replace(RUN, status="stopped", turns=3, tokens=900, cost=5_000, used_ms=61_500, stop=Stop("run.x", "why"))


def test_for_programs() -> None:
    """Its keys are a promise."""
    summary = summary_of(replace(IDLE, run=STOPPED, compaction_count=2))
    assert summary == RunSummary(
        stop=Stopped("run.x", "why"),
        done="no",
        status="stopped",
        turns=3,
        compactions=2,
        tokens=900,
        cost=0.005,
        seconds=61.5,
        thread="t",
        run="r1",
    )
    assert list(to_builtins(summary)) == [
        *("type", "stop", "done", "status", "turns", "compactions", "tokens", "cost", "seconds", "thread", "run"),
        "allow",
    ]
    assert summary_of(replace(IDLE, run=RUN)).stop == Stopped("", "")


@pytest.mark.parametrize(
    ("run", "verdict", "why"),
    [
        (
            replace(RUN, status="done", done="checked", stop=Stop("run.done.checked")),
            "Done, and the check passed.",
            "run.done.checked",
        ),
        (
            replace(RUN, status="done", done="self_reported", stop=Stop("run.done.reported")),
            "Done, according to the agent: nothing checked it.",
            "run.done.reported",
        ),
        (
            replace(RUN, status="stopped", stop=Stop("run.stopped.turns", "9 of 9")),
            "Not done: stopped.",
            "run.stopped.turns: 9 of 9",
        ),
        (RUN, "Not done: running.", "it is still running"),
    ],
)
def test_it_names_the_stop_and_whether_it_was_checked(run: Run, verdict: str, why: str) -> None:
    assert ending_of(replace(IDLE, run=run)) == Ending(verdict, why, 0, 0, 0, 0, 0, 0)


def test_what_was_done() -> None:
    kept = Ledger(commits=(Commit("a", "s"), Commit("b", "t")), files=(Touched("x", "add"),))
    assert ending_of(replace(IDLE, run=STOPPED, ledger=kept, compaction_count=2)) == Ending(
        "Not done: stopped.", "run.x: why", turns=3, commits=2, files=1, compactions=2, tokens=900, seconds=61
    )
    assert ending_of(IDLE) is None
