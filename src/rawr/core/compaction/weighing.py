"""Does a phrase that sounds like unfinished work speak of the work as it is now? (A5, B8)

Finished work is often told as a story: what was wrong, why, what was done about it, that the tests pass. What was wrong
is no sign of anything open. So words weigh less the further they are from the present state of the work: in a clause
that says what was done, in the past tense, in a cause, in a condition, in a negation of change, and before the message
says that the checks pass. What it says last weighs most.
"""

import re

from rawr.core.compaction.finding import Finder, Hit, statement, turns_at

_IF = Finder("if")
_HARMLESS = Finder("harmless")
DONE = Finder("done")
_TOLD = Finder("told")
_CAUSE = Finder("cause")
_UNAFFECTED = Finder("unaffected")
_PASSES = Finder("passes")
_POSSIBLE = frozenset({"waits", "asks", "trouble", "open", "suspicious", "negative"})
"""Of these, what is only said to be possible does not count."""
_WORDS = frozenset({"suspicious", "negative"})
"""Signals of single words, which count in statements that say nothing that was done."""
_EXPLAINED = frozenset({"trouble", "open", "remains", "suspicious", "negative"})
"""What may be why something was wrong."""
_TOLD_OF = frozenset({"trouble", "suspicious", "negative"})
"""What may be told of how it had been."""
_NOT_BUT = 60
"""Characters around a statement in which the cause is that was not it."""
_PAST = re.compile(
    r"\b(?!(?:a?wait|trait|portrait|parfait|fait|souhait|java|lava|todavía|día|mediodía|vía|categoría|librería)\b)"
    r"\w{2,}(?:ait|aient|aba|aban|ía|ían|ava|avam|avano|evano|ivano|iam|[иыа]вал[аои]?|ил[аои]?)\b"
)
"""How French, Spanish, Portuguese, Italian and Russian verbs end that tell what used to be."""
_COMMA = re.compile("[,\uff0c、]")


def counts(hit: Hit, text: str, *, checked: bool) -> bool:
    """Return False if its statement says the opposite, that it was put right, or how it had been.

    ``checked``: a check has passed since the last change.
    """
    where = own = statement(text, hit)
    before = text[own.start : hit.start]
    turns = hit.signal in _WORDS and turns_at(text, hit)
    if turns:
        where = statement(text, Hit(hit.signal, hit.end + 1, hit.end + 2))
    said = text[where.start : where.stop]
    signal = hit.signal
    if signal == "trouble" and any(not _COMMA.search(before, one.end) for one in DONE.hits(before)):
        return False
    if signal in _POSSIBLE and _says(_IF, before):
        return False
    if signal == "counts":
        return _says(DONE, said) and not _says(_TOLD, before)
    if signal in _WORDS and (_says(DONE, said) or _says(_UNAFFECTED, said)):
        return False
    # "No remaining work" sounds like something left; few messages need the second look.
    at, end = hit.start - own.start, hit.end - own.start
    if any(one.start < end and one.end > at for one in _HARMLESS.hits(text[own.start : own.stop])):
        return False
    if signal not in _EXPLAINED:
        return True
    if _is_cause(text, hit, where):
        return False
    return not _is_solved(signal, said, text[: hit.start], text[hit.end :], checked=checked, turns=turns)


def _is_cause(text: str, hit: Hit, where: range) -> bool:
    """Return True if the statement names a cause: also what follows in "it was not the network but a lookup",
    though not in a clause of its own."""
    begin = max(where.start - _NOT_BUT, 0)
    for one in _CAUSE.hits(text[begin : where.stop + _NOT_BUT]):
        start, end = begin + one.start, begin + one.end
        if end <= where.start or start >= where.stop:
            continue
        if _COMMA.search(text, min(end, hit.end), max(start, hit.start)) is None:
            return True
    return False


def _is_solved(signal: str, said: str, before: str, after: str, *, checked: bool, turns: bool) -> bool:
    """Return True if what follows in the message takes the weight of a statement."""
    if signal == "negative" and _says(_PASSES, after):
        return True
    if signal not in _TOLD_OF:
        return False
    then_done = _says(DONE, after) or _says(_PASSES, after)
    if signal == "negative" and checked and then_done and not turns:
        return True
    if not then_done and (turns or signal == "trouble" or not (checked or _says(DONE, before))):
        return False
    return _says(_TOLD, said) or _PAST.search(said) is not None


def _says(what: Finder, text: str) -> bool:
    return next(what.hits(text), None) is not None
