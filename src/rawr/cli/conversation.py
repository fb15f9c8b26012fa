"""A conversation as it happens, line by line: for the demo, and for whoever follows a run in a terminal."""

import asyncio
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, to_builtins

from rawr.cli.output import OutputLost, emit, harmless, has_symbols, in_ascii, telling
from rawr.core import facts, items
from rawr.core.effects import StartTurn, SteerTurn
from rawr.core.kernel import Taken
from rawr.core.reasons import Reason
from rawr.core.tiers import BASELINE, percent_remaining
from rawr.runtime.ports import Surface

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_OUTPUT = 6
"""Lines of a command's output that are shown."""
LABEL = 9
"""Columns for who speaks."""
SYMBOLS = {"completed": "✓", "in_progress": "▸", "pending": "○"}
ASCII_MARKS = {status: in_ascii(symbol) for status, symbol in SYMBOLS.items()}


class Line(Struct, frozen=True):
    """Who, and what: one thing that a person would want to see."""

    who: str
    text: str
    style: str = ""


class Printer(Protocol):
    def __call__(self, line: Line) -> None: ...


class Conversation:
    """A surface that turns facts into lines. It shows what was recorded, never what is only hoped for."""

    def __init__(self, show: Printer, *, symbols: bool = True) -> None:
        self._show = show
        self._marks = SYMBOLS if symbols else ASCII_MARKS
        self._ours: set[str] = set()

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        if level != "debug":
            self._show(Line("rawr", text, "yellow" if level in ("warning", "error") else "magenta"))

    def taken(self, taken: Taken) -> None:
        for line in decided(taken):
            self._show(line)
        if any(one.record.reason in OWN_WORDS for one in taken.decisions):
            self._ours |= {one.id for one in taken.effects if isinstance(one.effect, StartTurn | SteerTurn)}
        for line in lines_of(taken, marks=self._marks):
            self._show(Line("rawr", line.text, "magenta") if self._is_ours(taken) else line)

    def _is_ours(self, taken: Taken) -> bool:
        """A message that rawr sent itself, known by the effect that carried it."""
        match taken.recorded.fact:
            case facts.ItemCompleted(item=items.UserMessage(client_id=client_id)):
                return client_id in self._ours
            case _:
                return False


OWN_WORDS = frozenset({Reason.TURN_STARTED_SEQUENCE, Reason.HANDOFF_SENT_RECOVERY, Reason.COMPACT_DECIDED_LANDING})
"""Decisions that let rawr speak to the agent."""


def decided(taken: Taken) -> list[Line]:
    """Why rawr compacts, or does not yet, in one line each."""
    reasons = [one.record.reason for one in taken.decisions]
    return [
        Line("rawr", f"{'not now' if '.deferred.' in reason else 'now'}: {reason.meaning}", "yellow")
        for reason in reasons
        if reason.startswith(("compact.deferred.", "compact.decided.", "compact.suggested."))
    ]


def lines_of(taken: Taken, *, marks: Mapping[str, str]) -> list[Line]:
    match taken.recorded.fact:
        case facts.ServerConnected() | facts.ServerLost() if taken.recorded.thread:
            return []  # Each thread is told what was shown once already.
        case facts.ServerConnected(user_agent=agent, transport=transport):
            return [Line("rawr", f"connected to Codex {_version(agent)} over {transport}", "magenta")]
        case facts.ItemCompleted(item=item):
            return _item(item)
        case facts.PlanUpdated(steps=steps):
            return [Line("plan", "   ".join(f"{marks[step.status]} {step.step}" for step in steps), "cyan")]
        case facts.UsageUpdated(in_context=used, window=window):
            return [Line("context", _context(used, window), "bright_black")]
        case facts.TurnCompleted(status=status, duration_ms=took, problem=problem):
            why = f": {problem.message}" if problem is not None else ""
            time = f" in {took / 1000:.1f} s" if took is not None else ""
            return [Line("rawr", f"turn {status}{time}{why}", "red" if problem else "magenta")]
        case facts.ErrorReported(problem=problem, will_retry=will_retry):
            again = " (Codex tries again)" if will_retry else ""
            return [Line("error", problem.message + again, "red")]
        case facts.RequestReceived():
            return [
                Line("phase", f"{record.evidence.get('phase')} finished", "green")
                for record in (decision.record for decision in taken.decisions)
                if record.reason == "phase.marked.tool"
            ]
        case facts.ServerLost(problem=problem, by_us=False):
            return [Line("rawr", f"Codex is gone: {problem}", "red")]
        case _:
            return []


def _version(user_agent: str) -> str:
    """Codex calls itself by our name: ``rawr/0.163.0 (Debian 12; x86_64) …``."""
    return user_agent.partition(" ")[0].rpartition("/")[2]


def _context(used: int, window: int | None) -> str:
    """The percent is Codex's own, which leaves out what is always there; hence that is named too."""
    if window is None:
        return f"{_number(used)} tokens in use, window unknown"
    percent = percent_remaining(in_context=used, window=window)
    always = f", {_number(BASELINE)} of them always" if used > BASELINE else ""
    return f"{percent} % left ({_number(used)} of {_number(window)} tokens in use{always})"


def _number(count: int) -> str:
    return f"{count:,}".replace(",", " ")


def _item(item: items.AnyItem) -> list[Line]:
    match item:
        case items.UserMessage(text=text):
            return [Line("you", text, "bold")]
        case items.AgentMessage(text=text):
            return [Line("codex", text)]
        case items.Command(exit_code=code, output_tail=output):
            ended = "" if code == 0 else f"  (exit code {code})"
            shown = [line for line in output.rstrip("\n").split("\n") if line][-SHOWN_OUTPUT:]
            first = Line("run", f"$ {item.meant}{ended}", "blue" if code == 0 else "red")
            return [first, *(Line("", line, "bright_black") for line in shown)]
        case items.FileChange(changes=changes):
            return [Line("files", ", ".join(f"{change.kind} {change.path}" for change in changes), "blue")]
        case items.Compaction():
            return [Line("rawr", "context compacted", "magenta")]
        case _:
            return []


# -- printers --------------------------------------------------------------------------------------------------------


def plain_printer() -> Printer:
    """One line an event, no colours, ASCII names: for logs and for people who want it so."""

    def show(line: Line) -> None:
        with telling():
            for number, text in enumerate(harmless(line.text).split("\n")):
                print(f"{line.who if number == 0 else '':<8} {text}", flush=True)  # noqa: T201

    return show


def rich_printer(console: "Console | None" = None) -> Printer:
    from rich.console import Console
    from rich.text import Text

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            """Rich would end the program here, in the midst of it."""
            raise BrokenPipeError

    screen = console or Screen(highlight=False)
    symbols = console is not None or has_symbols(sys.stdout)
    bar = "│ " if symbols else "| "

    def style(wanted: str) -> str:
        return "" if screen.no_color else wanted

    def show(line: Line) -> None:
        said = harmless(line.text) if symbols else in_ascii(harmless(line.text))
        # Wrapped here, so that what does not fit goes on under the text and not under the name.
        wrapped = Text(said, style=style(line.style)).wrap(screen, max(screen.width - LABEL - 2, 20))
        for number, text in enumerate(wrapped):
            label = (f"{line.who if number == 0 else '':<{LABEL}}", style(f"bold {line.style or 'white'}"))
            with telling():
                screen.print(Text.assemble(label, (bar, style("bright_black")), text))

    return show


class JsonConversation:
    """The same for programs: each fact with its decisions as one line of JSON."""

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        emit({"type": "notice", "thread": thread, "level": level, "text": text})

    def taken(self, taken: Taken) -> None:
        recorded = taken.recorded
        emit(
            {
                "type": "fact",
                "seq": recorded.seq,
                "at": recorded.at,
                "thread": recorded.thread,
                "fact": to_builtins(recorded.fact),
                "decisions": [
                    {"reason": one.record.reason.value, "evidence": one.record.evidence} for one in taken.decisions
                ],
                "effects": [{"id": one.id, **to_builtins(one.effect)} for one in taken.effects],
            }
        )


class Attended:
    """A surface whose reader may leave. Then nothing more is shown, and the work that was to be shown is called off."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._lost: OutputLost | None = None
        self._work: asyncio.Task[str] | None = None

    def attend(self, work: "asyncio.Task[str]") -> None:
        self._work = work
        if self._lost is not None:
            work.cancel()

    def check(self) -> None:
        """Raises what became of the output, if something did."""
        if self._lost is not None:
            raise self._lost

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        if self._lost is None:
            try:
                self._surface.notify(thread, level, text)
            except OutputLost as error:
                self._lose(error)

    def taken(self, taken: Taken) -> None:
        if self._lost is None:
            try:
                self._surface.taken(taken)
            except OutputLost as error:
                self._lose(error)

    def _lose(self, error: OutputLost) -> None:
        self._lost = error
        if self._work is not None:
            self._work.cancel()
