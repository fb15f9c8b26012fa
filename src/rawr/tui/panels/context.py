"""The context over time: tiers as bands, compactions and boundaries as marks."""

import asyncio
from pathlib import Path

from textual import events, work
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from rawr.core.kernel import Taken
from rawr.core.policy.policy import Policy
from rawr.core.state.thread import ThreadState
from rawr.errors import RawrError
from rawr.journal.reader import JournalReader
from rawr.tui.desk import Desk
from rawr.tui.panels.panel import Panel
from rawr.tui.rendering.plot import KEY, plot
from rawr.views.numbers import short
from rawr.views.timeline import TimelineFold
from rawr.views.timeline.journaled import taken_from
from rawr.views.timeline.shapes import CompactionPoint

HIGHEST, LOWEST = 16, 5


class ContextPanel(VerticalScroll, Panel, can_focus=True):
    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._fold: TimelineFold | None = None
        self._thread = ""
        self._until = 0
        self._waiting: list[Taken] = []

    def compose(self):  # type: ignore[no-untyped-def]
        yield Static("", markup=False)

    def look(self, desk: Desk, state: ThreadState | None) -> None:
        if state is None:
            return
        if state.id != self._thread:
            self._thread, self._fold, self._waiting = state.id, None, []
            self._read(desk.rawr.journal, state.id, desk.policy)
        self._draw()

    def take(self, taken: Taken) -> None:
        if taken.recorded.thread != self._thread:
            return
        if self._fold is None:
            self._waiting.append(taken)
        elif taken.recorded.seq > self._until:
            self._until = taken.recorded.seq
            self._fold.take(taken)

    @work(exclusive=True)
    async def _read(self, journal: Path, thread: str, policy: Policy) -> None:
        fold, until = await asyncio.to_thread(_folded, journal, thread, policy)
        if thread != self._thread:
            return
        self._fold, self._until = fold, until
        for taken in self._waiting:
            self.take(taken)
        self._waiting = []
        self._draw()

    def on_resize(self, _event: events.Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        shown = self.query_one(Static)
        if self._fold is None:
            shown.update(Content.styled("Reading the journal …", "$muted"))
            return
        timeline = self._fold.so_far
        height = min(max(self.size.height // 2, LOWEST), HIGHEST)
        lines = plot(timeline, width=self.size.width - 2, height=height)
        lines += [Content(""), Content.styled(KEY, "$muted"), Content("")]
        lines += [_compaction(one) for one in timeline.compactions[-8:]]
        shown.update(Content("\n").join(lines))


def _compaction(one: CompactionPoint) -> Content:
    before, after = (short(n) if n is not None else "?" for n in (one.tokens_before, one.tokens_after))
    packet = f", packet by {one.packet}" if one.packet else ""
    words = f"{'compacted' if one.ok else 'failed'} by {one.by}, {before} → {after} tokens{packet}"
    return Content.styled(words, "" if one.ok else "$error")


def _folded(journal: Path, thread: str, policy: Policy) -> tuple[TimelineFold, int]:
    fold, until = TimelineFold(thread, policy), 0
    try:
        with JournalReader.open(journal) as reader:
            until = reader.last_seq()
            for taken in taken_from(reader, thread, first=1, until=until):
                fold.take(taken)
    except RawrError:
        return fold, until
    return fold, until
