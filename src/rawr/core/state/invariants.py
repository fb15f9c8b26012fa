"""What must stay true, as one ordered list: pins, standing directives, and what packets add, as the agent's (B3).

The user's are their own words, and are kept where those are. What the agent adds is bounded, each once, and never what
the user has said already.
"""

import re
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.speech import bare
from rawr.core.state.ledger import MAX_TEXT, Ledger
from rawr.core.text import head

MAX_ADDED = 24
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s*)?")
_NOTHING = re.compile(r"(?:none|nothing|n/?a|no (?:invariants?|constraints?))\b[\w\s]{0,30}", re.IGNORECASE)
_LEAST = 4
"""Characters of something that says anything."""


class Invariant(Struct, frozen=True, gc=False):
    text: str
    by: Literal["user", "agent"]
    pinned: bool = False


def listed(ledger: Ledger) -> tuple[Invariant, ...]:
    """Pins first, then the user's standing directives, then the agent's, each in the order in which they came."""
    pins = (Invariant(one.text, "user", pinned=True) for one in ledger.directives if one.pinned)
    rules = (Invariant(one.text, "user") for one in ledger.directives if one.standing and not one.pinned)
    return (*pins, *rules, *(Invariant(one, "agent") for one in ledger.added))


def add(ledger: Ledger, section: str) -> Ledger:
    """What a packet's section adds. Of too many the oldest go."""
    known = {_key(one.text) for one in listed(ledger)}
    said = "\n".join(bare(one.text) for one in ledger.directives)
    added = list(ledger.added)
    for text in _items(section):
        key = _key(text)
        if len(key) >= _LEAST and key not in known and bare(text).strip(" .") not in said:
            known.add(key)
            added.append(text)
    kept = tuple(added[-MAX_ADDED:])
    return ledger if kept == ledger.added else replace(ledger, added=kept)


def _items(section: str) -> list[str]:
    """One for each point of a list, or for each paragraph."""
    found: list[str] = []
    fresh = True
    for line in section.splitlines():
        if not line.strip():
            fresh = True
        elif fresh or _ITEM.match(line):
            found.append(_ITEM.sub("", line).strip())
            fresh = False
        else:
            found[-1] = f"{found[-1]} {line.strip()}"
    return [head(one, MAX_TEXT) for one in found if not _NOTHING.fullmatch(one.strip(" .`*_"))]


def _key(text: str) -> str:
    return re.sub(r"\W+", " ", bare(text)).strip()
