"""What a value looks like by itself: a reference to something, a path, words, or characters made up by chance.

Where a secret may stand, most values are none: ``$TOKEN``, ``/etc/key.pem``, ``settings.api_key``. This module must not
know what the value is called.
"""

import re

FAMILIAR = re.compile(
    r"k8s|s3|ec2|oauth2|pkcs\d+|base(?:32|58|64)|b64|md5|sha\d+|x509|p12|utf8(?:mb[34])?|http2|i18n|l10n|a11y|ed25519|curve25519|x25519|ed448|secp256[kr]1|p256|p384|hs256|rs256|es256"
    r"|pbkdf2|argon2(?:id?|d)?|bcrypt|ipv[46]|saml2|h264|log4j|neo4j|web3|auth0|d3|v\d+(?:alpha|beta)?\d*",
    re.IGNORECASE,
)
"""Words of the trade with a digit inside."""

# -- what a value refers to ------------------------------------------------------------------------------------------

_REFERENCE = re.compile(
    r"%(?:[({]|[A-Za-z_]\w*%|[-#0 +]*\d*(?:\.\d+)?[A-Za-z](?![A-Za-z0-9]))"
    r"|\{|<|process\.env|os\.environ|env\.|secrets\.|vault:|arn:|!(?:[=!\[({]|[A-Za-z_]+(?:\Z|[\s.(\[:,)]))|@(?:[({\[]|[A-Za-z_./~-]+(?:\Z|[\s(]))"
)
_VARIABLE = re.compile(
    r"\\*\$(?:\\*\Z|[\[({]|[\d@*#?!$_-](?![\w$!#%&*+=?~-])|(?P<name>(?:(?:env|script|global|using):)?[A-Za-z_]\w*)(?P<rest>.?))",
    re.DOTALL,
)
_AFTER_VARIABLE = ".[-:/})]@$\"'`,; \t\r\n\\|"
_MASK = re.compile(r"[*xX.•…_\\\"'-]*")
_DIGIT_INSIDE = re.compile(r"[A-Za-z]\d+[A-Za-z]|\d{4}")


def refers(value: str) -> bool:
    """``$TOKEN``, ``$(cat key)``, ``<your key>``, ``@file``, ``***``; but not ``$ecr3t!``."""
    return (
        not value.strip()
        or _REFERENCE.match(value) is not None
        or _MASK.fullmatch(value) is not None
        or _is_variable(value)
    )


def _is_variable(value: str) -> bool:
    found = _VARIABLE.match(value)
    if found is None:
        return False
    name, rest = found["name"], found["rest"]
    if name is None or name.isupper():
        return True
    return rest in _AFTER_VARIABLE and _DIGIT_INSIDE.search(FAMILIAR.sub("", name)) is None


# -- paths -----------------------------------------------------------------------------------------------------------

_PLACE = re.compile(r"(?:\.{1,2}|~)/|[\w.-]+\.(?:pem|key|crt|json|ya?ml|toml|txt|env|py|rs|ts|js)$")
_PLAIN_FOLDER = re.compile(r"[.@_-]*[A-Za-z]+(?:[._-]+[A-Za-z]+)*[._-]?\d{0,4}|[\d.]+|[{:$*<%\[\\].*", re.DOTALL)


def is_path(value: str) -> bool:
    """A path, or a file's name. A key in base64 may begin with a slash, but then no folder's name follows."""
    if value[:1] != "/":
        return _PLACE.match(value) is not None
    first = value[1:].partition("/")[0]
    return not first or (_PLAIN_FOLDER.fullmatch(first) is not None and not is_irregular(first))


# -- chance ----------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"[\d._,]+")
_UUID_OR_SHA = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{40}")
_JOINED = re.compile(r"[\s_/()\[\]{}<>,;]|[A-Za-z][.:-][A-Za-z]")
_CODE_PATH = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SHORT_PIECES = 2.6
_IRREGULAR = 12
_SIGNS = frozenset("!#$%&*+=?@^~")
_VERSION = re.compile(r"(?i)[v^~>=<]*\d+(?:\.\w+)+[\w.+-]*|\d[\dT:.Z_+-]*")


def is_number(value: str) -> bool:
    return _NUMBER.fullmatch(value) is not None


def is_digest_or_uuid(value: str) -> bool:
    return _UUID_OR_SHA.fullmatch(value) is not None


def is_irregular(value: str) -> bool:
    """Changes between small letters, capitals and digits more often than names of several words do."""
    if len(value) < _IRREGULAR:
        return False
    pieces = _PIECE.findall(value)
    return bool(pieces) and sum(map(len, pieces)) / len(pieces) < _SHORT_PIECES


def is_code_path(value: str) -> bool:
    """``settings.api_key``, but not the ``s.`` of a token."""
    return _CODE_PATH.fullmatch(value) is not None and not any(map(is_irregular, re.split(r"\.|::|->", value)))


def looks_random(value: str) -> bool:
    """Long and mixed, unlike words."""
    if len(value) < 8 or is_number(value) or is_digest_or_uuid(value):
        return False
    if is_path(value) and not value.endswith("="):
        return False
    letters = any(map(str.isalpha, value))
    digits = any(map(str.isdigit, value))
    return letters and (digits or (len(value) >= 20 and value.lower() != value != value.upper()))


def is_mixed(value: str) -> bool:
    """Letters with digits or signs among them, as in a password that a person made up; not words joined together."""
    if len(value) < 6 or is_number(value) or is_path(value):
        return False
    if _JOINED.search(value) and (any(map(str.isspace, value)) or not is_irregular(value)):
        return False
    letters = any(map(str.isalpha, value))
    return letters and any(map(str.isdigit, value)) and not is_digest_or_uuid(value)


def looks_made_up(value: str) -> bool:
    """A password between words, where nothing but a blank says that it is one: a digit between letters, or a sign."""
    plain = FAMILIAR.sub("", value)
    if len(value) < 6 or len(plain) < 5 or not is_mixed(value) or _VERSION.fullmatch(value):
        return False
    signs = not _SIGNS.isdisjoint(plain.strip("@$"))
    return (
        re.search(r"[A-Za-z].*\d.*[A-Za-z]", plain) is not None
        or (signs and any(map(str.isdigit, plain)))
        or (value.lower() != value != value.upper() and is_irregular(value))
    )


_WORDS_WITH_NUMBER = re.compile(
    r"(?=(?:[^A-Za-z]?[A-Za-z]){6})[A-Za-z][a-z]{2,}(?:[-_.#]?[A-Z]?[a-z]{2,}){0,4}[-_.#]?\d{1,4}[!$#%&*@?]{0,2}"
)
_PLAIN_WORD = re.compile(r"[a-z]+\d{1,2}|[A-Z][a-z]+\d")


def is_word_with_number(value: str) -> bool:
    """``Sommer2024``, ``Canyon-Maple-12``: a password where something says so, and too much like a name elsewhere."""
    if _WORDS_WITH_NUMBER.fullmatch(value) is None or _PLAIN_WORD.fullmatch(value):
        return False
    return not any(FAMILIAR.fullmatch(piece) for piece in re.split(r"[-_.#]", value))
