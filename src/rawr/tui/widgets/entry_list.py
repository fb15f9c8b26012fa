"""A long list of entries of which only those on the screen are drawn.

How high an entry is, is guessed until it comes near the screen. When the guess was wrong, what is on the screen stays
where it is.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rawr.tui.rendering.entries import Entry
from rawr.tui.rendering.ink import ROLES, Ink

AROUND = 20
"""Lines above and below the screen that are drawn ahead."""


class EntryList(ScrollView, can_focus=True):
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"ink--{role}" for role in ROLES}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_down", "Down a line", show=False),
        Binding("k,up", "scroll_up", "Up a line", show=False),
        Binding("space,pagedown", "page_down", "Down a page", show=False),
        Binding("pageup", "page_up", "Up a page", show=False),
        Binding("home,g", "go_first", "To the beginning", show=False),
        Binding("end,G", "go_last", "To the end", show=False),
        Binding("left_square_bracket", "choose(-1)", "Choose the entry before", key_display="[", show=False),
        Binding("right_square_bracket", "choose(1)", "Choose the next entry", key_display="]", show=False),
        Binding("enter", "open_entry", "Open or fold", show=False),
        Binding("z", "toggle_all", "Open or fold all", show=False),
    ]

    class Chosen(Message):
        """An entry was opened, or clicked."""

        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.entries: list[Entry] = []
        self._heights: list[int] = []
        self._tops: list[int] = [0]
        self._ink: Ink | None = None
        self._cursor: Entry | None = None
        self._settling = False
        self._follows = True
        """The end is on the screen, and stays there when the screen gets smaller."""

    # -- what is in it ----------------------------------------------------------------------------------------------

    def put(self, entries: Iterable[Entry]) -> None:
        """Show these instead, from their end."""
        self.entries = list(entries)
        self._cursor = None
        self._measure_all()
        self.call_after_refresh(self.to_end)

    def add(self, entries: Sequence[Entry], *, changed: Sequence[Entry] = ()) -> None:
        """Add entries at the end, and draw ``changed`` ones anew. If the end was on the screen, it stays there."""
        at_end = self.at_end
        for one in changed:
            self._remeasure(one)
        self.entries.extend(entries)
        self._heights.extend(one.guess(self._width) for one in entries)
        self._arrange()
        if at_end:
            self.to_end()
        else:
            self.refresh()

    def add_before(self, entries: Sequence[Entry]) -> None:
        """What is on the screen stays where it is."""
        self.entries[:0] = entries
        heights = [one.guess(self._width) for one in entries]
        self._heights[:0] = heights
        self._arrange()
        self._move(sum(heights))

    def drop_first(self, count: int) -> None:
        gone = sum(self._heights[:count])
        del self.entries[:count], self._heights[:count]
        self._arrange()
        self._move(-gone)

    def drop_last(self, count: int) -> None:
        del self.entries[len(self.entries) - count :], self._heights[len(self._heights) - count :]
        self._arrange()

    def take_out(self, entry: Entry) -> None:
        at = self._index(entry)
        if at is not None:
            del self.entries[at], self._heights[at]
            self._arrange()

    @property
    def at_end(self) -> bool:
        return self.scroll_offset.y >= self.max_scroll_y

    def to_end(self) -> None:
        self._settle_at(self._tops[-1])
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True, force=True)
        self._settle()
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True, force=True)
        self._follows = True

    # -- sizes ------------------------------------------------------------------------------------------------------

    @property
    def ink(self) -> Ink:
        if self._ink is None:
            self._ink = Ink({role: self.get_component_rich_style(f"ink--{role}", partial=True) for role in ROLES})
        return self._ink

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.call_after_refresh(self._dip))

    def on_show(self) -> None:
        self.call_after_refresh(self._dip)

    def _dip(self) -> None:
        """Styles are known only once a widget is shown, and a theme changes all of them."""
        before, self._ink = self._ink, None
        if before is not None and any(before[role] != self.ink[role] for role in ROLES):
            self._settle()
            self.refresh()
        else:
            self._ink = before

    @property
    def _width(self) -> int:
        return max(self.scrollable_content_region.width, 10)

    def on_resize(self, _event: events.Resize) -> None:
        follows = self._follows
        if self.virtual_size.width != self._width:
            anchor = self._entry_at(self.scroll_offset.y)
            self._measure_all()
            if not follows and anchor is not None:
                at = self._index(anchor) or 0
                self.scroll_to(y=self._tops[at], animate=False, immediate=True)
        self._settle()
        if follows:
            self.to_end()

    def _measure_all(self) -> None:
        self._heights = [one.guess(self._width) for one in self.entries]
        self._arrange()

    def _arrange(self) -> None:
        self._tops = [0, *accumulate(self._heights)]
        self.virtual_size = Size(self._width, self._tops[-1])

    def _remeasure(self, entry: Entry) -> None:
        at = self._index(entry)
        if at is not None:
            self._heights[at] = len(entry.lines(self._width, self.ink))

    def _index(self, entry: Entry) -> int | None:
        """Most are near the end."""
        return next((at for at in range(len(self.entries) - 1, -1, -1) if self.entries[at] is entry), None)

    def _entry_at(self, line: int) -> Entry | None:
        at = bisect_right(self._tops, line) - 1
        return self.entries[at] if 0 <= at < len(self.entries) else None

    # -- what is near the screen has its true height -------------------------------------------------------------

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._follows = self.at_end
        self._settle()

    def _settle(self) -> None:
        self._settle_at(self.scroll_offset.y)

    def _settle_at(self, top: int) -> None:
        if self._settling or not self.is_mounted or not self.entries:
            return
        self._settling = True
        try:
            moved = self._true_heights(max(top - AROUND, 0), top + self.size.height + AROUND, top)
            if moved:
                self._move(moved)
        finally:
            self._settling = False

    def _true_heights(self, first: int, last: int, top: int) -> int:
        """Draw the entries between two lines, and return by how much those above ``top`` grew."""
        width, ink, moved, changed = self._width, self.ink, 0, False
        at = max(bisect_right(self._tops, first) - 1, 0)
        line = self._tops[at]
        while at < len(self.entries) and line < last:
            entry = self.entries[at]
            height = len(entry.lines(width, ink))
            if height != self._heights[at]:
                if self._tops[at] < top:
                    moved += height - self._heights[at]
                self._heights[at] = height
                changed = True
            line += height
            at += 1
        if changed:
            self._arrange()
        return moved

    def _move(self, lines: int) -> None:
        if lines:
            self.scroll_to(y=self.scroll_offset.y + lines, animate=False, immediate=True, force=True)

    # -- drawing ----------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        line = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        entry = self._entry_at(line)
        base = self.rich_style
        if entry is None:
            return Strip.blank(width, base)
        drawn = entry.lines(self._width, self.ink)
        within = line - self._tops[bisect_right(self._tops, line) - 1]
        strip = drawn[within] if within < len(drawn) else Strip([])
        if entry is self._cursor and self.has_focus:
            base = base + self.ink["cursor"]
        return strip.extend_cell_length(width, base).crop(0, width).apply_style(base)

    # -- keys -------------------------------------------------------------------------------------------------------

    def action_go_first(self) -> None:
        self.scroll_to(y=0, animate=False, immediate=True)

    def action_go_last(self) -> None:
        self.to_end()

    def action_choose(self, by: int) -> None:
        """The next entry that can be opened, from the chosen one or from the screen."""
        top = self.scroll_offset.y
        shown = self._entry_at(top + (0 if by > 0 else self.size.height - 1))
        begin = self._cursor if self._cursor is not None else shown
        outside = 0 if by > 0 else len(self.entries) - 1
        at = (self._index(begin) or 0) if begin is not None else outside
        at += by if self._cursor is not None else 0
        while 0 <= at < len(self.entries):
            if self.entries[at].openable:
                self._cursor = self.entries[at]
                self._show_entry(at)
                break
            at += by
        self.refresh()

    def _show_entry(self, at: int) -> None:
        top, height = self._tops[at], self.size.height
        if not self.scroll_offset.y <= top < self.scroll_offset.y + height:
            self.scroll_to(y=max(top - height // 3, 0), animate=False, immediate=True)

    def action_open_entry(self) -> None:
        if self._cursor is not None:
            self._toggle(self._cursor)

    def action_toggle_all(self) -> None:
        """If any is folded, open all; else fold them."""
        openable = [one for one in self.entries if one.openable]
        wanted = any(not one.open for one in openable)
        for one in openable:
            if one.open != wanted:
                one.toggle()
        self._measure_all()
        self._settle()
        self.refresh()

    def _toggle(self, entry: Entry) -> None:
        if entry.openable:
            entry.toggle()
            self._remeasure(entry)
            self._arrange()
            self.refresh()
        self.post_message(self.Chosen(entry))

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        entry = self._entry_at(self.scroll_offset.y + place.y) if place is not None else None
        if entry is not None and entry.openable:
            self._cursor = entry
            self._toggle(entry)
