"""The first look for ``beside.py``: may a text have a word that tells of a secret, and then one? On the hot path."""

# ruff: noqa: RUF001 - signs of other languages that look like ours

import re
from collections.abc import Iterator

from rawr.journal.rules.beside import KINDS, PASSWORDS, find_owner, near

_SEEN_OTHERWISE = ("passw", "passph", "passc", "pass phrase", "passord", "code", "kod", "pin", "puk")
"""A first look at names, or at numbers, finds these as well."""
HINTS = (
    "mdp",
    " puk",
    "kod ",
    "kode ",
    "koden ",
    "kodu ",
    *(
        one
        for one in KINDS
        if one in PASSWORDS[1:] and one != "mdp" and not any(other in one for other in _SEEN_OTHERWISE[:5])
    ),
    *(
        one
        for one in KINDS
        if one not in PASSWORDS and not (one.isascii() and any(other in one for other in _SEEN_OTHERWISE))
    ),
)
"""A text with one of these may have such a secret."""
_TO_NUMBER = (
    r"\w{0,4}(?![\d\w])(?:[^\r\n\d]{1,60}+(?!\d{1,3}(?![\w-]|[ ]\d))\d[\w-]{0,2}\d"
    r"|[^\r\n\d:：=→]{0,40}+[:：=→](?:\s|\\+[nr]){0,8}(?!\d{1,3}(?![\w-]|[ ]\d))\S{0,8}(?:[ ]\S{0,8})?\d)"
)
_CODE_STEMS = tuple(
    (stem, re.compile(stem + r"(?<!encod)(?<!decod)(?<!nicod)" + _TO_NUMBER).finditer)
    for stem in ("cod", "cód", "kód", "код")
)
_PIN_NUMBER = re.compile(
    r"pin(?:(?<![a-z]pin)(?:[ -]?[ck]oo?d\w{0,4}|em|om|u|en|in|ie|et)?(?![a-z])[^\r\n\d]{1,80}+\d{4}"
    r"|(?<=[^a-bd-z]pin)[\"'\\]{0,4}[ ]?[:=][ ]?\\*[\"']?\d{4})"
).search


_NUMBER_THEN_CODE = re.compile(r"is your (?<=\d is your )[^\r\n\d.]{0,50}code").search


def shows_number(low: str) -> bool:
    """Return True if a text in lower case may have a number that is a secret. On the hot path."""
    if _NUMBER_THEN_CODE(low):
        return True
    stems = _CODE_STEMS[:1] if low.isascii() else _CODE_STEMS
    return any(stem in low and _of_owner(codes(low), low) for stem, codes in stems) or _PIN_NUMBER(low) is not None


def _of_owner(codes: Iterator[re.Match[str]], low: str) -> bool:
    for found in codes:
        around = near(low, found.start(), found.start() + 8)
        if find_owner(around):
            return True
    return False
