"""Secrets made of ordinary characters: payment cards, and the words that encode a wallet's key."""

import re

from rawr.journal.rules.rule import SPELLED, Found, Pattern, Rule, behind

_ISSUERS = re.compile(r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|35(?:2[89]|[3-8])|6(?:011|5|4[4-9])")
"""Visa, Mastercard, American Express, JCB, Discover."""

_FUNCTION_WORDS = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "are",
        "was",
        "has",
        "had",
        "not",
        "but",
        "from",
        "into",
        "which",
        "whose",
        "without",
        "its",
        "our",
        "their",
        "these",
        "those",
        "been",
        "were",
        "does",
        "did",
        "would",
        "should",
        "could",
        "than",
        "then",
        "there",
        "here",
        "also",
        "just",
        "each",
        "per",
        "via",
        "both",
        "because",
        "while",
        "where",
        "who",
        "how",
        "why",
        "any",
        "some",
        "such",
        "your",
        "his",
        "her",
        "him",
        "they",
        "them",
        "she",
        "more",
        "most",
        "other",
        "same",
        "very",
    ]
)
"""Words that are frequent in sentences and in no word list for keys."""
_INFLECTED = re.compile(r"(?:ing|ed|ly|[^aeious]s|es)\b")
_COUNTS = frozenset({12, 15, 18, 21, 24})


def _is_card(found: Found) -> bool:
    digits = [int(digit) for digit in found["secret"] if digit.isdigit()]
    number = "".join(map(str, digits))
    if not _ISSUERS.match(number) or len(set(number)) < 2:
        return False
    if len(number) != 16 - (number[:2] in {"34", "37"}):
        return False
    doubled = [digit if at % 2 == 0 else digit * 2 - 9 * (digit > 4) for at, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _is_mnemonic(found: Found) -> bool:
    """Words that look random: all short, none that only joins others, hardly any inflected as in a sentence."""
    words = found["secret"].split()
    if len(words) not in _COUNTS or not _FUNCTION_WORDS.isdisjoint(words) or len(set(words)) < len(words) * 2 // 3:
        return False
    return sum(1 for word in words if _INFLECTED.search(word)) <= len(words) // 6


_MNEMONIC = r"(?P<secret>[a-z]{3,8}+(?: [a-z]{3,8}+){11,23}+)(?![^\s\"'`<)\],.;\\]|[ ][A-Za-z])"

NAMED_WORDS = Rule(
    "mnemonic",
    ("phrase", "mnemonic", "seed"),
    Pattern(
        rf"[mMpPsS](?:(?<=[mM])(?i:nemonic)|(?<=[sS])(?i:eed)"
        rf"|(?<=[pP])(?i:hrase))\W[^\r\n]{{0,40}}?(?<![a-z])(?<![a-z][ ]){_MNEMONIC}"
    ),
    _is_mnemonic,
)
"""Words after a word that announces them."""

RULES: tuple[Rule, ...] = (
    NAMED_WORDS,
    Rule(
        "card",
        tuple("23456"),
        Pattern(
            r"(?P<secret>[2-6]" + behind(r"\w.+/$-", then=".") + r"(?<!\d[ ].)\d{3}(?:\d{11,12}|[ -]\d{6}[ -]\d{5}"
            r"|(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}))(?![\w+/=-]|\.\d|[ ]\d)"
        ),
        _is_card,
    ),
    # manage-bde -protectors -get C:
    Rule("key", ("-",), Pattern(r"(?P<secret>\d{6}-(?<![\w-]\w{6}-)(?<!\d{7}-)\d{6}(?:-\d{6}){6})(?![\w-])")),
    # A whole string, or a whole line.
    Rule("mnemonic", (" ",), Pattern(rf"(?:(?:\A|[\r\n\"'])[ \t]*|{SPELLED}){_MNEMONIC}"), _is_mnemonic),
)
