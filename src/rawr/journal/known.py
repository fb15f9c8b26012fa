"""A quicker look at JSON: most of its strings have been seen before, and were nothing then.

Codex says the same names, ids and states in frame after frame. A string that tells of nothing, by itself or as the name
of another, need not be looked at again. It must not know rules.
"""

import re

from rawr.journal.glance import may_hold_secret
from rawr.journal.names import classify

_BETWEEN_STRINGS = re.compile(r"(?:[{}\[\]:,\d.+-]++|[eE](?=[+\d-])|true|false|null)*+").fullmatch
_CAPACITY = 4096
_LENGTH = 80
_NAMES = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "cookies", "kty"})
"""Names that tell of what stands under them, though no word in them does."""


def _is_id(text: str) -> bool:
    """Looks like a UUID, of which there are always new ones."""
    return len(text) == 36 and text[8] == text[13] == text[18] == text[23] == "-"


class KnownStrings:
    """Strings that tell of no secret, wherever they stand."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def clear(self, text: str) -> bool:
        """Whether encoded JSON holds no secret. Says no where it is not sure."""
        if '\\"' in text:
            return not may_hold_secret(text)
        # Without escaped quotes every other piece between quotes is a string. If the rest is no JSON, they are not.
        pieces = text.split('"')
        if not _BETWEEN_STRINGS("".join(pieces[::2])):
            return not may_hold_secret(text)
        new = [piece for piece in {*pieces[1::2]} - self._known if not _is_id(piece)]
        if not new:
            return True
        if any(map(_tells, new)) or may_hold_secret('"' + '"'.join(new)):
            return not may_hold_secret(text)
        if len(self._known) > _CAPACITY:
            self._known.clear()
        self._known.update(piece for piece in new if len(piece) <= _LENGTH)
        return True


def _tells(piece: str) -> bool:
    return len(piece) <= _LENGTH and (piece[:1] == "-" or classify(piece) is not None or piece.lower() in _NAMES)
