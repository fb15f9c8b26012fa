"""Take here-documents out of a command line before the grammar sees it (B6).

The grammar gets lost if two here-documents, or a ``;``, follow on one line. So a linear scan that knows only quotes and
brackets finds them first; the remaining text keeps every offset. Knows no commands.
"""

import re

from msgspec import Struct

from rawr.observe.shell.ansi_c import decode

MAX_DEPTH = 96
"""Open quotes and brackets. Far more than the levels that are followed, few enough for the grammar to stay quick."""

_NEXT = re.compile(rb"[\\'\"`$(){}\n#<]")
_DELIMITER = re.compile(rb"[ \t]*((?:[^ \t\n\\'\"$`;&|()<>]|\\.|'[^']*'|\"[^\"]*\"|\$'(?:[^'\\]|\\.)*')+)", re.DOTALL)
_PIECE = re.compile(
    rb"\\(?P<escaped>.)|'(?P<raw>[^']*)'|\"(?P<string>[^\"]*)\"|\$'(?P<ansi>(?:[^'\\]|\\.)*)'", re.DOTALL
)
_ANSI_C = re.compile(rb"(?:[^'\\]|\\.)*'", re.DOTALL)
_SUBSTITUTES = re.compile(rb"\\.|\$\(\(|\$\(|`", re.DOTALL)
_OPENS_COMMENT_AFTER = b" \t\n;&|()"


class Heredoc(Struct, frozen=True):
    start: int
    """The position of its operator, by which a redirection finds its text."""
    text: bytes
    quoted: bool
    """Nothing in the text is expanded."""


class Scanned(Struct, frozen=True):
    words: bytes
    """The text with the bodies blanked: words are read from it."""
    grammar: bytes
    """The same with the operators blanked too: the input of the grammar."""
    heredocs: dict[int, Heredoc]
    problems: tuple[str, ...]
    too_deep: bool


class _Pending(Struct, frozen=True):
    start: int
    delimiter: bytes
    quoted: bool
    strip_tabs: bool


def scan(source: bytes) -> Scanned:
    if b"<<" not in source and len(source) <= MAX_DEPTH:
        return Scanned(source, source, {}, (), too_deep=False)
    return _Scan(source).run()


class _Scan:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.words = bytearray(source)
        self.grammar = bytearray(source)
        self.stack: list[str] = []
        self.pending: list[_Pending] = []
        self.heredocs: dict[int, Heredoc] = {}
        self.problems: list[str] = []
        self.at = 0

    def run(self) -> Scanned:
        while (found := _NEXT.search(self.source, self.at)) is not None and len(self.stack) <= MAX_DEPTH:
            self.at = found.end()
            if self.stack and self.stack[-1] == '"':
                self._in_string(found[0])
            else:
                self._in_code(found[0])
        if self.pending:
            self.problems.append("a here-document without a text")
        too_deep = len(self.stack) > MAX_DEPTH
        return Scanned(bytes(self.words), bytes(self.grammar), self.heredocs, tuple(self.problems), too_deep=too_deep)

    def closing(self) -> int | None:
        """Where the bracket that opens here is closed."""
        while (found := _NEXT.search(self.source, self.at)) is not None and len(self.stack) <= MAX_DEPTH:
            self.at = found.end()
            if self.stack and self.stack[-1] == '"':
                self._in_string(found[0])
            else:
                self._in_code(found[0])
            if not self.stack:
                return self.at
        return None

    def _in_string(self, here: bytes) -> None:
        match here:
            case b"\\":
                self.at += 1
            case b'"':
                self.stack.pop()
            case b"$":
                self._dollar()
            case b"`":
                self._backquote()

    def _in_code(self, here: bytes) -> None:
        match here:
            case b"\\":
                self.at += 1
            case b"'":
                self._raw_string()
            case b'"':
                self.stack.append('"')
            case b"`":
                self._backquote()
            case b"$":
                self._dollar()
            case b"(":
                self._parenthesis()
            case b")" if self.stack and self.stack[-1] in ("(", "(("):
                self.stack.pop()
            case b"}" if self.stack and self.stack[-1] == "{":
                self.stack.pop()
            case b"\n" if self.pending and "{" not in self.stack:
                self._bodies()
            case b"#":
                self._comment()
            case b"<":
                self._operator()

    def _raw_string(self) -> None:
        if "{" in self.stack and '"' in self.stack:
            return  # inside "${x:-it's}" it is a letter
        close = self.source.find(b"'", self.at)
        self.at = len(self.source) if close < 0 else close + 1

    def _backquote(self) -> None:
        if "`" in self.stack:
            del self.stack[len(self.stack) - 1 - self.stack[::-1].index("`") :]
        else:
            self.stack.append("`")

    def _dollar(self) -> None:
        following = self.source[self.at : self.at + 2]
        if following == b"((":
            self.stack += ["((", "(("]
            self.at += 2
        elif following[:1] == b"(":
            self.stack.append("(")
            self.at += 1
        elif following[:1] == b"{":
            self.stack.append("{")
            self.at += 1
        elif following[:1] == b"'" and not (self.stack and self.stack[-1] == '"'):
            quoted = _ANSI_C.match(self.source, self.at + 1)
            self.at = len(self.source) if quoted is None else quoted.end()
        elif following[:1] in (b"$", b"#"):
            self.at += 1

    def _parenthesis(self) -> None:
        if self.source[self.at : self.at + 1] == b"(":
            self.stack += ["((", "(("]
            self.at += 1
        else:
            self.stack.append("((" if "((" in self.stack[-1:] else "(")

    def _comment(self) -> None:
        before = self.source[self.at - 2 : self.at - 1]
        if (not before or before in _OPENS_COMMENT_AFTER) and not (self.stack and self.stack[-1] in ("((", "{")):
            newline = self.source.find(b"\n", self.at)
            self.at = len(self.source) if newline < 0 else newline

    def _operator(self) -> None:
        """A ``<`` was just read: is it the first of a here-document?"""
        if self.source[self.at : self.at + 2] == b"<<":
            self.at += 2
            return
        if self.source[self.at : self.at + 1] != b"<" or (self.stack and self.stack[-1] in ("((", "{")):
            return
        start = self.at - 1
        self.at += 1
        strip_tabs = self.source[self.at : self.at + 1] == b"-"
        self.at += strip_tabs
        written = _DELIMITER.match(self.source, self.at)
        if written is None:
            return
        self.at = written.end()
        self.grammar[start : self.at] = b" " * (self.at - start)
        delimiter = _PIECE.sub(_unquoted, written[1])
        self.pending.append(
            _Pending(start, delimiter, quoted=delimiter != written[1] or b"'" in written[1], strip_tabs=strip_tabs)
        )

    def _bodies(self) -> None:
        for pending in self.pending:
            start = self.at
            lines: list[bytes] = []
            while True:
                newline = self.source.find(b"\n", self.at)
                end = len(self.source) if newline < 0 else newline
                line = self.source[self.at : end]
                line = line.lstrip(b"\t") if pending.strip_tabs else line
                if line == pending.delimiter:
                    self.at = end
                    break
                if newline < 0:
                    lines.append(line)
                    self.at = end
                    self.problems.append(f"a here-document that does not end, from byte {pending.start}")
                    break
                lines.append(line + b"\n")
                self.at = end + 1
            self.heredocs[pending.start] = Heredoc(pending.start, b"".join(lines), pending.quoted)
            blank = b" " * (self.at - start)
            self.words[start : self.at] = blank
            self.grammar[start : self.at] = blank
            self.at = min(self.at + 1, len(self.source))
        self.pending.clear()
        self.at = max(self.at - 1, 0) if self.at < len(self.source) else self.at


def substituted_code(text: bytes) -> tuple[list[bytes], bool]:
    """The code that an unquoted here-document runs, as in a string, and True if all of it was found."""
    codes: list[bytes] = []
    at = 0
    while (found := _SUBSTITUTES.search(text, at)) is not None:
        opening = found[0]
        at = found.end()
        if opening.startswith(b"\\") or opening == b"$((":
            continue
        scan = _Scan(text)
        scan.at = found.start()
        end = scan.closing()
        if end is None:
            return codes, False
        code = text[at : end - 1]
        if opening == b"`" and b"\\" in code:
            return codes, False
        codes.append(code)
        at = end
    return codes, True


def _unquoted(piece: re.Match[bytes]) -> bytes:
    if piece.lastgroup == "ansi":
        return decode(piece["ansi"]) or b""
    return piece[piece.lastgroup or 0]
