"""Is the agent done? From the turn's own shape first, then from its last words (A5, B8, D8).

A turn of work that ends with an answer is usually finished: what tells is the *absence* of signs to the contrary. It
ends on a question, it waits for somebody, it could not, it announces what comes next: then it is not. Words that state
completion, in any of the languages that real sessions have, only support what the shape says.
"""

import re

from msgspec import Struct

from rawr.core.compaction.finding import Wordings
from rawr.core.compaction.prose import prose_of
from rawr.core.compaction.wordings import HEADINGS, NOTHING_REMAINS, OPENS, REMAINS, UNABLE, WAITS
from rawr.core.state.turn import TurnOutcome

OPENING, ENDING = 300, 600
"""Characters of a message in which it says how it went, and what it wants."""
FIRST = 120
"""Characters in which a verb that states completion counts."""
HEADING = 60
"""Characters of a line that introduces something."""
_ASKS = ("?", "\uff1f", "\u061f")
"""Also as Chinese and Arabic write it."""
_CONTRARY = Wordings(UNABLE, WAITS, REMAINS)
ANNOUNCES = "it announces more"
_AGAINST = ("it did not come to an end", "it waits for somebody", ANNOUNCES)
_MORE = 2
_MENU = re.compile(r"\(y/n\)|\[[a-z]\] continue|^\s*\[[a-wyz]\] \w", re.MULTILINE)
"""A letter to choose by; an x ticks something off."""
_CHECKED = ("✅", "✔", "[x]")


class Finished(Struct, frozen=True, gc=False):
    """Why the turn counts as done, for ``explain``."""

    evidence: tuple[str, ...]


def finished(turn: TurnOutcome) -> Finished | None:
    """None: nothing says so, or something speaks against it."""
    prose = prose_of(turn.agent_text)
    return uncontradicted(turn, prose) if prose and not contrary(prose) else None


def uncontradicted(turn: TurnOutcome, prose: str) -> Finished | None:
    """The same for a turn whose words say nothing to the contrary."""
    if turn.status != "completed" or turn.agent_phase == "commentary":
        return None
    if not (turn.commands or turn.files or turn.tools):
        return None
    evidence = tuple(_supporting(turn, prose))
    return Finished(evidence) if evidence else None


def contrary(prose: str) -> str:
    """What speaks against it, in a few words; empty if nothing does."""
    ending = prose[-ENDING:]
    for sign in _ASKS:
        if sign in ending:
            return "it asks something"
    if ("]" in ending or "(y/n)" in ending) and _MENU.search(ending):
        return "it offers a choice"
    size = len(prose)
    found = _CONTRARY.first(prose, (range(OPENING), range(max(size - ENDING, 0), size), range(size)))
    if found is None or found != _MORE:
        return _AGAINST[found] if found is not None else ""
    # "No remaining work" sounds like something left; few messages need the second look.
    if REMAINS.search(NOTHING_REMAINS.without(prose)):
        return _AGAINST[_MORE]
    return _AGAINST[_MORE] if WAITS.search(ending) or UNABLE.search(prose[:OPENING]) else ""


def _supporting(turn: TurnOutcome, prose: str) -> list[str]:
    found = []
    if turn.files:
        found.append(f"{len(turn.files)} files changed")
    if turn.agent_phase == "final_answer":
        found.append("Codex calls it the final answer")
    first = prose[:FIRST]
    opens = OPENS.search(first)
    if opens:
        found.append(f"it opens with “{opens}”")
    if any(mark in first for mark in _CHECKED):
        found.append("it opens with a check mark")
    if not found:
        heading = next((name for line in prose.splitlines() if (name := _heading(line))), "")
        found += [f"it has a part “{heading}”"] if heading else []
    return found


def _heading(line: str) -> str:
    line = line.strip(" -:•\t")
    return next((one.group() for one in HEADINGS.matches(line) if not one.start()), "") if len(line) < HEADING else ""
