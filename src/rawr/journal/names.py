"""Does a name say that its value is a secret, and does the value look like one?

``API_KEY``, ``db.password`` and ``clientSecret`` do; ``primary_key``, ``max_tokens`` and ``eos_token`` do not. Code is
full of such names beside values that are no secrets (``token = parser.next()``), and an agent's journal is full of
code, so the weaker the name is, the more the value has to look like chance. It knows words, not where they came from.
"""

import re
from functools import lru_cache
from typing import Literal

Strength = Literal["strong", "weak"]
Kind = Literal["password", "secret", "token", "key"]

ENDINGS = r"(?:key|token|secret|pass(?:word|wd|phrase)?|pwd|credentials?|auth)"

_SEPARATED = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENDING = re.compile(r"(.*?)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|AUTH)", re.DOTALL)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SECRET_KEYS = _words(
    "ACCESS ACCOUNT ADMIN API APP AUTH CLIENT DEPLOY ENCRYPTION LICENSE MASTER PRIVATE SECRET SERVICE"
    " SHARED SIGNING SUBSCRIPTION"
)
_PLAIN_KEYS = _words(
    "ALT ANY ARROW CACHE CANDIDATE CHILD COLUMN COMPOSITE CONFIG CTRL DATA DEDUP DEDUPE DICT ENTER ENV"
    " ESCAPE EVENT FEATURE FIELD FOREIGN FUNCTION GROUP HASH HOT I18N IDEMPOTENCY INDEX ITEM JOIN JSON"
    " LOOKUP MAIN MAP MESSAGE META NAME NATURAL NODE OBJECT OPTION ORDER PARENT PARTITION PATH PRESS"
    " PRIMARY PUBLIC QUERY RANGE REACT RECORD REGISTRY ROUTE ROUTING ROW SETTING SHIFT SHORTCUT SORT STATE"
    " STORAGE SURROGATE TAB TABLE TRANSLATION UNIQUE VALUE"
)
_PLAIN_TOKENS = _words(
    "BAD BOS CANCEL CANCELLATION CLS CONTINUATION COUNT CURRENT CURSOR END EOF EOS EXPECTED FIRST IMAGE"
    " LAST LEX MASK MAX MIN NEXT PAD PAGE PER PREV PREVIOUS SEP SPECIAL START STOP SYNTAX UNEXPECTED UNK"
    " WORD"
)
_OWNERS_OF_PASSWORDS = _words(
    "ADMIN APP DATABASE DB EMAIL FTP HTTP LDAP LOGIN MAIL MARIADB MONGO MYSQL PG POSTGRES PROXY RABBITMQ"
    " REDIS ROOT SA SFTP SMTP SQL SSH SUDO USER VPN"
)
_PLAIN_PASSES = _words(
    "ALL ALLOW ANY BUILD COLOR DEPTH DISABLE ENABLE FINAL FIRST GO HAS IS LAST MULTI NEEDS NEXT NO OLD ONE"
    " OPT RENDER REQUIRE REQUIRED REQUIRES SECOND SHOULD SINGLE SKIP TEST TESTS TWO USE USES WITH WITHOUT"
)
_PLAIN_VALUES = _words(
    "any auto bool boolean byte bytes default disabled enabled env false hidden include inherit int"
    " integer nil no none null number object off omitted on optional placeholder prompt redacted required"
    " same-origin self stdin str string text true undefined unknown void yes"
)

_REFERENCE = re.compile(r"\$|%[({A-Za-z]|\{|<|@|!|process\.env|os\.environ|env\.|secrets\.|vault:|arn:")
_MASK = re.compile(r"[*xX.•…_-]*")
_NUMBER = re.compile(r"[\d._,]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_]*")
_CODE_PATH = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+")
_FILE = re.compile(r"(?:\.{0,2}|~)/|[\w.-]+\.(?:pem|key|crt|json|ya?ml|toml|txt|env|py|rs|ts|js)$")
_MIXED_WORD = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_LABEL = re.compile(r"(?i)passw|passphrase|secret|\b(?:tokens?|keys?|credentials?|enter|your)\b")
"""What a field for a secret says of itself."""
_PROSE = re.compile(
    r"(?i)\b(?:an?|and|are|as|be|by|can|for|from|has|if|in|is|it|may|must|not|of|on|or|see|should|that|the|this|to|use"
    r"|used|was|when|will|with|you)\b"
)
_UUID_OR_SHA = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{40}")


@lru_cache(maxsize=4096)
def classify(name: str) -> tuple[Kind, Strength] | None:
    """What a name promises of its value; None if nothing."""
    words = [word.upper() for word in _SEPARATED.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    ending = _ENDING.fullmatch(words[-1]) if words else None
    if ending is None:
        return None
    joined, what = ending.groups()
    before = joined or (words[-2] if len(words) > 1 else "")
    match what:
        case "KEY":
            return _classify_key(name, before=before, joined=bool(joined))
        case "TOKEN":
            if before in _PLAIN_TOKENS:
                return None
            return "token", "strong" if before else "weak"
        case "SECRET":
            return "secret", "strong"
        case "PASS" | "PWD" | "CREDENTIAL" | "CREDENTIALS" | "AUTH":
            return _classify_short(name, what=what, before=before, joined=bool(joined))
        case _:
            return "password", "strong"


def _classify_key(name: str, *, before: str, joined: bool) -> tuple[Kind, Strength] | None:
    if before in _SECRET_KEYS:
        return "key", "strong"
    # "monkey" and "hotkey" are words; only a separate word before "key" makes an unknown one a name for a key.
    if not before or joined or before in _PLAIN_KEYS:
        return None
    return "key", "strong" if name.isupper() else "weak"


def _classify_short(name: str, *, what: str, before: str, joined: bool) -> tuple[Kind, Strength] | None:
    """Words with other meanings: a pass over a tree, the working directory, whether there is authentication."""
    if before in _OWNERS_OF_PASSWORDS and what in {"PASS", "PWD"}:
        return "password", "strong"
    if joined or before in _PLAIN_PASSES or (not before and what != "AUTH"):
        return None
    return "secret", "strong" if before and name.isupper() else "weak"


def is_reference(value: str) -> bool:
    """The value points to the secret, masks it or stands for none: ``$TOKEN``, ``<your key>``, ``***``, ``null``."""
    return (
        not value.strip()
        or _REFERENCE.match(value) is not None
        or _MASK.fullmatch(value) is not None
        or value.lower() in _PLAIN_VALUES
        or (_IDENTIFIER.fullmatch(value) is not None and classify(value) is not None)
    )


def looks_random(value: str) -> bool:
    """Long and mixed, as words are not."""
    if len(value) < 8 or _NUMBER.fullmatch(value) or _FILE.match(value) or _UUID_OR_SHA.fullmatch(value):
        return False
    letters = any(map(str.isalpha, value))
    digits = any(map(str.isdigit, value))
    return letters and (digits or (len(value) >= 20 and value.lower() != value != value.upper()))


def is_quoted_secret(name: str, value: str, *, operator: str = ":") -> bool:
    """For ``"name": "value"`` and its like, where it is plain where the value ends."""
    promise = classify(name)
    if promise is None or is_reference(value):
        return False
    kind, strength = promise
    if kind == "password":
        # A passphrase has blanks; so has the label of a password field, which names what it is.
        return not (any(map(str.isspace, value)) and re.search(r"(?i)passw|passphrase|secret", value))
    if _NUMBER.fullmatch(value) or (kind in {"key", "secret"} and _FILE.match(value)):
        return False
    if any(map(str.isspace, value)):
        # Mostly a message about a secret; not where a shell sets a variable to it, and not with digits among letters.
        telling = _MIXED_WORD.search(value) is not None or (operator == "=" and name.isupper())
        return strength == "strong" and telling and _LABEL.search(value) is None
    return strength == "strong" or looks_random(value)


def is_bare_secret(name: str, value: str, *, operator: str, following: str) -> bool:
    """For ``name=value`` without quotes; ``operator`` is what stands between, ``following`` what comes after."""
    if not is_quoted_secret(name, value, operator=operator) or following[:1] in {"(", "["}:
        return False
    if looks_random(value):
        return _CODE_PATH.fullmatch(value) is None
    if _CODE_PATH.fullmatch(value) or classify(name) == ("token", "weak"):
        return False
    if operator == "=":
        return name.isupper() or name.endswith(("password", "passwd", "Password", "_pass", "_pwd"))
    if operator.strip() == "=":
        return name.isupper() and not value.isupper()
    # After a colon: in YAML or a header the value ends the line; in code a type or a variable would stand there.
    return not value[:1].isupper() and re.match(r"[ \t]*(?:$|[\r\n\"'`]|\\+[nr\"'])", following) is not None


def is_phrase(name: str, value: str) -> bool:
    """For a line ``NAME: several words``, where the name leaves no doubt and the words are no sentence about it."""
    promise = classify(name)
    if promise is None or promise[1] != "strong" or is_reference(value):
        return False
    if not (name.isupper() or (promise[0] == "password" and len(_SEPARATED.findall(name)) > 1)):
        return False
    words = value.split()
    if words[0].lower().rstrip(".,:;") in _PLAIN_VALUES or _LABEL.search(value) or _PROSE.search(value):
        return False
    return _MIXED_WORD.search(value) is not None or not value[:1].isupper()
