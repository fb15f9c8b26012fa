"""Secrets that stand alone: below a line that announces them, at a prompt, sent by a script, in a list of codes.

The line above says what comes: "A recovery key has been generated:", "Das Passwort lautet wie folgt:". A blank line
may lie between, and a box around the secret.
"""

# ruff: noqa: RUF001 - signs of other languages that look like ours

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rawr.journal.guess import Sure, guess, is_scrambled
from rawr.journal.names import is_reference
from rawr.journal.rules.beside import tells_of_password
from rawr.journal.rules.rule import LINE_END, Finder, Found, Pattern, Rule, Span, secret_of
from rawr.journal.values import is_irregular

_BORDER = r"[ \t]*[┌╔╭+*#=~_─━═-][┌╔╭┐╗╮+*#=~_─━═ -]{2,120}"
_SIDE = r"(?:[│┃║|*#>$`\"'][ \t]{0,40})?"
_BELOW = re.compile(
    rf"(?P<sign>[:：.。])(?=[*_]{{0,2}}[ \t]*{LINE_END}(?:[ \t]*{LINE_END})?"
    rf"(?:{_BORDER}{LINE_END}(?:[ \t]*[│┃║|*#][ \t]*[│┃║|*#]?[ \t]*{LINE_END})?)?"
    rf"[ \t]{{0,40}}{_SIDE}(?P<secret>[^\s\"'`│┃║|\\]{{6,128}})(?=[ \t]*[│┃║|*#`]?[ \t]*(?:\Z|[\"'\r]|{LINE_END})))"
)
_LETTERS = re.compile(r"[a-z]{4,8}(?:-[a-z]{4,8}){5,11}")
_TELLS = re.compile(
    r"(?i)pass(?:word|phrase|code)|\b(?:recovery|secret|api|access|setup|unseal|encryption|license|join|admin|root|private|auth|shared|security)"
    r"[ _-](?:key|token|code|secret)|\b(?:token|secret)s?\b|\bpins?\b"
)
_LINE = re.compile(r"(?:[^\r\n\\]|\\(?!r?\\?n))*\Z")


def _tells(line: str) -> bool:
    return _TELLS.search(line) is not None or tells_of_password(line)


def _is_below(secret: str, sign: str) -> bool:
    if is_reference(secret):
        return False
    if _LETTERS.fullmatch(secret) or (len(secret) >= 20 and is_irregular(secret)):
        return True
    return guess(secret) >= (Sure.LIKELY if sign in "：。:" else Sure.CERTAIN) or (
        is_scrambled(secret) and re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{7,16}", secret) is None
    )


class Below:
    """What is alone in its line, below one that tells of it and ends."""

    clues = (":", ".", "。", "：")

    def meets(self, text: str) -> bool:
        return _announces(text.lower())

    def find(self, text: str) -> Iterator[Span]:
        for found in _BELOW.finditer(text):
            line = _LINE.search(text, max(0, found.start() - 160), found.start())
            if line and _is_below(found["secret"], found["sign"]) and _tells(line[0]):
                yield Span(*found.span("secret"), "password")


_PROMPT = re.compile(r"(?i)pass|secret|token|(?:api|access|private|shared|auth)[ _-]?key|_key\b|\bpin\b|cred")


def _is_asked(found: Found) -> bool:
    before = re.split(rf"(?:{LINE_END}[ \t]*){{3}}", found.string[max(0, found.start() - 400) : found.start()])[-1]
    earlier = before.rpartition(found["ask"])[2]
    return (
        _PROMPT.search(earlier) is not None
        and not is_reference(secret_of(found))
        and guess(secret_of(found)) > Sure.NOT
    )


_EXPECTS = re.compile(
    r"(?i)(?:expect|waitfor|wait_for|read_until|prompt|interact)[\s\S]{0,160}?(?:pass\w{0,6}|pin|secret|kennwort)[^\r\n]{0,120}"
)


def _is_expected(found: Found) -> bool:
    before = found.string[max(0, found.start() - 240) : found.start()]
    at = max((one.start() for one in re.finditer(r"(?i)expect|wait_?for|read_until|prompt", before)), default=-1)
    return at >= 0 and _EXPECTS.match(before, at) is not None and not is_reference(secret_of(found))


def _is_seed(found: Found) -> bool:
    secret = re.sub(r"[ =-]", "", secret_of(found))
    return len(secret) >= 16 and 2 <= sum(map(str.isdigit, secret)) <= len(secret) // 2


_SEED = r"[^\r\n]{0,80}?(?<![\w/+=-])(?:[a-z2-7]{16}|[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3})"
_SEEDS = tuple(re.compile(word + _SEED).search for word in ("otp", "fa(?<=[2m]fa)"))
_SET_UP = re.compile(r"-(?:\d\d-\d{3}(?<=\d{3}-\d\d-\d{3})|\d{3}-\d{4}(?<=\d{4}-\d{3}-\d{4}))(?!\d)").search


def _shows_seed(low: str) -> bool:
    return ("otp" in low and _SEEDS[0](low) is not None) or (
        ("2fa" in low or "mfa" in low) and _SEEDS[1](low) is not None
    )


def _shows_set_up(low: str) -> bool:
    return _SET_UP(low) is not None


class Gated(NamedTuple):
    """A rule that is tried only behind its own first look."""

    gate: Callable[[str], bool]
    rule: Rule

    @property
    def clues(self) -> tuple[str, ...]:
        return self.rule.clues

    def meets(self, text: str) -> bool:
        return self.gate(text.lower()) and self.rule.meets(text)

    def find(self, text: str) -> Iterator[Span]:
        return self.rule.find(text)


RULES: tuple[Finder, ...] = (
    Below(),
    # var.db_password ⏎ Enter a value: …
    Rule(
        "password",
        ("value:", "value for"),
        Pattern(
            r"(?P<ask>(?:[eE]nter|[tT]ype|[pP]rovide|[pP]aste|[pP]lease[ ]enter)"
            r"[ ](?:an?|the|your|its|new)?[ ]?(?:\w{1,12}[ ])?[vV]alue:)"
            r"[ \t]*(?P<secret>[^\s\"'`\\]{4,256})"
        ),
        _is_asked,
    ),
    # expect "password:" ⏎ send "…\r"
    Rule(
        "password",
        ("send", "write", "puts"),
        Pattern(
            r"(?:send(?:_?line)?|exp_send|write|puts)(?:[ ]+(?:-{1,2}[a-z]{0,2}[ ]+){0,2}|\([ ]?b?)"
            r"(?:\\*[\"'](?P<quoted>[^\"'\\\r\n]{4,128})|\{(?P<braced>[^\s{}\\]{4,128}))(?=\\{1,8}[rn]|\\*[\"']\)|\})"
        ),
        _is_expected,
    ),
    Gated(
        _shows_set_up,
        # the code of a device at home, in groups of three, two and three digits
        Rule(
            "password",
            ("homekit", "setup", "set-up", "pair", "matter"),
            Pattern(
                r"(?i:homekit|set-?up[ _-]?(?:code|pin|payload)|pairing[ _-]?(?:code|pin)"
                r"|pair[ ]with|matter)[^\d]{0,200}?(?<![\d-])"
                r"(?P<secret>\d{3}-\d{2}-\d{3}|\d{4}-\d{3}-\d{4})(?![\d-])"
            ),
        ),
    ),
    Gated(
        _shows_seed,
        # TOTP secret: JBSW…
        Rule(
            "key",
            ("otp", "2fa", "mfa"),
            Pattern(
                r"(?i:otp|2fa|mfa)[^\r\n]{0,80}?(?<![\w/+=-])"
                r"(?P<secret>[A-Z2-7]{16,64}=*|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}"
                r"|[a-z2-7]{4}(?:[ ][a-z2-7]{4}){3,15})(?![\w/+-])"
            ),
            _is_seed,
        ),
    ),
)

HINTS = (
    *("enter a value:", "enter the value:", "enter value:", "enter new value:", "enter secret value:"),
    *('send "', 'send \\"', "send -- ", "send {", "sendline(", "sendline ", "exp_send "),
)
"""A text with one of these may have such a secret."""

_ALONE = (
    rf"(?:[ \t]*{LINE_END})?(?:{_BORDER}{LINE_END})?[ \t]{{0,40}}{_SIDE}"
    rf"(?=[^\s\"'`\\]{{0,40}}[\d-])[^\s\"'`\\]{{6,128}}"
    r"[ \t]*(?:[│┃║|*#`]|\Z|[\"'\r\n]|\\)"
)
_ANNOUNCED = re.compile(rf"\n(?:(?<=[:.。：*_]\n)|(?<=[:.。：]\r\n)){_ALONE}").finditer
_ANNOUNCED_IN_STRING = re.compile(rf"\\n(?:(?<=[:.。：*_]\\n)|(?<=[:.。：]\\\\n)){_ALONE}").finditer
_CUE = re.compile(r"[^\x00-\x7f]|pass|secret|token|key|\bpin|cod").search


def _announces(low: str) -> bool:
    return ("\n" in low and _cued(low, _ANNOUNCED(low))) or ("\\n" in low and _cued(low, _ANNOUNCED_IN_STRING(low)))


def _cued(low: str, alone: Iterator[Found]) -> bool:
    for found in alone:
        line = _LINE.search(low, max(0, found.start() - 160), found.start() - found[0].startswith("\n"))
        if line and _CUE(line[0]):
            return True
    return False


def shows_below(low: str) -> bool:
    """Return True if a text in lower case may have such a secret without one of the ``HINTS``. On the hot path."""
    return bool(_announces(low) or _shows_seed(low) or ("-" in low and _SET_UP(low)))
