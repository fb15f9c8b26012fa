"""Lines on a screen, or in a log."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rawr.cli.terminal.columns import wrapped
from rawr.cli.terminal.lines import Line
from rawr.cli.terminal.output import has_symbols, in_ascii, telling
from rawr.cli.terminal.visible import exact, harmless

if TYPE_CHECKING:
    from rich.console import Console

DUMB = ("", "dumb", "unknown")
"""Terminals on which a line cannot be drawn again."""
LABEL = 9
"""Columns for the speaker."""


class Printer(Protocol):
    def show(self, line: Line) -> None:
        """A line that stays."""

    def status(self, text: str) -> None:
        """The current state, replacing the previous line; nothing if no line can be replaced."""


def shown(line: Line) -> str:
    """The text as it may reach a screen."""
    return harmless(line.text) if line.prose else exact(line.text)


class PlainPrinter:
    """One line per event with its time, no colours, ASCII names: for logs and for people who prefer it."""

    def __init__(self, *, time_of_day: Callable[[], str] = lambda: time.strftime("%H:%M:%S")) -> None:
        self._closed = False
        self._time_of_day = time_of_day

    def show(self, line: Line) -> None:
        if self._closed:
            return
        first, *more = shown(line).split("\n")
        at = self._time_of_day()
        lines = [f"{at} {line.who:<8} {first}", *(f"{'':<{len(at)}} {'':<8} {text}" for text in more)]
        with telling():
            print("\n".join(lines), flush=True)  # noqa: T201

    def status(self, text: str) -> None:
        pass

    def close(self) -> None:
        """Show nothing more."""
        self._closed = True


class RichPrinter:
    """Colours and wrapped text; on a terminal, the status in the last line, or in as many as it needs."""

    def __init__(self, console: "Console | None" = None) -> None:
        from rich.console import Console

        class Screen(Console):
            def on_broken_pipe(self) -> None:
                """Rich would exit the program here, in the middle."""
                raise BrokenPipeError

        self._screen = console or Screen(highlight=False)
        self._symbols = console is not None or has_symbols(sys.stdout)
        # Colours may be wanted in a pipe; a line that is redrawn never is.
        dumb = os.environ.get("TERM", "") in DUMB
        self._redraws = self._screen.is_terminal and (console is not None or (sys.stdout.isatty() and not dumb))
        if not self._screen.width:
            # COLUMNS=0, for example: what a person is asked must be seen.
            self._screen.width = 80
        self._status: list[str] = []
        self._closed = False

    def show(self, line: Line) -> None:
        from rich.text import Text

        if self._closed:
            return
        # Wrapped here, so that long text continues under the text and not under the name.
        wrapped = Text(self._symbolic(shown(line)), style=self._style(line.style))
        with self._at_once():
            self._erase()
            for number, text in enumerate(wrapped.wrap(self._screen, max(self._screen.width - LABEL - 2, 20))):
                who = line.who if number == 0 else ""
                label = (f"{who:<{LABEL}}", self._style(f"bold {line.style or 'white'}"))
                bar = ("│ " if self._symbols else "| ", self._style("bright_black"))
                self._screen.print(Text.assemble(label, bar, text))
            self._draw()

    def status(self, text: str) -> None:
        if self._closed or not self._redraws:
            return
        with self._at_once():
            self._erase()
            # Nothing is cut off: what a line says last is why.
            lines = wrapped(self._symbolic(harmless(text)).replace("\n", " "), self._screen.width - 1)
            self._status = lines[: max(self._screen.height - 1, 1)]
            self._draw()

    def close(self) -> None:
        """Show nothing more, and leave the last line free for what comes next."""
        try:
            self.status("")
        finally:
            self._closed = True

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Output in this block goes out in one piece, or not at all if nobody reads."""
        if self._screen.record:
            yield  # Captured output is not recorded.
            return
        with telling():
            with self._screen.capture() as printed:
                yield
            self._screen.file.write(printed.get())
            self._screen.file.flush()

    def _draw(self) -> None:
        if self._status:
            from rich.text import Text

            text = Text("\n".join(self._status), style=self._style("bright_black"), no_wrap=True, overflow="crop")
            self._screen.print(text, end="")

    def _erase(self) -> None:
        if self._status:
            from rich.control import Control
            from rich.segment import ControlType

            above = ((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2)) * (len(self._status) - 1)
            self._screen.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2), *above))

    def _symbolic(self, text: str) -> str:
        return text if self._symbols else in_ascii(text)

    def _style(self, wanted: str) -> str:
        return "" if self._screen.no_color else wanted
