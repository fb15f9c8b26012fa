"""The keys of where one is, then those that work everywhere."""

from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from rawr.tui.commands import COMMANDS, shown_keys
from rawr.tui.screens.dialog import Dialog

_PLACES = {
    "Composer": "Writing",
    "Conversation": "In the conversation",
    "Threads": "In the list of threads",
    "DiffPanel": "In the diff",
    "DecisionsPanel": "In the decisions",
    "PlanPanel": "In the plan",
    "ContextPanel": "In the context",
}
COLUMN = 22


class Help(Dialog[None]):
    title_words = "Keys"

    def __init__(self, under: Screen[Any]) -> None:
        """``under`` is the screen that the question was asked on."""
        super().__init__()
        self._lines = [*_here(under), *_everywhere()]

    def inside(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Content("\n").join(self._lines), markup=False)


def _here(under: Screen[Any]) -> list[Content]:
    focused = under.focused
    place = _PLACES.get(type(focused).__name__, "")
    if focused is None or not place:
        return []
    said: dict[str, list[str]] = {}
    for kind in type(focused).__mro__:
        # Our own: what a text field or a list can do besides is what one expects of it.
        if kind.__module__.startswith("rawr."):
            for one in kind.__dict__.get("BINDINGS", ()):
                said.setdefault(one.description, []).append(one.key)
    said = said or {"Scroll": ["up,down,pageup,pagedown"]}
    rows = [_row(shown_keys(",".join(keys)), words) for words, keys in said.items()]
    return [Content.styled(place, "$primary bold"), *rows, Content("")]


def _everywhere() -> list[Content]:
    lines: list[Content] = []
    for group in dict.fromkeys(one.group for one in COMMANDS):
        lines.append(Content.styled(group, "$primary bold"))
        lines += [_row(shown_keys(one.keys), f"{one.title}: {one.help}") for one in COMMANDS if one.group == group]
        lines.append(Content(""))
    lines.append(Content.styled("Single letters work outside the composer: Esc leaves it, i comes back.", "$muted"))
    lines.append(_row("Tab, Shift+Tab", "From one part of the screen to the next."))
    lines.append(_row("Ctrl+P", "Every command by name."))
    return lines


def _row(keys: str, words: str) -> Content:
    return Content.assemble(Content.styled(f"{keys:<{COLUMN}} ", "$accent"), words)
