"""A run as any surface sees it (C13, C16, C18)."""

import pytest
from msgspec.structs import replace

from rawr.core.run.plan import Stage
from rawr.core.state.run import Run, Stop
from rawr.core.vocabulary.order import Budgets, Order
from rawr.views.progress import Progress
from rawr.views.runs import RunView, resume_command, run_name, run_view, standing, unanswered
from tests.core.samples import AT

BUDGETS = Budgets(turns=9, tokens=2_000_000, minutes=90, cost=3_000_000)
RUN = Run("r1", Order(goal="Build it.", done="make", budgets=BUDGETS), "running", AT, AT, waiting="turn", turns=2)
VIEW = RunView(
    id="r1",
    status="running",
    live=True,
    goal="Build it.",
    turns=2,
    max_turns=9,
    tokens=0,
    seconds=60,
    waits_for="turn",
    about_to="",
    run_plan=(Stage("work", "in_progress"), Stage("check", "pending"), Stage("report", "pending")),
    until="make",
    max_tokens=2_000_000,
    max_minutes=90,
    max_cost=3.0,
    stop="",
    stop_detail="",
    done="no",
    resume="",
)


def test_a_run_under_way() -> None:
    """C18: its time goes on."""
    assert run_view(RUN, last_seen=AT + 1_000, now=AT + 60_000, live=True) == VIEW


def test_a_clock_that_was_set_back_undoes_nothing() -> None:
    """C5."""
    assert run_view(RUN, last_seen=AT + 60_000, now=AT - 10**9, live=True) == VIEW


def test_a_run_that_was_cut_off_does_nothing() -> None:
    """C13: no rawr is running it, so no stage of it is under way, and its time stands still."""
    plan = (Stage("work", "pending"), Stage("check", "pending"), Stage("report", "pending"))
    cut_off = replace(VIEW, status="cut off", live=False, run_plan=plan, seconds=1, resume="rawr resume r1")
    assert run_view(RUN, last_seen=AT + 1_000, now=AT + 60_000, live=False) == cut_off


def test_a_run_that_ended() -> None:
    """C5: why, and since when nothing is waited for."""
    run = replace(RUN, status="stopped", waiting="", used_ms=5_000, stop=Stop("run.stopped.turns", "9 of 9"))
    plan = (Stage("work", "pending"), Stage("check", "pending"), Stage("report", "pending"))
    ended = replace(VIEW, status="stopped", live=False, seconds=5, waits_for="", run_plan=plan)
    ended = replace(ended, stop="run.stopped.turns", stop_detail="9 of 9", resume="rawr resume r1")
    assert run_view(run, last_seen=AT, now=AT + 60_000, live=True) == ended


@pytest.mark.parametrize(
    ("used", "flags"),
    [
        (replace(RUN, turns=9), " --max-turns 18"),
        (replace(RUN, tokens=9_000_000), " --max-tokens 11000000"),
        (replace(RUN, used_ms=90 * 60_000, cost=3_500_000), " --max-minutes 180 --max-cost 6.50"),
        (replace(RUN, order=Order(goal="Build it."), tokens=10**9), ""),
    ],
)
def test_a_budget_that_is_used_up_is_raised(used: Run, flags: str) -> None:
    """C5: a plain `rawr resume` would stop at once."""
    stopped = replace(used, status="stopped")
    assert resume_command(stopped) == f"rawr resume r1{flags}"
    assert run_view(stopped, last_seen=AT, now=AT, live=False).resume == f"rawr resume r1{flags}"


@pytest.mark.parametrize(
    ("run", "live", "words"),
    [
        (RUN, True, "under way: turn 3 of 9"),
        (replace(RUN, waiting="check"), True, "under way: turn 3 of 9, waiting for: check"),
        (RUN, False, "cut off: rawr exited while it was under way"),
        (replace(RUN, status="paused", stop=Stop("run.paused.person")), True, "paused: A person paused it"),
        (
            replace(RUN, status="stopped", stop=Stop("run.stopped.turns", "9 of 9")),
            True,
            "stopped: The turn budget is used up (9 of 9)",
        ),
        (replace(RUN, status="failed", stop=Stop("run.failed.of_another_version")), True, None),
        (replace(RUN, status="paused"), True, "paused"),
    ],
)
def test_how_it_stands_in_words(run: Run, live: bool, words: str | None) -> None:
    """C18: of a reason that only another version knows, its code."""
    assert standing(run, live=live) == (words or "failed: run.failed.of_another_version")


@pytest.mark.parametrize(
    ("run", "what"),
    [
        (None, ""),
        (RUN, ""),
        (replace(RUN, stop=Stop("run.paused.person", "x")), ""),
        (replace(RUN, stop=Stop("run.paused.unanswered", "approval of: rm x")), "approval of: rm x"),
        (replace(RUN, stop=Stop("run.paused.unanswered")), "a question"),
    ],
)
def test_what_nobody_answered(run: Run | None, what: str) -> None:
    """C11."""
    assert unanswered(run) == what


@pytest.mark.parametrize(
    ("goal", "name"),
    [("g", "r1 g"), ("Second job.\nWith a very long description.", "r1 Second job. With a very long …")],
)
def test_a_name_is_short(goal: str, name: str) -> None:
    assert run_name(replace(RUN, order=Order(goal=goal))) == name


@pytest.mark.parametrize("name", Budgets.__struct_fields__)
def test_every_budget_is_shown(name: str) -> None:
    """C5, C18: in the run's own view and in the line that is shown while it works."""
    assert {f"max_{name}"} <= {*RunView.__struct_fields__} & {*Progress.__struct_fields__}
