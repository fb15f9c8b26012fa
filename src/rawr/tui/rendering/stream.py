"""A message that is still being written: what is complete of it is drawn once, and only its end again.

However long it gets and however fast it comes, one batch costs about as much as one screen of text.
"""

import re

from rich.text import Text
from textual.strip import Strip

from rawr.tui.rendering.entries import GUTTER, Entry
from rawr.tui.rendering.ink import Ink, strips
from rawr.tui.rendering.markdown import markdown_lines

MOST_TAIL = 1_200
"""Characters that are drawn again with each batch."""
MOST_WAITING = 2_000
"""Characters of a batch that are drawn once; of more, the end."""
MOST_LINES = 1_500
"""Lines that are kept while it is being written; the whole message follows when it is complete."""
_BLANK = "\n\n"
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)", re.MULTILINE)


class Stream(Entry):
    mark, role, space = "●", "agent", True

    def __init__(self, item: str, *, kind: str = "message") -> None:
        super().__init__()
        self.item, self.kind = item, kind
        self._done: list[Strip] = []
        self._waiting = ""
        """Complete text that is not drawn yet."""
        self._tail = ""
        self._fence = ""
        """The fence that is open at the beginning of the tail."""
        if kind == "reasoning":
            self.mark, self.role = "∴", "dim"

    def wrote(self, text: str) -> None:
        self._tail += text
        end = self._boundary()
        if end:
            self._complete(end)
        self.change()

    def cut_off(self) -> None:
        """It never comes whole."""
        if self.kind != "reasoning":
            self.wrote(f"\n{self._fence}\n\n*(cut off)*" if self._fence else "\n\n*(cut off)*")

    def _boundary(self) -> int:
        """Where the part of the tail ends that will not change any more; 0 if nowhere."""
        found, begin, fenced = 0, 0, bool(self._fence)
        for fence in (*_FENCE.finditer(self._tail), None):
            if not fenced:
                blank = self._tail.rfind("\n\n", begin, fence.start() if fence is not None else len(self._tail))
                found = blank + 2 if blank >= 0 else found
            begin, fenced = fence.end() if fence is not None else 0, not fenced
        if len(self._tail) - found > MOST_TAIL:
            line = self._tail.rfind("\n", found)
            return line + 1 if line > found else len(self._tail)
        return found

    def _complete(self, end: int) -> None:
        block, self._tail = self._tail[:end], self._tail[end:]
        text = f"{self._fence}\n{block}" if self._fence else block
        for found in _FENCE.finditer(block):
            self._fence = "" if self._fence else found[1]
        self._waiting += text if not self._fence else f"{text}\n{self._fence}\n"
        if len(self._waiting) > MOST_WAITING:
            # It comes faster than one can read: its end is enough until it is whole.
            self._waiting = f"…\n\n{self._waiting[-MOST_WAITING:].partition(_BLANK)[2]}"

    def lines(self, width: int, ink: Ink) -> list[Strip]:
        if self.known(width, ink) and self._drawn is not None:
            return self._drawn
        if self._for is not None and self._for[0] != width:
            # Drawn for another width: what was complete stays as it is, cut. The whole message is drawn anew.
            self._done = [one.crop(0, width) for one in self._done]
        self._for = (width, ink)
        if self._waiting:
            waiting, self._waiting = self._waiting, ""
            self._done += strips(self._indented(waiting, width, ink))
            del self._done[:-MOST_LINES]
        self._drawn = [*self._done, *strips(self._indented(self._tail_text, width, ink))]
        return self._drawn

    @property
    def _tail_text(self) -> str:
        return f"{self._fence}\n{self._tail}" if self._fence else self._tail

    def _indented(self, text: str, width: int, ink: Ink) -> list[Text]:
        lines = markdown_lines(text, width - GUTTER, ink)
        found = [Text("")] if lines else []
        for number, line in enumerate(lines):
            begins = not self._done and not number
            before = ink.text(f"{self.mark} ", self.role) if begins else Text("  ")
            found.append(before.append_text(line))
        return found
