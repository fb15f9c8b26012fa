"""A quicker check of JSON: most of its strings have been seen before and were harmless.

Codex sends the same names, ids and states in frame after frame, and a fact repeats what was in its frame. A string
that neither is a secret nor names one need not be checked again. This module must not know rules.
"""

import re

import msgspec

from rawr.journal.glance import may_hold_secret
from rawr.journal.names import classify, singular

_MOST_STRINGS = 4096
_MOST_CHARACTERS = 1_000_000
_LONGEST_NAME = 80
_NAMES = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "cookies", "credentials", "kty"})
"""Names that mark their value as a secret, though no word in them does."""
_COUNTS = frozenset(
    {
        "totalTokens",
        "inputTokens",
        "cachedInputTokens",
        "cacheWriteInputTokens",
        "outputTokens",
        "reasoningOutputTokens",
    }
)
"""Numbers, in every frame of Codex's that reports usage."""
_PLAIN = re.compile(
    r"[\w./-]{0,12}|(?:(?:call|msg|rs|fc|fco|ctc|ctco|ws|resp|exec)[_-])?"
    r"(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?::\d{1,12}\.\d{1,4})?|(?<=_)[0-9a-f]{32,64}|(?<=call_)[A-Za-z0-9]{24})",
    re.ASCII,
).fullmatch
"""No secret: a short word, or a name that Codex or its model gave to something. New ones keep coming, and they look
like tokens."""
_Json = msgspec.json.Decoder(msgspec.Raw)
_BACKSLASH, _QUOTE = "\0\0", "\1\1"
"""Used for the escaped ones; JSON has no such characters."""


class KnownStrings:
    """Strings that indicate no secret, wherever they appear."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._characters = 0

    def clear(self, data: bytes, text: str) -> bool:
        """Return True if encoded JSON, also given as text, holds no secret; False if that is not certain."""
        strings = _strings(data, text)
        if strings is None:
            return not may_hold_secret(text)
        if self._known.issuperset(strings):
            return True
        unknown = {*strings} - self._known
        telling = _telling(unknown)
        if not all(_is_a_count(name, strings, text) for name in telling) or _may_hold(unknown):
            return not may_hold_secret(text)
        self._remember(unknown - telling)
        return True

    def has(self, string: str) -> bool:
        """Return True if the string was cleared before. A string that JSON writes differently never was."""
        return string in self._known

    def _remember(self, strings: set[str]) -> None:
        self._characters += sum(map(len, strings))
        if len(self._known) > _MOST_STRINGS or self._characters > _MOST_CHARACTERS:
            self._known.clear()
            self._characters = 0
            return
        self._known |= strings


def _strings(data: bytes, text: str) -> list[str] | None:
    """The strings of encoded JSON, names included; None if it is not JSON."""
    try:
        _Json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if '\\"' in text:
        text = text.replace("\\\\", _BACKSLASH).replace('\\"', _QUOTE)
    return text.split('"')[1::2]


def _telling(strings: set[str]) -> set[str]:
    """The strings that may be the name of a secret."""
    low = '"' + '"'.join(strings).lower()
    # Every string that names a secret contains one of these; the last one is how an option begins. On the hot path.
    may_tell = (
        "key" in low
        or "token" in low
        or "secret" in low
        or "pass" in low
        or "pw" in low
        or "psk" in low
        or "credential" in low
        or "auth" in low
        or "cookie" in low
        or "kty" in low
        or '"-' in low
    )
    return {one for one in strings if _tells(one)} if may_tell else set()


def _is_a_count(name: str, strings: list[str], text: str) -> bool:
    """Return True if it names a token count, and only that in this text: the record of a run has them at every turn."""
    if not name.endswith("tokens"):
        return False
    values = text.split(f'"{name}":')[1:]
    return len(values) == strings.count(name) and all(one[0].isdecimal() for one in values)


def _tells(string: str) -> bool:
    if string in _COUNTS:
        return False
    return len(string) <= _LONGEST_NAME and (
        string[:1] == "-"
        or classify(singular(string)) is not None
        or classify(string) is not None
        or string.lower() in _NAMES
    )


def _may_hold(strings: set[str]) -> bool:
    """Return True if one of the strings may hold a secret."""
    joined = '"'.join([one for one in strings if not _PLAIN(one)])
    if "\0" in joined or "\1" in joined:
        joined = joined.replace(_QUOTE, '\\"').replace(_BACKSLASH, "\\\\")
    return bool(joined) and may_hold_secret('"' + joined)
