"""The cheap check that clears most texts of holding a secret, before any rule is tried.

It may err in one direction only: anything that a rule would find must pass. It knows clues, never verdicts.
"""

# ruff: noqa: RUF001 - signs of other languages that look like ours

import re
from collections.abc import Iterable

from rawr.journal.colours import COLOUR, apart, joined
from rawr.journal.names import ENDINGS, SUFFIXES
from rawr.journal.rules import (
    OPTIONS,
    Chosen,
    aligned,
    below,
    commands,
    habits,
    hints,
    is_command,
    labels,
    revealed,
    rules_for,
    sessions,
    settings,
    traces,
)
from rawr.journal.rules.positions import SECOND_WORDS
from rawr.journal.rules.rule import behind
from rawr.journal.rules.stems import Stems

_SUFFIX = rf"(?:[_-]?(?:\d{{1,3}}|{SUFFIXES}))?"
# Signs that a value follows a telling name: an operator, the end of a tag or of a cell, "is".
_ASSIGNED = (
    rf"{_SUFFIX}(?:[\\\"']{{0,40}}\]?(?:\s{{0,100}}(?:[:=<>]|,(?=[\w\"'\\]))|\\{{1,40}}[nrt]|[;|\t\r\n])"
    r"|\\*[\"']\s{1,8}value|\\*[\"']\s{0,8}[,{]|\((?=\\*[\"'])| (?:is|was|\|\||\?\?) |s\\*[\"']?\s{0,8}[:=]\s{0,8}[\[{]"
    r"| \\*[\"'`]| {1,40}(?:\||\\{1,40}[nr]|[\r\n])"
    r"|%(?:25){0,3}3d|\\+(?:u003|x3)d"
    # What people write: an arrow, a bracket, a quote, columns; and for whom it is.
    r"|[*`]{0,2}[ ]{0,3}(?:[\[(`:：→–—「【«„“‘|]|->)[ *`]{0,3}(?=\S{0,30}\d)|[ ]{2}"
    r"|[ ](?:for|of|to|\()[^\r\n:：\"']{1,50}[:：][ ]?(?=\S{0,30}\d)\S{6})"
)

# Each pattern begins with a letter, which ``re`` finds quickly. All that begin with the same letter share a pattern:
# every further one costs as much as a search for a dozen single characters.

# -- names, in a text without capitals -------------------------------------------------------------------------------

_K = re.compile(
    rf"k(?:e[yn]{_ASSIGNED}|ey \d{{1,2}} ?:|::(?<=add-mask::)|(?<=psk)(?:{_ASSIGNED}|\s)|ies?(?:{_ASSIGNED}|[\s=])"
    r"|ey(?: block)? ?-|s\.(?:slack|zapier)|s/\d|b2/"
    r"|ey (?:\(|v1)|ty\\*[\"'])"
).search
_PASS = re.compile(
    r"ss(?:w|ph|ord|code|e(?<=de passe)|(?:(?<=[\n\">]pass)|(?<=\\npass)|(?<=> pass)) \S{4,64}(?:[\n\\\"'r]|\Z)"
    rf"|(?<=requirepass)[ \t]|(?<=pass)(?!\\?[\r\nn;]){_ASSIGNED}"
    r"|(?:(?<=[\w,;|\t]pass)|(?<=[ ][ ]pass))(?=\\*[\"']?(?:\\*r?\\*n|[\r\n])))"
).search
_SECRET = re.compile(rf"ec(?:ret(?:{_ASSIGNED}|(?<=server secret)|(?<=kind: secret))|urestring)").search
_W = re.compile(rf"w(?:(?<=pw)d?{_ASSIGNED}|(?<=rootpw) |ifi:[ts]:|ort(?<=kennwort)|oord(?<=wachtwoord))").search
_AUTH = re.compile(
    r"uth(?:oriz|(?<=masterauth)[ \t]| (?:plain|login|xoauth2) "
    r"|(?:(?<=[\n\"'>]auth)|(?<=> auth)|(?<=\\nauth)) \S{1,64}(?: \S{4,64})?(?:[\n\\\"'r]|\Z)"
    rf"|{_ASSIGNED})"
).search
_CREDENTIAL = re.compile(rf"redentials?{_ASSIGNED}").search
_BEARER = re.compile(r"bearer\s").search
_SET = re.compile(
    rf"set(?:x|env|\s+-[a-z]{{1,4}}|(?<![\w.-]set)|(?<=\\nset))\s+\\*[\"']?[^\s\"'=]{{0,120}}?{ENDINGS}{_SUFFIX}\\*[\"']?\s"
).search

_ENV = re.compile(rf"env +[\w.-]{{0,80}}?{ENDINGS}{_SUFFIX} ").search
_INSERT = re.compile(rf"into\s{{1,40}}[^\s(]{{1,128}}\s{{0,40}}\([^()]{{0,2000}}?{ENDINGS}").search

# -- lines and sentences; a pattern that begins with a blank is fast ------------------------------------------------


def _grouped(patterns: Iterable[str]) -> str:
    """Alternatives by their first characters: most places are told from all of them by one look."""
    by_first: dict[str, list[str]] = {}
    for one in sorted(patterns):
        by_first.setdefault(one[0], []).append(one[1:])
    groups = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return f"(?=[{''.join(by_first)}])(?:{groups})"


_LINES = {
    r"/(?:r?p|pass|password|d)[: ]",
    r"/ \S{0,64}?[a-z][-_.]?\d",
    r"with \\{0,2}[\"'`]?(?=\S{0,40}\d)\S{8,}",
    "setuser ",
    "community ",
    "isakmp key ",
    "key(?:-string | content)",
    "psksecret ",
    r"psk \\{0,4}[\"']",
    "wpa-psk ",
    "enable secret ",
    r"secret \d ",
    r"password \d ",
    r"key \d ",
    "pre-shared-key ",
    "shared-key ",
    "authentication-key ",
    r"login \S{1,64} \S{4,64}(?:[\\\"']|\Z)",
    "file: (?<=add file: )",
    "rasdial ",
    r"cryptsetup (?<=\| cryptsetup )",
    r"cryptsetup (?<=sudo cryptsetup )",
    "secret (?<=wrangler secret )",
    "secrets (?<=gcloud secrets )",
    "show (?<=pass show )",
    "identify (?<=nickserv identify )",
    r"pin(?: code)?(?: \S{1,20}){0,5}?(?: is| was|:) (?:now )?\d{4}",
    r"value: (?<=new value: )\S{12}",
    "codes(?:(?<=recovery codes)|(?<=backup codes)|(?<=scratch codes))",
}
"""Words in lines that are known as a whole."""
_OTHER_LINES = (
    "radtest ",
    "saslpasswd2 ",
    "smbpasswd ",
    "doveadm ",
    "ldappasswd ",
    "mkpasswd ",
    "oathtool ",
    "mosquitto_passwd ",
    "rootpw ",
)
_OTHER_WORDS = ("passw", "passph", "passc", "passord", "pass phrase", "kodeord")
"""In these, the letters of a name are found."""
_AFTER_BLANK = re.compile(" " + _grouped(_LINES | SECOND_WORDS)).search
_FILE = rf"[\w./~${{}}-]{{0,80}}?{ENDINGS}[\w.]{{0,8}}(?![\w-])"
_TO_FILE = re.compile(rf"> {{0,2}}{_FILE}").search
_BY_TEE = re.compile(rf" tee (?:-a )?{_FILE}").search
_MAIL = re.compile(r"@[\w.-]{1,100}:[^\s/]{4}").search
_AT_HOST = re.compile(r":[^\s/@:\"'`\\]{6,128}@[\w\[]").search
_CALL = re.compile(
    r"\((?<=[nhso]\()(?:(?<=pdo\()|(?<=login\()|(?<=connection\()|"
    r"(?<=auth\()|(?<=credentials\()|(?<=authentication\())[^()\r\n]{2,200}[\"']"
).search
_HINTS = Stems((*hints.HINTS, *revealed.HINTS, *commands.HINTS, *settings.HINTS, *habits.HINTS, *below.HINTS))
_SALT = re.compile(r"_salt\\*[\"'],").search

# -- tokens ----------------------------------------------------------------------------------------------------------

_SIGNED = re.compile(
    r"=(?:(?<=sig=)|(?<=nature=|_CREDS=)|(?<=_JWT=|_PAT=)|(?<=_SEED=)|(?<=SESSION=|_COOKIE=)|(?<=sonar\.login=))"
).search
_A = re.compile(
    r"A(?:[KS]IA[A-Z0-9]|(?<=4/0A)[\w-]{30}|BIA[A-Z0-9]|CCA[A-Z0-9]|(?<=:A)[\w-]{30}|L(?<=[0-9a-fA-F]NRAL)|ZDO[A-Za-z0-9]{4}|Iza|QVN|KCp|TBB[A-Za-z0-9]|3-[A-Z0-9]|T[AC]TT3|TTA[A-Za-z0-9]{30}|K(?:ID|LT)[A-Za-z0-9]{30}|"
    + behind("A-Za-z0-9+/", then="A")
    + r"A{20}[A-Za-z0-9%]{30}|BSK|(?<=LTA)I)"
).search
_E = re.compile(r"E(?:AA[A-Z0-9][\w-]{40}|Z[AT]K[A-Za-z0-9]|(?:\t|\\+t)/)").search
_J = re.compile(r"J(?:(?<=eyJ)|Ti(?<=CRUdJTi))").search
_CAPITAL_S = re.compile(r"S(?:(?<=[{]S)S?HA(?:\d{3})?[}]|G\.[\w-]{16}|K[0-9a-fA-F]{32}|CW[A-Z0-9]{17})").search
# The lookbehinds run only if enough characters follow, and those of one length share one.
_UNDERSCORE = re.compile(
    r"_(?:(?=[\w+/.=-]{16})(?:(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{16}|(?<=gh[pousr]_|fo1_|fm[12]_|tkn_|tfp_|glc_|_v1_|VNS_)"
    r"|(?<=_pat_|fm[12][ar]_|fig[dour]_)|(?<=oauth_|whsec_)|(?<=sntry._|ale_pw_|l_live_|l_test_|secret_)|(?<=dckr_.at_))"
    r"|(?<=k_live_|k_test_|k_prod_)|(?<=D_)SECRET\])"
).search
_DASH = re.compile(
    r"-(?:(?=\w)|(?=-)(?<=[A-Za-z]-))(?:(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{16}|us\d|(?<=\d-)\d{6}-\d{6}|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{8}(?!-)|[0-9a-f]{4}-)|Lines:"
    r"|(?<=[k-tUTX]-)(?=[\w-]{8})(?:(?<=sk-)[\w-]{16}|(?<=xox[a-z]-)|(?<=xapp-)|(?<=gl.t-)|(?<=gl..t-)|(?<=gl...t-)|(?<=gl....t-)"
    r"|(?<=glrtr-)|(?<=gloas-)|(?<=nvapi-)|(?<=pypi-)|(?<=HRKU-)|(?<=sq0[a-z]{3}-)|(?<=CFPAT-)|(?<=GOCSPX-))"
    r"|(?<=[ei]-)(?=[\w-]{16})(?:(?<=xoxe-)|(?<=nvapi-)|(?<=pypi-))|(?<=xox[a-j]-)|(?<=fio-u-))"
).search
_FLAG = re.compile(rf"--(?:(?=[a-z])[\w-]{{0,40}}?(?:{ENDINGS}|cookie)(?!\w)|from-lit|h?totp )").search
_DOT = re.compile(
    r"\.(?:(?=[\w-]{16})(?:(?<=hv[bsr]\.)|(?<=1000\.)|(?<=10000\.)|(?<=ya29\.|asv1\.|sl\.u\.)|(?<=sl\.)"
    + behind("A-Za-z0-9", then=r"sl\.")
    + r"|(?<=dt0.\d\d\.)|[0-9a-fA-F]{64}|(?<=[^A-Za-z0-9][sbr]\.)[A-Za-z0-9]{24}(?![A-Za-z0-9])"
    r"|[\w-]{22}\.[A-Za-z0-9]{24}\.)|[\w-]{6}\.[\w-]{27}|(?<=dp\.)[a-z]{2,5}\.|(?<=snyk_...\.))"
).search
_TILDE = re.compile(r"~(?:(?<=sha256~)|(?<=\dQ~))[\w.~-]{30}").search
_DOLLAR = re.compile(
    r"\$(?:y|gy|[156]|2[aby]|argon2\w{1,2}|[a-z]+|\d{4,6}:[A-Za-z0-9+/=]+)\\*\$[./A-Za-z0-9$=,+\\]{16}"
).search
_URL = re.compile(r"://[^\s\"'<>\\]{1,600}@").search
_KEYSTORE = re.compile(r"\+7Q(?<=/u3\+7Q)").search
_ASANA = re.compile(r"/\d{13,20}:[0-9a-fA-F]{32}").search
_DATABRICKS = re.compile(r"dapi[0-9a-fA-F]{32}").search
_NUGET = re.compile(r"oy2[a-z0-9]{43}").search
_WALLET = re.compile(r"prv[1-9A-HJ-NP-Za-km-z]{107}").search
_CRATES = re.compile(r"cio[A-Za-z0-9]{32}").search

# -- command lines, cards, words -------------------------------------------------------------------------------------

_OPTIONS = re.compile(rf"-(?:(?<=[\s\"']-)|(?<=\\n-))(?:{OPTIONS}|S)").finditer
_WINDOWS = re.compile(r" /(?:[rR]?[pP]|[pP]ass|[pP]assword|d)[: ]").search
_REACH = 440
"""How far before an option a rule looks for the program."""
_CARD = re.compile(r"[2-6]\d{3}(?:\d{11,12}|[ -]\d{6}[ -]\d{5}|[ -]\d{4}[ -]\d{4}[ -]\d{4})").search
_TWELVE = r"(?:[a-z]{3,8}+ ){11}+[a-z]{3}"
_FIRST_WORDS = re.compile(rf" *{_TWELVE}").match
_QUOTED_WORDS = re.compile(rf"\"{_TWELVE}").search
_NAMED_WORDS = re.compile(rf": {_TWELVE}").search
_SINGLE_QUOTED_WORDS = re.compile(rf"'{_TWELVE}").search
_SPELLED_WORDS = re.compile(rf"\\(?:[a-z]|[0-7x][0-9a-fA-F]{{0,2}}+|u[0-9a-fA-F]{{4}}){_TWELVE}").search
_PERCENT_WORDS = re.compile(rf"%[0-9a-fA-F]{{2}}{_TWELVE}").search
_PLACEHOLDER_OR_COLOUR = re.compile(rf"\[(?:redacted:|quoted-|{COLOUR})").search

# Few texts have as many digits as a card; with all digits as "0" and everything else as ".", three searches tell.
_DIGITS = bytes(48 if chr(code).isdigit() else 46 for code in range(128)) + b"." * 128
_RUN, _FOURS, _SIXES = b"0" * 13, b"0000.0000.0000.0000", b"0000.000000.00000"


def may_hold_secret(text: str) -> bool:
    """False clears a text. True means little more than that a name is followed by a value.

    On the hot path, for every fact and frame.
    """
    if "[" in text and (found := _PLACEHOLDER_OR_COLOUR(text)):
        return len(found[0]) > 1 or _look(joined(text).text) or _look(apart(text).text)
    return _look(text)


def rules_to_try(text: str) -> Chosen:
    """The rules for a text that was not cleared, without colours."""
    runs, low = _shows_run(text), text.lower()
    hinted, number = _HINTS.seen(low), hints.shows_number(low)
    return rules_for(
        tokens=runs or _shows_token(text),
        options=_shows_option(text) or _WINDOWS(text) is not None,
        runs=runs,
        places=_shows_line(low) or any(word in low for word in _OTHER_LINES),
        sentences=number or hinted or any(word in low for word in _OTHER_WORDS),
        labels=labels.shows_label(low),
        shown=hinted
        or revealed.shows_more(low)
        or below.shows_below(low)
        or aligned.shows_columns(low)
        or traces.shows_trace(low),
        settled=number
        or hinted
        or settings.shows_setting(low)
        or commands.shows_pair(low)
        or habits.shows_habit(low)
        or sessions.shows_session(low),
    )


def _look(text: str) -> bool:
    return _shows_name(text.lower()) or _shows_token(text) or _shows_option(text) or _shows_run(text)


def _shows_name(low: str) -> bool:
    return bool(
        _K(low)
        or _PASS(low)
        or _SECRET(low)
        or _W(low)
        or _AUTH(low)
        or _CREDENTIAL(low)
        or _BEARER(low)
        or ("set" in low and _SET(low))
        or ("@" in low and (_URL(low) or "oracle:" in low or "sqlplus" in low or "rman " in low))
        or ("--" in low and _FLAG(low))
        or ("*" in low and ":*:" in low)
        or ":5432:" in low
        or ":::" in low
        or ("env " in low and _ENV(low))
        or ("insert" in low and _INSERT(low))
        or "identified " in low
        or _shows_line(low)
        or _HINTS.seen(low)
        or hints.shows_number(low)
        or settings.shows_setting(low)
        or revealed.shows_more(low)
        or commands.shows_pair(low)
        or habits.shows_habit(low)
        or sessions.shows_session(low)
        or below.shows_below(low)
        or ("_salt" in low and _SALT(low) is not None)
    )


def _shows_line(low: str) -> bool:
    return bool(
        _AFTER_BLANK(low)
        or _CALL(low)
        or ("@" in low and (_MAIL(low) or _AT_HOST(low)))
        or (("echo " in low or "<<" in low) and (_TO_FILE(low) or "<<<" in low or (" tee " in low and _BY_TEE(low))))
    )


def _shows_token(text: str) -> bool:
    return bool(
        ("_" in text and _UNDERSCORE(text))
        or ("-" in text and _DASH(text))
        or ("." in text and _DOT(text))
        or ("A" in text and _A(text))
        or ("E" in text and _E(text))
        or ("J" in text and _J(text))
        or ("S" in text and _CAPITAL_S(text))
        or ("~" in text and _TILDE(text))
        or ("=" in text and _SIGNED(text))
        or ("$" in text and _DOLLAR(text))
        or ("+" in text and _KEYSTORE(text))
    )


def _shows_option(text: str) -> bool:
    """True if an option follows one of the programs; ``_LINES`` has those of Windows."""
    if "-" not in text:
        return False
    done = 0
    for found in _OPTIONS(text):
        if is_command(text[max(done, found.start() - _REACH) : found.start()]):
            return True
        done = found.start()
    return False


def _has_long_number(text: str) -> bool:
    digits = text.encode(errors="replace").translate(_DIGITS)
    return _RUN in digits or _FOURS in digits or _SIXES in digits


def _shows_run(text: str) -> bool:
    if text.count(" ") >= 11 and (
        _QUOTED_WORDS(text)
        or _FIRST_WORDS(text)
        or (": " in text and _NAMED_WORDS(text))
        or ("'" in text and _SINGLE_QUOTED_WORDS(text))
        or ("\\" in text and _SPELLED_WORDS(text))
        or ("%" in text and _PERCENT_WORDS(text))
    ):
        return True
    return bool(
        (_has_long_number(text) and (_CARD(text) or _ASANA(text)))
        or "1//0" in text
        or ("prv" in text and _WALLET(text))
        or ("dapi" in text and _DATABRICKS(text))
        or ("oy2" in text and _NUGET(text))
        or ("cio" in text and _CRATES(text))
    )
