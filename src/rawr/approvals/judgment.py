"""The answer to "may this run without asking?" (C10), and how its reasons quote other people's text."""

from msgspec import Struct

SHOWN = 60
"""Characters of a command that a reason quotes."""


class Judgment(Struct, frozen=True):
    safe: bool
    reasons: tuple[str, ...]
    """Everything that makes it unsafe; if it is safe, the rules that say so."""


def unsafe(*reasons: str) -> Judgment:
    return Judgment(safe=False, reasons=tuple(dict.fromkeys(reasons)))


def shown(text: str) -> str:
    """In backquotes, on one line, without anything that a terminal or a reader could misread."""
    cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    plain = "".join(char if char.isprintable() else repr(char)[1:-1] for char in cut)
    return f"`{plain}`"
