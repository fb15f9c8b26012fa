"""Where in a text secrets stand: first a cheap look that clears most texts, then one rule for each kind.

Rules see text as it comes: a shell line, a header, a config file, JSON, or JSON inside a JSON string with its quotes
and line ends escaped once more. They say where a secret is and never what becomes of it.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from rawr.journal.names import ENDINGS, classify, is_bare_secret, is_quoted_secret, is_reference, looks_random

Found = re.Match[str]


class Rule(NamedTuple):
    """How to find one kind of secret: it is the last named group of a match, if ``judge`` agrees.

    Without one of the ``clues``, which are in lower case, the pattern need not be tried.
    """

    kind: str | Callable[[Found], str]
    clues: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Callable[[Found], bool] = lambda _: True


_KEY_OR_TOKEN = re.compile(r"k(?:e[yn]|-)").search
_CAPITAL_K = re.compile(r"K(?:E[YN]|IA|ey)").search
_PASSWORD = re.compile(r"ss(?:w|ph)").search
_CAPITAL_PASSWORD = re.compile(r"SS(?:W|PH)").search
_SECRET = re.compile(r"ecret").search
_GITHUB = re.compile(r"g(?:h[pousr]_|ithub_pat_)").search
_SLACK = re.compile(r"xox[a-z]").search
_AUTHORIZATION_OR_GOOGLE = re.compile(r"z(?:(?<=oriz)|(?<=AIz))").search


def may_hold_secret(text: str) -> bool:
    """False clears a text. True means little: a word such as "token" is enough.

    On the hot path, for every fact and frame. Looking for one character takes next to nothing, so a rare one that all
    matches of a rule must hold goes first; the few patterns left begin with a fixed letter, which ``re`` finds quickly.
    """
    return bool(
        _KEY_OR_TOKEN(text)
        or _PASSWORD(text)
        or _SECRET(text)
        or _GITHUB(text)
        or ("K" in text and _CAPITAL_K(text))
        or ("J" in text and "eyJ" in text)
        or ("z" in text and _AUTHORIZATION_OR_GOOGLE(text))
        or ("x" in text and _SLACK(text))
        or ("@" in text and "://" in text)
        or ("B" in text and ("Bearer" in text or "BEARER" in text))
        or ("S" in text and ("SECRET" in text or _CAPITAL_PASSWORD(text)))
        or ("Z" in text and "AUTHORIZATION" in text)
        or ("[" in text and "redacted:" in text)
    )


_ASSIGNED = r"(?:[_-]?\d{1,3})?\\*[\"']?\s*[:=]"
_LIKELY = [
    re.compile(pattern).search
    for pattern in (
        # Case by case, because a pattern that ignores it cannot be looked for by its first letter.
        rf"k(?:ey|en){_ASSIGNED}",
        rf"K(?:EY|EN|ey){_ASSIGNED}",
        rf"ss(?:word|wd|phrase){_ASSIGNED}",
        rf"SS(?:WORD|WD|PHRASE){_ASSIGNED}",
        rf"ecret{_ASSIGNED}",
        rf"ECRET{_ASSIGNED}",
        rf"--[\w-]{{0,40}}(?i:{ENDINGS})",
        r"sk-[\w-]{16}",
        r"gh[pousr]_\w",
        r"github_pat_",
        r"xox[a-z]-",
        r"AKIA[A-Z0-9]",
        r"AIza[\w-]",
        r"eyJ[\w-]",
        r"PRIVATE KEY",
        r"Bearer\s",
        r"BEARER\s",
        r"uthorization\W",
        r"UTHORIZATION\W",
        r"://[^\s/]*@",
        r"redacted:",
    )
]


def likely_holds_secret(text: str) -> bool:
    """The second look, at the few texts that the first did not clear: still no verdict, and much rarer."""
    return any(search(text) for search in _LIKELY)


# -- judges ----------------------------------------------------------------------------------------------------------


def secret_of(found: Found) -> str:
    return found[found.lastgroup or 0]


def _name_before(found: Found) -> str:
    """The whole name whose ending matched, looked up backwards, so that no pattern has to start at every letter."""
    start = found.start()
    head = _NAME_TAIL.search(found.string, max(0, start - 64), start)
    return (head[0] if head else "") + found["ending"]


def _is_openai_key(found: Found) -> bool:
    secret = found["secret"]
    # "sk-" also begins class names of style sheets; those are short words.
    return looks_random(secret) or secret.startswith(("sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-"))


def _is_authorization(found: Found) -> bool:
    return bool(found["scheme"]) or looks_random(found["secret"])


def _is_named(found: Found) -> bool:
    name, secret = _name_before(found), secret_of(found)
    if found["bare"] is None:
        return is_quoted_secret(name, secret)
    following = found.string[found.end() : found.end() + 8]
    return is_bare_secret(name, secret, operator=found["operator"], following=following)


def _is_flag(found: Found) -> bool:
    promise, secret = classify(found["name"]), secret_of(found)
    if promise is None or is_reference(secret) or secret.startswith("-") or _FLAG_PROSE.fullmatch(secret):
        return False
    return promise[0] == "password" or (not secret.isdigit() and "/" not in secret[:2])


def _kind_of_name(found: Found) -> str:
    promise = classify(_name_before(found))
    return promise[0] if promise else "secret"


def _kind_of_flag(found: Found) -> str:
    promise = classify(found["name"])
    return promise[0] if promise else "secret"


_NAME_TAIL = re.compile(r"[A-Za-z0-9_.\-]+\Z")

_FLAG_PROSE = re.compile(
    r"(?i)(?:an?|and|argument|as|can|flag|for|from|has|if|in|is|must|not|of|on|option|or|parameter|should|the|to|value"
    r"|was|when|will|with)[.,:;]?"
)
"""What follows a flag in a sentence about it."""

# -- rules -----------------------------------------------------------------------------------------------------------

_LINE_END = r"(?:\r?\n|(?:\\+r)?\\+n)"

_VALUE = (
    # In quotes it ends at a quote that is escaped as often as the one that opened it, or where the text was cut off.
    r"(?:\"(?P<double>(?:\\.|[^\"\\\r\n])+)(?:\"|\Z)"
    r"|'(?P<single>(?:\\.|[^'\\\r\n])+)(?:'|\Z)"
    r"|(?P<open>\\+[\"'])(?P<escaped>.{1,4096}?)(?:(?<!\\)(?P=open)|\Z)"
    r"|(?P<bare>(?:[^\s\"'`;&|<>(){}\[\]\\,]|,(?=[^\s\"'\\]))+))"
)
_NAMED = rf"(?P<ending>(?i:{ENDINGS})(?:[_-]?\d{{1,3}})?)\\*[\"']?(?P<operator>[ \t]*(?::(?!:)=?|=(?![=~>])|=>)[ \t]*)"
# The value is the next argument, after a blank in a shell line or as the next string of a JSON array.
_FLAG = r"(?<![\w-])--(?P<name>[A-Za-z][A-Za-z0-9-]{0,40})(?![\w-])(?:=|\s+|\\*\"\s*,\s*(?=\\*\"))"

_WORDS = ("key", "token", "secret", "passw", "passphrase")

RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        ("private key",),
        re.compile(
            r"(?P<secret>-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]*(?:-(?!----)[^-]*)*-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
            # Cut off before its end: lines of key material, as far as they go.
            rf"|(?:{_LINE_END}+[A-Za-z-]+:[^\r\n\\]*)*"
            rf"(?:{_LINE_END}+[ \t>|+-]*[A-Za-z0-9+/=]+|[ \t]+[A-Za-z0-9+/=]{{16,}})+))"
        ),
    ),
    Rule("api-key", ("sk-",), re.compile(r"(?<![A-Za-z0-9_-])(?P<secret>sk-[A-Za-z0-9_-]{16,})"), _is_openai_key),
    Rule(
        "github-token",
        ("gh", "github_pat_"),
        re.compile(r"(?<![A-Za-z0-9])(?P<secret>gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})"),
    ),
    Rule("slack-token", ("xox",), re.compile(r"(?<![A-Za-z0-9])(?P<secret>xox[a-z]-[A-Za-z0-9-]{8,})")),
    Rule("aws-key-id", ("akia",), re.compile(r"(?<![A-Za-z0-9+/])(?P<secret>AKIA[A-Z0-9]{16})(?![A-Za-z0-9+/])")),
    Rule("google-key", ("aiza",), re.compile(r"(?<![A-Za-z0-9+/_-])(?P<secret>AIza[A-Za-z0-9_-]{30,})")),
    Rule(
        "jwt",
        ("eyj",),
        re.compile(r"(?<![A-Za-z0-9+/_-])(?P<secret>eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]{2,}){1,4})"),
    ),
    Rule(
        "authorization",
        ("authorization",),
        re.compile(
            r"(?i)authorization\\*[\"']?\s*[:=]\s*\\*[\"']?(?P<scheme>(?:bearer|basic|token|digest|apikey)\s+)?"
            r"(?P<secret>[A-Za-z0-9._~+/=:-]{6,})"
        ),
        _is_authorization,
    ),
    Rule(
        "authorization",
        ("bearer",),
        re.compile(r"(?:Bearer|BEARER)\s+(?P<secret>[A-Za-z0-9._~+/=-]{8,})"),
        lambda found: looks_random(found["secret"]),
    ),
    Rule(
        "url-password",
        ("://",),
        re.compile(r"://[^\s/:@\"'\\<>]{0,256}:(?P<secret>[^\s/\"'\\<>]{1,256})@"),
        lambda found: not is_reference(found["secret"]),
    ),
    Rule(_kind_of_name, _WORDS, re.compile(_NAMED + _VALUE), _is_named),
    Rule(_kind_of_flag, ("--",), re.compile(_FLAG + _VALUE), _is_flag),
)
