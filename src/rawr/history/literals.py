"""JavaScript values that are written out: objects, lists and strings. Whatever must be computed is ``None``."""

import re

import msgspec

from rawr.history.shapes import UNREADABLE

MAX_DEPTH = 8
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)"""
    r"""|(?P<mark>[{}\[\]:,])|(?P<word>[\w$.-]+))""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r"}

Value = dict[str, "Value"] | list["Value"] | str | None

_decode_text = msgspec.json.Decoder(str).decode


class _NotWrittenOut(Exception):
    pass


def literal_string(text: str) -> str:
    """What a string between its quotes means."""
    if text.startswith('"'):
        try:
            return _decode_text(text)
        except UNREADABLE:
            pass
    return _ESCAPE.sub(lambda match: _NAMED.get(match.group(1), match.group(1)), text[1:-1])


def literal_at(script: str, start: int) -> Value:
    """The value that begins there; None if it is not written out."""
    try:
        return _Reader(script, start).value(0)
    except _NotWrittenOut:
        return None


class _Reader:
    def __init__(self, script: str, start: int) -> None:
        self._script, self._at = script, start

    def _next(self) -> tuple[str, str]:
        found = _TOKEN.match(self._script, self._at)
        if found is None or found.lastgroup is None:
            raise _NotWrittenOut
        self._at = found.end()
        return found.lastgroup, found.group(found.lastgroup)

    def value(self, depth: int) -> Value:
        kind, text = self._next()
        if depth > MAX_DEPTH:
            raise _NotWrittenOut
        if kind == "string":
            return literal_string(text)
        if kind == "word":
            return None
        if text == "{":
            return self._object(depth)
        if text == "[":
            return self._list(depth)
        raise _NotWrittenOut

    def _object(self, depth: int) -> Value:
        found: dict[str, Value] = {}
        while True:
            kind, text = self._next()
            if (kind, text) == ("mark", "}"):
                return found
            if kind == "mark":
                raise _NotWrittenOut
            name = literal_string(text) if kind == "string" else text
            if self._next() != ("mark", ":"):
                raise _NotWrittenOut
            found[name] = self.value(depth + 1)
            if self._closed("}"):
                return found

    def _list(self, depth: int) -> Value:
        found: list[Value] = []
        while True:
            before = self._at
            if self._next() == ("mark", "]"):
                return found
            self._at = before
            found.append(self.value(depth + 1))
            if self._closed("]"):
                return found

    def _closed(self, end: str) -> bool:
        """After a value comes the end, or a comma."""
        following = self._next()
        if following == ("mark", end):
            return True
        if following != ("mark", ","):
            raise _NotWrittenOut
        return False
