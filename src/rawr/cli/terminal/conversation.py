"""A conversation as it happens: for the demo, and for following a run in a terminal."""

import asyncio
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from rawr.cli.terminal.lines import Line, lines_of
from rawr.cli.terminal.output import OutputLost, counted, emit, in_ascii
from rawr.cli.terminal.printers import Printer
from rawr.cli.terminal.run_words import ASCII_MARKS, SYMBOLS
from rawr.core.kernel import Taken
from rawr.core.policy.compaction import Notices
from rawr.core.vocabulary import facts
from rawr.ports.surface import Surface
from rawr.views.events import AgentSaid, AnyEvent, CommandBegan, UserSaid
from rawr.views.facts import NoticeView, fact_view
from rawr.views.following import Following

STAYS: dict[Notices, frozenset[facts.Level]] = {
    "quiet": frozenset({"warning", "error"}),
    "normal": frozenset({"info", "warning", "error"}),
    "all": frozenset({"debug", "status", "info", "warning", "error"}),
}
"""The levels whose lines stay on the screen. Any other status line is live: it stays until the next one comes."""


PACKETS: frozenset[str] = frozenset({"heads_up", "packet", "correction"})
"""After these, the agent writes its packet."""


class Conversation:
    """A surface that turns facts into lines. It shows what was recorded, never what is only expected."""

    def __init__(
        self,
        printer: Printer,
        *,
        notices: Notices = "all",
        follow: bool = True,
        symbols: bool = True,
        brief: bool = False,
        several: bool = False,
        beginnings: bool = False,
        named: Callable[[str], str] = lambda thread: thread[-4:],
    ) -> None:
        """``brief``: fold rawr's own messages to the agent, and the agent's packets, to their first line. ``several``:
        more threads will come, so the first is labelled too. ``beginnings``: a command has a line when it starts, too.
        ``named``: what a thread is called."""
        self._printer = printer
        self._notices: Notices = notices
        self._follow = follow
        self._brief = brief
        self._several = several
        self._beginnings = beginnings
        self._named = named
        self._packets: set[str] = set()
        """The threads whose agent was last asked for its packet."""
        self._marks = SYMBOLS if symbols else ASCII_MARKS
        self._symbols = symbols
        self._following = Following()
        self._threads: dict[str, None] = {}
        self._context = ""

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        self._show(thread, Line("rawr", text, "yellow" if level in ("warning", "error") else "magenta", level))

    def close(self) -> None:
        """Clear the live line: the last line belongs to the shell again."""
        self._printer.status("")

    def taken(self, taken: Taken) -> None:
        self.happened(self._following.take(taken))

    def happened(self, events: Iterable[AnyEvent]) -> None:
        for event in map(self._brief_packet, events):
            if isinstance(event, CommandBegan) and self._beginnings:
                self._show(event.thread, Line("start", f"$ {event.command}", "blue"))
            if isinstance(event, UserSaid) and event.purpose:
                self._show(event.thread, Line("rawr", self._folded(event.text), "magenta"))
            for line in lines_of(event, marks=self._marks):
                self._show(event.thread, line)

    def _brief_packet(self, event: AnyEvent) -> AnyEvent:
        """A packet is for the agent; it is in the journal."""
        if isinstance(event, UserSaid):
            self._packets = self._packets - {event.thread} | ({event.thread} if event.purpose in PACKETS else set())
        if isinstance(event, AgentSaid) and event.thread in self._packets:
            return replace(event, text=self._folded(event.text))
        return event

    def _folded(self, text: str) -> str:
        first, _, rest = text.partition("\n")
        more = len(rest.strip().splitlines())
        return f"{first} (and {counted(more, 'line')} more)" if self._brief and more else text

    def _show(self, thread: str, line: Line) -> None:
        if line.of_thread and not self._follow:
            return
        if thread:
            self._threads.setdefault(thread)
        # With one thread there is no need to say which.
        several = self._several or len(self._threads) > 1
        text = f"[{self._named(thread)}] {line.text}" if thread and several else line.text
        if not self._symbols and not line.of_thread:
            text = in_ascii(text)
        if self._brief and line.who == "context":
            # Each call of the model has one. Where nothing can be redrawn, the lines that matter name the percentage.
            self._stand(Line(line.who, text))
        elif line.level in STAYS[self._notices]:
            self._printer.show(Line(line.who, text, line.style, line.level))
        elif line.level == "status" and self._notices == "normal":
            self._stand(Line(line.who, text))

    def _stand(self, line: Line) -> None:
        """The current state: the context, and the newest line beside it."""
        if line.who == "context":
            self._context = line.text
            self._printer.status(line.text)
        else:
            self._printer.status(f"{self._context}  {line.text}".strip())


class JsonConversation:
    """The same for programs: each fact with its decisions, one JSON object per line."""

    def __init__(self) -> None:
        self._closed = False

    def close(self) -> None:
        """Nothing follows the last line."""
        self._closed = True

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        if self._closed:
            return
        emit(NoticeView(thread, level, text))

    def taken(self, taken: Taken) -> None:
        if self._closed:
            return
        emit(fact_view(taken))


class Attended:
    """A surface whose reader may leave. Then nothing more is shown, and the work to be shown is called off."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._lost: OutputLost | None = None
        self._work: asyncio.Task[str] | None = None

    def attend(self, work: "asyncio.Task[str]") -> None:
        self._work = work
        if self._lost is not None:
            work.cancel()

    def check(self) -> None:
        """Raise the error of the output, if there was one."""
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
