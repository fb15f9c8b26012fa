"""Bound text. Every text that a state or a fact keeps has passed through here.

Written text has placeholders for its secrets (``rawr.core.real``). A placeholder is never cut in two: half of one is
ordinary text, and would be sent or shown as if somebody had written it.
"""

import re

_PLACEHOLDER = re.compile(r"\[(?:quoted-[0-9a-f]{4}:)*redacted:[a-z-]+:[0-9a-f]{16}\]")
_LONGEST = 128
"""Characters of a placeholder. Nobody needs a longer one, quoted again and again."""


def head(text: str, limit: int) -> str:
    """At most ``limit`` characters from the start; a cut is marked."""
    if len(text) <= limit:
        return text
    cut = _cut(text, limit)
    kept = text[: limit if cut is None else cut.start()]
    return f"{kept} […{len(text) - len(kept)} more characters]"


def tail(text: str, limit: int) -> str:
    """At most ``limit`` characters from the end; a cut is marked."""
    if len(text) <= limit:
        return text
    start = len(text) - limit
    cut = _cut(text, start)
    start = start if cut is None else cut.end()
    return f"[{start} earlier characters…] {text[start:]}"


def _cut(text: str, place: int) -> re.Match[str] | None:
    """The placeholder that a cut at this place would split."""
    begun = text.rfind("[", max(place - _LONGEST, 0), place)
    found = _PLACEHOLDER.match(text, begun) if begun >= 0 else None
    return found if found is not None and found.end() > place else None
