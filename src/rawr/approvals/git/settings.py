"""Read a git settings file as git does (C10): quotes, escapes, comments and continued lines.

It knows no setting's meaning. A repository's own file, which the agent may have written, is read more strictly, in
``git.config``.
"""

import re

from msgspec import Struct

from rawr.approvals.judgment import shown
from rawr.approvals.looking import Looking

MAX_CONFIG = 256 * 1024

HOOKS = ("post-index-change", "reference-transaction", "fsmonitor-watchman", "query-watchman")
"""Hooks that git may run while it only reads: it refreshes the index on the way."""

LFS = frozenset(
    {
        "clean git-lfs clean -- %f",
        "smudge git-lfs smudge -- %f",
        "smudge git-lfs smudge --skip -- %f",
        "process git-lfs filter-process",
        "process git-lfs filter-process --skip",
        "required true",
    }
)
"""As ``git lfs install`` writes them."""

_HEADING = re.compile(r'\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]')
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)")
_BLANK = re.compile(r"(?:[ \t\n\f\v]+|[#;][^\n]*)+")
_PLAIN = re.compile(r'[^\n"\\#; \t]+')
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}


class Setting(Struct, frozen=True):
    section: str
    """In lower case; ``diff.*`` for a section with a subsection."""
    key: str
    value: str

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"


def settings(file: str, look: Looking) -> list[Setting] | str:
    """All settings of a file, or why they are unknown. A missing file has none."""
    data = look.read(file, MAX_CONFIG)
    if data is None:
        there = look.kind(look.real(file))
        return f"{shown(file)} cannot be read." if there else []
    look.spend(len(data) // 16)
    try:
        found = _Reader(data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")).run()
    except UnicodeDecodeError:
        return f"{shown(file)} is not text."
    return f"{shown(file)} is not understood." if found is None else found


class _Reader:
    """Reads the text as git does, letter by letter."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def run(self) -> list[Setting] | None:
        found: list[Setting] = []
        section = ""
        while self._take(_BLANK) or self.at < len(self.text):
            if self.at >= len(self.text):
                break
            if heading := self._take(_HEADING):
                section = _section(heading[1], heading[2])
                continue
            name = self._take(_NAME)
            if name is None or not section:
                return None
            value = self._value() if name[2] else self._nothing()
            if value is None:
                return None
            found.append(Setting(section, name[1].lower(), value))
        return found

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def _nothing(self) -> str | None:
        """A name without a value is true."""
        return "true" if self.text[self.at : self.at + 1] in ("", "\n", "#", ";") else None

    def _value(self) -> str | None:
        parts: list[str] = []
        blanks = ""
        quoted = False
        while self.at < len(self.text) and (char := self.text[self.at]) != "\n":
            plain = self._take(_PLAIN)
            if plain is not None:
                parts += (blanks if parts else "", plain[0])
                blanks = ""
                continue
            self.at += 1
            if char in "#;" and not quoted:
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char in " \t" and not quoted:
                blanks += char
            elif char == '"':
                quoted = not quoted
                parts += (blanks if parts else "", "")
                blanks = ""
            elif char == "\\" and self.text[self.at : self.at + 1] == "\n":
                self.at += 1
            elif char == "\\":
                escaped = _ESCAPES.get(self.text[self.at : self.at + 1])
                if escaped is None:
                    return None
                self.at += 1
                parts += (blanks if parts else "", escaped)
                blanks = ""
            else:
                parts.append(char)
        return None if quoted else "".join(parts)


def _section(name: str, subsection: str | None) -> str:
    """``[diff "x"]`` is ``diff.*``, and so is ``[diff.x]``."""
    first, dot, _ = name.lower().partition(".")
    return first + ("" if subsection is None and not dot else ".*")
