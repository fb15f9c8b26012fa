"""Match names against patterns with ``*`` and ``?`` (C10), in time that no name or pattern can stretch.

All ways to match are followed at once, letter by letter, so there is no backtracking.
"""

import re

MANY = "\1"
"""In a marked pattern, matches any number of letters."""
ONE = "\2"

_REPEATED = re.compile(f"{MANY}+")


class Wildcard:
    """A pattern with ``MANY`` and ``ONE`` for its wildcards; every other letter is itself.

    ``ONE`` may be up to four letters: one letter to us may be several to a shell.
    """

    def __init__(self, marked: str) -> None:
        plain = _REPEATED.sub(MANY, marked.casefold())
        self._steps: dict[str, int] = {}
        self._end = 1 << len(plain)
        # Bit n: the first n letters of the pattern have matched.
        for at, letter in enumerate(plain):
            self._steps[letter] = self._steps.get(letter, 0) | 1 << at
        self._many = self._steps.pop(MANY, 0)
        self._one = self._steps.pop(ONE, 0)

    def matches(self, name: str) -> bool:
        """As on a file system that may ignore case."""
        many, one, steps = self._many, self._one, self._steps
        state = 1 | (1 & many) << 1
        # A ``?`` that has matched one, two or three letters may still match more.
        first = second = third = 0
        for letter in name.casefold():
            begun = state & one
            after = (state & many) | (state & steps.get(letter, 0) | begun | first | second | third) << 1
            first, second, third = begun, first, second
            state = after | (after & many) << 1
            if not (state or first or second or third):
                return False
        return bool(state & self._end)


def matches(pattern: str, name: str) -> bool:
    """Match a pattern as people write it."""
    return Wildcard(pattern.replace("*", MANY).replace("?", ONE)).matches(name)
