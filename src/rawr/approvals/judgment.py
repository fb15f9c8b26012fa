"""The answer to "may this run unasked?" (C10), and how its reasons quote other people's text."""

from msgspec import Struct

SHOWN = 60
"""Characters of a command that a reason quotes."""


class Judgment(Struct, frozen=True):
    safe: bool
    reasons: tuple[str, ...]
    """Everything that makes it unsafe; for a safe one, which rules said so."""


def unsafe(*reasons: str) -> Judgment:
    return Judgment(safe=False, reasons=tuple(dict.fromkeys(reasons)))


def shown(text: str) -> str:
    """In backquotes, on one line, with nothing in it that a terminal or a reader could mistake."""
    cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    plain = "".join(char if char.isprintable() else repr(char)[1:-1] for char in cut)
    return f"`{plain}`"
