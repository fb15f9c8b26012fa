"""Secrets as arguments of a call, in any language: what opens a session, and what signs or encrypts.

``connect("host", "user", "…")``: a call's name says that a password comes, and its place among the strings, which one
it is. ``sign(claims, "…")``, ``hmac.New(sha256.New, []byte("…"))``: the string is the key.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rawr.journal.guess import Sure, guess, is_scrambled
from rawr.journal.names import is_reference
from rawr.journal.rules.rule import VALUE, Finder, Found, Pattern, Span, secret_of
from rawr.journal.values import is_irregular

_STRING = r"[rbuf@]?\\*[\"'][^\"'\\\r\n]{0,120}\\*[\"']"
_NAMED = r"(?:\w{1,24}[ ]?(?:=>|[:=])[ ]?)?"
_QUOTED = rf"[rbuf@]?(?=\\*[\"']){VALUE}"
_PLAIN = r"[&$*@]?[\w.:>-]{1,60}(?:\(\))?(?:[ ]?\|\|?[ ]?\w{1,30}){0,2}"
_ARGUMENT = rf"{_NAMED}(?:{_STRING}|{_PLAIN})"
_COMMA = r"[ ]?,\s{0,24}"
_FREE = "gmail|smtp|imap|ftp|ssh|sftp|mqtt|mail|ldap|wifi"


_MIXED = re.compile(r"(?=\w{0,40}\d)(?=\w{0,40}[A-Z])(?=\w{0,40}[a-z])\w{8,64}")


def _is_made_up(found: Found) -> bool:
    """Behind a call that has a password in this place, and nothing else."""
    secret = secret_of(found)
    return not is_reference(secret) and (
        guess(secret) >= Sure.MAYBE or is_scrambled(secret) or _is_key(secret) or _MIXED.fullmatch(secret) is not None
    )


def _is_likely(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (guess(secret) >= Sure.LIKELY or is_scrambled(secret))


_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})")


def _is_key(secret: str) -> bool:
    return len(secret) >= 16 and (is_irregular(secret) or _HEX.fullmatch(secret) is not None)


def _signs(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (_is_key(secret) or guess(secret) is Sure.CERTAIN)


class Call(NamedTuple):
    """Calls by their names, what comes before the secret, and how sure the secret has to be."""

    kind: str
    names: Pattern
    arguments: Pattern
    judge: Callable[[Found], bool]


def _call(names: str, before: str, kind: str, judge: Callable[[Found], bool]) -> Call:
    secret = Pattern(rf"\(\s{{0,24}}{before}{_NAMED}{_QUOTED}(?=[ ]?[,)\r\n\\])")
    return Call(kind, Pattern(rf"(?i:(?<!\w)(?:{names}))\Z"), secret, judge)


_CALLS = (
    # DBI->connect("dsn", "user", "…"), mysqli_connect("host", "user", "…")
    _call(
        r"DBI->connect(?:_cached)?|Drivermanager\.getConnection|mysqli?_p?connect|mysqli|pymysql\.connect"
        r"|MySQLdb\.connect|oci_p?connect|odbc_p?connect|ibase_connect|cx_Oracle\.connect|oracledb\.connect"
        r"|sybase_connect|mssql_connect|dbConnect|Database\.connect|Sequel\.connect|createConnection|PDO"
        r"|ldap_bind|OCILogon",
        rf"{_ARGUMENT}{_COMMA}{_ARGUMENT}{_COMMA}",
        "password",
        _is_made_up,
    ),
    # the password of a network, behind its name; of a mail or file server, behind the user
    _call(
        r"wi-?fi(?:multi|client)?(?:\.|->|::)(?:begin(?:AP)?|connect|addAP|softAP)|wlan\.connect|sta(?:_if)?\.connect"
        r"|(?:\w{1,20}(?:\.|->|::))?(?:softAP|addAP)"
        rf"|(?:{_FREE}|client|server|session|conn(?:ection)?|[msf])\w{{0,8}}(?:\.|->|::)(?:login|auth(?:enticate)?|basic_?auth)"
        r"|ftp_login|ssh2_auth_password|imap_open|PasswordAuthentication"
        r"|UsernamePassword(?:Credentials|Token|AuthenticationToken)?",
        rf"(?:{_ARGUMENT}{_COMMA}){{1,2}}",
        "password",
        _is_likely,
    ),
    # any connect("host", 22, "user", "…"), behind another string
    _call(
        r"(?:[\w.:>-]{0,30}(?:\.|->|::|_))?(?:re)?(?:connect|log_?in|sign_?in|log_?on|dial|open|begin|auth(?:enticate)?|bind|(?:\w{1,16})?credentials"
        r"|(?:set_?)?basic_?auth|get_?connection|plainauth|session|auth_password)(?:_with_password|_user|_async|async)?",
        rf"(?:{_ARGUMENT}{_COMMA}){{0,4}}{_NAMED}{_STRING}{_COMMA}",
        "password",
        _is_likely,
    ),
    # SignedString([]byte("…")), hmac.new(b"…", …), jwt.sign(claims, "…")
    Call(
        "key",
        Pattern(
            r"(?i:(?<![a-z])sign(?:ed(?:string|with)?|with|ature|er)?|(?<![a-z])verify|hmac\w{0,24}|hmac(?:\.|::)\w{1,16}"
            r"|jwt(?:\.|::|->)\w{1,16}|keyfor|secretkeyspec|fernet|aes\w{0,12}(?:(?:\.|::)\w{1,12})?"
            r"|securitykey|create(?:de)?cipher\w{0,3}|(?:en|de)codingkey::from_secret|secretbox)\Z"
        ),
        Pattern(
            r"\((?:\\*[\"'](?i:[a-z]{2,6}-?\d{1,3}[\w-]{0,12})\\*[\"'],[ ]{0,4}(?:\$?\w{1,30},[ ])?"
            r"|\{[^{}\r\n]{0,160}\},[ ]{0,4}|[^()\"'\r\n]{0,60})"
            rf"(?:[\w.\[\]<>]{{0,40}}(?:\(\s{{0,8}}|[ ]))?{_QUOTED}"
        ),
        _signs,
    ),
)

_PARENTHESIS = re.compile(
    r"\((?<=(?i:ct|ed|in|on|al|th|te|en|nd|do|li|ap|ns|ls|rd|ic|er|nc|wt|gn|ng|re|fy|ac|ew|st|or|ec|et|es|iv|ox|de|ey|56|12|84)\()"
)


class Calls:
    """``connect("host", "user", "…")``, ``sign(claims, "…")``."""

    clues: tuple[str, ...] = ('",', "',", '("', "('", '(\\"', "(b")

    def meets(self, text: str) -> bool:
        return shows_session(text.lower())

    def find(self, text: str) -> Iterator[Span]:
        done = 0
        for place in _PARENTHESIS.finditer(text):
            at = place.start()
            for call in _CALLS if at >= done else ():
                if not call.names.search(text, max(0, at - 48), at):
                    continue
                found = call.arguments.match(text, at)
                if found and call.judge(found):
                    span = Span(*found.span(found.lastgroup or 0), call.kind)
                    done = span.end
                    yield span
                    break


RULES: tuple[Finder, ...] = (Calls(),)

_OPENS = re.compile(
    r"\((?<=(?:ct|in|on|al|th|te|nd|do|li|ap|ls|rd)\()"
    r"[^()]{1,240}?,(?:\s|\\n){0,24}[^\"',()]{0,24}[\"'](?=[^\s\"']{6})"
).finditer
_OPENED = re.compile(
    r"(?:connect(?:ion)?|log_?[io]n|sign_?in|dial|open|begin|auth(?:enticate|entication)?|bind|credentials|ap|pdo|mysqli|session|password)\Z"
).search
_SIGNS = re.compile(
    r"\((?<=(?:gn|ed|ng|th|er|ac|wt|st|or|ec|es|iv|et|ey|de|fy|te|56|12|84|ew)\()"
    r"[^\r\n]{0,160}?[\"'](?=[a-z+/_-]{0,40}\d)[^\s\"',;)]{12,200}[\"']"
).finditer
_KEYED = ("sign", "hmac", "jwt", "fernet", "cipher", "key")
_SIGNED = re.compile(r"(?:sign|hmac|jwt|fernet|cipher|key|aes)[\w.:>-]{0,24}\Z").search


def shows_session(low: str) -> bool:
    """Return True if a text in lower case may have such a call. On the hot path."""
    if "(" not in low or ('"' not in low and "'" not in low):
        return False
    return any(_OPENED(low, max(0, one.start() - 16), one.start()) for one in _OPENS(low)) or (
        any(word in low for word in _KEYED)
        and any(_SIGNED(low, max(0, one.start() - 32), one.start()) for one in _SIGNS(low))
    )
