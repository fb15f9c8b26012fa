"""A run in lines of text: its plan, its progress, and its end."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec.structs import replace

from rawr.cli.terminal.columns import shortened
from rawr.cli.terminal.numbers import clock, short
from rawr.cli.terminal.output import counted, in_ascii
from rawr.views.activity import Activity
from rawr.views.progress import Progress
from rawr.views.runs import ABOUT_TO, Stage
from rawr.views.summary import Ending

LEAST_DOING = 20
SHOWN_STEP = 24
"""Characters of what runs, and of the plan's step, in one line with everything else."""
SYMBOLS = {"completed": "✓", "in_progress": "▸", "pending": "○"}
ASCII_MARKS = {status: in_ascii(symbol) for status, symbol in SYMBOLS.items()}


def plan_line(stages: Iterable[Stage], marks: Mapping[str, str]) -> str:
    """The run's plan, in the form of the agent's."""
    return "   ".join(f"{marks[one.status]} {one.name}{f' ({one.detail})' if one.detail else ''}" for one in stages)


class Checked(Protocol):
    @property
    def exit_code(self) -> int | None: ...

    @property
    def timed_out(self) -> bool: ...


def how_it_failed(check: Checked) -> str:
    """How a done check ended that did not pass."""
    if check.timed_out:
        return "it did not end in time"
    if check.exit_code is None:
        return "it could not be run"
    return f"exit code {check.exit_code}" if check.exit_code >= 0 else f"killed by signal {-check.exit_code}"


def live_line(now: Progress | None, activity: Activity | None, *, at: int, columns: int) -> str:
    """The line that ticks: what runs now and for how long, then the run's progress. What runs gets the room that is
    left; where there is too little, the end of the line is cut off, so the news comes first."""
    if activity is None:
        return progress_line(now)
    how_long = countdown(activity, at=at) or clock((at - activity.since) // 1000)
    rest = f" | {progress_line(replace(now, waits_for=''), step=True)}" if now is not None else ""
    room = max(columns - len(how_long) - len(rest) - 1, LEAST_DOING)
    return f"{shortened(activity.what, room)} {how_long}{rest}"


def countdown(activity: Activity | None, *, at: int) -> str:
    """How long it may still take; empty if that is not known."""
    if activity is None or not activity.until:
        return ""
    return f"{clock(max(activity.until - at, 0) // 1000)} left"


def progress_line(now: Progress | None, *, step: bool = False) -> str:
    """One line: turn, plan, tokens, context, time, budgets."""
    if now is None:
        return ""
    parts = [f"turn {now.turn}/{now.max_turns}"]
    if now.plan_steps:
        doing = f" {shortened(now.step, SHOWN_STEP)}" if step and now.step else ""
        parts.append(f"plan {now.plan_done}/{now.plan_steps}{doing}")
    parts.append(f"{short(now.tokens)}{f'/{short(now.max_tokens)}' if now.max_tokens else ''} tokens")
    if now.percent_left is not None:
        parts.append(f"{now.percent_left} % left")
    parts.append(f"{clock(now.seconds)}{f'/{now.max_minutes} min' if now.max_minutes else ''}")
    if now.max_cost:
        parts.append(f"{now.cost:.2f}/{now.max_cost:.2f}")
    if now.about_to:
        parts.append(ABOUT_TO[now.about_to])
    if now.waits_for:
        parts.append(f"waiting: {now.waits_for}")
    return ", ".join(parts)


def ending_lines(end: Ending | None) -> tuple[str, ...]:
    """The summary of a run: why it ended, and what was done."""
    if end is None:
        return ("There was no run.",)
    did = [counted(end.turns, "turn")]
    if end.commits:
        did.append(counted(end.commits, "commit"))
    if end.files:
        did.append(counted(end.files, "file") + " changed")
    if end.compactions:
        did.append(counted(end.compactions, "compaction"))
    return f"{end.verdict} {end.why}.", f"{', '.join(did)}, {short(end.tokens)} tokens, {clock(end.seconds)}."
