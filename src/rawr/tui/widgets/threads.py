"""The threads at the left: state, how much of the context is left, the last decision."""

from textwrap import wrap
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from rawr.tui.rendering.bars import left_bar, standing_mark, standing_words
from rawr.tui.rendering.entries import flat
from rawr.views.rows import ThreadRow


class Threads(OptionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]

    class Picked(Message):
        """A person wants to see another thread."""

        def __init__(self, thread: str, *, settled: bool = False) -> None:
            """``settled``: they pressed Enter, or clicked; otherwise they only moved to it."""
            super().__init__()
            self.thread, self.settled = thread, settled

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self._shown: dict[str, tuple[ThreadRow, bool]] = {}
        self._thread = ""

    def show(self, rows: list[ThreadRow], *, thread: str) -> None:
        """``thread`` is the one on the screen. Only what changed is drawn again."""
        fresh = {row.thread: (row, row.thread == thread) for row in rows}
        if list(fresh) != list(self._shown):
            self.clear_options()
            self.add_options(Option(self._prompt(*one), id=name) for name, one in fresh.items())
        else:
            for name, one in fresh.items():
                if one != self._shown[name]:
                    self.replace_option_prompt(name, self._prompt(*one))
        if fresh and (thread != self._thread or self.highlighted is None):
            self.highlighted = list(fresh).index(thread) if thread in fresh else 0
        self._shown, self._thread = fresh, thread
        self.border_subtitle = Content(f"{len(rows)}") if rows else None

    def _prompt(self, row: ThreadRow, here: bool) -> Content:  # noqa: FBT001
        name = Content.styled(flat(row.name, 60), "bold" if here else "")
        asks = Content.styled(f" ({row.asks})", "$warning bold") if row.asks else Content("")
        first = Content.assemble(standing_mark(row.standing), " ", name).truncate(28, ellipsis=True)
        run = Content.styled(f" · {row.run}", "$muted") if row.run else Content("")
        second = Content.assemble("  ", standing_words(row.standing), asks, run)
        third = Content.assemble("  ", left_bar(row.percent_left, row.tier))
        said = wrap(flat(row.decision, 120), 27, max_lines=2, placeholder="…")
        lines = [first, second, third, *(Content.styled(f"  {line}", "$muted") for line in said)]
        return Content("\n").join((*lines, Content("")))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_id and event.option_id != self._thread and self.has_focus:
            self.post_message(self.Picked(event.option_id))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_id:
            self.post_message(self.Picked(event.option_id, settled=True))
