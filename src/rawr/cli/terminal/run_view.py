"""A run as it happens: the thread's own lines, and beside them how far it is and where in its own plan (C16, C18)."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from typing import ClassVar

from rawr.cli.terminal.conversation import ASCII_MARKS, SYMBOLS, Conversation
from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.output import counted
from rawr.cli.terminal.printers import Printer, RichPrinter
from rawr.core.kernel import Taken
from rawr.core.policy.tiers import percent_remaining
from rawr.core.run.plan import Stage, run_plan
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.limits import in_words

MILLION = 1_000_000
PROMPT = "> "
SHOWN_GOAL = 30
"""Characters of a goal that tell it from others."""
SHOWN = ("run.continued.", "run.checked.", "run.passed.", "run.failed.check", "run.retried.", "run.waits.")
"""Decisions that are shown in a line of their own. The end of a run is told anyway."""


def plan_line(stages: Iterable[Stage], marks: Mapping[str, str]) -> str:
    """The run's plan as the agent's is shown."""
    return "   ".join(f"{marks[one.status]} {one.name}{f' ({one.detail})' if one.detail else ''}" for one in stages)


def progress(state: ThreadState, *, now: int) -> str:
    """One line: turn, plan, tokens, context, time, budgets."""
    run = state.run
    if run is None:
        return ""
    budgets, usage, steps = run.order.budgets, state.usage, state.plan.steps
    # A turn that has ended counts when it has been judged.
    parts = [f"turn {run.turns + (state.turn is not None or state.unjudged)}/{budgets.turns}"]
    if steps:
        parts.append(f"plan {sum(step.status == 'completed' for step in steps)}/{len(steps)}")
    parts.append(f"{_short(run.tokens)}{f'/{_short(budgets.tokens)}' if budgets.tokens else ''} tokens")
    percent = percent_remaining(in_context=usage.in_context, window=usage.window) if usage is not None else None
    if percent is not None:
        parts.append(f"{percent} % left")
    limit = f"/{budgets.minutes} min" if budgets.minutes else ""
    parts.append(f"{_clock(run.used(now) // 1000)}{limit}")
    if budgets.cost:
        parts.append(f"{run.cost / MILLION:.2f}/{budgets.cost / MILLION:.2f}")
    if run.waiting not in ("", "turn", "slot"):
        parts.append(f"waits: {run.waiting}")
    return ", ".join(parts)


def limits_line(state: ThreadState) -> str:
    """Under what the thread works; where that was not told yet, under what it is to work. Who says yes is the run's."""
    shown = state.in_force or state.limits
    if shown is None:
        return ""
    order = state.run.order if state.run is not None else None
    decides = {"never": "", "policy": "; rules say yes to what is safe", "ask": "; a person is asked"}
    by = "" if order is None or shown.approvals == "never" else decides[order.approvals]
    declines = by and order is not None and order.approvals == "policy" and order.unsafe == "decline"
    return f"{in_words(shown)}{by}{', the rest is declined' if declines else ''}"


def _short(count: int) -> str:
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.1f} {unit}".replace(".0 ", " ")
    return str(count)


def _clock(seconds: int) -> str:
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class RunView:
    """A surface: the conversation, the run's plan whenever it changes, its progress after every turn and decision.

    The last line of a terminal is how things stand; while a person types there, it is what they type.
    """

    newest: ClassVar["RunView | None"] = None
    """There is one terminal, and so there is one view on it, for whoever reads what is typed there."""

    def __init__(self, printer: Printer, *, symbols: bool, several: bool = False) -> None:
        """``several``: more than one run is to be shown, so each line says of which it is, also the first."""
        self._printer = printer
        self._several = several
        self._lines = Conversation(printer, symbols=symbols, brief=True, several=several)
        self._marks = SYMBOLS if symbols else ASCII_MARKS
        self._plans: dict[str, tuple[Stage, ...]] = {}
        self._runs: dict[str, Run] = {}
        self._limited: dict[str, str] = {}
        self._standing = ""
        self._typed: str | None = None
        self._told: set[tuple[str, str]] = set()
        self.states: dict[str, ThreadState] = {}
        """Set by whoever owns the threads: the newest state of each."""
        RunView.newest = self

    @property
    def has_last_line(self) -> bool:
        """Whether there is a line that can be drawn again and again."""
        dumb = os.environ.get("TERM", "") in ("", "dumb", "unknown")
        return isinstance(self._printer, RichPrinter) and sys.stdout.isatty() and not dumb

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        if (thread, text) in self._told:
            self._told.discard((thread, text))
        else:
            self._lines.notify(thread, level, text)

    def taken(self, taken: Taken) -> None:
        self._lines.taken(taken)
        thread = taken.recorded.thread
        if isinstance(taken.recorded.fact, facts.ThreadTookOver):
            self._runs.pop(taken.recorded.fact.origin, None)
        state = self.states.get(thread)
        if state is None or state.run is None:
            return
        if state.run.active:
            self._runs[thread] = state.run
        line = progress(state, now=taken.recorded.at)
        if isinstance(taken.recorded.fact, facts.TurnCompleted):
            self.show(thread, Line("auto", line, "green"))
        self._limits(thread, state)
        for decision in taken.decisions:
            if decision.record.reason.startswith(SHOWN):
                self.show(thread, Line("rawr", decision.record.reason.meaning, "magenta"))
        self._plan(thread, state.run)
        at_work = any(one.run is not None and one.run.active for one in self.states.values())
        self._standing = f"{self.label(thread)}{line}" if at_work else ""
        self._stand()

    def show(self, thread: str, line: Line) -> None:
        """A line about a run; with several of them it says which."""
        self._printer.show(Line(line.who, self.label(thread) + line.text, line.style, line.level))

    def tell(self, line: Line, *, instead_of: Iterable[tuple[str, str]] = ()) -> None:
        """A line as it is, in the place of notices that would say the same."""
        self._told.update(instead_of)
        self._printer.show(line)

    def label(self, thread: str) -> str:
        run = self._runs.get(thread)
        return f"[{named(run)}] " if run is not None and (self._several or len(self._runs) > 1) else ""

    def typing(self, text: str | None) -> None:
        """What is typed stands in the last line, or how things stand if that is nothing."""
        self._typed = _end_of(PROMPT + text, shutil.get_terminal_size().columns - 1) if text is not None else None
        self._stand()

    def _plan(self, thread: str, run: Run) -> None:
        """Of a run that runs here, or has just come to its end; not of those that were done before."""
        plan = run_plan(run)
        if plan != self._plans.get(thread) and (run.active or (run.status == "done" and thread in self._plans)):
            self._plans[thread] = plan
            self.show(thread, Line("auto", plan_line(plan, self._marks), "cyan"))

    def _limits(self, thread: str, state: ThreadState) -> None:
        """Under what it works, when that is first known and whenever it changes."""
        if state.run is None or not state.run.active or state.in_force is None:
            return
        line = limits_line(state)
        if line != self._limited.get(thread):
            self._limited[thread] = line
            self.show(thread, Line("auto", line, "cyan"))

    def _stand(self) -> None:
        self._printer.status(self._standing if self._typed is None else self._typed)


def named(run: Run) -> str:
    """A run in a few words."""
    goal = " ".join(run.order.goal.split())
    return f"{run.id} {goal if len(goal) <= SHOWN_GOAL else goal[: SHOWN_GOAL - 1] + '…'}"


def _end_of(text: str, columns: int) -> str:
    """As much of the end as fits, so that what is typed right now is seen."""
    from rich.cells import cell_len

    room = columns
    for start in range(len(text) - 1, -1, -1):
        room -= cell_len(text[start])
        if room < 0:
            return text[start + 1 :]
    return text


def ending(state: ThreadState) -> str:
    """The last word on a run: why it ended, what was done, and whether that was checked."""
    run = state.run
    if run is None:
        return "There was no run."
    stop = f"{run.stop.reason}: {run.stop.detail}" if run.stop is not None and run.stop.detail else ""
    stop = stop or (run.stop.reason if run.stop is not None else "it still runs")
    ledger = state.ledger
    did = [counted(run.turns, "turn")]
    if ledger.commits:
        did.append(counted(len(ledger.commits), "commit"))
    if ledger.files:
        did.append(counted(len(ledger.files), "file") + " changed")
    if state.compaction_count:
        did.append(counted(state.compaction_count, "compaction"))
    word = {
        "checked": "Done, and the check passed.",
        "self_reported": "Done, by the agent's own word: nothing checked it.",
        "no": f"Not done: {run.status}.",
    }[run.done]
    return f"{word} {stop}.\n{', '.join(did)}, {_short(run.tokens)} tokens, {_clock(run.used_ms // 1000)}."
