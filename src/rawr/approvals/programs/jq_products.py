"""Finds jq filters that combine every part of something with every part of something else (C10).

``.[] + .[]`` gives a result for each pair, five of them one for each group of five: no end in sight. A ``|`` makes no
such product, because each part is processed separately.
"""

MAX_DEPTH = 30

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(_OPEN.values())
_JOINING = frozenset({"+", "-", "==", "!=", "<", ">", "<=", ">=", "and", "or", "//", ":", ";"})
_MANY = frozenset({"..", "inputs", "paths", "leaf_paths", "scan", "match", "capture"})
"""Names with more than one result, like ``[]``."""


def multiplies(tokens: list[str]) -> bool:
    return _deep(tokens) or _Group(tokens, 0, "").multiplies


def _deep(tokens: list[str]) -> bool:
    depth = 0
    for text in tokens:
        depth += (text in _OPEN) - (text in _CLOSE)
        if depth > MAX_DEPTH:
            return True
    return False


class _Group:
    """The content of a pair of brackets, or of the whole filter."""

    def __init__(self, tokens: list[str], start: int, opened: str) -> None:
        self.multiplies = False
        self.many = 0
        """Parts with other than one result, in the whole group."""
        self._here = 0
        """The same, since the last ``|`` or comma."""
        self._joins = False
        self.end = start
        path = ""
        while self.end < len(tokens) and tokens[self.end] not in _CLOSE:
            text = tokens[self.end]
            if text in _OPEN:
                self._inner(tokens, text, indexes=text == "[" and bool(path))
            else:
                self._one(text, parts=text == "|" or (text == "," and opened != "{"))
            path = text if text.startswith(".") or text == "?" else "]" if text == "[" else ""
            self.end += 1
        self._part()
        if opened == "{" and self.many > 1:
            self.multiplies = True

    def _inner(self, tokens: list[str], text: str, *, indexes: bool) -> None:
        inner = _Group(tokens, self.end + 1, text)
        empty = inner.end == self.end + 1
        self.multiplies = self.multiplies or inner.multiplies or (indexes and inner.many > 0)
        # `[…]` collects all results into one.
        more = 1 if text == "[" and empty else 0 if text == "[" else inner.many
        self._here += more
        self.many += more
        self.end = inner.end

    def _one(self, text: str, *, parts: bool) -> None:
        if parts:
            self._part()
        elif text in _JOINING:
            self._joins = True
        elif text in _MANY:
            self._here += 1
            self.many += 1

    def _part(self) -> None:
        self.multiplies = self.multiplies or (self._joins and self._here > 1)
        self._here, self._joins = 0, False
