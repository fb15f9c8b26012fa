"""What is changed in the workspace, with colours: what is not committed, then the newest commits."""

import asyncio

from rich.text import Text
from textual import work

from rawr.core.state.thread import ThreadState
from rawr.tui.desk import Desk
from rawr.tui.panels.panel import Panel
from rawr.tui.rendering.entries import Entry
from rawr.tui.rendering.ink import Ink, cut
from rawr.tui.widgets.entry_list import EntryList
from rawr.views.diff import DiffLine, diff_of
from rawr.views.visible import harmless

_ROLES = {"file": "strong", "hunk": "hunk", "added": "added", "removed": "removed", "note": "dim", "same": "plain"}


class _Line(Entry):
    def __init__(self, line: DiffLine) -> None:
        super().__init__()
        self._line = line
        self.space = line.kind == "file"

    def _framed(self, width: int, ink: Ink) -> list[Text]:
        text = cut(ink.text(harmless(self._line.text).replace("\t", "    "), _ROLES[self._line.kind]), width)
        return [Text(""), text] if self.space else [text]


class DiffPanel(EntryList, Panel):
    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shown: tuple[str, object] = ("", None)

    def look(self, desk: Desk, state: ThreadState | None) -> None:
        if state is None:
            self.put(())
            return
        commits = tuple((one.sha, one.subject) for one in state.ledger.commits)
        # What a turn changed has a digest of its own; the rest shows when it ends.
        mark = (state.diff.digest if state.diff is not None else "", commits, state.turns, state.tree)
        if self._shown != (state.id, mark):
            self._shown = (state.id, mark)
            self._read(state.cwd, commits)

    @work(exclusive=True)
    async def _read(self, cwd: str, commits: tuple[tuple[str, str], ...]) -> None:
        lines = await asyncio.to_thread(diff_of, cwd, commits)
        top = self.scroll_offset.y
        self.put(_Line(one) for one in lines)
        self.call_after_refresh(self.scroll_to, y=top, animate=False, immediate=True)
