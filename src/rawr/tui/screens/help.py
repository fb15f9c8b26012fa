"""The keys of where one is, then those that work everywhere."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from rawr.tui.commands import COMMANDS, shown_keys
from rawr.tui.screens.dialog import Dialog

OUTSIDE = "Single letters work outside the composer: Esc leaves it, i comes back."
MOVING = [("Tab or Shift+Tab", "From one part of the screen to the next."), ("Ctrl+P", "Every command by name.")]
_PLACES = {
    "Composer": "Writing",
    "Conversation": "In the conversation",
    "Threads": "In the list of threads",
    "DiffPanel": "In the diff",
    "DecisionsPanel": "In the decisions",
    "PlanPanel": "In the plan",
    "ContextPanel": "In the context",
    "Inbox": "In the inbox",
    "Queue": "Queued messages",
    "Form": "In a form",
    "DecisionScreen": "A decision",
}
MOST = 4
"""Keys that are listed one by one."""
Section = tuple[str, list[tuple[str, str]]]
"""A title, and keys with what they do."""


class Help(Dialog[None]):
    title_words = "Keys"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1", "close", "Close", show=False, priority=True)
    ]

    def __init__(self, under: Screen[Any]) -> None:
        """``under`` is the screen that the question was asked on."""
        super().__init__()
        # Over a dialog only its own keys work.
        self._sections = _here(under) if isinstance(under, Dialog) else [*_here(under), *_everywhere()]

    def inside(self) -> ComposeResult:
        with VerticalScroll():
            for title, rows in self._sections:
                yield Static(Content(title), classes="title")
                with Grid(classes="keys"):
                    for keys, words in rows:
                        yield Static(Content(keys), classes="key")
                        yield Static(Content(words))
            yield Static(Content(OUTSIDE), classes="words")


def _here(under: Screen[Any]) -> list[Section]:
    here: Screen[Any] | Widget | None = under if isinstance(under, Dialog) else under.focused
    place = _PLACES.get(type(here).__name__, "")
    if here is None or not place:
        return []
    said: dict[str, list[str]] = {}
    for kind in type(here).__mro__:
        # Our own: what a text field or a list can do besides is what one expects of it.
        if kind.__module__.startswith("rawr."):
            for one in kind.__dict__.get("BINDINGS", ()):
                keys = said.setdefault(one.description, [])
                keys += [key for key in one.key.split(",") if key not in keys]
    said = said or {"Scroll": ["up,down,pageup,pagedown"]}
    return [(place, [(_listed(keys), words) for words, keys in said.items()])]


def _listed(keys: list[str]) -> str:
    return f"{keys[0]} to {keys[-1]}" if len(keys) > MOST else shown_keys(",".join(keys))


def _everywhere() -> list[Section]:
    sections = [
        (group, [(shown_keys(one.keys), f"{one.title}: {one.help}") for one in COMMANDS if one.group == group])
        for group in dict.fromkeys(one.group for one in COMMANDS)
    ]
    return [*sections, ("Getting around", MOVING)]
