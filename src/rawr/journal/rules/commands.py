"""Secrets in the command lines and calls of programs that no table knows: a user and a password side by side.

Whatever the program is called, ``-u NAME`` and ``-p WORD`` in one line belong together, and so do ``name:word`` behind
an option that says so.
"""

import re

from rawr.journal.guess import Sure, guess
from rawr.journal.names import is_reference
from rawr.journal.rules.rule import NEXT, VALUE, Finder, Found, Pattern, Rule, secret_of, word
from rawr.journal.values import is_digest_or_uuid, is_irregular

_LONGEST = 120


def _is_chance(secret: str) -> bool:
    return len(secret) >= 16 and (
        is_irregular(secret) or is_digest_or_uuid(secret) or _HEX.fullmatch(secret) is not None
    )


_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{32,128}")


def _is_password(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (guess(secret) >= Sure.MAYBE or _is_chance(secret))


def _is_surely(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (guess(secret) >= Sure.LIKELY or _is_chance(secret))


_WALLET = re.compile(
    r"(?i)(?:accounts?|wallets?|keys?|deployer|signer|private\w{0,8})\\*[\"']?\s{0,4}[:=(]\s{0,4}(?:\w{1,20}[.(]){0,3}\[?\s{0,8}\\*\Z"
)
_IS_ID = re.compile(r"(?=[A-Za-z]*\d)[A-Za-z0-9]{8,64}|[A-Z0-9]{6,64}")
_NO_CLIENT = re.compile(
    r"(?i)(?:expect|assert\w*|equals?|hash|md5|sha\d*|check|verify|replace|compare|commit|rev|cherry\w*|split|join|format|t|it|test)\s*\Z"
)


def _is_of_client(found: Found) -> bool:
    before = found.string[max(0, found.start() - 24) : found.start()]
    if not _IS_ID.fullmatch(found["id"]) or _NO_CLIENT.search(before):
        return False
    return _HEX.fullmatch(found["secret"]) is not None or (len(found["secret"]) >= 20 and is_irregular(found["secret"]))


RULES: tuple[Finder, ...] = (
    # any -u jane -p …
    Rule(
        "password",
        ("-u", "-d ", "--user", "-user", "-login", "/user"),
        Pattern(
            rf"-(?<=[\s\"'/]-)(?<!\\-)(?:[uUD]|-?user(?:-?name)?|-?login)(?:[ =]|{NEXT})[\"']?[^\s\"'"
            rf"|;&<>-][^\s\"'|;&<>]{{0,80}}[\"']?"
            rf"[ ](?:[^\r\n|;&<>]{{0,{_LONGEST}}}?[ ])??-(?:[pPw]|pw|-?pass|-?passwd)(?:[ =]|{NEXT}){VALUE}"
        ),
        _is_password,
    ),
    # --auth jane:…
    Rule(
        "password",
        ("-auth", "-user", "-cred", "-login", "-u ", "-basic", "-account"),
        Pattern(
            rf"-(?<=[\s\"']-)-?(?:u|(?:[a-z]{{2,12}}-)?creds?|auth(?:entication)?|user(?:name)?|cred(?:s|ential|entials)?|login"
            rf"|basic(?:-auth)?|account)(?:[ =]|{NEXT})"
            r"\\*[\"']?\w[\w.@\\+$-]{0,80}:(?P<secret>[^\s\"'`\\|;&<>]{4,200})"
        ),
        _is_surely,
    ),
    # -H …, --hashes LM:NT, /rc4:…: who has the hash needs no password
    Rule(
        "password-hash",
        ("-h", "/rc4:", "/ntlm:", "/pth:", "--rc4", "-rc4", "%", "/hash:"),
        Pattern(
            rf"(?:-(?:H|-?hash(?:es)?|-?nthash|-?rc4|-?ntlm|-?pth)(?:[ =]|{NEXT})|/(?:rc4|ntlm|pth|hash):|%)\\*[\"']?"
            r"(?:[0-9a-fA-F]{0,32}:)?(?P<secret>[0-9a-fA-F]{32})(?![0-9a-zA-Z])"
        ),
    ),
    # NTLM : …
    Rule(
        "password-hash",
        ("ntlm", "nt hash", "nthash", "rc4_hmac"),
        Pattern(
            r"(?i:ntlm|nt[ _-]?hash|rc4_hmac(?:_nt)?)\*{0,2}\\*[\"']?[ \t]*[:=][ \t]*\\*[\"']?"
            r"(?P<secret>[0-9a-fA-F]{32})(?![0-9a-zA-Z])"
        ),
    ),
    # impdp system/… directory=x
    Rule(
        "password",
        ("impdp", "expdp", "sqlldr", "sqlplus", "rman", "imp ", "exp ", "userid="),
        Pattern(
            rf"(?:{word('impdp', 'expdp', 'imp', 'exp', 'sqlldr', 'sqlplus', 'rman')}(?:[ ]+-\w{{1,4}})"
            rf"*[ ]+(?:target[ ]+|userid=)?|userid=)\\*[\"']?\w{{1,40}}/"
            r"\\*[\"']?(?P<secret>[^\s@\"'\\/|;&<>]{4,128})"
        ),
        _is_password,
    ),
    # a client that is made with an id and a secret
    Rule(
        "key",
        ("',", '",'),
        Pattern(
            r"\(\\*[\"'](?P<id>[A-Za-z0-9]{6,64})\\*[\"'],[ ]{0,4}\\*[\"'](?P<secret>[A-Za-z0-9+/_-]{2"
            r"0,128}={0,2})(?=\\*[\"'][ ]{0,4}[,)])"
        ),
        _is_of_client,
    ),
    # the keys of wallets
    Rule(
        "private-key",
        ("0x",),
        Pattern(r"[\"'](?P<secret>0x[0-9a-fA-F]{64})(?=\\*[\"'])"),
        lambda found: _WALLET.search(found.string, max(0, found.start() - 60), found.start()) is not None,
    ),
    # │ value │ … │, below a token's name
    Rule(
        "token",
        ("value",),
        Pattern(
            r"(?:token|secret|key)[^\r\n]{0,200}[│|][\s\S]{0,300}?[│|][ ]*(?i:value|secret"
            r"|token)[ ]*[│|][ ]*(?P<secret>[^\s│|\"'\\]{8,512})[ ]*[│|]"
        ),
        _is_surely,
    ),
)

_PAIR = re.compile(r"-u(?:ser(?:name)?)?[= ]\S{1,80} (?:[^\r\n|;&<>]{0,120} )??--?p").search
_NAME_AND = re.compile(
    r"-(?:auth(?:entication)?|user(?:name)?|(?:[a-z]{2,12}-)?cred\w{0,8}|login|u)[ =]"
    r"\\*[\"']?\w[\w.@\\+$-]{0,80}:[^\s\"'/]{4}"
).search
_OF_CLIENT = re.compile(r"\('[a-z0-9]{6,64}', ?'[a-z0-9+/_-]{20}|\(\"[a-z0-9]{6,64}\", ?\"[a-z0-9+/_-]{20}").search
_HASH = re.compile(r"-h(?:ash(?:es)?)?(?:[ =]|\\*[\"'],)[ \\\"']{0,6}(?:[0-9a-f]{0,32}:)?[0-9a-f]{32}").search
HINTS = (
    "/rc4:",
    "/ntlm:",
    "/pth:",
    "-rc4 ",
    "ntlm ",
    "ntlm:",
    "nthash",
    "nt hash",
    "rc4_hmac",
    "aad3b435b51404ee",
    "getpass(",
    "| kinit",
    "|kinit",
    "impdp ",
    "expdp ",
    "sqlldr ",
    "radtest ",
    "saslpasswd2 ",
    "smbpasswd ",
    "doveadm ",
    "tokenid",
    "scram-sha-256$",
)


def shows_pair(low: str) -> bool:
    """Return True if a text in lower case may have a user and a password side by side. On the hot path."""
    return bool(
        ("-h" in low and _HASH(low))
        or ("-u" in low and (_PAIR(low) or _NAME_AND(low)))
        or (("-auth" in low or "-cred" in low or "-login" in low) and _NAME_AND(low))
        or _OF_CLIENT(low)
    )
