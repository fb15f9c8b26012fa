"""Does a name say that its value is a secret, and does the value look like one?

``API_KEY``, ``db.password`` and ``clientSecret`` do; ``primary_key``, ``max_tokens`` and ``eos_token`` do not. Code is
full of such names beside values that are not secrets (``token = parser.next()``), and an agent's journal is full of
code, so the weaker the name, the more random the value must look. This module knows words;
``values.py`` knows values.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from rawr.journal.guess import Sure, guess
from rawr.journal.values import is_code_path, is_digest_or_uuid, is_mixed, is_number, is_path, looks_random, refers

Strength = Literal["strong", "weak"]
Kind = Literal["password", "secret", "token", "key"]

_TELLING = ("key", "token", "secret", "pass(?:word|wd|phrase|code)?", "pwd?", "psk", "credentials?", "auth")


def _any_case(word: str) -> str:
    return re.sub(r"[a-z]", lambda letter: f"[{letter[0]}{letter[0].upper()}]", word)


def in_any_case(words: Iterable[str]) -> str:
    """One of the patterns, in capitals or small letters. A pattern that begins with one of a few characters is found
    faster than one that ignores case."""
    own = list(words)
    firsts = "".join(sorted({first for word in own for first in (word[0], word[0].upper())}))
    return f"[{firsts}](?:" + "|".join(f"(?<={_any_case(w[0])}){_any_case(w[1:])}" for w in own) + ")"


ENDINGS = f"(?:{'|'.join(_TELLING)})"
ENDINGS_ANY_CASE = in_any_case(_TELLING)
SUFFIXES = r"(?:prod|production|staging|stage|dev|live|local|base(?:64)?|b64|plain|confirm|confirmation|value|old|new)"
"""What may follow the telling word: whose secret it is, or in which form."""

_SEPARATED = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENDING = re.compile(
    r"(.*?)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|PASS|PWD?|PSK|CREDENTIALS?|AUTH)", re.DOTALL
)
_SUFFIX = re.compile(rf"(?i:{SUFFIXES})|B|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SECRET_KEYS = _words(
    "ACCESS ACCOUNT ADMIN API APP AUTH CLIENT DEPLOY ENCRYPTION LICENSE MASTER PRIVATE SECRET SERVICE"
    " PRESHARED SHARED SIGNING STORAGE SUBSCRIPTION"
)
_PLAIN_KEYS = _words(
    "ALT ANY ARROW CACHE CANDIDATE CHILD COLUMN COMPOSITE CONFIG CTRL DATA DEDUP DEDUPE DICT ENTER ENV"
    " ESCAPE EVENT FEATURE FIELD FOREIGN FUNCTION GROUP HASH HOT I18N IDEMPOTENCY INDEX ITEM JOIN JSON"
    " LOOKUP MAIN MAP MESSAGE META NAME NATURAL NODE OBJECT OPTION ORDER PARENT PARTITION PATH PRESS"
    " PRIMARY PUBLIC QUERY RANGE REACT RECORD REGISTRY ROUTE ROUTING ROW SETTING SHIFT SHORTCUT SORT STATE"
    " SURROGATE TAB TABLE TRANSLATION UNIQUE VALUE"
)
_PLAIN_TOKENS = _words(
    "BAD BOS CANCEL CANCELLATION CLS CONTINUATION COUNT CURRENT CURSOR END EOF EOS EXPECTED EXPIRED FIRST IMAGE INVALID"
    " LAST LEX MASK MAX MIN MISSING NEXT PAD PAGE PER PREV PREVIOUS SEP SPECIAL START STOP SYNTAX UNEXPECTED UNK"
    " UNKNOWN WORD WRONG"
)
_OWNERS_OF_PASSWORDS = _words(
    "ADMIN APP DATABASE DB EMAIL FTP HTTP KEY KEYSTORE LDAP LOGIN MAIL MARIADB MONGO MQTT MYSQL ORACLE PG POSTGRES"
    " PROXY RABBITMQ REDIS ROOT SA SFTP SMTP SQL SSH STORE SUDO TRUSTSTORE USER VPN WIFI"
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

_ENDS_NAME = ("password", "passwd", "passphrase", "_pass", "_pwd", "psk")
_OBJECTS = re.compile(
    r"(?i)(?:self|this|cls|settings|config|conf|cfg|env|process|os|app|args|options|opts|params|request|req|data|props|state|user|form|body|ctx|context|values?|input|secrets?|vars?|var|local|module|each|credentials?|creds)\."
)
"""How a path in code begins."""
_PASSWORD_NAME = re.compile(r"(?i)(?:pass(?:word|wd|phrase)?|pwd?)\Z")
_ENDS_LINE = re.compile(r"[ \t]*(?:$|[\r\n\"'`]|\\+[nr\"'])")
_LONGEST_NAME = 80
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_]*")
_LONG_NUMBER = re.compile(r"\d{8,16}")
_MIXED_WORD = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_LABEL = re.compile(r"(?i)passw|passphrase|secret|\b(?:tokens?|keys?|credentials?|enter|your)\b")
"""How a field for a secret is labelled."""
_PROSE = re.compile(
    r"(?i)\b(?:an?|and|are|as|be|by|can|for|from|has|if|in|is|it|may|must|not|of|on|or|see|should|that|the|this|to|use"
    r"|used|was|when|will|with|you)\b"
)


@lru_cache(maxsize=4096)
def classify(name: str) -> tuple[Kind, Strength] | None:
    """What a name promises about its value; None if nothing."""
    words = [word.upper() for word in _SEPARATED.findall(name)]
    while len(words) > 1 and _SUFFIX.fullmatch(words[-1]):
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
        case "PASS" | "PWD" | "PW" | "CREDENTIAL" | "CREDENTIALS" | "AUTH":
            return _classify_short(name, what=what, before=before, joined=bool(joined))
        case _:
            return "password", "strong"


def _classify_key(name: str, *, before: str, joined: bool) -> tuple[Kind, Strength] | None:
    if before in _SECRET_KEYS:
        return "key", "strong"
    # "monkey" and "hotkey" are words; an unknown word names a key only if it is separate from "key".
    if not before or joined or before in _PLAIN_KEYS:
        return None
    return "key", "strong" if name.isupper() else "weak"


def _classify_short(name: str, *, what: str, before: str, joined: bool) -> tuple[Kind, Strength] | None:
    """Words with other meanings: a pass over a tree, the working directory, a switch for authentication."""
    password = what in {"PASS", "PWD", "PW"}
    if before in _OWNERS_OF_PASSWORDS and password:
        return "password", "strong"
    if joined or before in _PLAIN_PASSES or (not before and not password and what != "AUTH"):
        return None
    if not before and password:
        return "password", "weak"
    return "secret", "strong" if before and name.isupper() else "weak"


def singular(name: str) -> str:
    """The name for one of several; the name itself if it is not a plural."""
    return name[:-1] if name[-1:] in {"s", "S"} else name


def looks_like_chance(value: str) -> bool:
    return is_mixed(value) or looks_random(value)


def _names_secret(value: str) -> bool:
    return len(value) <= _LONGEST_NAME and classify(value) is not None


def is_reference(value: str) -> bool:
    """The value refers to a secret, masks it or means none: ``$TOKEN``, ``<your key>``, ``***``, ``null``."""
    return (
        refers(value)
        or value.lower() in _PLAIN_VALUES
        or (_IDENTIFIER.fullmatch(value) is not None and _names_secret(value))
    )


def is_quoted_secret(name: str, value: str, *, operator: str = ":") -> bool:
    """For ``"name": "value"`` and the like, where the end of the value is certain."""
    promise = classify(name)
    if promise is None or is_reference(value):
        return False
    kind, strength = promise
    if kind == "password" and strength == "weak":
        return is_mixed(value) or (guess(value) >= Sure.LIKELY and not _OBJECTS.match(value))
    if kind == "password":
        # A passphrase has blanks; so does the label of a password field, which names it.
        return not (any(map(str.isspace, value)) and re.search(r"(?i)passw|passphrase|secret", value))
    if (is_number(value) and not (strength == "strong" and _LONG_NUMBER.fullmatch(value))) or (
        kind in {"key", "secret"} and is_path(value) and not value.endswith("=")
    ):
        return False
    if any(map(str.isspace, value)):
        # Usually a message about a secret, except if a shell sets a variable to it, or if digits are among the letters.
        assigned = operator == "=" or (operator.strip() == "=" and not _PROSE.search(value))
        telling = _MIXED_WORD.search(value) is not None or (assigned and name.isupper())
        return strength == "strong" and telling and _LABEL.search(value) is None
    return strength == "strong" or looks_random(value)


def is_bare_secret(name: str, value: str, *, operator: str, following: str) -> bool:
    """For ``name=value`` without quotes; ``operator`` is between them, ``following`` comes after the value."""
    if not is_quoted_secret(name, value, operator=operator) or following[:1] in {"(", "["}:
        return False
    promise = classify(name)
    if operator not in {"=", ":"} and _names_secret(value):
        return False
    if is_digest_or_uuid(value):
        return promise is not None and promise[1] == "strong" and promise[0] != "password"
    if is_code_path(value):
        password = operator in {"=", ":"} or (operator.strip() == ":" and _ENDS_LINE.match(following) is not None)
        literal = password and _PASSWORD_NAME.search(name) is not None and not _OBJECTS.match(value)
        return literal and ((name.isupper() and operator == "=") or guess(value) >= Sure.LIKELY)
    if looks_random(value):
        return True
    if promise == ("token", "weak"):
        return False
    if operator == "=":
        return name.isupper() or (promise == ("password", "strong") and not name.islower()) or name.endswith(_ENDS_NAME)
    if operator.strip() == "=":
        # In code this would be a variable, and its name would say what it is.
        password = promise == ("password", "strong") and is_mixed(value) and not _names_secret(value)
        return password or (name.isupper() and not value.isupper())
    # After a colon: in YAML or a header the value ends the line; in code this would be a type or a variable.
    return not value[:1].isupper() and _ENDS_LINE.match(following) is not None


def is_phrase(name: str, value: str) -> bool:
    """For a line ``NAME: several words``, if the name leaves no doubt and the words are not a sentence about it."""
    promise = classify(name)
    if promise is None or promise[1] != "strong" or is_reference(value):
        return False
    if not (name.isupper() or promise[0] == "password"):
        return False
    words = value.split()
    if words[0].lower().rstrip(".,:;") in _PLAIN_VALUES or _LABEL.search(value) or _PROSE.search(value):
        return False
    return _MIXED_WORD.search(value) is not None or not value[:1].isupper()
