"""Plan steps that an agent reworded as it completed them: "Write the parser" and then "Parser written, 12 tests"."""

import re
from collections.abc import Iterable

from rawr.core.vocabulary.facts import PlanStep

_WORD = re.compile(r"\w+")
# fmt: off
_SAYING_LITTLE = frozenset({
    "a", "an", "and", "are", "as", "at", "for", "in", "is", "it", "of", "on", "or", "the", "to", "with",
    "add", "added", "build", "change", "check", "create", "do", "done", "ensure", "finish", "fix", "fixed", "implement",
    "make", "run", "set", "update", "use", "verify", "write",
})
# fmt: on
"""Half of all steps begin with one of these verbs, so two that share it need not be the same."""
STEM = 5
"""Words are the same if they begin with this many equal letters: test and tests, parse and parser, documented and
documentation."""
HALF, THIRD = 0.5, 0.3
MOST_STEPS = 50
MOST_TEXT = 300
"""Longer plans are compared by their texts alone."""


def rewordings(before: tuple[PlanStep, ...], after: tuple[PlanStep, ...]) -> list[str]:
    """The completed steps that are open ones of before in other words, each of which counts once.

    It is plain where at least half of the old words are in the new text, and of no other gone step as many; a third is
    enough where nothing else in the plan changed its text.
    """
    if len(before) > MOST_STEPS or len(after) > MOST_STEPS:
        return []
    old, new = _texts(before), _texts(after)
    gone = [one for one in before if one.step not in new]
    come = [one for one in after if one.step not in old]
    alone = len(gone) == len(come) == 1 and before.index(gone[0]) == after.index(come[0]) and len(before) == len(after)
    found: list[str] = []
    for now in come:
        was = _likest(gone, now.step)
        if was is None or _share(was.step, now.step) < (THIRD if alone else HALF):
            continue
        gone.remove(was)
        if was.status != "completed" and now.status == "completed":
            found.append(now.step)
    return found


def _likest(gone: list[PlanStep], text: str) -> PlanStep | None:
    """The one that the text is most like; none if two are equally so."""
    by_share = sorted(gone, key=lambda one: _share(one.step, text), reverse=True)[:2]
    if len(by_share) == 2 and _share(by_share[0].step, text) == _share(by_share[1].step, text):
        return None
    return by_share[0] if by_share else None


def _texts(steps: Iterable[PlanStep]) -> frozenset[str]:
    return frozenset(one.step for one in steps)


def _share(old: str, new: str) -> float:
    """How much of the old text is in the new one, by words that say something."""
    words = _words(old)
    return len(words & _words(new)) / len(words) if words else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:STEM] for word in _WORD.findall(text[:MOST_TEXT].lower()) if word not in _SAYING_LITTLE)
