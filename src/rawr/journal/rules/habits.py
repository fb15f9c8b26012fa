"""Secrets where programs have them by habit, whatever the program is: ``-p WORD``, ``hashpw("…")``, ``auth sha WORD``.

The habit alone says little, so the value must look made up by itself.
"""

import re

from rawr.journal.guess import Sure, guess, is_scrambled
from rawr.journal.names import is_reference
from rawr.journal.rules.rule import NEXT, VALUE, Finder, Found, Pattern, Rule, secret_of
from rawr.journal.values import is_irregular


def _is_certain(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (guess(secret) is Sure.CERTAIN or (len(secret) >= 16 and is_irregular(secret)))


def _is_likely(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (guess(secret) >= Sure.LIKELY or is_scrambled(secret))


_QUOTED = rf"(?=\\*[\"']){VALUE}"
_ARGUMENT = r"(?:\$?[\w.>:-]{1,60}|\\*[\"'][^\"'\\\r\n]{0,80}\\*[\"'])"

RULES: tuple[Finder, ...] = (
    # any -p …
    Rule("password", (" -p", " -xp"), Pattern(rf"[ ]-(?:x?p|P|pw)(?:[ =]|{NEXT}){VALUE}"), _is_likely),
    Rule("password", (" -w", " -k", "--key"), Pattern(rf"[ ](?:-[wkK]|--key)(?:[ =]|{NEXT}){VALUE}"), _is_certain),
    # what decrypts with a password: pgp_sym_decrypt of data and "…"
    Rule(
        "password",
        ("crypt(", "crypt_", "decrypt", "encrypt"),
        Pattern(rf"(?i:(?:pgp_sym_|aes_|des_)?(?:en|de)crypt\w{{0,12}})\([ ]?{_ARGUMENT},[ ]{{0,4}}{_QUOTED}"),
        _is_likely,
    ),
    # a hash of "…"
    Rule(
        "password",
        ("hash", "crypt(", "set_password(", "check_password(", "verify_password(", "pbkdf2", "argon2"),
        Pattern(
            r"(?i:hash::make|bcrypt(?:\.\w{1,24})?|hashpw|password_hash|password_verify|\w{1,12}_password(?:_hash)?|hash_?sync"
            rf"|s?crypt|pbkdf2\w{{0,16}}|argon2\w{{0,4}}(?:\.hash)?)\([ ]?b?{_QUOTED}"
        ),
        _is_likely,
    ),
    # new NetworkCredential("a", "…")
    Rule(
        "password",
        ("credential",),
        Pattern(rf"(?i:credentials?\]?(?:::new|\.create|\.new)?)\([ ]?{_ARGUMENT},[ ]{{0,4}}{_QUOTED}"),
        _is_likely,
    ),
    # snmp-server user … auth sha … priv aes 128 …
    Rule(
        "password",
        ("auth ", "priv ", "authentication "),
        Pattern(
            r"[ ](?:auth(?:entication)?|priv)[ ](?:(?:sha|md5|aes|des|3des|text|key-string)(?:[ -]?\d{3})?[ ]){1,2}"
            r"(?P<secret>[^\s\"'\\;|]{6,64})"
        ),
        _is_likely,
    ),
    Rule(
        "password",
        ("nhrp authentication",),
        Pattern(r"nhrp[ ]authentication[ ](?P<secret>[^\s\"'\\;|]{4,64})"),
        lambda found: not is_reference(secret_of(found)),
    ),
    # --password-command "echo …"
    Rule(
        "password",
        ("echo ",),
        Pattern(rf"(?i:pass(?:word|phrase)?[-_]?(?:command|eval|cmd))[ =]{{1,3}}\\*[\"']?echo[ ]+(?:-n[ ]+)?{VALUE}"),
        lambda found: not is_reference(secret_of(found)),
    ),
    # pdftk a.pdf input_pw …
    Rule(
        "password",
        ("input_pw", "user_pw", "owner_pw"),
        Pattern(rf"(?:input|user|owner)_pw[ ]{VALUE}"),
        lambda found: not is_reference(secret_of(found)),
    ),
    # echo … | zfs load-key
    Rule(
        "password",
        ("load-key", "luks", "unlock", "veracrypt", "passphrase"),
        Pattern(
            rf"(?:echo|printf)[ ]+(?:-n[ ]+)?{VALUE}"
            r"[ ]*\|[ ]*(?:sudo[ ]+)?[\w./-]{1,40}[^\r\n|]{0,80}?(?:load-key|luks\w+|unlock|passphrase)"
        ),
        lambda found: not is_reference(secret_of(found)),
    ),
)

_DASHED = re.compile(r" -(?:x?p|pw|w|k|-key)[ =]\\*[\"']?(?=[^\s\"'/]{0,40}[\d!#$%&*+?^~@])[^\s\"'/]{6}").search
_CALLS = re.compile(
    r"\((?:(?<=crypt\()|(?<=bytea\()|(?<=hash\()|(?<=hashpw\()|(?<=hashsync\()|(?<=make\()|(?<=word\()|(?<=verify\()"
    r"|(?<=::new\()|(?<=pbkdf2\()|(?<=hmac\()|(?<=tial\())[ ]?[^()\r\n]{0,90}[\"'](?=[^\s\"']{0,40}\d)"
).search
_AUTH = re.compile(r"auth(?:entication)? (?:sha|md5|text|key-string)").search
_PRIV = re.compile(r"priv (?:aes|des|3des)").search
HINTS = (
    "nhrp authentication",
    "input_pw",
    "user_pw",
    "owner_pw",
    "load-key",
    '-command "echo ',
    "-command 'echo ",
    "eval='echo ",
    'eval="echo ',
    "eval echo ",
)


def shows_habit(low: str) -> bool:
    """Return True if a text in lower case may have such a secret. On the hot path."""
    return bool((" -" in low and _DASHED(low)) or ("(" in low and _CALLS(low)) or _AUTH(low) or _PRIV(low))
