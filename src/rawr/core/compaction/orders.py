"""What a user's message asks for, as far as it shows whether the next one is about something else (A5).

Two shapes say so in any language: the next piece of a numbered series (phase 3 after phase 2), and the same prepared
prompt again with other words in it. Both need nothing but a few numbers of the messages before.
"""

import re
import zlib

from rawr.core.state.topic import MAX_UNITS, Order, Unit

LOOKED_AT = 400
"""Characters of an order in which it says which piece of work it is about."""
PREPARED = 800
"""Characters from which on a message may be a prepared prompt; people rarely type as much twice."""
SAME = 300
"""Characters at one end of two messages that make them the same prompt."""
_MINOR = 1_000
_FROM_EDITOR = "## My request for Codex:"
_INPUT = re.compile(r"## User Input\s+```(?:text)?\n(.*?)\n?```", re.DOTALL)
"""How widespread prompt collections frame what the user typed."""
# fmt: off
_PIECES = frozenset({
    "task", "phase", "story", "stories", "epic", "sprint", "milestone", "issue", "ticket", "feature", "case", "chapter",
    "lesson", "exercise", "module", "tâche", "tache", "aufgabe", "aufgaben", "phasen", "tarea", "fase", "tarefa",
    "attività", "задача", "задачу", "задачи", "этап", "этапа", "фаза", "фазу", "vụ", "đoạn", "작업", "단계", "태스크",
})
"""What a numbered piece of work is called: in Vietnamese by its second word."""
# fmt: on
_UNSPACED_PIECES = ("任务", "阶段", "タスク", "フェーズ")
_NO_PIECES = frozenset({"UTF", "GPT", "ISO", "SHA", "RFC", "HTTP", "ES", "AES", "RSA", "CVE", "PEP", "USB", "COVID"})
_NUMBER = re.compile(r"(\d{1,5})(?:\.(\d{1,3}))?(?!\w)(?:\s*(?:[-–~,]|to)\s*[A-Z]{0,8}-?(\d{1,5})(?!\w))?")
_DIGIT = re.compile(r"\d")
_BEFORE = re.compile(r"([^\W\d_]+)([\s:#№_-]{0,2})\Z")
_LOOK_BACK = 24
_ID_DIGITS = 3
"""Digits that follow a single letter, where that is how the pieces are called: T012."""


def request(text: str) -> str:
    """What the user typed, without what an editor or a prompt collection puts around it."""
    return _unframed(_typed(text))


def _unframed(text: str) -> str:
    framed = _INPUT.match(text) if text.startswith("## User Input") else None
    return framed.group(1).strip() if framed is not None else text


def order(text: str) -> Order | None:
    """None for a message that says nothing by which an order could be told from another."""
    typed = _typed(text)
    found = _units(_unframed(typed)[:LOOKED_AT])
    if len(typed) < PREPARED:
        return Order(found) if found else None
    return Order(found, zlib.crc32(typed[:SAME].encode()), zlib.crc32(typed[-SAME:].encode()))


def next_piece(new: Order, before: tuple[Order, ...]) -> str:
    """The piece of work that comes after those of the orders before; empty if it is none."""
    for one in new.units:
        earlier = [unit for past in before for unit in past.units if unit.series == one.series]
        newest = {number for unit in before[-1].units for number in (unit.first, unit.last)} if before else set()
        if earlier and one.first > max(unit.last for unit in earlier) and one.first not in newest:
            return f"{one.series} {_shown(one.first)} after {_shown(earlier[-1].last)}"
    return ""


def same_prompt(new: Order, before: tuple[Order, ...]) -> bool:
    """Return True if it is a prompt that came before, with other words in it, and not about the same piece of work."""
    if not new.head:
        return False
    alike = [one for one in before if (one.head == new.head) != (one.tail == new.tail)]
    named = {(one.series, one.first) for one in new.units}
    return bool(alike) and not any((one.series, one.first) in named for past in before for one in past.units)


def _typed(text: str) -> str:
    _, found, typed = text.rpartition(_FROM_EDITOR)
    return (typed if found else text).strip()


def _units(text: str) -> tuple[Unit, ...]:
    if _DIGIT.search(text) is None:
        return ()
    found: dict[Unit, None] = {}
    for number in _NUMBER.finditer(text):
        before = _BEFORE.search(text[max(number.start() - _LOOK_BACK, 0) : number.start()])
        series = _series(*before.groups(), digits=len(number[1])) if before is not None else ""
        if series:
            first = int(number[1]) * _MINOR + int(number[2] or 0)
            found[Unit(series, first, max(first, int(number[3] or 0) * _MINOR))] = None
    return tuple(found)[:MAX_UNITS]


def _series(word: str, between: str, *, digits: int) -> str:
    """What the pieces are called that the number counts; empty if it counts none."""
    if word.isascii() and word.isupper():
        named = between == "-" and len(word) > 1 and word not in _NO_PIECES
        if named or (not between and len(word) == 1 and digits == _ID_DIGITS):
            return word
    low = word.lower()
    if low in _PIECES or (low.endswith("s") and low[:-1] in _PIECES):
        return "story" if low == "stories" else low.removesuffix("s")
    return next((one for one in _UNSPACED_PIECES if low.endswith(one)), "")


def _shown(number: int) -> str:
    major, minor = divmod(number, _MINOR)
    return f"{major}.{minor}" if minor else str(major)
