"""The panel at the right: tabs, and the panel that is open. A panel is made, and its code loaded, when first opened."""

from typing import Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import ContentSwitcher, Static

from rawr.core.kernel import Taken
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.records import Decision
from rawr.tui.desk import Desk
from rawr.tui.panels.panel import Panel

Name = Literal["plan", "diff", "decisions", "context"]
NAMES: tuple[Name, ...] = ("plan", "diff", "decisions", "context")


class Side(Vertical):
    """``open`` is the panel that is shown; empty: none is."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.open: Name | Literal[""] = ""
        self._panels: dict[Name, Panel] = {}

    def compose(self) -> ComposeResult:
        yield Static("", id="tabs")
        yield ContentSwitcher(id="panels")

    def show(self, name: Name | Literal[""]) -> None:
        self.open = name
        self.display = bool(name)
        if not name:
            return
        switcher = self.query_one(ContentSwitcher)
        if name not in self._panels:
            panel = self._panels[name] = _made(name)
            switcher.mount(panel)
        switcher.current = name
        self.query_one("#tabs", Static).update(_tabs(name))

    @property
    def panel(self) -> Panel | None:
        return self._panels[self.open] if self.open else None

    def look(self, desk: Desk, state: ThreadState | None) -> None:
        """Only the open panel looks: the others cost nothing."""
        panel = self.panel
        if panel is not None and panel.is_mounted:
            panel.look(desk, state)
        elif panel is not None:
            self.call_after_refresh(self.look, desk, state)

    def take(self, taken: Taken) -> None:
        for panel in self._panels.values():
            panel.take(taken)

    def decided(self, decision: Decision) -> None:
        for panel in self._panels.values():
            panel.decided(decision)


def _made(name: Name) -> Panel:
    match name:
        case "plan":
            from rawr.tui.panels.plan import PlanPanel

            return PlanPanel(id=name)
        case "diff":
            from rawr.tui.panels.diff import DiffPanel

            return DiffPanel(id=name)
        case "decisions":
            from rawr.tui.panels.decisions import DecisionsPanel

            return DecisionsPanel(id=name)
        case "context":
            from rawr.tui.panels.context import ContextPanel

            return ContextPanel(id=name)


def _tabs(name: str) -> Content:
    """Our own words only: a click is an action of the app."""
    style = {True: "reverse bold", False: "$muted"}
    numbered = enumerate(NAMES, 1)
    marked = [f"[@click=app.panel('{one}')][{style[one == name]}] {number} {one} [/][/]" for number, one in numbered]
    return Content.from_markup("".join(marked))
