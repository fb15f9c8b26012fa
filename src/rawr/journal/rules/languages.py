"""Secrets under a telling name, in languages with more than a sign between the two: a call, a declaration, a
statement, a group.
"""

import re
from collections.abc import Callable

from rawr.journal.guess import Sure, guess
from rawr.journal.names import classify, is_quoted_secret, is_reference, looks_like_chance
from rawr.journal.rules.rule import (
    LINE_END,
    VALUE,
    WORD,
    Finder,
    Found,
    Pattern,
    Rule,
    Within,
    behind,
    is_literal,
    secret_of,
)
from rawr.journal.values import is_irregular, is_mixed, is_word_with_number, looks_made_up, looks_random

_NAME = r"(?P<name>[\w.-]{1,80})"
_QUOTED = rf"(?=\\*[\"']){VALUE}"
_SPACE = r"(?:\s|\\+[nrt]){0,40}"
_TAKES_BOTH = re.compile(
    r"(?i)(?:getenv|putenv|setenv|env|define|setdefault|fetch|setproperty"
    r"|\bset|set_?(?:item|secret|value|config|option|param|parameter|header|var|variable|string)|\bput|\bput_?string)\Z"
)
_TAKES_CREDENTIALS = re.compile(
    r"(?i)(?:login|connection|auth|credentials?|authenticat(?:e|ion)|connect|client|session|sign_?in|account|set_?user)\Z"
)
_APP_PASSWORD = re.compile(r"[a-z]{16}|[a-z]{4}(?: [a-z]{4}){3}")
"""What a mail service makes up for a program."""
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
        return _is_named(found) and (takes_both or is_mixed(secret_of(found)) or guess(secret_of(found)) >= Sure.LIKELY)
    return takes_both and _is_named(found) and (_looks_like_chance(found) or guess(secret_of(found)) >= Sure.LIKELY)


def _is_in_statement(found: Found) -> bool:
    before = found.string[max(0, found.start() - 200) : found.start()]
    return _STATEMENT.search(before) is not None and not is_reference(secret_of(found))


def _is_credential(found: Found) -> bool:
    before = found.string[max(0, found.start() - 40) : found.start()]
    if _TAKES_CREDENTIALS.search(before) is None:
        return False
    secret = secret_of(found)
    return (
        looks_made_up(secret)
        or is_word_with_number(secret)
        or guess(secret) >= Sure.LIKELY
        or ("@" in found[0] and _APP_PASSWORD.fullmatch(secret_of(found)) is not None and is_literal(found))
    )


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
    _rule(("',", '",'), rf"[(\[]\s{{0,8}}\\*[\"']{_NAME}\\*[\"']\s{{0,8}},\s{{0,16}}{_QUOTED}", _is_argument),
    # a salt of WordPress
    Rule("secret", ("_salt",), Pattern(rf"[A-Z]_SALT\\*[\"'],\s{{0,16}}{_QUOTED}"), _looks_like_chance),
    # who calls, and with which password
    Rule(
        "password",
        ("auth=(",),
        Pattern(rf"auth=\(\\*[\"'][^\"'\\\r\n]{{1,128}}\\*[\"'],[ ]{{0,4}}{_QUOTED}(?=[ ]{{0,4}}\))"),
        is_literal,
    ),
    # new PDO('mysql:host=…', 'bob', '…')
    Rule(
        "password",
        ("pdo(",),
        Pattern(
            rf"PDO\((?:[ ]{{0,4}}\\*[\"'][^\"'\\\r\n]{{0,200}}\\*[\"'],[ ]{{0,4}}){{2}}"
            rf"{_QUOTED}(?=[ ]{{0,4}}[,)])"
        ),
        is_literal,
    ),
    # an address of Go's drivers, without a scheme
    Rule(
        "password",
        ("@tcp(", "@unix(", "@udp("),
        Pattern(r"(?<![\w.-])[\w.-]{1,64}:(?P<secret>[^@\s\"'`]{1,128})@(?:tcp6?|udp|unix)\("),
        is_literal,
    ),
    # Password for the elastic user (…):  and the next line has it
    Rule(
        "password",
        ("password for ",),
        Pattern(
            rf"[pP]assword for [^\r\n]{{1,120}}?:[ ]{{0,4}}{LINE_END}[ \t]{{0,8}}"
            rf"(?P<secret>[!#-\[\]-~]{{8,200}})(?=[ \t]*(?:{LINE_END}|[\"']|\Z))"
        ),
        lambda found: looks_random(secret_of(found)) and not is_reference(secret_of(found)),
    ),
    # "Jwt": {"Key": "…"}
    Rule(
        "key",
        ("jwt",),
        Pattern(
            rf"(?i:jwt)\w{{0,20}}\\*\"{_SPACE}:{_SPACE}\{{[^{{}}]{{0,400}}?\\*\"\w{{0,20}}(?i:key)\\*\"{_SPACE}:{_SPACE}{_QUOTED}"
        ),
        _looks_like_chance,
    ),
    # a call that takes who somebody is: login("bob", "…"), getConnection(url, "bob", "…")
    Rule(
        "password",
        ("login(", "connection(", "auth(", "credential", "authenticat", "connect(", "client(", "session(", "signin("),
        Pattern(
            r"\((?<=[nhltse]\()(?:[ ]{0,4}(?:\\*[\"'][^\"'\\\r\n]{0,200}\\*[\"']|\w{1,40}),[ ]{0,4}){1,2}"
            rf"{_QUOTED}(?=[ ]{{0,4}}[,)])"
        ),
        _is_credential,
    ),
    # a member of a member: default["password"]["root"] = "…"
    _rule(
        ('"]', "']", '\\"]'),
        r"\[\\*[\"'](?P<name>[\w.-]{0,60}(?i:key|token|secret|passw(?:or)?d|pass|pwd|psk|credentials?|auth))\\*[\"']\]"
        rf"(?:\[[^\[\]\r\n]{{1,40}}\]){{1,3}}[ ]{{0,4}}=[ ]{{0,4}}{_QUOTED}",
    ),
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
        lambda found: _looks_like_chance(found) or is_irregular(secret_of(found)),
    ),
    # CREATE USER bob WITH PASSWORD '…'
    Rule(
        "password",
        ("password", "identified"),
        Pattern(
            r"[pPiI](?:(?<=[pP])(?i:assword(?:\s+for\s+[^=\r\n;]{1,80}=\s*|\s+))(?=\\*')"
            r"|(?<=[pP])(?i:assword)\((?=\\*')"
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
