"""The cheap looks that clear most texts of holding a secret, before any rule is tried.

They may be wrong in one direction only: what a rule would find must pass both. They know clues, never verdicts.
"""

import re

from rawr.journal.colours import COLOUR, coloured, joined
from rawr.journal.names import ENDINGS

_ASSIGNED = r"(?:[_-]?\d{1,3})?\\*[\"']?\s*[:=]"

_SMALL_K = re.compile(rf"k(?:e[yn]|-|_(?:live|test)_|s\.slack|s/\d|ie{_ASSIGNED}|ie[\s=])").search
_SMALL_S = re.compile(rf"s(?:s(?=[^a-gi-oq-vx-z])(?:w|ph|hpass|(?<=[Pp][Aa]ss){_ASSIGNED})|ecret|\.(?<=hvs\.))").search
_SMALL_G = re.compile(r"g(?:h[pousr]_|ithub_pat_|l(?:pat|dt|rt|ptt|cbt|soat)-|nature=|=(?<=sig=))").search
_CAPITAL_A = re.compile(r"A(?:SIA|(?<=:A)[\w-]{30})").search
_CAPITAL_K = re.compile(r"K(?:E[YN]|IA|IE|ey)").search
_CAPITAL_S = re.compile(rf"S(?:ecret|ECRET|S(?:W|PH|(?<=[Pp][Aa]SS){_ASSIGNED})|G\.)").search
_BEARER = re.compile(r"B(?:earer|EARER)").search
_PLACEHOLDER_OR_COLOUR = re.compile(rf"\[(?:redacted:|quoted-|{COLOUR})").search
_SLACK = re.compile(r"xox[a-z]").search
_AUTHORIZATION_OR_GOOGLE = re.compile(r"z(?:(?<=oriz)|(?<=AIz))").search
_DASHED = re.compile(r"-(?:[upkK](?<=[\s\"']-.)|-user|(?<=pypi-))").search
_UNDERSCORED = re.compile(
    r"_(?:P(?:ASS|WD)|p(?:ass|wd)|AUTH|auth|CRED|cred|(?<=hf_)[A-Za-z0-9]{16}|(?<=npm_)[A-Za-z0-9]{16}"
    r"|v1_(?<=do[opr]_v1_)|(?<=whsec_)[A-Za-z0-9+/_-]{16})"
).search


def may_hold_secret(text: str) -> bool:
    """False clears a text. True means little: a word such as "token" is enough.

    On the hot path, for every fact and frame. Looking for one character takes next to nothing, so a rare one that all
    matches of a rule must hold goes first; the few patterns left begin with a fixed letter, which ``re`` finds quickly,
    and share it, because each further pattern costs as much as all the single characters together.
    """
    return bool(
        _SMALL_K(text)
        or _SMALL_S(text)
        or _SMALL_G(text)
        or ("-" in text and _DASHED(text))
        or ("_" in text and _UNDERSCORED(text))
        or ("K" in text and _CAPITAL_K(text))
        or ("J" in text and "eyJ" in text)
        or ("z" in text and _AUTHORIZATION_OR_GOOGLE(text))
        or ("x" in text and _SLACK(text))
        or ("@" in text and "://" in text)
        or ("A" in text and _CAPITAL_A(text))
        or ("B" in text and _BEARER(text))
        or ("S" in text and _CAPITAL_S(text))
        or ("W" in text and "PWD" in text)
        or ("Z" in text and "AUTHORIZATION" in text)
        or ("[" in text and _PLACEHOLDER_OR_COLOUR(text))
    )


_LIKELY = [
    re.compile(pattern).search
    for pattern in (
        # Case by case, because a pattern that ignores it cannot be looked for by its first letter.
        rf"k(?:ey|en){_ASSIGNED}",
        rf"K(?:EY|EN|ey){_ASSIGNED}",
        rf"ss(?<=[Pp][Aa]ss)(?:word|wd|phrase)?{_ASSIGNED}",
        rf"SS(?<=[Pp][Aa]SS)(?:WORD|WD|PHRASE)?{_ASSIGNED}",
        rf"ecret{_ASSIGNED}",
        rf"ECRET{_ASSIGNED}",
        rf"P(?:WD|wd){_ASSIGNED}",
        rf"pwd{_ASSIGNED}",
        rf"UTH{_ASSIGNED}",
        rf"uth{_ASSIGNED}",
        rf"REDENTIALS?{_ASSIGNED}",
        rf"redentials?{_ASSIGNED}",
        rf"ookie{_ASSIGNED}",
        rf"OOKIE{_ASSIGNED}",
        rf"--[\w-]{{0,40}}(?i:{ENDINGS}|cookie)",
        r"sshpass\W",
        r"curl\W",
        r"mysql",
        r"mariadb",
        r"login[\s\\\"]",
        r"htpasswd\W",
        r"openssl\W",
        r"do[opr]_v1_\w",
        r"whsec_\w",
        r"sk-[\w-]{16}",
        r"k_(?:live|test)_\w",
        r"gh[pousr]_\w",
        r"github_pat_",
        r"gl[a-z]{2,4}-[\w.-]",
        r"hf_[A-Za-z0-9]{16}",
        r"npm_[A-Za-z0-9]{16}",
        r"pypi-[\w-]",
        r"SG\.[\w-]",
        r"hvs\.[\w-]",
        r"slack\.com/",
        r"webhooks/\d",
        r":A[\w-]{30}",
        r"AGE-SECRET",
        r"xox[a-z]-",
        r"A[KS]IA[A-Z0-9]",
        r"AIza[\w-]",
        r"eyJ[\w-]",
        r"PRIVATE KEY",
        r"Bearer\s",
        r"BEARER\s",
        r"uthorization\W",
        r"UTHORIZATION\W",
        r"ig(?:nature)?=",
        r"://[^\s/]*@",
        r"redacted:",
    )
]


def likely_holds_secret(text: str) -> bool:
    """The second look, at the few texts that the first did not clear: still no verdict, and much rarer."""
    seen = joined(text).text if coloured(text) else text
    return any(search(seen) for search in _LIKELY)
