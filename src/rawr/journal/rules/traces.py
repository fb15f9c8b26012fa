"""Secrets in the trace of a program's system calls: what it read after it had asked for a password."""

import re

from rawr.journal.guess import Sure, guess, is_scrambled
from rawr.journal.names import is_reference
from rawr.journal.rules.beside import tells_of_password
from rawr.journal.rules.rule import Finder, Found, Pattern, Rule, secret_of

_ASKED = re.compile(r"write\(\d+[^,\r\n]{0,60}, \\*\"(?P<prompt>[^\r\n]{2,120}?)\\*\"[^\r\n]{0,80}[\s\S]{0,200}\Z")
_OPENED = re.compile(r"open(?:at)?\((?P<arguments>[^()\r\n]{1,200})\)[\s\S]{0,200}\Z")
_TELLS = re.compile(r"(?i)pass|secret|token|cred|\.key\b|_key\b|\bpin\b|auth")
_REACH = 500


def _is_read(found: Found) -> bool:
    secret, start = secret_of(found), found.start()
    if is_reference(secret) or any(map(str.isspace, secret)):
        return False
    before = found.string[max(0, start - _REACH) : start]
    if asked := _ASKED.search(before):
        return _TELLS.search(asked["prompt"]) is not None or tells_of_password(asked["prompt"])
    opened = _OPENED.search(before)
    return (
        opened is not None
        and _TELLS.search(opened["arguments"]) is not None
        and (guess(secret) >= Sure.MAYBE or is_scrambled(secret))
    )


RULES: tuple[Finder, ...] = (
    # read(4, "…\n", 511) = 13
    Rule(
        "password",
        ("read(", "recv"),
        Pattern(
            r"(?:read|readv|recv|recvfrom)\(\d+[^,\r\n\"]{0,60}, \\*\""
            r"(?P<secret>(?:[^\"\\\r\n]|\\(?![nr\"\\])|\\\\(?![nr\"])){4,200})(?:\\+[rn]){0,2}\\*\"(?=,|\.\.\.)"
        ),
        _is_read,
    ),
    # getpass("Password: ") = "…"
    Rule(
        "password",
        ("getpass(", "readpassphrase("),
        Pattern(r"(?:getpass|readpassphrase)\([^\r\n)]{0,120}\)[ ]*=[ ]*\\*\"(?P<secret>[^\"\\\r\n]{4,200})"),
        lambda found: not is_reference(secret_of(found)),
    ),
)

_READ = re.compile(r"re(?:ad|cv)(?:v|from)?\(\d+[^,\r\n\"]{0,60}, \\*\"").search


def shows_trace(low: str) -> bool:
    """Return True if a text in lower case may be such a trace. On the hot path."""
    return ("read(" in low or "recv" in low) and _READ(low) is not None
