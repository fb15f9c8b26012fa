"""The conversation of one thread: its newest page, more pages as one scrolls, and what comes in live.

It holds a few pages at a time, however long the thread is. It follows the end only while the end is on the screen.
"""

from collections import deque

from textual import work
from textual.message import Message

from rawr.errors import RawrError
from rawr.tui.history import Page, Pages
from rawr.tui.messages import Piece
from rawr.tui.rendering.entries import Compacted, Entry, Note
from rawr.tui.rendering.stream import Stream
from rawr.tui.rendering.telling import Telling
from rawr.tui.told import Told
from rawr.tui.widgets.entry_list import EntryList
from rawr.views import events as e
from rawr.views.numbers import counted

MOST = 2_400
"""Entries that are held."""
NEAR = 30
"""Lines from an end of what is held, at which the next page is fetched."""
MOST_STREAMS = 8
MOST_OVER = 256


_AFTER_WORDS = (e.UserSaid, e.CommandBegan, e.TurnEnded, e.TurnBegan, e.ThreadJoined)
"""When one of these comes, the agent has stopped writing."""


class Conversation(EntryList):
    class Loaded(Message):
        """The newest page is on the screen."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._pages: Pages | None = None
        self._telling = Telling()
        self._streams: dict[str, Stream] = {}
        self._after = self._until = 0
        """Of the thread, the facts with ``after < seq <= until`` are held."""
        self._first = self._last = True
        """Nothing comes before what is held; nothing comes after it."""
        self._waiting: list[Told] | None = None
        """What came in while the newest page was being read."""
        self._new = 0
        self._over: deque[str] = deque(maxlen=MOST_OVER)
        """Items that are whole, or cut off: what is still on its way of their text is not shown any more."""
        self._fetching = False

    @property
    def thread(self) -> str:
        return self._pages.thread if self._pages is not None else ""

    # -- a thread, and its pages ------------------------------------------------------------------------------------

    def open(self, pages: Pages | None) -> None:
        """Show another thread, from its end."""
        self._pages = pages
        self._streams.clear()
        self._telling = Telling()
        self.put(())
        if pages is not None:
            self._jump(pages, newest=True)

    @work(exclusive=True, group="jump")
    async def _jump(self, pages: Pages, *, newest: bool) -> None:
        self._waiting = []
        self._fetching = True
        try:
            page = await (pages.newest() if newest else pages.oldest())
        except RawrError as error:
            self.notify(str(error), severity="error", markup=False)
            page = Page()
        finally:
            self._fetching = False
        if pages is not self._pages:
            return
        self._after, self._until = page.after, page.until
        self._first, self._last = page.first, newest or page.last
        self._telling = Telling()
        entries = list(self._telling.take(page.told))
        waiting, self._waiting = self._waiting or [], None
        if newest:
            entries += self._telling.take(one for one in waiting if one.event.seq > page.until)
            entries += self._streams.values()
        self.put(entries)
        if not newest:
            self.call_after_refresh(self.scroll_to, y=0, animate=False, immediate=True)
        self._count_new(0)
        self.post_message(self.Loaded())

    @work(exclusive=True, group="page")
    async def _fetch(self, pages: Pages, *, before: bool) -> None:
        try:
            page = await (pages.before(self._after) if before else pages.after(self._until))
        except RawrError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        finally:
            self._fetching = False
        if pages is not self._pages:
            return
        if before:
            self.add_before(list(Telling().take(page.told)))
            self._after, self._first = page.after, page.first
            self._trim(at_end=True)
        else:
            # Live entries may have come while it was read.
            self.add(list(self._telling.take(page.told)))
            self._until, self._last = page.until, page.last
            self._trim(at_end=False)

    def _trim(self, *, at_end: bool) -> None:
        """Let go of what is far from the screen; the journal has it."""
        over = len(self.entries) - MOST
        if over <= 0:
            return
        if at_end:
            kept = self.entries[: len(self.entries) - over]
            self.drop_last(over)
            self._until = max((one.seq for one in kept), default=self._until)
            self._last = False
            self._telling = Telling()
        else:
            self.drop_first(over)
            # The page begins with the whole fact of its first entry.
            self._after = self.entries[0].seq - 1
            self._first = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.at_end and self._last:
            self._count_new(0)
        if self._pages is None or self._fetching or not self.entries:
            return
        if new_value < NEAR and not self._first and new_value <= old_value:
            self._fetching = True
            self._fetch(self._pages, before=True)
        elif not self._last and new_value > self.max_scroll_y - NEAR and new_value >= old_value:
            self._fetching = True
            self._fetch(self._pages, before=False)

    def action_go_first(self) -> None:
        if self._first or self._pages is None:
            super().action_go_first()
        else:
            self._jump(self._pages, newest=False)

    def action_go_last(self) -> None:
        if self._last or self._pages is None:
            super().action_go_last()
        else:
            self._jump(self._pages, newest=True)

    # -- live -------------------------------------------------------------------------------------------------------

    def take(self, told: tuple[Told, ...]) -> None:
        """What happened on this thread."""
        finished = {one.item for one in told if one.item}
        self._over.extend(finished)
        if self._waiting is not None or not self._last:
            for item in finished & self._streams.keys():
                self.take_out(self._streams.pop(item))
        # A message that was cut off, by a word of the user's or with its turn, never comes whole: it stays as it is.
        if any(isinstance(one.event, _AFTER_WORDS) for one in told):
            for item in self._streams.keys() - finished:
                stream = self._streams.pop(item)
                self._over.append(item)
                stream.cut_off()
                self._remeasure(stream)
        if self._waiting is not None:
            self._waiting.extend(told)
            return
        fresh = [one for one in told if one.event.seq > self._until]
        if not self._last:
            self._count_new(self._new + len(fresh))
            return
        before = [stream for item, stream in self._streams.items() if item in finished]
        for stream in before:
            del self._streams[stream.item]
        running = [entry for one in fresh if (entry := self._telling.running(one.item)) is not None]
        entries = list(self._telling.take(fresh))
        if fresh:
            self._until = fresh[-1].event.seq
        at_end = self.at_end
        for stream in before:
            self.take_out(stream)
        self._add_above_streams(entries, changed=[*running, *self._late()])
        if at_end:
            self.to_end()
        elif entries:
            self._count_new(self._new + len(entries))
        self._trim(at_end=False)

    def _late(self) -> list[Entry]:
        """Compactions near the end, whose tokens may have been counted, and notes that may have been repeated."""
        return [one for one in self.entries[-12:] if isinstance(one, Compacted | Note)]

    def _add_above_streams(self, entries: list[Entry], *, changed: list[Entry]) -> None:
        """What is still being written stays last."""
        streams: list[Entry] = [
            one for one in self.entries[-MOST_STREAMS:] if isinstance(one, Stream) and one.item in self._streams
        ]
        for one in streams:
            self.take_out(one)
        self.add([*entries, *streams], changed=changed)

    def stream(self, pieces: tuple[Piece, ...]) -> None:
        """Text as it is written."""
        fresh: list[Entry] = []
        changed: list[Entry] = []
        for piece in pieces:
            if piece.kind == "output":
                ran = self._telling.running(piece.item)
                if ran is not None:
                    ran.wrote(piece.text)
                    changed.append(ran)
                continue
            stream = self._streams.get(piece.item)
            if piece.item in self._over:
                continue
            if stream is None:
                if len(self._streams) >= MOST_STREAMS:
                    continue
                stream = self._streams[piece.item] = Stream(piece.item, kind=piece.kind)
                fresh.append(stream)
            else:
                changed.append(stream)
            stream.wrote(piece.text)
        if self._last and self._waiting is None and (fresh or changed):
            self.add(fresh, changed=changed)

    def _count_new(self, count: int) -> None:
        self._new = count
        self.border_subtitle = f"↓ {counted(count, 'new entry').replace('entrys', 'entries')} · End" if count else ""
