"""Secrets beside short words that code is full of: "pass", "pw", "API key".

A sign must follow, and a key must have an owner.
"""

# ruff: noqa: RUF001 - signs of other languages that look like ours

import re
from collections.abc import Iterator

from rawr.journal.guess import Sure, guess, is_scrambled
from rawr.journal.names import classify
from rawr.journal.rules.beside import IS_ESCAPE, LONG_NUMBER, Beside, Candidate, Kind
from rawr.journal.rules.rule import LINE_END, Finder

_LABEL = re.compile(r"[pkts](?:(?<=p)(?:ass|wd?|sk)|(?<=k)ey|(?<=t)oken|(?<=s)ecret)(?![a-z\d])")
_NAME = re.compile(r"\w[\w.-]*\Z")
_OWNER = re.compile(r"[a-z]{2,12}[ _-]?\Z")


def _labels(low: str) -> Iterator[tuple[int, int, Kind]]:
    """Short words that mean something else as well: they count with a sign behind them, and a key has an owner."""
    for found in _LABEL.finditer(low):
        start = found.start()
        if found[0][0] == "p":
            name = None if IS_ESCAPE(low, start - 2) else _NAME.search(low, max(0, start - 40), start)
            promise = classify(name[0] + found[0]) if name else None
            if name is None or (promise and promise[1] == "strong"):
                yield *found.span(), _OF_LABEL
        elif owner := _OWNER.search(low, max(0, start - 14), start):
            promise = classify(re.sub(r"[ _-]?\Z", "_", owner[0]) + found[0])
            if promise and promise[1] == "strong":
                yield *found.span(), _OF_LABEL


def _is_labelled(found: Candidate) -> bool:
    if found.later or not found.told or found.between > 6:
        return False
    if is_scrambled(found.word) or found.groups:
        return True
    return found.signed and (
        guess(found.word) >= Sure.LIKELY or (not found.between and LONG_NUMBER.fullmatch(found.word) is not None)
    )


_OF_LABEL = Kind("password", _is_labelled)


class Labels(Beside):
    """The same beside short words that code is full of."""

    clues = ("key", "token", "secret", "pass", "pw", "psk")

    def cues(self, low: str) -> Iterator[tuple[int, int, "Kind"]]:
        return _labels(low)


RULES: tuple[Finder, ...] = (Labels(),)

_LABEL_SIGN = (
    rf"[*_)\]\"'\\`]{{0,4}}(?:[ ](?:for|of|to|from|is|in|on|at|\()[^\r\n:：=]{{0,50}}?)?[ ]{{0,12}}"
    rf"(?:[:：=→—–|`„“«「『【\"'(\[\t\\-]|[ ]{{2}}|is[ ]|{LINE_END})"
)
_LABEL_VALUE = r"[\s*>=|`„“«「『【\"'(\[:\\]{0,12}(?:now[ ])?(?:(?=\S{0,30}\d)\S{6}|[a-z\d]{3,8}[ ][a-z\d]{0,7}\d)"
_LABELS_COME = tuple(
    re.compile(rf"{label}(?![a-z\d(]){_LABEL_SIGN}{_LABEL_VALUE}").search
    for label in (
        r"k(?:ey(?<=[a-z _-]key)|(?<=psk)(?:(?<![a-z]psk)|(?<=\\[nrt]psk)))",
        r"en(?<=[a-z _-]token)",
        r"ret(?<=[a-z _-]secret)",
        r"ss(?<=pass)(?:(?<![a-z]pass)|(?<=\\[nrt]pass))",
        r"w(?<=pw)(?:(?<![a-z]pw)|(?<=\\[nrt]pw))d?",
    )
)


def shows_label(low: str) -> bool:
    """Return True if a text in lower case may have a short word with a sign behind it."""
    return any(search(low) for search in _LABELS_COME)
