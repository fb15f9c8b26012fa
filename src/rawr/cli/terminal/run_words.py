"""A run in lines of text: its plan, its progress, and its end."""

from collections.abc import Iterable, Mapping

from rawr.cli.terminal.numbers import clock, short
from rawr.cli.terminal.output import counted, in_ascii
from rawr.views.progress import Progress
from rawr.views.runs import ABOUT_TO, Stage
from rawr.views.summary import Ending

SYMBOLS = {"completed": "✓", "in_progress": "▸", "pending": "○"}
ASCII_MARKS = {status: in_ascii(symbol) for status, symbol in SYMBOLS.items()}


def plan_line(stages: Iterable[Stage], marks: Mapping[str, str]) -> str:
    """The run's plan, in the form of the agent's."""
    return "   ".join(f"{marks[one.status]} {one.name}{f' ({one.detail})' if one.detail else ''}" for one in stages)


def progress_line(now: Progress | None) -> str:
    """One line: turn, plan, tokens, context, time, budgets."""
    if now is None:
        return ""
    parts = [f"turn {now.turn}/{now.max_turns}"]
    if now.plan_steps:
        parts.append(f"plan {now.plan_done}/{now.plan_steps}")
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
