"""Secrets under a telling name, in languages with more than a sign between the two: a call, a declaration, a
statement, a group.
"""

import re
from collections.abc import Callable

from rawr.journal.names import classify, is_mixed, is_quoted_secret, is_reference, looks_like_chance
from rawr.journal.rules.rule import VALUE, WORD, Finder, Found, Pattern, Rule, Within, behind, secret_of

_NAME = r"(?P<name>[\w.-]{1,80})"
_QUOTED = rf"(?=\\*[\"']){VALUE}"
_SPACE = r"(?:\s|\\+[nrt]){0,40}"
_TAKES_BOTH = re.compile(r"(?i)(?:getenv|putenv|setenv|env|define|setdefault|fetch|setproperty)\Z")
_STATEMENT = re.compile(r"(?i)\b(?:create|alter|grant|set)\b")
_NAME_TAIL = re.compile(r"[A-Za-z0-9_-]+\Z")


def _kind(found: Found) -> str:
    promise = classify(found["name"])
    return promise[0] if promise else "secret"


def _is_named(found: Found) -> bool:
    return is_quoted_secret(found["name"], secret_of(found))


def _looks_like_chance(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and looks_like_chance(secret)


def _is_argument(found: Found) -> bool:
    """In many lists another word follows a name; a function that takes a name and a value is known by its own name."""
    before = found.string[max(0, found.start() - 16) : found.start()]
    takes_both = _TAKES_BOTH.search(before) is not None
    if _kind(found) == "password":
        return _is_named(found) and (takes_both or is_mixed(secret_of(found)))
    return takes_both and _is_named(found) and _looks_like_chance(found)


def _is_in_statement(found: Found) -> bool:
    before = found.string[max(0, found.start() - 200) : found.start()]
    return _STATEMENT.search(before) is not None and not is_reference(secret_of(found))


def _is_after_name(found: Found) -> bool:
    """As in a URL, the value is literal."""
    name = _NAME_TAIL.search(found.string, max(0, found.start() - 64), found.start())
    secret = secret_of(found)
    return name is not None and classify(name[0]) is not None and not is_reference(secret) and not secret.isdigit()


def _rule(clues: tuple[str, ...], pattern: str, judge: Callable[[Found], bool] = _is_named) -> Rule:
    return Rule(_kind, clues, Pattern(pattern), judge)


def _several(kind: str, *names: str) -> Within:
    firsts = "".join(sorted({name[0] for name in names}))
    rests = "|".join(f"(?<={name[0]}){name[1:]}" for name in names)
    return Within(
        kind,
        tuple(f"{name}s" for name in names if name.islower()),
        Pattern(rf"[{firsts}](?:{rests})[sS]\\*[\"']?\s{{0,8}}[:=](?P<body>\s{{0,8}}[\[{{][^\[\]{{}}]{{1,4000}})"),
        Pattern(rf"[:,\[{{]{_SPACE}(?>{_QUOTED})(?!\s{{0,8}}:)"),
        _looks_like_chance,
    )


RULES: tuple[Finder, ...] = (
    # a name and a value for it: getenv("DB_PASSWORD", "…")
    _rule(("',", '",'), rf"[(\[]\s{{0,8}}\\*[\"']{_NAME}\\*[\"']\s{{0,8}},\s{{0,8}}{_QUOTED}", _is_argument),
    # .setPassword("…")
    _rule(
        ('("', "('", "(\\"),
        r"[.>](?P<name>(?:set|with|use)[_A-Z]\w{1,60}|password|passwd|secret|token|apiKey|api_key)"
        rf"\(\s{{0,8}}{_QUOTED}",
    ),
    # #define DB_PASSWORD "…", ENV DB_PASSWORD …
    _rule(
        ("define", "env ", "set_header ", "setq "),
        rf"[#Eps](?:(?<=#)[ \t]{{0,8}}define|(?<=E)NV{behind(WORD, then='ENV')}|(?<=p)roxy_set_header|(?<=s)etq)"
        rf"[ \t]{{1,40}}{_NAME}[ \t]{{1,40}}{VALUE}",
    ),
    # variable "db_password" { default = "…" }
    _rule(
        ("variable",),
        rf"variable\s{{1,8}}\\*\"{_NAME}\\*\"\s{{0,8}}\{{[^{{}}]{{0,400}}?default\s{{0,40}}=\s{{0,8}}{_QUOTED}",
    ),
    # "password": {"value": "…"}
    _rule(
        ('value"', 'value\\"', "value'", "plain", "current", "content"),
        rf"[\"']{_NAME}\\*[\"']{_SPACE}:{_SPACE}\{{[^{{}}]{{0,200}}?"
        rf"[\"'](?:value|plain|plaintext|plainText|current|content)\\*[\"']{_SPACE}:{_SPACE}{_QUOTED}",
    ),
    # "passwords": ["…"], "secrets": {"a": "…"}
    _several("password", "password", "Password", "PASSWORD"),
    _several("secret", "secret", "Secret", "SECRET", "credential", "Credential"),
    _several("token", "token", "Token", "TOKEN"),
    _several("key", "api_key", "apiKey", "API_KEY"),
    Rule(
        "password",
        ("requirepass", "masterauth"),
        Pattern(rf"(?:requirepass|masterauth)[ \t]+{VALUE}"),
        _looks_like_chance,
    ),
    # CREATE USER bob WITH PASSWORD '…'
    Rule(
        "password",
        ("password", "identified"),
        Pattern(
            r"[pPiI](?:(?<=[pP])(?i:assword(?:\s+for\s+[^=\r\n;]{1,80}=\s*|\s+))(?=\\*')"
            rf"|(?<=[iI])(?i:dentified\s+(?:with\s+\S{{1,60}}\s+)?by\s+)){VALUE}"
        ),
        _is_in_statement,
    ),
    # password%3D…
    Rule(
        "secret",
        ("3d",),
        Pattern(
            r"[%\\](?:(?<=%)(?:25){0,3}3[dD]|(?<=\\)(?:u003[dD]|x3[dD]))"
            r"(?P<secret>(?:(?!%(?:25){0,3}(?:26|20|0[aAdD]|23|3[bB]))[^\s&#\"'`\\<>();,]){4,512})"
        ),
        _is_after_name,
    ),
)
