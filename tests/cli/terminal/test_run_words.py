"""A run in lines of text: its plan, how far it is, and its end (C7, C16, C18)."""

import pytest
from msgspec.structs import replace

from rawr.cli.terminal.run_words import ASCII_MARKS, ending_lines, live_line, plan_line, progress_line
from rawr.core.run.plan import Stage
from rawr.core.state.run import Waiting
from rawr.views.activity import Activity
from rawr.views.progress import Progress
from rawr.views.summary import Ending

BEGUN = Progress(
    turn=1,
    max_turns=200,
    plan_done=0,
    plan_steps=0,
    step="",
    tokens=0,
    max_tokens=0,
    percent_left=None,
    seconds=0,
    max_minutes=0,
    cost=0.0,
    max_cost=0.0,
    about_to="",
    waits_for="",
)


def test_progress_says_turn_plan_tokens_context_and_time() -> None:
    """C18."""
    now = replace(BEGUN, turn=3, plan_done=1, plan_steps=2, tokens=152_000, percent_left=72, seconds=65)
    assert progress_line(now) == "turn 3/200, plan 1/2, 152 k tokens, 72 % left, 1:05"


def test_progress_says_what_the_budgets_leave() -> None:
    """C18."""
    used = replace(BEGUN, turn=4, max_turns=9, tokens=1_250_000, max_tokens=2_000_000)
    now = replace(used, seconds=3_725, max_minutes=90, cost=1.24, max_cost=3.0)
    assert progress_line(now) == "turn 4/9, 1.2 M/2 M tokens, 1:02:05/90 min, 1.24/3.00"


@pytest.mark.parametrize("waiting", ["check", "limit"])
def test_progress_says_what_is_waited_for(waiting: Waiting) -> None:
    """C18."""
    assert progress_line(replace(BEGUN, waits_for=waiting)) == f"turn 1/200, 0 tokens, 0:00, waiting: {waiting}"


def test_without_a_run_there_is_nothing_to_say() -> None:
    assert progress_line(None) == ""
    assert ending_lines(None) == ("There was no run.",)


def test_the_plan_is_shown_as_the_agents_is() -> None:
    """C16."""
    plan = (Stage("work", "completed"), Stage("check", "in_progress", "attempt 2"), Stage("report", "pending"))
    assert plan_line(plan, ASCII_MARKS) == "[x] work   [>] check (attempt 2)   [ ] report"


def test_the_end_says_why_and_what_was_done() -> None:
    """C7, C18."""
    end = Ending("Not done: stopped.", "run.stopped.turns: 9 of 9", 1, 2, 1, 2, 900, 61)
    assert ending_lines(end) == (
        "Not done: stopped. run.stopped.turns: 9 of 9.",
        "1 turn, 2 commits, 1 file changed, 2 compactions, 900 tokens, 1:01.",
    )


def test_the_live_line_fits_and_says_the_news_first() -> None:
    """C18: what runs gets the room that the rest leaves."""
    now = replace(BEGUN, turn=3, plan_done=1, plan_steps=2, step="Write the parser", seconds=65)
    running = Activity("$ pytest -q tests/some/where/else", since=10_000)
    line = live_line(now, running, at=22_000, columns=200)
    rest = " 0:12 | turn 3/200, plan 1/2 Write the parser, 0 tokens, 1:05"
    assert line == running.what + rest
    assert live_line(now, running, at=22_000, columns=85) == "$ pytest -q tests/some/…" + rest
    asks = Activity("approval of: rm x (1/0) waits for you", since=0, until=900_000)
    assert live_line(now, asks, at=22_000, columns=200).startswith(f"{asks.what} 14:38 left | turn 3/200")
    assert live_line(replace(now, about_to="pause"), None, at=0, columns=80).endswith("pauses when its turn ends")
