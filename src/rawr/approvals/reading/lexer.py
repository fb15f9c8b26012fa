"""A strict reading of the characters of a command line (C10): a small part of the shell, and nothing else.

This is the second reader of a line; ``agreement`` compares it with the first, the grammar. It knows quotes, escapes,
operators, redirections and here-documents. It names and refuses anything else that the shell would expand. It knows no
programs.
"""

import re
from typing import Literal

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.approvals.reading.characters import strange
from rawr.approvals.reading.word import HOLE, Hole, Operator, Redirect, Token, Word
from rawr.observe.shell.ansi_c import decode

Shell = Literal["bash", "sh", "zsh"]

MAX_TOKENS = 2_500
MAX_PROBLEMS = 50

_OPERATOR = re.compile(r"\n|&&|\|\||\|&|;;|;&|&\||&!|[;&|()]")
_REDIRECT = re.compile(r"(\d*)(&>>|&>|>>|>&|>\||<<<|<<-|<<|<&|<>|>|<)")
_NAME = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_OF_THE_SHELL = re.compile(r"\$[0-9@*#$!-]", re.ASCII)
_CHANGED_BY_ZSH = re.compile(r"\[|:[A-Za-z&]")
"""After a variable: zsh takes a part of its value."""
_ANSI_C = re.compile(r"((?:[^'\\]|\\.)*)'", re.DOTALL)
_DELIMITER = re.compile(r"[ \t]*(?:'([A-Za-z_]\w*)'|\"([A-Za-z_]\w*)\"|([A-Za-z_]\w*))(?=[ \t\n;&|)]|$)", re.ASCII)
_VARIABLE_DESCRIPTOR = re.compile(r"\{[A-Za-z_]\w*\}", re.ASCII)
_NUMBERS_IN_ZSH = re.compile(r"<\d*-\d*>", re.ASCII)
_MARK_IN_ZSH = re.compile(r"[~^]|\{(?!\})")
_KEYS = re.compile(r"\\[CMc]")
_ENDS_WORD = frozenset(" \t\n;&|()<>")
_TESTS = ("[", "[[")
_LITERAL_DOLLAR_IN_STRING = frozenset('" \t|).,;/]}')
_ZSH_PLAIN = re.compile(r"[A-Za-z0-9_./,:@%+*?!\[\]-][A-Za-z0-9_./,:@%+*?!\[\]=-]*|[{}]|=")


class Stopped(Exception):
    """From here on the meaning of the text is unknown."""


class Lexed(Struct, frozen=True):
    tokens: tuple[Token, ...]
    problems: tuple[str, ...]
    stopped: bool


def lex(code: str, *, dialect: Shell = "bash") -> Lexed:
    lexer = _Lexer(code, dialect)
    try:
        lexer.run()
    except Stopped as reason:
        return Lexed(tuple(lexer.tokens), (*lexer.problems, str(reason)), stopped=True)
    return Lexed(tuple(lexer.tokens), tuple(lexer.problems), stopped=False)


class _Lexer:
    def __init__(self, code: str, shell: Shell) -> None:
        self.code = code
        self.shell = shell
        self.at = 0
        self.tokens: list[Token] = []
        self.problems: list[str] = []
        self.pending: list[tuple[str, bool, bool]] = []

    def problem(self, text: str) -> None:
        if len(self.problems) < MAX_PROBLEMS and text not in self.problems:
            self.problems.append(text)

    def run(self) -> None:
        while self._skip_blanks():
            if len(self.tokens) > MAX_TOKENS:
                raise Stopped(f"It has more than {MAX_TOKENS} words and operators.")
            operator = _OPERATOR.match(self.code, self.at)
            redirect = _REDIRECT.match(self.code, self.at)
            if redirect is not None:
                self._redirect(redirect)
            elif operator is not None:
                self._operator(operator[0])
            else:
                word = self._word()
                self.tokens.append(word)
                if _VARIABLE_DESCRIPTOR.fullmatch(word.raw) and self.code[self.at : self.at + 1] in ("<", ">"):
                    self.problem("A redirection opens a file under a number of the shell's choice.")
        if self.pending:
            raise Stopped("A here-document has no text.")

    def _skip_blanks(self) -> bool:
        """Go to the next token; False at the end. A line may be continued only between words."""
        while self.at < len(self.code):
            if self.code[self.at] in " \t":
                self.at += 1
            elif self.code.startswith("\\\n", self.at) and self.code[self.at - 1 : self.at] in (" ", "\t"):
                self.at += 2
                if self.code[self.at : self.at + 1] in ("&", "|", ";", "<", ">", "#"):
                    self.problem("An operator or comment follows a continued line.")
            elif self.code[self.at] == "#":
                end = self.code.find("\n", self.at)
                end = len(self.code) if end < 0 else end
                if not self.code[self.at : end].isascii():
                    self.problem("A comment has non-ASCII letters.")
                self.at = end
            else:
                return True
        return False

    def _operator(self, text: str) -> None:
        if text in (";;", ";&", "&|", "&!"):
            raise Stopped(f"The operator {shown(text)} is not understood here.")
        if text == "|&" and self.shell == "sh":
            raise Stopped("The operator `|&` means something else in sh.")
        self.tokens.append(Operator(text, self.at))
        self.at += len(text)
        if text == "\n":
            self._bodies()

    # -- redirections ---------------------------------------------------------------------------------------------

    def _redirect(self, found: re.Match[str]) -> None:
        descriptor, operator = found[1], found[2]
        at = self.at
        if _NUMBERS_IN_ZSH.match(self.code, found.start(2)):
            raise Stopped("`<…-…>` is a pattern in zsh and two redirections elsewhere.")
        self.at = found.end()
        if descriptor and operator.startswith("&"):
            raise Stopped("A number comes before `&>`.")
        if operator in ("<", ">") and self.code[self.at : self.at + 1] == "(":
            raise Stopped("A process substitution runs another command.")
        if self.shell == "sh" and operator in ("&>", "&>>", "<<<"):
            raise Stopped(f"The operator {shown(operator)} means something else in sh.")
        if operator in ("<<", "<<-"):
            self.tokens.append(Redirect(operator, self._delimiter(operator, at), descriptor))
            return
        while self.code[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        if self.at >= len(self.code) or self.code[self.at] in _ENDS_WORD or self.code[self.at] in "#\\":
            raise Stopped("A redirection has no plain target.")
        self.tokens.append(Redirect(operator, self._word(), descriptor))

    def _delimiter(self, operator: str, at: int) -> Word:
        found = _DELIMITER.match(self.code, self.at)
        if found is None:
            raise Stopped("A here-document ends with a word that is not plain.")
        self.at = found.end()
        name = found[1] or found[2] or found[3]
        quoted = found[3] is None
        self.pending.append((name, quoted, operator == "<<-"))
        return Word(name, at, found[0].strip(), quoted=quoted)

    def _bodies(self) -> None:
        for name, quoted, strip_tabs in self.pending:
            while True:
                if self.at >= len(self.code):
                    raise Stopped("A here-document does not end.")
                end = self.code.find("\n", self.at)
                end = len(self.code) if end < 0 else end
                line = self.code[self.at : end]
                self.at = min(end + 1, len(self.code))
                if (line.lstrip("\t") if strip_tabs else line) == name:
                    break
                if not quoted and any(mark in line for mark in "$`\\"):
                    raise Stopped("A here-document has expansions.")
        self.pending.clear()

    # -- words ----------------------------------------------------------------------------------------------------

    def _word(self) -> Word:
        start = self.at
        reading = _Reading()
        while self.at < len(self.code) and (char := self.code[self.at]) not in _ENDS_WORD:
            match char:
                case "'":
                    self._single(reading)
                case '"':
                    self._double(reading)
                case "\\":
                    self._escape(reading)
                case "$":
                    self._dollar(reading)
                case "`":
                    raise Stopped("A command substitution runs another command.")
                case "*" | "?":
                    reading.add(char, char)
                    self.at += 1
                case _:
                    self._plain(char, reading)
                    self.at += 1
        raw = self.code[start : self.at]
        self._whole(raw, reading, start)
        looked_for = self._looked_for(raw, reading)
        text = None if reading.unknown else "".join(reading.text)
        shape = "".join(reading.shape)
        is_pattern = "*" in shape or "?" in shape or ("[" in shape and raw not in _TESTS)
        return Word(
            None if reading.holes else text,
            start,
            raw,
            quoted=reading.quoted,
            shape=shape if is_pattern else "",
            counted=reading.counted,
            looked_for=looked_for,
            holes=() if reading.unknown else tuple(reading.holes),
            template=text or "" if reading.holes else "",
        )

    def _plain(self, char: str, reading: "_Reading") -> None:
        if not char.isascii():
            self.problem(f"The character U+{ord(char):04X} is outside quotes.")
            reading.unknown = True
        reading.add(char, char)

    def _whole(self, raw: str, reading: "_Reading", start: int) -> None:
        """Checks that need the whole word."""
        shape = "".join(reading.shape)
        if "[" in shape and raw not in _TESTS and "]" not in reading.text[shape.index("[") :]:
            self._unknown(reading, f"The bracket in {shown(raw)} is not closed.")
        if "{" in shape and ("," in shape or ".." in "".join(reading.text)):
            self._unknown(reading, f"The braces in {shown(raw)} make several words.")
        if shape.startswith("~") or "=~" in shape or ":~" in shape:
            self._unknown(reading, f"{shown(raw)} may be a user's home.")
        if shape.startswith("!") and raw not in ("!", "!="):
            self._unknown(reading, f"The `!` in {shown(raw)} may bring back an old command.")
        self._zsh(raw, shape, reading)
        if self.code[self.at : self.at + 1] == "(":
            raise Stopped(f"A bracket follows {shown(raw)}: a function, an array or a pattern.")
        if self.shell == "zsh" and reading.bare and not _ZSH_PLAIN.fullmatch(reading.bare):
            self._unknown(reading, f"{shown(raw)} may be expanded by zsh.")
        if start == self.at:
            raise Stopped(f"{shown(self.code[self.at :])} is not understood.")

    def _zsh(self, raw: str, shape: str, reading: "_Reading") -> None:
        """Which shell runs a line is not always known, so anything that only zsh would expand is refused for all."""
        if shape.startswith("=") and raw not in ("=", "=="):
            self._unknown(reading, f"{shown(raw)} is the path of a program in zsh.")
        elif "==" in shape and raw != "==":
            self._unknown(reading, f"{shown(raw)} may be the path of a program in zsh.")
        if "**" in shape:
            self._unknown(reading, f"The pattern {shown(raw)} goes into all folders in some shells.")
        if "#" in shape:
            self._unknown(reading, f"The `#` in {shown(raw)} may make it a pattern in zsh.")

    def _looked_for(self, raw: str, reading: "_Reading") -> str:
        shape = "".join(reading.shape)
        mark = _MARK_IN_ZSH.search(shape)
        if mark is None or raw == "{" or reading.unknown:
            return ""
        before = "".join(reading.text[: mark.start()])
        is_pattern = bool(set("*?[") & set(shape))
        if not before or HOLE in before or before.endswith("/") or (mark[0] == "{" and before[0] == "-") or is_pattern:
            self._unknown(reading, f"{shown(raw)} may be a pattern in zsh.")
        return before

    def _unknown(self, reading: "_Reading", why: str) -> None:
        self.problem(why)
        reading.unknown = True

    def _single(self, reading: "_Reading") -> None:
        close = self.code.find("'", self.at + 1)
        if close < 0:
            raise Stopped("A quote is not closed.")
        reading.quote(self.code[self.at + 1 : close])
        self.at = close + 1
        if self.code[self.at : self.at + 1] == "'":
            self._unknown(reading, "Two quotes side by side may be one in zsh.")

    def _escape(self, reading: "_Reading") -> None:
        escaped = self.code[self.at + 1 : self.at + 2]
        if not escaped:
            raise Stopped("A backslash ends the line.")
        if escaped == "\n":
            raise Stopped("A word or operator is broken over two lines.")
        if not escaped.isascii():
            self._unknown(reading, f"The character U+{ord(escaped):04X} is outside quotes.")
        reading.quote(escaped)
        self.at += 2

    def _double(self, reading: "_Reading") -> None:
        self.at += 1
        reading.quote("")
        while self.at < len(self.code):
            match self.code[self.at]:
                case '"':
                    self.at += 1
                    return
                case "`":
                    raise Stopped("A command substitution runs another command.")
                case "\\":
                    self._escape_in_string(reading)
                case "$":
                    following = self.code[self.at + 1 : self.at + 2]
                    if following in _LITERAL_DOLLAR_IN_STRING:
                        reading.quote("$")
                        self.at += 1
                    else:
                        self._expansion(reading, quoted=True)
                case char:
                    reading.quote(char)
                    self.at += 1
        raise Stopped("A quote is not closed.")

    def _escape_in_string(self, reading: "_Reading") -> None:
        escaped = self.code[self.at + 1 : self.at + 2]
        if escaped in ("\n", ""):
            raise Stopped("A string is broken over two lines by a backslash.")
        reading.quote(escaped if escaped in '$`"\\' else "\\" + escaped)
        self.at += 2

    def _dollar(self, reading: "_Reading") -> None:
        following = self.code[self.at + 1 : self.at + 2]
        if following == "'":
            self._ansi_c(reading)
        elif following == '"':
            raise Stopped("A string may be translated.")
        elif not following or following in " \t\n;|)":
            reading.quote("$")
            self.at += 1
        else:
            self._expansion(reading, quoted=False)

    def _ansi_c(self, reading: "_Reading") -> None:
        found = _ANSI_C.match(self.code, self.at + 2)
        if found is None or self.shell == "sh":
            raise Stopped("A `$'…'` string is not understood.")
        self.at = found.end()
        try:
            value = (decode(found[1].encode()) or b"\0").decode()
        except UnicodeError:
            value = "\0"
        if strange(value) or not value.isascii() or _KEYS.search(found[1]):
            self._unknown(reading, "A `$'…'` string hides characters.")
        reading.quote(value)

    def _expansion(self, reading: "_Reading", *, quoted: bool) -> None:
        if self.code.startswith("$?", self.at):
            reading.quote("0")
            reading.counted = True
            self.at += 2
            return
        named, own = _NAME.match(self.code, self.at), _OF_THE_SHELL.match(self.code, self.at)
        if named is not None:
            self.at = named.end()
            reading.hole(named[1] or named[2], quoted=quoted)
            if _CHANGED_BY_ZSH.match(self.code, self.at):
                self._unknown(reading, f"In zsh, {shown(self.code[named.start() : self.at + 2])} may be cut.")
        elif own is not None:
            self._unknown(reading, f"The value of {own[0]} is not known.")
            self.at = own.end()
        elif self.code.startswith("$((", self.at) or self.code.startswith("$[", self.at):
            raise Stopped("An arithmetic expansion may run another command.")
        elif self.code.startswith("$(", self.at):
            raise Stopped("A command substitution runs another command.")
        else:
            raise Stopped(f"The expansion {shown(self.code[self.at : self.at + 24])} is not understood.")


class _Reading:
    """A word while it is read. ``shape`` distinguishes letters that the shell interprets from quoted ones."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.shape: list[str] = []
        self.unknown = False
        self.quoted = False
        self.counted = False
        self.holes: list[Hole] = []

    @property
    def bare(self) -> str:
        """The unquoted letters."""
        return "".join(letter for letter, shape in zip(self.text, self.shape, strict=True) if shape != "\0")

    def add(self, letter: str, shape: str) -> None:
        self.text.append(letter)
        self.shape.append(shape)

    def hole(self, name: str, *, quoted: bool) -> None:
        """The value of a variable, which is not known here."""
        self.holes.append(Hole(name, quoted))
        self.quote(HOLE)

    def quote(self, text: str) -> None:
        self.quoted = True
        for letter in text:
            self.add(letter, "\0")
