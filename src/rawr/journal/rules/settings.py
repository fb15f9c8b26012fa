"""Secrets in settings of any format: behind a blank, as a list of numbers, inside a call, beside a neighbour.

``named.py`` has names with a sign and a value. Here the sign is missing, or the name says too little by itself, so
the value has to say more.
"""

import re
from collections.abc import Iterator

from rawr.journal.guess import Sure, guess
from rawr.journal.names import ENDINGS_ANY_CASE, classify, in_any_case, is_reference
from rawr.journal.rules.rule import LINE_END, VALUE, Finder, Found, Pattern, Rule, Span, secret_of
from rawr.journal.values import is_digest_or_uuid, is_irregular, looks_random

_WEAK = [
    "encrypt",
    "encryption",
    "community",
    "passphrase",
    "cipher",
    "opc",
    "ltk",
    "irk",
    "csrk",
    "key",
    "pass",
    "secret",
    "psk",
    "token",
    "password",
    "pwd",
    "seed",
    "md5",
]
"""Words that name a secret in front of a value that is made up."""
_HOW = (
    r"(?:\d{1,3}|enc|encrypted|cipher|irreversible-cipher|simple|plain|plain-text|plaintext|clear|cleartext|ascii|ascii-text"
    r"|hex|hash|md5|hmac-\w+|sha\d*|sha-?\d+|phrase|passphrase|encrypted-password|local|value|string|is)"
)
"""How a value is written, in front of it."""
_TOLD_HOW = re.compile(
    r"(?i)\b(?:[057-9]|enc|encrypted|cipher|irreversible-cipher|md5|hash|ascii|ascii-text|sha\d*)[ \t]+\Z"
)
_BASE64_KEY = r"(?:[A-Za-z0-9+/_-]{22}==|[A-Za-z0-9+/_-]{43}=|[A-Za-z0-9+/_-]{86}==)"
"""16, 32 and 64 bytes: what keys have, and digests."""
_DIGEST = re.compile(
    r"(?i)\Ah\d\Z|hash|digest|sha\d*|integrity|checksum|etag|md5|sum|fingerprint|cert|public|pub\b|nonce|iv\b|image|sri|crc|commit|rev|signature|blob|data"
)
_ENDS = rf"(?=[\"']?[;,)}}]?[ \t]*(?:\Z|[\r\n]|{LINE_END}|\\*[\"'`]))"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT")
_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]{16,128}|[0-9A-F]{16,128})")


def _is_made_up(found: Found) -> bool:
    secret = secret_of(found).strip("*_.,")
    if is_reference(secret) or secret.endswith(":"):
        return False
    if found["how"].strip() and _TOLD_HOW.search(found["how"]):
        return len(secret) >= 6 and not secret.islower()
    return guess(secret) >= (Sure.MAYBE if found["how"] else Sure.LIKELY) or _is_chance_like(secret)


def _is_chance_like(secret: str) -> bool:
    if len(secret) < 16 or _TIME.match(secret):
        return False
    return (is_irregular(secret) or _HEX.fullmatch(secret) is not None) and looks_random(secret)


_NAME = re.compile(r"(?P<name>[A-Za-z][\w.-]{0,80})[\"'\]\\]{0,6}[ \t]*\Z")
_NAME_OF_LIST = re.compile(
    r"(?P<name>[A-Za-z][\w.-]{0,80}?)(?:_?(?i:bytes|data|array"
    r"|hex))?[\"'\\]{0,4}[ \t]*(?:\[[\w ]{0,20}\])?[ \t]*(?::[^=\r\n\[{:\\]{1,40})?[:=][ \t]*(?:\w[\w:"
    r".<>]{0,30}[!(]?)?[&]?\Z"
)
_TYPED_NAME = re.compile(r"(?P<name>[A-Za-z_][\w.-]{0,80})\Z")


def _name(pattern: re.Pattern[str], found: Found) -> str:
    """The name before a match, searched for backwards, so that no pattern must try every letter."""
    before = pattern.search(found.string, max(0, found.start() - 140), found.start())
    return before["name"] if before else ""


def _is_key(found: Found) -> bool:
    name = _name(_NAME, found)
    return name != "" and not _DIGEST.search(name) and is_irregular(found["secret"])


def _is_list(found: Found) -> bool:
    name = _name(_NAME_OF_LIST, found)
    return classify(name) is not None or re.search(r"(?i)(?:\A|[_.-])(?:key|psk|secret|seed)\Z|key\Z", name) is not None


def _is_yaml_list(found: Found) -> bool:
    return "key" in _name(_NAME, found).lower() or "secret" in _name(_NAME, found).lower()


def _is_in_call(found: Found) -> bool:
    secret = secret_of(found)
    name = _name(_TYPED_NAME, found) + found["ending"]
    return (
        classify(name) is not None
        and not is_reference(secret)
        and (_is_chance_like(secret) or guess(secret) >= Sure.LIKELY)
    )


def _is_prompted(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (
        _is_chance_like(secret) or is_digest_or_uuid(secret) or guess(secret) is Sure.CERTAIN
    )


def _is_likely(found: Found) -> bool:
    return guess(secret_of(found)) >= Sure.LIKELY


_CODE_OF = re.compile(
    r"(?i)(?:pin|puk|alarm|door|gate|access|unlock|security|entry|disarm|arm|duress|master|pass|pairing|admin|user|lock|activation)[_-]?(?:code)?\Z"
)


def _is_code(found: Found) -> bool:
    """Of an alarm or a door; a status and an error have one as well."""
    name = found[0][: found.start(1) - found.start()]
    before = found.string[max(0, found.start() - 24) : found.start()]
    return "ode" not in name or _CODE_OF.search(before) is not None


def _is_option(found: Found) -> bool:
    return not is_reference(secret_of(found)) and len(secret_of(found)) >= 6


def _is_beside_user(found: Found) -> bool:
    return _is_chance_like(secret_of(found)) or guess(secret_of(found)) >= Sure.LIKELY


_NUMBER = r"(?:0[xX][0-9a-fA-F]{1,2}|\d{1,3}|[0-9a-fA-F]{2}\b)"

_ONE_VALUE = VALUE.replace("[^\\r\\n]{1,4096}?", "[^\\r\\n\"']{1,512}?")
"""It ends at the first quote, or it would go on to one that ends a line."""

_BEHIND_A_BLANK = Rule(
    "password",
    (),
    Pattern(
        rf"{in_any_case(_WEAK)}[ \t]+(?P<how>(?:(?i:{_HOW})[ \t]+){{0,2}})(?!(?i:{_HOW})[ \t])"
        rf"(?:(?P<amid>(?:[^\s\"'`\\;|&<>(){{}}\[\]]+&){{1,3}}[^\s\"'`\\;|&<>(){{}}\[\]=]+)|{_ONE_VALUE}){_ENDS}"
    ),
    _is_made_up,
)


class BehindABlank:
    """auth_pass …; secret "…"; username admin secret 0 …"""

    clues = ("pass", "cret", "key", "psk", "token", "ltk", "pwd", "opc", "cipher", "phrase", "encrypt")

    def meets(self, text: str) -> bool:
        low = text.lower()
        return any(search(low) for search in _BEFORE_VALUE)

    def find(self, text: str) -> Iterator[Span]:
        return _BEHIND_A_BLANK.find(text)


RULES: tuple[Finder, ...] = (
    BehindABlank(),
    # encrypt = "…", 32 bytes
    Rule(
        "key",
        ("=",),
        Pattern(rf"[:=][ \t]*[\"'\\]{{0,6}}(?P<secret>{_BASE64_KEY})(?![\w=+/-])"),
        _is_key,
    ),
    # network_key: [1, 2, 3, …]
    Rule(
        "key",
        ("key", "secret", "psk", "seed", "token"),
        Pattern(rf"[\[({{](?P<secret>\s{{0,20}}{_NUMBER}(?:,\s{{0,40}}{_NUMBER}){{7,127}})"),
        _is_list,
    ),
    Rule(
        "key",
        ("key:", "secret:"),
        Pattern(rf":[ \t]*{LINE_END}(?P<secret>[ \t]*-[ ]{_NUMBER}(?:{LINE_END}[ \t]*-[ ]{_NUMBER}){{7,127}})"),
        _is_yaml_list,
    ),
    # Paste an API key from your profile and hit enter: …
    Rule(
        "key",
        ("key", "token", "secret", "code"),
        Pattern(
            rf"{in_any_case(['key', 'token', 'secret'])}\b(?P<more>[ ][^\r\n:\"'{{}}()=]{{0,60}})?:[ \t"
            rf"]*(?P<secret>[A-Za-z0-9+/_=.~-]{{16,512}}){_ENDS}"
        ),
        _is_prompted,
    ),
    # "type": "random_password", …, "result": "…"
    Rule(
        "password",
        ("random_password", "random_string"),
        Pattern(
            rf"random_(?:password|string|bytes)[\s\S]{{0,800}}?\\*\"(?:result|bcrypt_hash|hex|base64)\\*\":\s{{0,4}}(?=\\*\"){VALUE}"
        ),
        lambda found: not is_reference(secret_of(found)),
    ),
    # option key '…'
    Rule(
        "password",
        ("option ",),
        Pattern(
            rf"option[ \t]+\\*['\"]?(?:key\d?|\w{{0,20}}(?:password|passwd|pass|psk"
            rf"|secret))\\*['\"]?[ \t]+{VALUE}{_ENDS}"
        ),
        _is_option,
    ),
    # alarm_code: 7702, AT+CPIN="9305"
    Rule(
        "password",
        ("pin", "puk", "code"),
        Pattern(
            r"(?:[pP](?:(?<![a-zA-Z][pP])|(?<=[+_]C[pP])|(?<=[a-z]P))(?:IN|in|UK|uk)\d?|[cC](?:(?<=alarm[cC])|(?<=alarm_c)|(?<=door[_C])|(?<=[_a-z][cC]))(?i:ode))"
            r"[\"'\\]{0,4}[ \t]*[:=][ \t]*\\*[\"']?(?P<secret>\d{4,12})(?![\w.:%-])"
        ),
        _is_code,
    ),
    # Bonded: LTK …
    Rule(
        "key",
        ("ltk", "irk", "csrk", "opc", " ki ", "nwkskey", "appskey", "appkey"),
        Pattern(
            r"(?:LTK|IRK|CSRK|OPc?|[oO][pP][cC]|K[iI]|NwkSKey|AppSKey|AppKey"
            r"|kc)[ \t]*[:=]?[ \t]+(?P<secret>[0-9a-fA-F]{32})(?![0-9a-fA-F])"
        ),
    ),
    Rule("password", ("$user",), Pattern(r"\$USER\d{1,3}\$=(?P<secret>[^\s\"'\\]{4,128})"), _is_likely),
)


_IN_CALL = Rule(
    "key",
    ("key", "secret", "token", "pass"),
    Pattern(
        rf"(?P<ending>{ENDINGS_ANY_CASE})[ \t]*"
        rf"(?::[ \t]*&?(?:\[[\w; ]{{1,20}}\]|[\w<>\[\].]{{1,30}})[ \t]*)?:?=[ \t]*(?:new[ ]"
        rf"|try[!?]?[ ]|await[ ])?"
        rf"[\w.:]{{1,50}}!?[(\[](?:[ ]?(?:\w{{1,20}}:[ ]?)?[\w.:]{{0,40}}[(\[]){{0,3}}(?:[ ]?\w{{1,20}}:["
        rf" ]?)?[ ]?[rb@]?(?=\\*[\"']){VALUE}"
    ),
    _is_in_call,
)


class InCall:
    """signingKey = SymmetricKey(data: Data("…"))"""

    clues = ('("', "('", '(\\"', "(b")

    def meets(self, text: str) -> bool:
        return _IN_CALL.meets(text)

    def find(self, text: str) -> Iterator[Span]:
        return _IN_CALL.find(text)


NEIGHBOUR_RULES: tuple[Finder, ...] = (
    # key = …, which says nothing by itself
    Rule(
        "key",
        ("key", "hash"),
        Pattern(
            r"[kKhH](?:(?<=[kK])(?:ey|EY)(?:(?<![\w.][kK]..)|(?<=\\[nrt][kK]..))|(?<=password_h)ash"
            r"|(?<=passwordH)ash)\\*[\"']?[ \t]*(?:=>|[:=])[ \t]*\\*[\"']?"
            r"(?P<secret>[A-Za-z0-9+/_-]{20,256}={0,2})(?![\w=+/.:-])"
        ),
        lambda found: _is_chance_like(secret_of(found)),
    ),
    InCall(),
    # "username": "anna", "key": "…"
    Rule(
        "key",
        ("user",),
        Pattern(
            rf"[\"'](?:[uU]ser(?:[nN]ame|_name)?|USER(?:NAME)?|[lL]ogin|[aA]ccount|(?i:access_?key_?id))\\*[\"']\s{{0,4}}:\s{{0,4}}\\*[\"'][^\"'\\\r\n]{{1,80}}\\*[\"'],\s{{0,40}}"
            rf"\\*[\"']\w{{0,12}}(?i:key|pass|pw|pwd|value|secret|token|code)\\*[\"']\s{{0,4}}:\s{{0,4}}(?=\\*[\"']){VALUE}"
        ),
        _is_beside_user,
    ),
)
"""For any text that may hold a secret."""

_VALUE_COMES = (
    r"[ \t]+(?:[\w-]{1,20}[ \t]+){0,2}\\*[\"']?(?=[^\s\"']{0,40}[\d#!$%&*+=])[^\s\"']{6,}["
    r"\"';,)}]*[ \t]*(?:\Z|[\r\n]|\\+[nr]|[\"'`])"
)
_BEFORE_VALUE = tuple(
    re.compile(f"{words}{_VALUE_COMES}").search
    for words in (
        r"k(?:ey|(?<=psk)|en(?<=token)|(?<=ltk))",
        "cret",
        "ss(?:word|(?<=pass))",
    )
)
_NUMBERS_COME = re.compile(r",\s{0,40}(?:(?:0x[0-9a-f]{1,2}|\d{1,3}),\s{0,40}){5}").search
_BASE64_COMES = re.compile(
    r"=(?:(?<=[^\w+/-][\w+/-]{43}=)(?!=)|=(?:(?<=[^\w+/-][\w+/-]{22}==)|(?<=[^\w+/-][\w+/-]{86}==)))(?![\w+/=-])"
).search


_LONG_HEX = re.compile(r"0x[0-9a-f]{64}").search
_ASKED = re.compile(r" key[^\r\n:]{1,60}: ?[a-z0-9+/_=.~-]{16,}[ \t]*(?:\Z|[\r\n\"'`]|\\)").search


def shows_setting(low: str) -> bool:
    """Return True if a text in lower case may have such a setting. On the hot path."""
    for search in _BEFORE_VALUE:
        if search(low):
            return True
    return bool(
        ("," in low and _NUMBERS_COME(low))
        or ("=" in low and _BASE64_COMES(low))
        or (" key" in low and _ASKED(low))
        or ("0x" in low and _LONG_HEX(low))
    )


HINTS = ("random_password", "random_string", "option key", "option 'key", "ltk ", "opc ", "irk ")
"""A text with one of these may have such a setting."""
