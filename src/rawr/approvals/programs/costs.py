"""What makes a program that only reads run forever, or fill the memory (C10).

A pattern that an engine tries in ever more ways, a width of two thousand million, a wait of thirty years. The limits
are beyond what any honest line needs; anything more goes to a person.
"""

import re

from rawr.approvals.judgment import shown

MOST_COPIES = 20_000
"""Of a part of a regular expression, all ``{n,m}`` multiplied: engines write them out."""
MOST_STARS = 6
"""In one pattern for names: some engines try every way to distribute the letters."""
WIDEST = 2_000
"""Columns or lines, wherever something is padded or laid out."""
LONGEST_SLEEP = 60.0
"""Seconds, over a whole line."""
MOST_NUMBERS = 100_000
"""Of ``seq``."""

_BRACKET = re.compile(r"\[\^?\]?(?:\[[:.=][a-z]{1,20}[:.=]\]|[^\]])*\]?")
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_BACK_REFERENCE = re.compile(r"\\(?:[1-9]|[gk][{<'0-9-])|\(\?P?[=>&R0-9<]|\(\*|\\K")
_INTERVAL = re.compile(r"\\?\{\s*(\d*)\s*,?\s*(\d*)\s*\\?\}")
_FOUR_DIGITS = re.compile(r"\d{4}", re.ASCII)
_WIDTH_GIVEN = re.compile(r"%[^A-Za-z%*]{0,20}\*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def costly_expression(text: str, *, tries: bool = False) -> list[str]:
    """Why a regular expression is too costly. ``tries``: the engine backtracks, as Perl's does."""
    without = _BRACKET.sub("x", _ESCAPED.sub(_kept, text))
    copies = 1
    for found in _INTERVAL.finditer(without):
        copies *= max(int(found[1][:9] or 1), int(found[2][:9] or 1), 1)
    if copies > MOST_COPIES:
        return [f"The expression {shown(text)} repeats a part too often."]
    if _BACK_REFERENCE.search(without):
        return [f"The expression {shown(text)} refers back to itself, which may take forever."]
    if tries and _nested(without):
        return [f"The expression {shown(text)} nests repetitions, which may take forever."]
    return []


def _kept(found: re.Match[str]) -> str:
    """Keep an escaped letter that is special to some engine; all others are just a letter."""
    return found[0] if found[0][1] in "123456789(){}|+?gkK" else "x"


def _nested(text: str) -> bool:
    """Return True if a group with a repetition or a choice is itself repeated, as in ``(a+)+``."""
    repeats = [False]
    plain = re.sub(r"\\([(){}|+?])", r"\1", text)
    for at, letter in enumerate(plain):
        if letter == "(":
            repeats.append(False)
        elif letter == ")" and len(repeats) > 1:
            inner = repeats.pop()
            repeated = plain[at + 1 : at + 2] in ("*", "+", "{")
            if inner and repeated:
                return True
            repeats[-1] = repeats[-1] or inner or repeated
        elif letter in "*+{|" or (letter == "?" and plain[at - 1 : at] not in ("(", "")):
            repeats[-1] = True
    return False


def costly_pattern(text: str) -> list[str]:
    """Why a pattern for names, such as ``*.py``, is too costly."""
    fine = all(part.count("*") <= MOST_STARS and part.count("[") <= MOST_STARS for part in text.split("/"))
    return [] if fine else [f"The pattern {shown(text)} has too many stars."]


def costly_width(text: str) -> list[str]:
    """Why a number of columns is too large: every number in the text counts."""
    return [f"{shown(text)} is too wide."] if any(float(one) > WIDEST for one in _NUMBER.findall(text)) else []


def costly_format(text: str) -> list[str]:
    """Why a format such as ``%10s``, ``%<(20)`` or ``%(align:20)`` is too costly: a number may be a great width."""
    wide = "%" in text and (_FOUR_DIGITS.search(text) or _WIDTH_GIVEN.search(text))
    return [f"The format {shown(text)} makes something too wide."] if wide else []


def seconds(text: str) -> float:
    """How long ``sleep`` waits, given this word; infinity if unknown."""
    number, unit = (text[:-1], text[-1]) if text[-1:].isalpha() else (text, "")
    return float(number) * _UNITS[unit] if _NUMBER.fullmatch(number) and unit in _UNITS else float("inf")


def costly_sequence(numbers: list[str]) -> list[str]:
    """Why ``seq`` would print too many numbers."""
    plain = [float(one) for one in numbers if re.fullmatch(r"-?\d{1,12}(?:\.\d{1,6})?", one, re.ASCII)]
    if len(plain) != len(numbers) or not 1 <= len(plain) <= 3:
        return ["The arguments of `seq` are not one to three plain numbers."]
    first, step, last = (1.0, 1.0, plain[0]) if len(plain) == 1 else (plain[0], 1.0, plain[-1])
    step = plain[1] if len(plain) == 3 else step
    many = step == 0 or abs((last - first) / step) > MOST_NUMBERS
    return [f"`seq` would print more than {MOST_NUMBERS} numbers."] if many else []
