"""On which line each key of a TOML document stands. Python's reader knows the values but not the places.

The scanner is for text that ``tomllib`` has accepted: it follows TOML's grammar just far enough to find keys, and skips
over values. It never raises; should it lose its way, it says what it found so far.
"""

import re
import tomllib
from contextlib import suppress

MAX_DEPTH = 16
"""Keys further down than this are not told of."""

Path = tuple[str | int, ...]
"""The way to a value: keys, and numbers for the elements of lists and of arrays of tables."""

_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\n]+|#[^\n]*)*")
"""What may stand between values: spaces, line ends, comments."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\n]*'")
_LONG_BASIC = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''.*?'{3,5}", re.DOTALL)
_STRINGS = (_LONG_BASIC, _LONG_LITERAL, _BASIC, _LITERAL)
_PLAIN = re.compile(r"[^\s,\]}#]+(?: [0-9][^\s,\]}#]*)?")
"""A number, a flag or a date; a date may have one space in it, before the time."""


class _Lost(Exception):
    """The text is not what the scanner expects."""


def key_lines(text: str) -> dict[Path, int]:
    """Every key, table and element of the document, with its line, counted from 1."""
    scanner = _Scanner(text.replace("\r\n", "\n"))
    with suppress(_Lost, RecursionError, tomllib.TOMLDecodeError):
        scanner.document()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._counted = 0
        self._arrays: dict[Path, int] = {}
        """Arrays of tables, with the number of their newest element."""
        self.lines: dict[Path, int] = {}

    def document(self) -> None:
        table: Path = ()
        while True:
            self._skip(_GAP)
            if self._at >= len(self._text):
                return
            if self._peek("["):
                table = self._header()
            else:
                self._pair(table)

    # -- tables and keys ---------------------------------------------------------------------------------------------

    def _header(self) -> Path:
        line = self._here()
        is_array = self._peek("[[")
        self._at += 2 if is_array else 1
        keys = self._keys()
        self._expect("]]" if is_array else "]")
        path: Path = ()
        for number, key in enumerate(keys, 1):
            path = (*path, key)
            self._note(path, line)
            if number == len(keys) and is_array:
                self._arrays[path] = self._arrays.get(path, -1) + 1
                path = (*path, self._arrays[path])
                self._note(path, line)
            elif path in self._arrays:
                path = (*path, self._arrays[path])
        return path

    def _pair(self, table: Path) -> None:
        line = self._here()
        path = table
        for key in self._keys():
            path = (*path, key)
            self._note(path, line)
        self._expect("=")
        self._skip(_SPACE)
        self._value(path)

    def _keys(self) -> list[str]:
        keys = [self._key()]
        while self._peek("."):
            self._at += 1
            keys.append(self._key())
        return keys

    def _key(self) -> str:
        self._skip(_SPACE)
        for pattern in (_BARE, _BASIC, _LITERAL):
            found = pattern.match(self._text, self._at)
            if found is not None:
                self._at = found.end()
                self._skip(_SPACE)
                return found[0] if pattern is _BARE else _unquoted(found[0])
        raise _Lost

    # -- values ------------------------------------------------------------------------------------------------------

    def _value(self, path: Path) -> None:
        if self._peek("["):
            self._array(path)
        elif self._peek("{"):
            self._inline(path)
        else:
            self._take(*_STRINGS, _PLAIN)

    def _array(self, path: Path) -> None:
        self._at += 1
        number = 0
        self._skip(_GAP)
        while not self._peek("]"):
            self._note((*path, number), self._here())
            self._value((*path, number))
            number += 1
            self._skip(_GAP)
            if self._peek(","):
                self._at += 1
                self._skip(_GAP)
            elif not self._peek("]"):
                raise _Lost
        self._at += 1

    def _inline(self, path: Path) -> None:
        self._at += 1
        self._skip(_GAP)
        while not self._peek("}"):
            self._pair(path)
            self._skip(_GAP)
            if self._peek(","):
                self._at += 1
                self._skip(_GAP)
            elif not self._peek("}"):
                raise _Lost
        self._at += 1

    # -- the text ----------------------------------------------------------------------------------------------------

    def _peek(self, sign: str) -> bool:
        return self._text.startswith(sign, self._at)

    def _expect(self, sign: str) -> None:
        self._skip(_SPACE)
        if not self._peek(sign):
            raise _Lost
        self._at += len(sign)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()

    def _take(self, *patterns: re.Pattern[str]) -> None:
        for pattern in patterns:
            found = pattern.match(self._text, self._at)
            if found is not None:
                self._at = found.end()
                return
        raise _Lost

    def _note(self, path: Path, line: int) -> None:
        if len(path) <= MAX_DEPTH:
            self.lines.setdefault(path, line)

    def _here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line


def _unquoted(key: str) -> str:
    """TOML's own rules for the text of a quoted key."""
    return str(tomllib.loads(f"k = {key}")["k"])
