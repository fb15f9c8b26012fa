"""Secrets as arguments of a call, in any language: what opens a session, and what signs or encrypts.

``connect("host", "user", "…")``: a call's name says that a password comes, and its place among the strings, which one
it is. ``sign(claims, "…")``, ``hmac.New(sha256.New, []byte("…"))``: the string is the key.
"""

import re
from collections.abc import Callable

from rawr.journal.guess import Sure, guess, is_scrambled
from rawr.journal.names import is_reference
from rawr.journal.rules.rule import VALUE, Finder, Found, Pattern, Rule, secret_of
from rawr.journal.values import is_irregular

_STRING = r"[rbuf@]?\\*[\"'][^\"'\\\r\n]{0,120}\\*[\"']"
_NAMED = r"(?:\w{1,24}[ ]?(?:=>|[:=])[ ]?)?"
_QUOTED = rf"[rbuf@]?(?=\\*[\"']){VALUE}"
_PLAIN = r"[&$*@]?[\w.:>-]{1,60}(?:\(\))?(?:[ ]?\|\|?[ ]?\w{1,30}){0,2}"
_ARGUMENT = rf"{_NAMED}(?:{_STRING}|{_PLAIN})"
_COMMA = r"[ ]?,\s{0,24}"
_FREE = "gmail|smtp|imap|ftp|ssh|sftp|mqtt|mail|ldap|wifi"


def _is_made_up(found: Found) -> bool:
    """Behind a call that has a password in this place, and nothing else."""
    secret = secret_of(found)
    return not is_reference(secret) and (guess(secret) >= Sure.MAYBE or is_scrambled(secret) or _is_key(secret))


def _is_likely(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (guess(secret) >= Sure.LIKELY or is_scrambled(secret))


_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})")


def _is_key(secret: str) -> bool:
    return len(secret) >= 16 and (is_irregular(secret) or _HEX.fullmatch(secret) is not None)


def _signs(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (_is_key(secret) or guess(secret) is Sure.CERTAIN)


def _call(names: str, before: str, kind: str, judge: Callable[[Found], bool], *clues: str) -> Rule:
    return Rule(kind, clues, Pattern(rf"(?i:{names})\(\s{{0,24}}{before}{_NAMED}{_QUOTED}(?=[ ]?[,)\r\n\\])"), judge)


RULES: tuple[Finder, ...] = (
    # DBI->connect("dsn", "user", "…"), mysqli_connect("host", "user", "…")
    _call(
        r"DBI->connect(?:_cached)?|Drivermanager\.getConnection|mysqli?_p?connect|new[ ]mysqli|pymysql\.connect"
        r"|MySQLdb\.connect|oci_p?connect|odbc_p?connect|ibase_connect|cx_Oracle\.connect|oracledb\.connect"
        r"|sybase_connect|mssql_connect|dbConnect|Database\.connect|Sequel\.connect|createConnection|new[ ]PDO"
        r"|ldap_bind|OCILogon",
        rf"{_ARGUMENT}{_COMMA}{_ARGUMENT}{_COMMA}",
        "password",
        _is_made_up,
        *("connect", "getconnection", "mysqli", "new pdo", "ldap_bind", "logon"),
    ),
    # WiFi.begin("net", "…"), smtp.login("user", "…")
    _call(
        r"wi-?fi(?:multi|client)?(?:\.|->|::)(?:begin(?:AP)?|connect|addAP|softAP)|wlan\.connect|sta(?:_if)?\.connect"
        r"|softAP|addAP"
        rf"|(?:{_FREE}|client|server|session|conn(?:ection)?|[msf])\w{{0,8}}(?:\.|->|::)(?:login|auth(?:enticate)?|basic_?auth)"
        r"|ftp_login|ssh2_auth_password|requestAccessToken|imap_open|PasswordAuthentication|UsernamePassword(?:Credentials|Token|AuthenticationToken)?",
        rf"(?:{_ARGUMENT}{_COMMA}){{1,2}}",
        "password",
        _is_likely,
        *("wifi", "wlan", "sta", "softap", "addap", "login", "auth", "imap_open", "usernamepass"),
    ),
    # any connect("host", 22, "user", "…"), behind another string
    _call(
        r"(?:connect|log_?in|sign_?in|log_?on|dial|open|begin|auth(?:enticate)?|bind|credentials|basic_?auth|getconnection"
        r"|plainauth|session)",
        rf"(?:{_ARGUMENT}{_COMMA}){{0,4}}{_NAMED}{_STRING}{_COMMA}",
        "password",
        _is_likely,
        *("connect", "login", "log_in", "signin", "sign_in", "logon", "dial", "open", "begin", "auth", "bind"),
        *("credentials", "session"),
    ),
    # SignedString([]byte("…")), hmac.new(b"…", …), jwt.sign(claims, "…")
    Rule(
        "key",
        ("sign", "hmac", "jwt", "keyfor", "keyspec", "fernet", "aes", "securitykey", "cipher", "crypt"),
        Pattern(
            r"(?i:\bsign(?:ed(?:string|with)?|with|ature|er)?|verify|hmac\w{0,24}|hash_hmac|hmac(?:\.|::)\w{1,16}|createhmac"
            r"|jwt(?:\.|::|->)\w{1,16}|\w{0,12}keyfor|secretkeyspec|fernet|aes\w{0,8}(?:\.|::)\w{1,12}"
            r"|\w{0,12}securitykey|create(?:de)?cipher\w{0,3}|aes\w{0,12}|(?:en|de)codingkey::from_secret|secretbox)\("
            rf"(?:[^()\"'\r\n]{{0,60}}|\\*[\"'](?i:[a-z]{{2,6}}-?\d{{1,3}}[\w-]{{0,12}})\\*[\"'],[ ]{{0,4}}(?:\$?\w{{1,30}},[ ])?"
            rf"|\{{[^{{}}\r\n]{{0,160}}\}},[ ]{{0,4}})"
            rf"(?:[\w.\[\]<>]{{0,40}}(?:\(\s{{0,8}}|[ ]))?{_QUOTED}"
        ),
        _signs,
    ),
)

_OPENS = re.compile(
    r"\((?<=(?:ct|in|on|al|th|te|en|nd|do|li|ap|ns|ls|rd|ic|ed)\()"
    r"[^();]{1,240}?,(?:\s|\\n){0,24}[^\"',()]{0,24}[\"'](?=[^\s\"']{6})"
).search
_KEY_COMES = r"[^\r\n\"']{0,24}\([^\r\n]{0,160}?[\"'](?=[^\s\"']{0,40}\d)[^\s\"']{8}"
_SIGNS = tuple(re.compile(word + _KEY_COMES).search for word in ("sign", "hmac", "jwt", "cipher", "key(?:for|spec)", "fernet"))


def shows_session(low: str) -> bool:
    """Return True if a text in lower case may have such a call. On the hot path."""
    if "(" not in low or ('"' not in low and "'" not in low):
        return False
    return _OPENS(low) is not None or any(search(low) for search in _SIGNS)
