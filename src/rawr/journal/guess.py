"""How much a single word looks like a password, by itself.

In a sentence about a password most words are none. ``guess`` says how sure one can be: the less the surroundings say,
the surer it must be. This module must not know what surrounds the word.
"""

import re
from enum import IntEnum

from rawr.journal.values import FAMILIAR, is_digest_or_uuid, is_irregular, is_path, refers


class Sure(IntEnum):
    """How sure it is that a word is a password."""

    NOT = 0
    """A word, a name, a number, a path, a version: whatever is around it, this is not one."""
    MAYBE = 1
    """Words joined by signs, or a short word with a number: one, where a sign or a quote says that it comes."""
    LIKELY = 2
    """``tukan4818``, ``Canyon-Maple-12``, ``Gr1ve``: also a name now and then."""
    CERTAIN = 3
    """``Klomp&Molen8``, ``vQ7#kd!Tn``: in no language a word, in no program a name."""


_CODE = re.compile(
    r"[()\[\]{}<>|\\;\"`]|://|::|\?\.[A-Za-z_]|->|=>|\.\.\.|//|==|&&|,.*,|:\d|\A[-/.,:]|/\Z|\A@|[^=]=[^=]*[.\"']|'|=\$|\$[A-Z_]{3}|[A-Za-z][-:/T]?%[A-Za-z][-:/T]?%|%[A-Za-z][-:/T]?%|\A[A-Z_]{3,}=|\*\*"
)
"""What stands in code, in an address or in a list."""
_FAMILIAR_INSIDE = re.compile(rf"(?i:(?<![a-z])(?:{FAMILIAR.pattern})(?![a-z\d]))")
_PLAIN = re.compile(
    r"[\d.,:/_+%x°€$£-]+[A-Za-z%]{0,4}"  # an amount, a date, a version, a range
    r"|[v^~>=<]+\d[\w.+-]*"
    r"|\d+(?:st|nd|rd|th|er|e|ter|ten|-digits?|-stellig\w*|bit|ms|min|days?|chars?|px|rem|em|fps|kb|mb|gb)"
    r"|[A-Z]{1,10}\d{0,2}[-_]?\d{1,6}[a-z]?"  # a ticket, a chapter
    r"|[A-Z]{1,10}(?:[-_][A-Z0-9]{1,10}){1,3}-?\d{0,4}(?<![A-Z]\d[A-Z]\d)"
    r"|(?i:(?:gpt|claude|gemini|llama|qwen|sonnet|opus|python|node|java|php|ruby|rust|vue|tls|rfc|iso|step|phase|task|part"
    r"|user|test|item|file|line|page|level|section|version|round|chapter|sprint|week|day|rev|build|issue)"
    r"[-_.]?[a-z]?\d[\w.-]*|(?:q|h|p|pr|id|no|es|go|ts|u)[-_.]?\d[\d.]*)"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # an address
    r"|[A-Za-z][a-z]?\d{1,2}[a-z]?|[a-z]{1,6}-\d{1,3}|\d{4}-\d\d-\d\dT.*"
)
_FILE = re.compile(
    r"(?i)\.(?:[cm]?[jt]sx?|py[iw]?|rs|go|rb|php|java|kt|cs|cpp|hpp?|sh|ps1|sql|json[l5c]?|ya?ml|toml|ini|cfg|conf|env|md|rst|txt|log|csv|html?|s?css"
    r"|xml|svg|png|jpe?g|gif|webp|pdf|zip|gz|tgz|lock|pem|key|crt|db|sqlite3?|dart|swift|vue|svelte|prisma|tf|com|org|net|io|dev|de|app|local|example"
    r"|internal|lan|test|ai|fr|es|it|pl|eu|co|uk|br|jp|cn|kr|ru)(?::\d+)*\Z"
)
_STRONG_SIGN = re.compile(r"(?<=\w)[!#$%&*+=?^~@§](?=.)|(?<=[\da-z])[!#$%&*]\Z")
_RUNS = re.compile(r"\d+(?=[^\d]{2})|(?<=[^\W\d_]{2})\d+")
_SHORT_NAME = re.compile(r"[a-z]+\d(?:[._-]?[a-z]+\d)+|[\d.x-]+|[\w.]+-\d+(?:\.\d+)+\w*")
_LEET = re.compile(r"[^\W\d_]\d{1,2}[^\W\d_]{2}|[^\W\d_]{2}\d{1,4}[^\W\d_]")
_WORD = r"[^\W\d_]{2,}"
_PHRASE = re.compile(
    rf"{_WORD}(?:[-._+&*#!?%]{_WORD})+[-._+&*#!?]?\d{{1,4}}\W?|\d{{1,4}}(?:[-._]{_WORD}){{2,}}|{_WORD}(?:[-._]{_WORD})*[-._]\d{{1,4}}(?:[-._]?{_WORD})+"
)
_WORDS = re.compile(rf"{_WORD}(?:[-._+&*]{_WORD}){{1,6}}")
_WITH_NUMBER = re.compile(
    r"[^\W\d_]{6,}[-_.]?\d{1,6}[a-z]?\W?|[^\W\d_]{3,5}\d{3,6}\W?|[A-Z][a-z]{3,}[-_.]?\d{2,6}[a-z]?\W?"
)
_GROUP = r"(?=[a-zA-Z]{0,7}\d)(?=\d{0,7}[a-zA-Z])[A-Za-z0-9]{4,8}"
_CODE_GROUPS = re.compile(rf"{_GROUP}(?:-{_GROUP}){{1,7}}")


def guess(word: str) -> Sure:
    """How sure it is that the word is a password, if something around it tells of one."""
    if is_scrambled(word) and not _LONG.fullmatch(word):
        return Sure.LIKELY if _CODE.search(word) or refers(word) else Sure.CERTAIN
    if not 4 <= len(word) <= 128 or _CODE.search(word) or refers(word) or is_path(word) or _FILE.search(word):
        return Sure.NOT
    if _PLAIN.fullmatch(word) or FAMILIAR.fullmatch(word) or is_digest_or_uuid(word):
        return Sure.NOT
    plain = _FAMILIAR_INSIDE.sub("", word)
    digits, letters = any(map(str.isdigit, plain)), any(map(str.isalpha, plain))
    if not letters or len(plain) < 4:
        return Sure.NOT
    if _STRONG_SIGN.search(word):
        return _with_sign(word, plain, digits=digits)
    if not digits:
        mixed = word.lower() != word != word.upper() and is_irregular(word)
        return Sure.LIKELY if mixed else Sure.MAYBE if _WORDS.fullmatch(word) else Sure.NOT
    return _with_digits(word, plain)


_LONG = re.compile(r"(?=[A-Za-z+/_-]{0,40}\d)[A-Za-z0-9+/_-]{16,128}={0,2}|[0-9a-fA-F]{16,128}")
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SCRAMBLED = 2.4


def is_scrambled(word: str) -> bool:
    """Made by a machine, from all signs that there are: ``}B5r,9[kUw&2xN``. Most of ``guess`` takes it for code."""
    if not 8 <= len(word) <= 128 or is_path(word):
        return False
    if _LONG.fullmatch(word):
        return is_irregular(word) or re.fullmatch(r"[0-9a-f-]+|[0-9A-F-]+", word) is not None
    pieces = _PIECES.findall(word)
    if len(pieces) < 4 or sum(map(len, pieces)) / len(pieces) > _SCRAMBLED or "://" in word:
        return False
    kinds = sum(any(map(kind, word)) for kind in (str.islower, str.isupper, str.isdigit))
    return kinds == 3 and not word.isalnum()


def _with_sign(word: str, plain: str, *, digits: bool) -> Sure:
    if digits and len(word) >= 6 and not re.fullmatch(r"[\d.]+\D\w+|\w+[=?&+]\w*\d{0,2}", word):
        return Sure.CERTAIN
    capital = word.lower() != word != word.upper()
    return Sure.LIKELY if len(word) >= 6 and (digits or capital) else Sure.MAYBE


def _with_digits(word: str, plain: str) -> Sure:
    if re.fullmatch(r"\w+", word) and "_" in word and re.fullmatch(r"[a-z\d_]+|[A-Z\d_]+", word):
        return Sure.MAYBE if _LEET.search(plain) and not re.search(r"_\d|v\d", word) else Sure.NOT
    if len(word) >= 12 and is_irregular(word) and re.fullmatch(r"[\w.+=~-]+", word):
        return Sure.CERTAIN
    if _CODE_GROUPS.fullmatch(word) or (_LEET.search(plain) and len(word) >= 6):
        return Sure.LIKELY
    if _PHRASE.fullmatch(word) or (
        len(word) >= 8 and len(_RUNS.findall(plain)) > 1 and _SHORT_NAME.fullmatch(word) is None
    ):
        return Sure.LIKELY
    if _WITH_NUMBER.fullmatch(word):
        return (
            Sure.MAYBE
            if re.fullmatch(r"[a-z]+[-_.]?\d{1,2}|[A-Z][a-z]+[-_.]?\d|[a-z]+(?:[A-Z][a-z]+)+\d", word)
            else Sure.LIKELY
        )
    if re.fullmatch(r"[A-Za-z0-9]{6,}", word) and sum(map(str.isdigit, word)) >= 2:
        return Sure.LIKELY
    return Sure.MAYBE if re.search(r"[^\W\d_]\W|\W[^\W\d_]", word) else Sure.NOT
