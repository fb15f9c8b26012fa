"""Read the words of one simple command from its text: quotes, escapes, redirections (B6, C10).

The grammar says where a command begins; its words are read here, by bash's own rules, because the grammar's words are
not always bash's (``a\\ b``, ``git\\rcommit``, ``-F - <<E``). A word whose value depends on anything but its text has
none. Knows no programs and no control flow.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

from rawr.observe.shell.ansi_c import decode

_BLANK = (b"", b" ", b"\t", b"\n")
_BLANKS = re.compile(rb"(?:[ \t]|\\\n)*")
_PLAIN = re.compile(rb"[^ \t\n\\'\"$`;&|()<>]+")
_PLAIN_IN_STRING = re.compile(rb'[^"\\$`]+')
_PARAMETER = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_OPERATOR = re.compile(rb"&>>|&>|>>|>&|>\||<<<|<<-|<<|<&|<>|>|<")
_DESCRIPTOR = re.compile(rb"\d+|\{[A-Za-z_][A-Za-z0-9_]*\}")
_ANSI_C = re.compile(rb"(?:[^'\\]|\\.)*'", re.DOTALL)
_ARRAY_AFTER = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*\+?=")
_BRACES = re.compile(rb"\{.*(?:,|\.\.).*\}", re.DOTALL)
_TILDE_LATER = re.compile(rb"[=:]~")

_QUOTED = b"\0"
"""Marks a quoted byte in a word's shape, so that no pattern can match it. No word contains a NUL."""


class Word(Struct, frozen=True):
    start: int
    end: int
    value: bytes | None
    beginning: bytes = b""
    """The plain text that the word begins with, whatever the rest may be."""


class RawRedirect(Struct, frozen=True):
    start: int
    operator: bytes
    descriptor: bytes
    target: Word | None


class Lexed(Struct, frozen=True):
    words: tuple[Word, ...]
    redirects: tuple[RawRedirect, ...]
    jumped: tuple[int, ...]
    """Where the nested constructs begin that are part of a word."""
    end: int
    problem: str = ""


def read_command(
    source: bytes, start: int, *, nested: Mapping[int, int], end: int | None = None, home: bytes | None = None
) -> Lexed:
    """The words and redirections from ``start`` to the operator, newline or comment that ends the command.

    ``nested`` maps the start of each substitution and expansion to its end, as the grammar found them; ``end`` is the
    end of the substitution around the command.
    """
    return _Reader(source if end is None else source[:end], start, nested=nested, home=home).command()


class _Reader:
    def __init__(self, source: bytes, start: int, *, nested: Mapping[int, int], home: bytes | None) -> None:
        self.source = source
        self.at = start
        self.nested = nested
        self.home = home
        self.jumped: list[int] = []
        self.problem = ""

    def command(self) -> Lexed:
        words: list[Word] = []
        redirects: list[RawRedirect] = []
        end = self.at
        while True:
            self._skip_blanks()
            operator = None if self.at in self.nested else _OPERATOR.match(self.source, self.at)
            if operator is not None:
                redirects.append(self._redirect(operator[0], words))
            elif self.source[self.at : self.at + 1] == b"#" or (word := self._word()) is None:
                break
            else:
                words.append(word)
            end = self.at
        return Lexed(tuple(words), tuple(redirects), tuple(self.jumped), end, self.problem)

    def _skip_blanks(self) -> None:
        blanks = _BLANKS.match(self.source, self.at)
        self.at = blanks.end() if blanks else self.at

    def _redirect(self, operator: bytes, words: list[Word]) -> RawRedirect:
        start = self.at
        descriptor = b""
        if words and words[-1].end == start and not operator.startswith(b"&"):
            written = self.source[words[-1].start : start]
            if _DESCRIPTOR.fullmatch(written):
                descriptor = written
                start = words.pop().start
        self.at += len(operator)
        self._skip_blanks()
        target = self._word()
        if target is None:
            self.problem = self.problem or f"a redirection without a target at byte {start}"
        return RawRedirect(start, operator, descriptor, target)

    def _word(self) -> Word | None:
        start = self.at
        text = bytearray()
        shape = bytearray()
        known = True
        beginning = _PLAIN.match(self.source, self.at)
        while self.at < len(self.source):
            plain = _PLAIN.match(self.source, self.at)
            if plain is not None:
                text += plain[0]
                shape += plain[0]
                self.at = plain.end()
                continue
            piece = self._special(shape)
            if piece is _STOP:
                break
            if piece is None:
                known = False
            else:
                text += piece
            shape += _QUOTED * max(1, len(piece or b""))
        if self.at == start:
            return None
        value = self._expanded(bytes(text), bytes(shape)) if known else None
        return Word(start, self.at, value, beginning[0] if beginning else b"")

    def _special(self, shape: bytearray) -> bytes | None:
        """The value of a quote, escape or expansion at this place; ``_STOP`` if it ends the word."""
        here = self.source[self.at : self.at + 1]
        if self.at in self.nested and (here != b"(" or _ARRAY_AFTER.fullmatch(bytes(shape))):
            return self._jump(quoted=False)
        match here:
            case b"\\":
                return self._escape()
            case b"'":
                return self._raw_string()
            case b'"':
                return self._string()
            case b"$":
                return self._dollar()
            case b"`":
                self._unread("a backquote that does not close")
                return None
            case _:
                return _STOP

    def _jump(self, *, quoted: bool) -> bytes | None:
        start = self.at
        self.jumped.append(start)
        self.at = self.nested[start]
        return self._home(quoted=quoted) if self.source[start : self.at] == b"${HOME}" else None

    def _home(self, *, quoted: bool) -> bytes | None:
        """Without quotes, blanks in it would make several words."""
        return self.home if self.home is not None and (quoted or not self.home.split()[1:]) else None

    def _unread(self, what: str) -> None:
        self.problem = self.problem or f"{what} at byte {self.at}"
        self.at += 1

    def _escape(self) -> bytes | None:
        escaped = self.source[self.at + 1 : self.at + 2]
        before = self.source[self.at - 1 : self.at]
        self.at += 2 if escaped else 1
        if escaped != b"\n":
            return escaped or b"\\"
        if before in _BLANK or self.source[self.at : self.at + 1] in _BLANK:
            return b""
        self._broken_token()
        return None

    def _broken_token(self) -> None:
        """Bash joins continued lines before it reads anything, so apparently separate tokens may be one."""
        self.problem = self.problem or f"a word or operator in two lines at byte {self.at}"

    def _raw_string(self) -> bytes | None:
        close = self.source.find(b"'", self.at + 1)
        if close < 0:
            self._unclosed("'")
            return None
        text = self.source[self.at + 1 : close]
        self.at = close + 1
        return text

    def _unclosed(self, quote: str) -> None:
        self.problem = self.problem or f"a {quote} that does not close at byte {self.at}"
        self.at = len(self.source)

    def _string(self) -> bytes | None:
        opened = self.at
        self.at += 1
        text = bytearray()
        known = True
        while self.at < len(self.source):
            plain = _PLAIN_IN_STRING.match(self.source, self.at)
            if plain is not None:
                text += plain[0]
                self.at = plain.end()
                continue
            here = self.source[self.at : self.at + 1]
            if here == b'"':
                self.at += 1
                return bytes(text) if known else None
            piece = self._inside_string(here)
            known = known and piece is not None
            text += piece or b""
        self.at = opened
        self._unclosed('"')
        return None

    def _inside_string(self, here: bytes) -> bytes | None:
        if self.at in self.nested:
            return self._jump(quoted=True)
        if here == b"\\":
            escaped = self.source[self.at + 1 : self.at + 2]
            self.at += 2
            if escaped == b"\n":
                return b""
            return escaped if escaped in (b"$", b"`", b'"', b"\\") else b"\\" + escaped
        if here == b"`":
            self._unread("a backquote that does not close")
            return None
        return self._parameter(quoted=True)

    def _dollar(self) -> bytes | None:
        following = self.source[self.at + 1 : self.at + 2]
        if following == b"'":
            quoted = _ANSI_C.match(self.source, self.at + 2)
            if quoted is None:
                self._unclosed("$'")
                return None
            self.at = quoted.end()
            return decode(quoted[0][:-1])
        if following == b'"':
            self.at += 1
            self._string()
            return None  # a message catalogue may translate it
        return self._parameter(quoted=False)

    def _parameter(self, *, quoted: bool) -> bytes | None:
        name = _PARAMETER.match(self.source, self.at + 1)
        if name is not None:
            self.at = name.end()
            return self._home(quoted=quoted) if name[0] == b"HOME" else None
        if self.source[self.at + 1 : self.at + 3] == b"\\\n":
            self._broken_token()
        if self.source[self.at + 1 : self.at + 2] in (b"(", b"{", b"["):
            self._unread("an expansion that does not close")
            return None
        self.at += 1
        return b"$"

    def _expanded(self, text: bytes, shape: bytes) -> bytes | None:
        """The word after tilde expansion; None if it depends on braces, files or other users."""
        if b"*" in shape or b"?" in shape or _BRACES.search(shape) or _TILDE_LATER.search(shape):
            return None
        bracket = shape.find(b"[")
        if bracket >= 0 and b"]" in text[bracket:]:
            return None
        if shape.startswith(b"~"):
            prefix = shape.partition(b"/")[0]
            if _QUOTED in prefix:
                return text
            return self.home + text[1:] if prefix == b"~" and self.home is not None else None
        return text


_STOP = bytes(bytearray(b"stop"))
"""Compared by identity: no piece of a word is this object."""
