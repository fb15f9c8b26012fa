"""A conversation as it happens: for the demo, and for whoever follows a run in a terminal."""

import asyncio

from msgspec import to_builtins

from rawr.cli.terminal.lines import Line, lines_of
from rawr.cli.terminal.output import OutputLost, counted, emit, in_ascii
from rawr.cli.terminal.printers import Printer
from rawr.core.kernel import Taken
from rawr.core.policy.compaction import Notices
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import StartTurn, SteerTurn
from rawr.core.vocabulary.reasons import Reason
from rawr.ports.surface import Surface

SYMBOLS = {"completed": "✓", "in_progress": "▸", "pending": "○"}
ASCII_MARKS = {status: in_ascii(symbol) for status, symbol in SYMBOLS.items()}

STAYS: dict[Notices, frozenset[facts.Level]] = {
    "quiet": frozenset({"warning", "error"}),
    "normal": frozenset({"info", "warning", "error"}),
    "all": frozenset({"debug", "status", "info", "warning", "error"}),
}
"""The levels whose lines stay on the screen. A status line is otherwise live: it stands until the next one comes."""


class Conversation:
    """A surface that turns facts into lines. It shows what was recorded, never what is only hoped for."""

    def __init__(
        self,
        printer: Printer,
        *,
        notices: Notices = "all",
        follow: bool = True,
        symbols: bool = True,
        brief: bool = False,
        several: bool = False,
    ) -> None:
        """``brief``: of what rawr itself says to the agent only the first line is shown. ``several``: threads are to
        come, so the first is told from the others too."""
        self._printer = printer
        self._notices: Notices = notices
        self._follow = follow
        self._brief = brief
        self._several = several
        self._marks = SYMBOLS if symbols else ASCII_MARKS
        self._symbols = symbols
        self._ours: set[str] = set()
        self._threads: dict[str, None] = {}
        self._context = ""

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        self._show(thread, Line("rawr", text, "yellow" if level in ("warning", "error") else "magenta", level))

    def close(self) -> None:
        """Nothing stands any more: the last line is the shell's again."""
        self._printer.status("")

    def taken(self, taken: Taken) -> None:
        if any(one.record.reason in OWN_WORDS for one in taken.decisions):
            self._ours |= {one.id for one in taken.effects if isinstance(one.effect, StartTurn | SteerTurn)}
        ours = self._is_ours(taken)
        for line in lines_of(taken, marks=self._marks):
            self._show(taken.recorded.thread, Line("rawr", self._own(line.text), "magenta") if ours else line)

    def _own(self, text: str) -> str:
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
        text = f"[{thread[-4:]}] {line.text}" if thread and several else line.text
        if not self._symbols and not line.of_thread:
            text = in_ascii(text)
        if line.level in STAYS[self._notices]:
            self._printer.show(Line(line.who, text, line.style, line.level))
        elif line.level == "status" and self._notices == "normal":
            self._stand(Line(line.who, text))

    def _stand(self, line: Line) -> None:
        """How things stand: the context, and the newest beside it."""
        if line.who == "context":
            self._context = line.text
            self._printer.status(line.text)
        else:
            self._printer.status(f"{self._context}  {line.text}".strip())

    def _is_ours(self, taken: Taken) -> bool:
        """A message that rawr sent itself, known by the effect that carried it."""
        match taken.recorded.fact:
            case facts.ItemCompleted(item=items.UserMessage(client_id=client_id)):
                return client_id in self._ours
            case _:
                return False


OWN_WORDS = frozenset(
    {
        Reason.TURN_STARTED_SEQUENCE,
        Reason.TURN_STARTED_RUN,
        Reason.HANDOFF_SENT_RECOVERY,
        Reason.COMPACT_DECIDED_LANDING,
        Reason.REQUEST_DECLINED_UNSAFE,
    }
)
"""Decisions that let rawr speak to the agent."""


class JsonConversation:
    """The same for programs: each fact with its decisions as one line of JSON."""

    def __init__(self) -> None:
        self._closed = False

    def close(self) -> None:
        """Nothing follows the last word."""
        self._closed = True

    def notify(self, thread: str, level: facts.Level, text: str) -> None:
        if self._closed:
            return
        emit({"type": "notice", "thread": thread, "level": level, "text": text})

    def taken(self, taken: Taken) -> None:
        if self._closed:
            return
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
