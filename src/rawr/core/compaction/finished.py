"""Is the agent done? From the turn's own shape first, then from its last words (A5, B8, D8).

A turn of work that ends with an answer is usually finished: what tells is the *absence* of signs to the contrary. It
ends on a question, it waits for somebody, it could not, it announces what comes next, a part is left, something fails:
then it is not. Words that state completion, in any of the languages that real sessions have, only support what the
shape says. The phrases are in the files of ``words``; how much of a message each of them speaks for, is said here.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from rawr.core.compaction.finding import Finder, Hit
from rawr.core.compaction.prose import prose_of
from rawr.core.compaction.weighing import DONE, counts
from rawr.core.state.turn import TurnOutcome

OPENING, LAST_WORDS, ENDING = 300, 150, 400
"""Characters of a message in which it says how it went, once more at its end, and what it wants. Between them there are
notes, in which something that fails or is missing is what the work was about."""
_DENSE_PARTS = 120, 150, 200
"""The same in scripts that say more in a character."""
SHORT, SHORT_DENSE = 320, 120
"""Characters of a message that says little more than how it went, so that every word of it counts."""
FEW_LINES = 3
"""A message with as many line breaks is a report."""
DENSE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
FIRST = 120
"""Characters in which a verb that states completion counts."""
HEADING = 60
"""Characters of a line that introduces something."""
_ASKS = ("?", "\uff1f", "\u061f")
"""Also as Chinese and Arabic write it."""
_AGAINST = {
    "waits": "it waits for somebody",
    "asks": "it waits for somebody",
    "unable": "it did not come to an end",
    "trouble": "something does not work",
    "counts": "it is a part of more",
    "open": "it announces more",
    "remains": "it announces more",
    "suspicious": "it says that something is open",
    "negative": "it says that something is open",
}
_ASKED, _OFFERED = "it asks something", "it offers a choice"
_WEIGHT = {reason: place for place, reason in enumerate(dict.fromkeys((_ASKED, _OFFERED, *_AGAINST.values())))}
"""The weightiest first."""
ANNOUNCES = frozenset({_AGAINST["remains"], _AGAINST["counts"], _AGAINST["suspicious"]})
"""That more comes is what a plan is for."""
_CONTRARY = Finder("waits", "asks", "remains", "unable", "trouble", "counts", "open")
_OF_ANSWERS = Finder("waits", "remains", "unable")
"""What counts against an answer, too. What it says of failures and gaps, the user had asked about."""
_IN_NOTES = frozenset({"waits", "asks", "remains", "counts"})
"""What counts between the opening and the last words as well."""
_WORDS = Finder("suspicious", "negative")
_HEADINGS = Finder("headings")
_MENU = re.compile(
    r"\(y/n\)|\[[a-z]\] continue|^\s*\[[a-wyz]\] \w|\boption (?:a|1)\b.{0,200}\boption (?:b|2)\b"
    r"|(?:^|[\s:(])\(?a\) .{1,200}[\s;,(]\(?b\) ",
    re.MULTILINE | re.DOTALL,
)
"""A letter to choose by; an x ticks something off."""
_CHECKED = ("✅", "✔", "[x]")
_OF = re.compile(
    r"(?<![\w./:-])(\d{1,4})"
    r"(?: ?/ ?| (?:out )?of (?:the )?"
    r"| (?:de|des|von|di|da|из|trên|trong|trong số) (?:les |los |las |den |i |le |as |os )?)"
    r"(\d{1,4})(?![\w/-]|[.:]\d)"
)
"""So many of so many, in digits."""
_PIECE = re.compile(
    r"(?:\b(?:part|step|phase|teil|schritt|étape|partie|parte|paso|passo|fase|bước|phần|шаг|часть|этап)"
    r"|ステップ|フェーズ|단계|阶段|部分)[ #№]?\Z"
)
"""What so many of are pieces of one piece of work."""
_OF_SIGNS = ("/", " of ", " de ", " des ", " von ", " di ", " da ", " из ", " trên ", " trong ")


class Finished(Struct, frozen=True, gc=False):
    """Why the turn counts as done, for ``explain``."""

    evidence: tuple[str, ...]


def finished(turn: TurnOutcome) -> Finished | None:
    """None: nothing says so, or something speaks against it."""
    prose = prose_of(turn.agent_text)
    return uncontradicted(turn, prose) if prose and not contradicted(turn, prose) else None


def uncontradicted(turn: TurnOutcome, prose: str) -> Finished | None:
    """The same for a turn whose words say nothing to the contrary."""
    if turn.status != "completed" or turn.agent_phase == "commentary":
        return None
    if not (turn.commands or turn.files or turn.tools):
        return None
    evidence = tuple(_supporting(turn, prose))
    return Finished(evidence) if evidence else None


def only_answers(turn: TurnOutcome) -> bool:
    """Return True if nothing was changed, as far as Codex reported."""
    return not (turn.files or turn.changed_tree)


def contradicted(turn: TurnOutcome, prose: str) -> bool:
    """Return True if the words of a turn say something against it."""
    checked = bool(turn.files) and not turn.unchecked and not turn.failing
    return next(_reasons(prose, only_answers=only_answers(turn), checked=checked), None) is not None


def contrary(prose: str, *, only_answers: bool = False, checked: bool = False) -> str:
    """What speaks against it, in a few words; empty if nothing does. ``checked``: a check has passed since the last
    change.

    Of several reasons the weightiest: phrases are found in no order, and a replay must find the same.
    """
    return min(_reasons(prose, only_answers=only_answers, checked=checked), key=_WEIGHT.__getitem__, default="")


def _reasons(prose: str, *, only_answers: bool, checked: bool) -> Iterator[str]:
    wanted = prose[-ENDING:]
    if any(sign in wanted for sign in _ASKS):
        yield _ASKED
        return
    if ("]" in wanted or ") " in wanted or "(y/n)" in wanted or "option" in wanted) and _MENU.search(wanted):
        yield _OFFERED
        return
    dense = not prose.isascii() and DENSE.search(prose) is not None
    opening, last, ending = _DENSE_PARTS if dense else (OPENING, LAST_WORDS, ENDING)
    text = prose if len(prose) <= opening + ending else f"{prose[:opening]}\n{prose[-ending:]}"
    for hit in (_OF_ANSWERS if only_answers else _CONTRARY).hits(text):
        is_note = opening < hit.start < len(text) - last and hit.signal not in _IN_NOTES
        if not is_note and counts(hit, text, checked=checked):
            yield _AGAINST[hit.signal]
    if only_answers:
        return
    if _is_part(text, checked=checked):
        yield _AGAINST["counts"]
    short = len(prose) <= (SHORT_DENSE if dense else SHORT) and prose.count("\n") < FEW_LINES
    if short and any(counts(hit, prose, checked=checked) for hit in _WORDS.hits(prose)):
        yield _AGAINST["suspicious"]


def _is_part(brief: str, *, checked: bool) -> bool:
    """Return True if it says that so many of more are done."""
    if not any(map(brief.__contains__, _OF_SIGNS)):
        return False
    for found in _OF.finditer(brief):
        if int(found[1]) >= int(found[2]):
            continue
        if _PIECE.search(brief[: found.start()]) or counts(
            Hit("counts", found.start(), found.end()), brief, checked=checked
        ):
            return True
    return False


def _supporting(turn: TurnOutcome, prose: str) -> list[str]:
    found = []
    if turn.files:
        found.append(f"{len(turn.files)} files changed")
    if turn.agent_phase == "final_answer":
        found.append("Codex calls it the final answer")
    if found:
        return found
    first = prose[:FIRST]
    opens = DONE.first(first)
    if opens:
        return [f"it opens with “{opens}”"]
    if any(mark in first for mark in _CHECKED):
        return ["it opens with a check mark"]
    heading = next((name for line in prose.splitlines() if (name := _heading(line))), "")
    return [f"it has a part “{heading}”"] if heading else []


def _heading(line: str) -> str:
    line = line.strip(" -:•\t")
    return _HEADINGS.first(line) if len(line) < HEADING else ""
