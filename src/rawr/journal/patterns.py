"""Where in a text secrets stand: one rule for each kind.

Rules see text as it comes: a shell line, a header, a config file, JSON, or JSON inside a JSON string with its quotes
and line ends escaped once more. They say where a secret is and never what becomes of it.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from rawr.journal.names import (
    ENDINGS,
    classify,
    is_bare_secret,
    is_phrase,
    is_quoted_secret,
    is_reference,
    looks_random,
)

Found = re.Match[str]


class Rule(NamedTuple):
    """How to find one kind of secret: it is the last named group of a match, if ``judge`` agrees.

    Without one of the ``clues``, which are in lower case, the pattern need not be tried.
    """

    kind: str | Callable[[Found], str]
    clues: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Callable[[Found], bool] = lambda _: True


# -- judges ----------------------------------------------------------------------------------------------------------


def secret_of(found: Found) -> str:
    return found[found.lastgroup or 0]


def _name_before(found: Found) -> str:
    """The whole name whose ending matched, looked up backwards, so that no pattern has to start at every letter."""
    start = found.start()
    head = _NAME_TAIL.search(found.string, max(0, start - 64), start)
    if head is None:
        return found["ending"]
    # The "n" of a line end that is spelled out, as in JSON, is no part of the name.
    spelled = found.string.endswith("\\", 0, head.start()) and head[0][0] in "nrt"
    return head[0][spelled:] + found["ending"]


def _is_openai_key(found: Found) -> bool:
    secret = found["secret"]
    # "sk-" also begins class names of style sheets; those are short words.
    return looks_random(secret) or secret.startswith(("sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-"))


def _is_random(found: Found) -> bool:
    return looks_random(found["secret"])


def _is_literal(found: Found) -> bool:
    return not is_reference(secret_of(found))


def _is_authorization(found: Found) -> bool:
    return bool(found["scheme"]) or looks_random(found["secret"])


def _is_named(found: Found) -> bool:
    name, secret = _name_before(found), secret_of(found)
    if found["bare"] is None:
        return is_quoted_secret(name, secret, operator=found["operator"])
    following = found.string[found.end() : found.end() + 8]
    return is_bare_secret(name, secret, operator=found["operator"], following=following)


def _is_in_yaml(found: Found) -> bool:
    """Several words without quotes, or a value on the next line."""
    if found["phrase"] is not None:
        return _is_phrase(found)
    # A name that ends a line may also head a list or a paragraph, so the value must look like chance.
    name, secret = _name_before(found), found["secret"]
    return looks_random(secret) and is_bare_secret(name, secret, operator=":", following="")


def _is_phrase(found: Found) -> bool:
    """The name has to begin the line, or it is one in a sentence."""
    name = _name_before(found)
    start = found.end("ending") - len(name)
    return _LINE_START.search(found.string, max(0, start - 64), start) is not None and is_phrase(name, found["phrase"])


def _is_in_query(found: Found) -> bool:
    """In a URL values are literal: there is no code in it that would only name the secret."""
    name, secret = found["name"], found["secret"]
    if is_reference(secret) or secret.isdigit() or len(secret) < 4:
        return False
    return name.lower().endswith(("sig", "signature")) or classify(name) is not None


def _is_cookie(found: Found) -> bool:
    values = (pair.partition("=")[2] for pair in found["secret"].split(";"))
    return any(len(value) >= 4 and not is_reference(value) for value in values)


def _is_login(found: Found) -> bool:
    secret = found["secret"]
    if is_reference(secret) or _FLAG_PROSE.fullmatch(secret):
        return False
    # "the login and password fields" is prose.
    return found["machine"] is not None or not secret.strip(".,:;").isalpha()


def _is_short_password(found: Found) -> bool:
    """Numbers after the colon are a group's id, as in ``-u 1000:1000``."""
    return not is_reference(secret_of(found)) and not secret_of(found).isdigit()


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

_LINE_START = re.compile(r"(?:\A|[\r\n\"'`]|\\[nr])[ \t]*(?:-[ \t]+)?\Z")

_FLAG_PROSE = re.compile(
    r"(?i)(?:an?|and|argument|as|can|flag|for|from|has|if|in|is|must|not|of|on|option|or|parameter|should|the|to|value"
    r"|was|when|will|with)[.,:;]?"
)
"""What follows a flag in a sentence about it."""

# -- rules -----------------------------------------------------------------------------------------------------------

PAIR = r"[\w.%-]{1,128}=[^\s\x07\x1b\"'\\;]{1,4096}"
"""A cookie in a header."""

_LINE_END = r"(?:\r?\n|(?:\\+r)?\\+n)"

_VALUE = (
    # In quotes it ends at a quote that is escaped as often as the one that opened it, or where the text was cut off.
    r"(?:\"(?P<double>(?:\\.|[^\"\\\r\n])+)(?:\"|\Z)"
    r"|'(?P<single>(?:\\.|[^'\\\r\n])+)(?:'|\Z)"
    r"|(?P<open>\\+[\"'])(?P<escaped>.{1,4096}?)(?:(?<!\\)(?P=open)|\Z)"
    r"|(?P<bare>(?:[^\s\x07\x1b\"'`;&|<>(){}\[\]\\,]|,(?=[^\s\"'\\])"
    # What a shell would take for its own is escaped, in JSON more than once.
    r"|(?<!\\)\\{1,8}[ $!&#*](?=\S))+))"
)
_ENDING = rf"(?P<ending>(?i:{ENDINGS})(?:[_-]?\d{{1,3}})?)\\*[\"']?"
_NAMED = rf"{_ENDING}(?P<operator>[ \t]*(?::(?!:)=?|=(?![=~>])|=>)[ \t]*)"
# The value is the next argument, after a blank in a shell line or as the next string of a JSON array.
_FLAG = r"(?<![\w-])--(?P<name>[A-Za-z][A-Za-z0-9-]{0,40})(?![\w-])(?:=|\s+|\\*\"\s*,\s*(?=\\*\"))"

_WORDS = ("key", "token", "secret", "pass", "pwd", "credential", "auth")
# Blanks, also as they are spelled out in JSON.
_GAP = r"(?:\s|\\+[nrt])+"
# A program with its arguments so far, in one line.
_UP_TO = r"[^\r\n|;]{0,400}?[\s\"']"
# One of several words in a line of YAML.
_YAML_WORD = r"(?!#)[^\s\x07\x1b\"'`;&|<>(){}\[\]\\,=]{1,64}+"
_ENDS_COMMAND = r"(?=\s*(?:\Z|[|;&<>)])|[ \t]*[\r\n]|[\"'`]|\\+[nr\"'])"

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
    Rule(
        "aws-key-id",
        ("akia", "asia"),
        re.compile(r"(?<![A-Za-z0-9+/])(?P<secret>A[KS]IA[A-Z0-9]{16})(?![A-Za-z0-9+/])"),
    ),
    Rule("google-key", ("aiza",), re.compile(r"(?<![A-Za-z0-9+/_-])(?P<secret>AIza[A-Za-z0-9_-]{30,})")),
    Rule(
        "stripe-key",
        ("k_live_", "k_test_"),
        re.compile(r"(?<![A-Za-z0-9])(?P<secret>[rs]k_(?:live|test)_[A-Za-z0-9]{10,})"),
    ),
    Rule(
        "gitlab-token",
        ("gl",),
        re.compile(r"(?<![A-Za-z0-9])(?P<secret>gl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-])"),
    ),
    Rule("hugging-face-token", ("hf_",), re.compile(r"(?<![A-Za-z0-9_])(?P<secret>hf_[A-Za-z0-9]{20,})"), _is_random),
    Rule("npm-token", ("npm_",), re.compile(r"(?<![A-Za-z0-9_])(?P<secret>npm_[A-Za-z0-9]{20,})"), _is_random),
    Rule(
        "pypi-token",
        ("pypi-",),
        re.compile(r"(?<![A-Za-z0-9_-])(?P<secret>pypi-(?:AgE[A-Za-z0-9_-]{13,}|[A-Za-z0-9_-]{32,}))"),
        _is_random,
    ),
    Rule(
        "sendgrid-key",
        ("sg.",),
        re.compile(r"(?<![A-Za-z0-9_])(?P<secret>SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})"),
    ),
    Rule("digitalocean-token", ("_v1_",), re.compile(r"(?<![A-Za-z0-9])(?P<secret>do[opr]_v1_[A-Za-z0-9]{16,})")),
    Rule(
        "webhook-secret",
        ("whsec_",),
        re.compile(r"(?<![A-Za-z0-9])(?P<secret>whsec_[A-Za-z0-9+/_-]{16,}={0,2})"),
        _is_random,
    ),
    Rule("vault-token", ("hvs.",), re.compile(r"(?<![A-Za-z0-9_])(?P<secret>hvs\.[A-Za-z0-9_-]{20,})")),
    Rule("age-key", ("age-secret-key-1",), re.compile(r"(?P<secret>AGE-SECRET-KEY-1[A-Z0-9]{20,})")),
    Rule(
        "telegram-token",
        (":a",),
        re.compile(r"(?<!\d)(?P<secret>\d{6,12}:A[A-Za-z0-9_-]{30,40})(?![A-Za-z0-9_-])"),
    ),
    Rule(
        "webhook",
        ("hooks.slack.com/", "/api/webhooks/"),
        re.compile(
            r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|/api/webhooks/(?=\d+/))(?P<secret>[\w/-]{16,})"
        ),
    ),
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
        _is_literal,
    ),
    Rule("url-token", ("://",), re.compile(r"://(?P<secret>[A-Za-z0-9_.~%-]{16,256})@"), _is_random),
    Rule(
        "url-token",
        ("=",),
        re.compile(
            r"(?:[?&;]|\\u0026)(?P<name>[A-Za-z0-9_.-]{0,40}"
            rf"(?i:sig|signature|{ENDINGS}))=(?P<secret>[^\s\x07\x1b&#\"'`\\<>()]+)"
        ),
        _is_in_query,
    ),
    Rule(
        "cookie",
        ("cookie",),
        re.compile(
            r"(?i)(?:(?<![\w-])(?:set-)?cookie\\*[\"']?\s*:|--cookie[\s=])\s*\\*[\"']?"
            rf"(?P<secret>{PAIR}(?:;\s*{PAIR})*)"
        ),
        _is_cookie,
    ),
    Rule(
        "password",
        ("curl",),
        re.compile(
            rf"(?<![\w-])curl(?:{_UP_TO}|[\s\"'])(?:-u|--user)[\s=]*\\*[\"']?[^\s:\"'\\]{{1,64}}:(?P<secret>[^\s\"'\\]+)"
        ),
        _is_short_password,
    ),
    Rule(
        "password",
        ("mysql", "mariadb"),
        re.compile(rf"(?<![\w-])(?:mysql|mariadb)[\w-]*{_UP_TO}-p\\*[\"']?(?P<secret>[^\s\"'\\]+)"),
        _is_literal,
    ),
    Rule("password", ("sshpass",), re.compile(r"sshpass\s+-p\s*\\*[\"']?(?P<secret>[^\s\"'\\]+)"), _is_literal),
    Rule(
        "password",
        ("login",),
        re.compile(
            r"(?<![\w-])(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|helm\s+registry)\s+login"
            rf"(?:{_UP_TO}|\s)-p(?:\s+|=)?{_VALUE}"
        ),
        _is_literal,
    ),
    Rule(
        "password",
        ("htpasswd",),
        re.compile(
            r"(?<![\w.-])htpasswd(?=[^\r\n|;]{0,200}?\s-[A-Za-z0-9]{0,8}b)(?:\s+-[A-Za-z0-9]{1,8}(?:\s+\d{1,6}(?=\s))?){1,8}"
            rf"(?:\s+[^\s-][^\s]{{0,256}}){{1,2}}?\s+{_VALUE}{_ENDS_COMMAND}"
        ),
        _is_literal,
    ),
    Rule("password", ("openssl",), re.compile(rf"(?<![\w.-])openssl{_UP_TO}-[kK]\s+{_VALUE}"), _is_literal),
    Rule(
        "password",
        ("pass:",),
        re.compile(r"(?<![\w-])-pass(?:in|out)?\s+\\*[\"']?pass:(?P<secret>[^\s\"'\\]+)"),
        _is_literal,
    ),
    Rule(
        "password",
        ("password",),
        re.compile(
            rf"(?P<machine>(?:machine{_GAP}[^\s\\]+|default){_GAP})?"
            rf"(?<![\w-])login{_GAP}[^\s\\]{{1,128}}{_GAP}password{_GAP}(?P<secret>[^\s\"'\\]+)"
        ),
        _is_login,
    ),
    Rule(
        _kind_of_name,
        _WORDS,
        re.compile(
            rf"{_ENDING}[ \t]*:[ \t]*(?:(?:[|>]-?[ \t]*)?{_LINE_END}[ \t]*\\*[\"']?"
            r"(?P<secret>[^\s\x07\x1b\"'`;&|<>(){}\[\]\\,:]+)(?=\s|\\|[\"']|\Z)"
            rf"|(?<=[ \t])(?P<phrase>{_YAML_WORD}(?:[ \t]++{_YAML_WORD}){{1,8}}+)"
            r"(?=[ \t]*(?:\Z|[\r\n\"'`#]|\\+[nr\"'])))"
        ),
        _is_in_yaml,
    ),
    Rule(_kind_of_name, _WORDS, re.compile(_NAMED + _VALUE), _is_named),
    Rule(_kind_of_flag, ("--",), re.compile(_FLAG + _VALUE), _is_flag),
)
