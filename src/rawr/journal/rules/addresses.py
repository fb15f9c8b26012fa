"""Secrets on the way to a server: in a URL, a header, a cookie."""

import re

from rawr.journal.names import ENDINGS, classify, is_reference
from rawr.journal.rules.rule import GAP, NAME_BEFORE, VALUE, Found, Pattern, Rule, Within, behind, is_literal, secret_of
from rawr.journal.values import is_irregular, looks_random

PAIR = r"[\w.%-]{1,128}=[^\s\x07\x1b\"'\\;]{1,4096}"
"""A cookie in a header."""

_SCHEMES = frozenset(
    ["apikey", "basic", "bearer", "digest", "genie", "oauth", "negotiate", "ntlm", "sso", "ssws", "token"]
)


def _is_authorization(found: Found) -> bool:
    scheme = found["scheme"].strip().lower() if found["scheme"] else ""
    secret = found["secret"]
    return not is_reference(secret) and (scheme in _SCHEMES or looks_random(secret))


_HEX = re.compile(r"(?:[a-z]{1,8}_)?[0-9a-fA-F]{32,}")


def _is_in_query(found: Found) -> bool:
    """Values in a URL are literal: a URL holds no code that would only name the secret."""
    name, secret = found["name"], found["secret"]
    if is_reference(secret) or secret.isdigit() or len(secret) < 4:
        return False
    if name.lower() in {"key", "code", "ticket", "token_hash"}:
        return len(secret) >= 16 and (is_irregular(secret) or _HEX.fullmatch(secret) is not None)
    return name.lower().endswith(("sig", "signature")) or classify(name) is not None


def is_cookie(found: Found) -> bool:
    values = (pair.partition("=")[2] for pair in found["secret"].split(";"))
    return any(len(value) >= 4 and not is_reference(value) for value in values)


def _is_session(found: Found) -> bool:
    secret = secret_of(found)
    return len(secret) >= 6 and not secret.isdigit() and not is_reference(secret)


PROSE = re.compile(
    r"(?i)(?:an?|and|argument|as|can|flag|for|from|has|if|in|is|must|not|of|on|option|or|parameter|should|the|to|value"
    r"|was|when|will|with)[.,:;]?"
)
"""What follows a flag, or the word "password", in a sentence about it."""


def _is_login(found: Found) -> bool:
    secret = found["secret"]
    if is_reference(secret) or PROSE.fullmatch(secret):
        return False
    # "the login and password fields" is prose.
    return found["machine"] is not None or not secret.strip(".,:;").isalpha()


def _is_random(found: Found) -> bool:
    return looks_random(found["secret"])


COOKIES = Within(
    "cookie",
    ("cookies",),
    Pattern(r"(?i)cookies\\*[\"']?\s*(?::[^=\r\n{]{0,40})?[:=]\s*(?:dict\(|\{)(?P<body>[^{}\r\n]{0,4000})"),
    Pattern(rf"(?:\\*[\"']\s*:\s*|=\s*)(?=\\*[\"']){VALUE}"),
    _is_session,
)
"""A dict of cookies in code."""

RULES: tuple[Rule, ...] = (
    Rule(
        "telegram-token",
        (":a",),
        Pattern(r"(?=\d{6})" + behind(r"\d") + r"(?P<secret>\d{6,12}:A[A-Za-z0-9_-]{30,40})(?![A-Za-z0-9_-])"),
    ),
    Rule(
        "webhook",
        ("hooks.", "webhook"),
        Pattern(
            r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|/api/webhooks/(?=\d+/)|hooks\.zapier\.com/hooks/catch/"
            r"|\.webhook\.office\.com/webhookb2/)(?P<secret>[\w/@-]{16,})"
        ),
    ),
    Rule(
        "authorization",
        ("authorization",),
        Pattern(
            r"(?i)authorization\\*[\"']?\s*[:=,]\s*\\*[\"']?"
            r"(?P<scheme>[a-z][a-z0-9-]{1,24}[ \t]+(?:token=\\*\"?)?)?(?P<secret>[A-Za-z0-9._~+/=:\ue000-]{6,})"
        ),
        _is_authorization,
    ),
    Rule(
        "authorization",
        ("signature=", "response="),
        Pattern(r"(?i)authorization[^\r\n]{0,800}?(?:signature|response)=\\*\"?(?P<secret>[0-9a-f]{32,128})"),
    ),
    Rule(
        "authorization",
        ("bearer",),
        Pattern(r"(?:[Bb]earer|BEARER)\s+(?P<secret>[A-Za-z0-9._~+/=\ue000-]{8,})"),
        _is_random,
    ),
    Rule(
        "url-password",
        ("://",),
        # A path follows a port; a password may contain what a path contains, and extends to the last "@" of its URL.
        Pattern(r"://[^\s/:@\"'\\<>]{0,256}:(?!\d{1,5}[/?#])(?P<secret>(?:(?!://)[^\s\"'\\<>`]){1,256})@(?=[\w\[.$-])"),
        is_literal,
    ),
    Rule("url-token", ("://",), Pattern(r"://(?P<secret>[A-Za-z0-9_.~%\ue000-]{16,256})@"), _is_random),
    Rule(
        "url-password",
        ("jdbc:oracle", "sqlplus", "rman"),
        Pattern(
            rf"(?:jdbc:oracle:[a-z]+:|(?=[sr]){NAME_BEFORE}(?:sqlplus|rman)\s[^\r\n;|]{{0,100}}?)[\w\"'\\]{{1,64}}/(?P<secret>[^\s@\"'\\]+)@"
        ),
        is_literal,
    ),
    Rule(
        "url-token",
        ("=",),
        Pattern(
            r"[?&;6](?:(?<!6)|(?<=\\u0026))(?P<name>[A-Za-z0-9_.-]{0,40}"
            rf"(?i:sig|signature|(?:{ENDINGS})(?:_hash)?|[?&;]code|ticket))=(?P<secret>[^\s\x07\x1b&#\"'`\\<>()]+)"
        ),
        _is_in_query,
    ),
    Rule(
        "cookie",
        ("cookie",),
        Pattern(
            rf"(?i)(?:(?=[sc]){NAME_BEFORE}(?:set-)?cookie\\*[\"']?\s*[:,=]|--cookie[\s=])\s*\\*[\"']?"
            rf"(?P<secret>{PAIR}(?:;\s*{PAIR})*)"
        ),
        is_cookie,
    ),
    Rule(
        "cookie",
        ("true\t", "false\t", "true\\", "false\\"),
        Pattern(
            r"(?:TRUE|FALSE)(?:\t|\\+t)/\S{0,200}?(?:\t|\\+t)(?:TRUE|FALSE)(?:\t|\\+t)\d+(?:\t|\\+t)[^\s\\]+(?:\t|\\+t)(?P<secret>[^\s\\\"]+)"
        ),
        _is_session,
    ),
    Rule(
        "password",
        ("login",),
        Pattern(
            rf"(?=[mdl])(?P<machine>(?:machine{GAP}[^\s\\]+|default){GAP})?"
            rf"{NAME_BEFORE}login{GAP}[^\s\\]{{1,128}}{GAP}password{GAP}(?P<secret>[^\s\"'\\]+)"
        ),
        _is_login,
    ),
    Rule(
        "password",
        (":5432:", ":*:"),
        # A line of .pgpass.
        Pattern(
            r"(?:\A|[\s\"'`]|\\n)[\w.*-]{1,128}:(?:5432|\*):(?:[A-Za-z][\w-]*|\*):(?:[A-Za-z][\w-]*|\*):(?P<secret>[^\s\"'`\\]{4,})(?=[\s\"'`\\]|\Z)"
        ),
        is_literal,
    ),
)
