"""A run as it happens: the thread's own lines, and beside them how far it is (C16, C18)."""

import time

from msgspec import Struct

from rawr.cli.conversation import Conversation
from rawr.cli.lines import Line
from rawr.cli.output import counted
from rawr.cli.printers import Printer
from rawr.core import facts
from rawr.core.kernel import Taken
from rawr.core.run import Run
from rawr.core.state import ThreadState
from rawr.core.tiers import percent_remaining

MILLION = 1_000_000


class Stage(Struct, frozen=True):
    """A step of the run's own plan, which is not the agent's."""

    name: str
    status: facts.StepStatus


def stages(run: Run) -> tuple[Stage, ...]:
    """What the run itself has before it: the work, then what was ordered on top."""
    order = run.order
    finished = run.status == "done"
    later = run.waiting in ("check", "review") or finished
    plan = [Stage("work", "completed" if later else "in_progress")]
    if order.done:
        checked: facts.StepStatus = "completed" if run.passed or finished else "pending"
        plan.append(Stage("check", "in_progress" if run.waiting == "check" else checked))
    if order.review == "at-end":
        reviewed: facts.StepStatus = "completed" if run.reviews else "pending"
        plan.append(Stage("review", "in_progress" if run.waiting == "review" else reviewed))
    return tuple(plan)


def progress(state: ThreadState, *, now: int) -> str:
    """One line: turn, plan, tokens, context, time, budgets."""
    run = state.run
    if run is None:
        return ""
    budgets, usage, steps = run.order.budgets, state.usage, state.plan.steps
    plan = stages(run)
    parts = [" > ".join(f"[{stage.name}]" if stage.status == "in_progress" else stage.name for stage in plan)]
    parts = parts if len(plan) > 1 else []
    parts.append(f"turn {run.turns + (state.turn is not None)}/{budgets.turns}")
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
    """A surface: the conversation, and the run's progress after every turn and decision."""

    def __init__(self, printer: Printer, *, symbols: bool) -> None:
        self._printer = printer
        self._lines = Conversation(printer, symbols=symbols, brief=True)
        self.states: dict[str, ThreadState] = {}
        """Set by whoever owns the threads: the newest state of each."""

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        self._lines.notify(thread, level, text)

    def taken(self, taken: Taken) -> None:
        self._lines.taken(taken)
        state = self.states.get(taken.recorded.thread)
        if state is None or state.run is None:
            return
        line = progress(state, now=int(time.time() * 1000))
        if isinstance(taken.recorded.fact, facts.TurnCompleted):
            self._printer.show(Line("auto", line, "green"))
        for decision in taken.decisions:
            if decision.record.reason.startswith(("run.continued.", "run.checked.", "run.retried.", "run.waits.")):
                self._printer.show(Line("rawr", f"{decision.record.reason.meaning}", "magenta"))
        self._printer.status(line)


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
