"""A run as it happens: the thread's own lines, and beside them its progress and its place in its plan (C16, C18)."""

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Iterable

from msgspec.structs import replace

from rawr.cli.terminal.columns import end_of, shortened
from rawr.cli.terminal.conversation import Conversation
from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.output import OutputLost
from rawr.cli.terminal.printers import DUMB, Printer, RichPrinter
from rawr.cli.terminal.run_words import (
    ASCII_MARKS,
    SYMBOLS,
    countdown,
    how_it_failed,
    live_line,
    plan_line,
    progress_line,
)
from rawr.core.kernel import Taken
from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.facts import Level, RunPauseSubmitted
from rawr.views import events as e
from rawr.views.activity import Activities, Waits
from rawr.views.following import Following
from rawr.views.limits import limits_in_words
from rawr.views.progress import progress_of
from rawr.views.runs import ABOUT_TO, Stage, run_name, run_plan

PROMPT = "> "
CHECK_LINES = 4
"""Lines of what a failed check printed that are shown."""


class RunScreen:
    """A surface: the conversation, the run's plan whenever it changes, its progress after every turn and decision.

    The last line of a terminal is the current state; while a person types there, it is what they type.
    """

    def __init__(self, printer: Printer, *, symbols: bool, several: bool = False, brief: bool = True) -> None:
        """``several``: more than one run will be shown, so each line names its run, including the first. ``brief``:
        fold prompts and packets to their first line."""
        self._printer = printer
        self._several = several
        self._following = Following()
        # Where no last line shows what runs now, a command has a line of its own when it starts.
        alive = self.has_last_line
        self._lines = Conversation(
            printer, symbols=symbols, brief=brief, several=several, beginnings=not alive, named=self._named
        )
        self._marks = SYMBOLS if symbols else ASCII_MARKS
        self._plans: dict[str, tuple[Stage, ...]] = {}
        self._runs: dict[str, Run] = {}
        self._limited: dict[str, str] = {}
        self._activities = Activities()
        self._shown: str | None = None
        """The thread that the last line is about: the one heard of last."""
        self._at = (0, 0.0)
        """The time of the newest fact, and when it came here."""
        self._typed: str | None = None
        self._asked = ("", "")
        """The thread and the question that what is typed answers, in short."""
        self._told: set[tuple[str, str]] = set()
        self._pausing: set[str] = set()
        """The threads whose run pauses at the end of its turn, and the person was told."""
        self.states: dict[str, ThreadState] = {}
        """Set by the owner of the threads: the newest state of each."""
        self.waiting: Waits = lambda _: ()
        """Set with them: what waits for a person there, unredacted."""

    @property
    def has_last_line(self) -> bool:
        """True if there is a line that can be redrawn."""
        dumb = os.environ.get("TERM", "") in DUMB
        return isinstance(self._printer, RichPrinter) and sys.stdout.isatty() and not dumb

    def notify(self, thread: str, level: Level, text: str) -> None:
        if (thread, text) in self._told:
            self._told.discard((thread, text))
        else:
            self._lines.notify(thread, level, text)

    def taken(self, taken: Taken) -> None:
        events = self._following.take(taken)
        self._activities.take(taken)
        self._at = (max(taken.recorded.at, self._at[0]), time.monotonic())
        self._lines.happened(events)
        for event in events:
            if isinstance(event, e.ThreadReplaced):
                self._runs.pop(event.origin, None)
        state = self.states.get(taken.recorded.thread)
        if state is not None and state.run is not None:
            self._of_run(state, state.run, events, now=taken.recorded.at)
            self._pending(state.run, taken)

    def _of_run(self, state: ThreadState, run: Run, events: Iterable[e.AnyEvent], *, now: int) -> None:
        thread = state.id
        if run.active:
            self._runs[thread] = run
        if any(isinstance(event, e.TurnEnded) for event in events) and (progress := progress_of(state, now=now)):
            # A pause that waited for this is next, and reported then.
            self.show(thread, Line("auto", progress_line(replace(progress, about_to="")), "green"))
        self._limits(thread, state)
        for event in events:
            # The end of a run is reported anyway.
            if isinstance(event, e.RunContinued | e.RunChecking | e.RunRetrying | e.RunWaiting):
                self.show(thread, Line("rawr", event.why, "magenta"))
            elif isinstance(event, e.RunChecked):
                self._checked(thread, event)
        self._plan(thread, run)
        self._shown = thread
        self._stand()

    def tick(self) -> None:
        """Time has passed, and nothing else has happened."""
        self._stand()

    def _checked(self, thread: str, event: e.RunChecked) -> None:
        """One that failed says how, and what it printed last."""
        if event.passed:
            self.show(thread, Line("rawr", event.why, "magenta"))
            return
        self.show(thread, Line("rawr", f"{event.why} ({how_it_failed(event)})", "yellow"))
        for text in [one for one in event.output.splitlines() if one.strip()][-CHECK_LINES:]:
            self._printer.show(Line("", text, "bright_black"))

    def show(self, thread: str, line: Line) -> None:
        """A line about a run; if there are several, it says which."""
        self._printer.show(Line(line.who, self.label(thread) + line.text, line.style, line.level))

    def tell(self, line: Line, *, instead_of: Iterable[tuple[str, str]] = ()) -> None:
        """A line as it is, replacing notices that would say the same."""
        self._told.update(instead_of)
        self._printer.show(line)

    def remark(self, text: str) -> None:
        """A line about rawr itself. It replaces the last one of the terminal, with any key that was echoed there."""
        with contextlib.suppress(OutputLost):
            self._printer.show(Line("rawr", text, "yellow", level="warning"))

    def label(self, thread: str) -> str:
        run = self._runs.get(thread)
        return f"[{run_name(run)}] " if run is not None and self._has_several else ""

    @property
    def _has_several(self) -> bool:
        return self._several or len(self._runs) > 1

    def _named(self, thread: str) -> str:
        """One job has one label, whatever the line is about."""
        run = self._runs.get(thread)
        return run_name(run) if run is not None else thread[-4:]

    def typing(self, text: str | None, *, thread: str = "", question: str = "") -> None:
        """The last line shows what is being typed, or the current state if nothing is. ``question``: it answers this,
        which other runs' lines may have pushed off the screen."""
        self._typed = text
        self._asked = (thread, question)
        self._stand()

    def _pending(self, run: Run, taken: Taken) -> None:
        """A pause that waits for the end of a turn, where no last line could show it."""
        thread, fact = taken.recorded.thread, taken.recorded.fact
        waits = run.active and run.about_to == "pause"
        asked = isinstance(fact, RunPauseSubmitted) and not fact.now
        if waits and asked and thread not in self._pausing and not self.has_last_line:
            self._pausing.add(thread)
            self.show(thread, Line("auto", ABOUT_TO["pause"], "green"))
        elif not waits:
            self._pausing.discard(thread)

    def _plan(self, thread: str, run: Run) -> None:
        """The plan of a run that is running here, or has just ended; not of runs that were done before."""
        plan = run_plan(run)
        if plan != self._plans.get(thread) and (run.active or (run.status == "done" and thread in self._plans)):
            self._plans[thread] = plan
            self.show(thread, Line("auto", plan_line(plan, self._marks), "cyan"))

    def _limits(self, thread: str, state: ThreadState) -> None:
        """The limits of a run, when they are first known and whenever they change."""
        if state.run is None or not state.run.active or state.in_force is None:
            return
        line = limits_in_words(state)
        if line != self._limited.get(thread):
            self._limited[thread] = line
            self.show(thread, Line("auto", line, "cyan"))

    def _stand(self) -> None:
        self._printer.status(self._standing() if self._typed is None else self._prompt(self._typed))

    def _standing(self) -> str:
        state = self.states.get(self._shown) if self._shown is not None else None
        at_work = any(one.run is not None and one.run.active for one in self.states.values())
        if state is None or not at_work:
            return ""
        now = self._now()
        label = self.label(state.id)
        columns = shutil.get_terminal_size().columns - len(label) - 1
        return label + live_line(
            progress_of(state, now=now), self._activities.of(state, self.waiting), at=now, columns=columns
        )

    def _prompt(self, typed: str) -> str:
        """What is typed, behind the question and the time that is left to answer it."""
        thread, question = self._asked
        columns = shutil.get_terminal_size().columns - 1
        state = self.states.get(thread)
        if state is None:
            return end_of(PROMPT + typed, columns)
        left = countdown(self._activities.of(state, self.waiting), at=self._now())
        soon = ABOUT_TO[state.run.about_to] if state.run is not None and state.run.about_to else ""
        about = shortened(f"{self.label(thread)}{question}", columns // 2) if self._has_several else ""
        return end_of(" ".join(filter(None, (about, soon, left, PROMPT))) + typed, columns)

    def _now(self) -> int:
        """On the journal's clock, which continues between facts."""
        at, came = self._at
        if not at:
            # Nothing has happened since somebody began to look on.
            return int(time.time() * 1000)
        return at + int((time.monotonic() - came) * 1000)
