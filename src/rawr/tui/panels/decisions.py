"""What rawr decided on the thread, the newest last; Enter opens one."""

import asyncio
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType

from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.records import Decision
from rawr.errors import RawrError
from rawr.journal.reader import JournalReader
from rawr.tui.desk import Desk
from rawr.tui.messages import DecisionOpened
from rawr.tui.panels.panel import Panel
from rawr.tui.rendering.entries import Entry
from rawr.tui.rendering.ink import Ink, wrapped
from rawr.tui.widgets.entry_list import EntryList
from rawr.views.decisions import newest_decided
from rawr.views.numbers import clock_time

MOST = 300


class _Made(Entry):
    openable = True

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.seq)
        self.decision = decision

    def _framed(self, width: int, ink: Ink) -> list[Text]:
        reason = self.decision.record.reason
        time = f"{clock_time(self.decision.at, '%H:%M')} "
        lines = wrapped(ink.text(reason.meaning, _role(reason.value)), width - len(time))
        first = ink.text(time, "dim")
        return [(first if not n else Text(" " * len(time))).append_text(line) for n, line in enumerate(lines)]


def _role(code: str) -> str:
    area, _, rest = code.partition(".")
    outcome = rest.partition(".")[0]
    if outcome in ("failed", "stopped"):
        return "bad"
    if outcome in ("deferred", "skipped", "vetoed", "paused"):
        return "dim"
    return {"compact": "rawr", "run": "accent", "request": "warn"}.get(area, "plain")


class DecisionsPanel(EntryList, Panel):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "choose(1)", "The next one", show=False),
        Binding("k,up", "choose(-1)", "The one before", show=False),
        Binding("enter", "open_entry", "Open it; the newest, if none is chosen", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._thread = ""

    def look(self, desk: Desk, state: ThreadState | None) -> None:
        if state is not None and state.id != self._thread:
            self._thread = state.id
            self.put(())
            self._read(desk.rawr.journal, state.id)

    def decided(self, decision: Decision) -> None:
        """One more, live."""
        known = any(isinstance(one, _Made) and one.decision.id == decision.id for one in self.entries[-20:])
        if decision.thread == self._thread and not known:
            self.add([_Made(decision)])
            if len(self.entries) > MOST:
                self.drop_first(1)

    @work(exclusive=True)
    async def _read(self, journal: Path, thread: str) -> None:
        rows = await asyncio.to_thread(_newest, journal, thread)
        if thread == self._thread:
            known = {one.id for one in rows}
            live = [one for one in self.entries if isinstance(one, _Made) and one.decision.id not in known]
            self.put([*map(_Made, rows), *live])

    def action_choose(self, by: int) -> None:
        """From the newest on."""
        if self._cursor is None and self.entries:
            self._cursor = self.entries[-1]
            self._show_entry(len(self.entries) - 1)
            self.refresh()
        else:
            super().action_choose(by)

    def action_open_entry(self) -> None:
        if self._cursor is None:
            self.action_choose(-1)
        super().action_open_entry()

    def _toggle(self, entry: Entry) -> None:
        if isinstance(entry, _Made):
            self.post_message(DecisionOpened(entry.decision))


def _newest(journal: Path, thread: str) -> list[Decision]:
    try:
        with JournalReader.open(journal) as reader:
            return newest_decided(reader, thread, most=MOST)
    except RawrError:
        return []
