"""The styles by role, as the theme in force has them, and text wrapped into lines of a width."""

import io
from collections.abc import Iterable

from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

ROLES = (
    *("plain", "dim", "strong", "accent", "you", "rawr", "agent", "code", "good", "bad", "warn"),
    *("added", "removed", "hunk", "cursor"),
    *("tier-roomy", "tier-early", "tier-ready", "tier-asap", "tier-emergency"),
)
"""Each has a component class ``ink--ROLE`` in the style sheet."""
TAB = 4
_CONSOLE = Console(file=io.StringIO(), width=10_000, color_system="truecolor", force_terminal=True, highlight=False)


class Ink:
    """Styles by role. A widget makes a new one when the theme changes."""

    def __init__(self, styles: dict[str, Style] | None = None) -> None:
        self._styles = styles or {}

    def __getitem__(self, role: str) -> Style:
        return self._styles.get(role, Style.null())

    def text(self, words: str, role: str = "plain") -> Text:
        """Never parses anything in ``words``."""
        return Text(words, style=self[role], tab_size=TAB, end="")


def wrapped(text: Text, width: int) -> list[Text]:
    """Lines of at most this width; at least one."""
    return list(text.wrap(_CONSOLE, max(width, 1), tab_size=TAB)) or [Text("")]


def cut(text: Text, width: int) -> Text:
    """One line; what does not fit ends in an ellipsis."""
    line = text.copy()
    line.truncate(max(width, 1), overflow="ellipsis")
    return line


def strips(lines: Iterable[Text]) -> list[Strip]:
    return [Strip(line.render(_CONSOLE)) for line in lines]
