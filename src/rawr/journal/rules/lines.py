"""Secrets that are known by the line they stand in: a protocol's, a label of a program's output, a file's content."""

import re
from collections.abc import Iterator

from rawr.journal.guess import Sure, guess
from rawr.journal.names import classify, is_reference
from rawr.journal.rules.rule import (
    LINE_END,
    VALUE,
    Finder,
    Found,
    Pattern,
    Rule,
    Span,
    behind,
    is_literal,
    secret_of,
)
from rawr.journal.values import is_digest_or_uuid, is_irregular, is_mixed, is_path, looks_made_up, looks_random

_BEGINS = r"(?:\A|[\r\n\"'`>:]|\\n)[ \t]{0,8}"
_ENDS = r"(?=[ \t]*(?:\Z|[\r\n\"'`]|\\+[nr\"']))"


def _is_made_up(found: Found) -> bool:
    secret = secret_of(found)
    return (is_mixed(secret) or guess(secret) >= Sure.LIKELY) and not is_reference(secret)


def _is_random(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and (looks_random(secret) or is_digest_or_uuid(secret))


def _is_key_of_aws(found: Found) -> bool:
    """Forty characters of base64, which no checksum is: those have no capitals beside small letters."""
    secret = found["secret"]
    told = any(map(str.isdigit, secret)) or "ecret" in found[0][: -len(secret)]
    return secret.lower() != secret != secret.upper() and told


def _is_chance(found: Found) -> bool:
    secret = secret_of(found)
    return not is_reference(secret) and len(secret) >= 16 and (is_irregular(secret) or is_digest_or_uuid(secret))


def _is_jumbled(found: Found) -> bool:
    secret = secret_of(found)
    return is_irregular(secret) and is_mixed(secret) and not is_reference(secret)


def _is_of_file(found: Found) -> bool:
    return classify(found["file"]) is not None and (_is_jumbled(found) or _is_random(found) or _is_hex(found))


def _is_hex(found: Found) -> bool:
    return _HEX.fullmatch(secret_of(found)) is not None


def _is_shown(found: Found) -> bool:
    return looks_made_up(secret_of(found)) or _is_random(found)


def _is_set(found: Found) -> bool:
    secret = secret_of(found)
    return (
        classify(found["name"]) is not None
        and not is_reference(secret)
        and (looks_made_up(secret) or is_irregular(secret))
    )


def _is_in_row(found: Found) -> bool:
    promise, secret = classify(found["name"]), secret_of(found)
    if promise is None or promise[1] != "strong" or is_reference(secret) or is_path(secret):
        return False
    return looks_made_up(secret) if promise[0] == "password" else is_irregular(secret) and looks_random(secret)


def _is_told(found: Found) -> bool:
    return (looks_made_up(secret_of(found)) or guess(secret_of(found)) >= Sure.LIKELY) and not is_reference(
        secret_of(found)
    )


_DOMAIN = re.compile(r"(?:\A|[\s\"'=])[\w.-]{1,64}/[\w.$-]{1,64}\Z")


def _has_domain(found: Found) -> bool:
    return _DOMAIN.search(found.string, max(0, found.start() - 140), found.start()) is not None


_HEX = re.compile(r"[0-9a-f]{32,128}")
_ANNOUNCED = re.compile(r"(?:assword|asswort|token|[sS]ecret|[kK]ey)[^\r\n\\:]{0,80}\Z")


def _is_announced(found: Found) -> bool:
    secret, start = secret_of(found), found.start()
    irregular = is_irregular(secret) or is_digest_or_uuid(secret) or _HEX.fullmatch(secret) is not None
    return irregular and _ANNOUNCED.search(found.string, max(0, start - 100), start) is not None


_OWNERS = [
    "unseal",
    "recovery",
    "root",
    "master",
    "secret",
    "access",
    "private",
    "registration",
    "activation",
    "backup",
    "api",
    "signing",
    "encryption",
    "license",
    "licence",
    "security",
    "device",
    "app",
    "bot",
    "client",
    "shared",
    "account",
]
_BEHIND_OWNER = "|".join(f"(?<=(?i:{owner})[ ])" for owner in _OWNERS)
_NAMED_FILE = (
    r"[\\\"']{0,4}(?:[\w~.${}-]{0,60}/){0,12}(?P<file>[\w.-]{1,80}?)(?:\.(?:txt|b64|enc|conf|tmp))?(?=[\s\"'\\;&|]|\Z)"
)
_CONTENT = r"(?P<secret>[^\s\"'`\\<>|;&]{4,4096})"
_WRITTEN = (
    # echo … > master.key
    Pattern(
        r"(?:echo|printf)[ ]+(?:-[neE]+[ ]+)?(?:\\*[\"']?%s(?:\\+n)?\\*[\"']?[ ]+)?\\*[\"']?"
        rf"{_CONTENT}(?:\\+n)?\\*[\"']?"
        rf"[ ]*(?:>{{1,2}}|\|[ ]*(?:sudo[ ]+)?tee(?:[ ]+-a)?[ ])[ ]*{_NAMED_FILE}"
    ),
    # cat > master.key <<EOF
    Pattern(
        rf"(?:>{{1,2}}|\btee[ ](?:-a[ ])?)[ ]*{_NAMED_FILE}[\"']?[ ]*<<-?[ ]*\\*[\"']?\w{{1,20}}\\*[\"']?"
        rf"{LINE_END}{_CONTENT}{LINE_END}"
    ),
    # a patch with a new file
    Pattern(rf"(?:Add|Update)[ ]File:[ ]{_NAMED_FILE}{LINE_END}(?:@@[^\r\n]*{LINE_END})?\+{_CONTENT}(?={LINE_END}|\Z)"),
)


class Written:
    """What is written to a file whose name tells of a secret: ``echo … > master.key``."""

    clues = ("echo ", "printf ", "<<", "d file: ", "update file: ")

    def meets(self, text: str) -> bool:
        return any(pattern.search(text) for pattern in _WRITTEN)

    def find(self, text: str) -> Iterator[Span]:
        done = 0
        for start, end in sorted(
            {found.span("secret") for one in _WRITTEN for found in one.finditer(text) if _tells(found)}
        ):
            if start >= done:
                done = end
                yield Span(start, end, "secret")


def _tells(found: Found) -> bool:
    secret = found["secret"]
    if classify(found["file"]) is None or is_reference(secret):
        return False
    return looks_random(secret) or is_mixed(secret) or is_digest_or_uuid(secret)


TOKEN_RULES: tuple[Rule, ...] = (
    # The secret key of AWS, behind the key that it belongs to.
    Rule(
        "key",
        ("akia", "asia", "redacted_secret"),
        Pattern(
            # Codex itself replaces the id.
            r"(?:(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|\[REDACTED_SECRET\])[\s\S]{1,160}?"
            + behind("A-Za-z0-9/+=_.-")
            + r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])"
        ),
        _is_key_of_aws,
    ),
    Rule(
        "secret",
        ("session=", "_jwt=", "_creds=", "_pat=", "_seed=", "_cookie="),
        Pattern(rf"=(?:(?<=SESSION=)|(?<=_JWT=|_PAT=)|(?<=_CREDS=)|(?<=_SEED=)|(?<=_COOKIE=)){VALUE}"),
        _is_chance,
    ),
)
"""For a text with something that looks like a token."""

LINE_RULES: tuple[Finder, ...] = (
    Written(),
    Rule(
        "password",
        (" login ",),
        Pattern(rf"{_BEGINS}[A-Za-z]{{1,4}}\d{{1,6}}[ ]LOGIN[ ]\S{{1,128}}[ ]{VALUE}{_ENDS}"),
        is_literal,
    ),
    Rule("password", (" setuser ",), Pattern(r"(?i:acl[ ]setuser)[ ][^\r\n]{0,200}?[ ]>(?P<secret>[^\s\"'`\\]+)")),
    # Key Content : …
    Rule(
        "password",
        ("key content", "schlüsselinhalt", "contenu de la clé", "contenido de la clave", "contenuto chiave"),
        Pattern(
            r"(?i:key content|schlüsselinhalt|contenu de la clé|contenido de la clave|contenuto chiave)[ ]{0,40}:[ ]"
            r"(?P<secret>[^\r\n\"\\]{1,64})"
        ),
    ),
    # A line for a mail server: where, who, and with which password.
    Rule(
        "password",
        ("@",),
        Pattern(
            r"(?:\]|\.[a-z]{2,12})(?::\d{2,5})?[ \t]+[\w.+-]{1,64}@[\w.-]{1,100}:(?P<secret>[^\s\"'`\\:]{4,128})"
            + _ENDS
        ),
        is_literal,
    ),
    # snmp-server community …, crypto isakmp key …
    Rule(
        "password",
        ("community ", "isakmp key ", "-key ", "key-string ", "secret ", "psk "),
        Pattern(
            r"(?i:community|isakmp key|pre-shared-key|shared-key|authentication-key|key-string|psksecret|wpa-psk"
            r"|(?<=[ :])psk|enable secret|shared-secret)[ ]"
            rf"(?:(?:\d|ENC|ascii|ascii-text|hex|md5|encrypted|plain-text)[ ])?{VALUE}"
        ),
        lambda found: guess(secret_of(found)) >= Sure.MAYBE or _is_told(found),
    ),
    # a bot that is told who speaks
    Rule(
        "password",
        ("nickserv",),
        Pattern(rf"(?i:nickserv[ ](?:identify|register|ghost))[ ](?:[\w-]{{1,32}}[ ])?{VALUE}{_ENDS}"),
        lambda found: _is_told(found) or _is_chance(found),
    ),
    # The PIN of the card is …
    Rule(
        "password",
        (" pin",),
        Pattern(
            r"[ ]PIN(?:[ ]code)?(?:[ ](?:of|for|to|on)(?:[ ][\w-]{1,20}){1,4}?)?(?:[ ](?:is|was)(?:[ ]now)?:?|:)[ ]"
            r"(?P<secret>\d{4,12})(?![\w-]|\.\d)"
        ),
    ),
    # New value: …
    Rule("password", ("new value: ",), Pattern(rf"[ ](?<=[nN]ew[ ])value:[ ]{VALUE}{_ENDS}"), _is_jumbled),
    # acme/bob:…@host
    Rule(
        "password",
        ("@",),
        Pattern(r":(?<=[\w.$-]:)(?P<secret>[^\s/@:\"'`\\]{6,128})@(?!sha\d|md5)(?=[\w\[])"),
        lambda found: _is_told(found) and _has_domain(found),
    ),
    # secret 0 …
    Rule(
        "password", ("secret ", "password ", "key "), Pattern(rf"[ ](?:secret|password|key)[ ]\d[ ]{VALUE}"), _is_told
    ),
)
"""For a text with one of the words that ``glance.py`` knows of them."""

RULES: tuple[Rule, ...] = (
    # AUTH default …
    Rule("password", ("auth ",), Pattern(rf"{_BEGINS}AUTH[ ](?:[\w.-]{{1,64}}[ ])?{VALUE}{_ENDS}"), _is_made_up),
    Rule(
        "authorization",
        ("auth plain", "auth login", "auth xoauth2", "authenticate plain"),
        Pattern(r"(?i:auth(?:enticate)?[ ](?:plain|login|xoauth2))[ ](?P<secret>[A-Za-z0-9+/]{8,}={0,2})"),
        _is_random,
    ),
    # USER bob, PASS …
    Rule(
        "password",
        ("pass ",),
        Pattern(rf"USER[ ]\S{{1,128}}?(?:{LINE_END})[\s\S]{{0,200}}?PASS[ ]{VALUE}{_ENDS}"),
        is_literal,
    ),
    # ConvertTo-SecureString "…"
    Rule(
        "password",
        ("securestring",),
        Pattern(rf"(?i:convertto-securestring[ ]+(?:(?:-string|-asplaintext|-force)[ ]+){{0,3}}){VALUE}"),
        is_literal,
    ),
    # $ cat config/master.key, and what it printed
    Rule(
        "secret",
        ("cat ",),
        Pattern(
            rf"cat[ ]+(?:[\w~./${{}}-]{{0,100}}/)?(?P<file>[\w.-]{{1,60}}?)(?:\.txt)?[ ]*"
            rf"{LINE_END}(?P<secret>[^\s\"'`\\]{{8,4096}}){_ENDS}"
        ),
        _is_of_file,
    ),
    # $ pass show work/vpn, and what it printed
    Rule(
        "password",
        ("pass show ", "op read ", "initial-password"),
        Pattern(
            r"[ ](?=[sri])(?:show[ ](?<=pass show )|read[ ](?<=op read )|initial-password)[^\r\n\\]{0,200}"
            rf"{LINE_END}(?P<secret>[^\s\"'`\\]{{6,512}}){_ENDS}"
        ),
        _is_shown,
    ),
    # set SMBPass …
    Rule(
        "password",
        ("set ",),
        Pattern(rf"set[ ](?P<name>\w{{0,24}}(?i:pass|passwd|password|pwd))[ ]+{VALUE}{_ENDS}"),
        _is_set,
    ),
    # set system root-authentication plain-text-password-value …; d-i passwd/root-password password …
    Rule(
        "password",
        ("password-value ", "-password"),
        Pattern(rf"-password(?:-value|(?:-again)?[ \t]+password)[ \t]+{VALUE}{_ENDS}"),
        is_literal,
    ),
    # cat > auth.txt <<EOF, for a program that reads who and with which password
    Rule(
        "password",
        ("auth-user-pass",),
        Pattern(
            rf"<<-?[ ]*\\*[\"']?(?P<tag>\w{{1,20}})\\*[\"']?{LINE_END}[^\r\n\\]{{1,100}}{LINE_END}"
            rf"(?P<secret>[^\r\n\\]{{4,128}})"
            rf"{LINE_END}(?P=tag)(?={LINE_END})[\s\S]{{0,200}}?auth-user-pass"
        ),
        is_literal,
    ),
    # Administrator:500:…:…:::
    Rule("password-hash", (":::",), Pattern(r":\d{3,10}:(?P<secret>[0-9a-fA-F]{32}:[0-9a-fA-F]{32}):::")),
    # | SecretAccessKey | … |
    Rule(
        "key",
        ("key |", "token |", "token  "),
        Pattern(
            r"\|[ \t]{0,40}(?P<name>[\w.-]{3,40})[ \t]{0,40}\|[ \t]{0,40}(?P<secret>[^\s|\"'`\\]{8,4096})[ \t]{0,400}\|"
        ),
        _is_in_row,
    ),
    # Unseal Key 1: …
    Rule(
        "key",
        (" key", " token", " code"),
        Pattern(
            rf"[ ](?=(?i:key|token|code|secret|password))(?:{_BEHIND_OWNER})(?i:key|token|code|secret|password)"
            rf"(?:[ ](?:\d{{1,2}}|is|\([^()\r\n]{{1,40}}\))){{0,2}}[ ]*[:=][ ]*{VALUE}"
        ),
        _is_chance,
    ),
    # Password … was reset. New value: …
    Rule(
        "password",
        ("password", "passwort"),
        Pattern(
            rf"[pP]ass(?:word|wort)[^\r\n\\]{{0,120}}{LINE_END}[ \t]*(?i:(?:the[ ])?(?:new[ ])?(?:value|password))"
            rf"(?:[ ]is)?:[ \t]*{VALUE}"
        ),
        _is_made_up,
    ),
    # key: "…", of 32 bytes
    Rule(
        "key",
        ("key",),
        Pattern(r"k(?:ey|(?<=psk)2?)\\*[\"']?[ ]*[:=][ ]*\\*[\"']?(?P<secret>[A-Za-z0-9+/]{43}=)(?![=\w])"),
        _is_chance,
    ),
    # password: …, on a line of its own
    Rule(
        "password",
        ("assword", "asswort", "token"),
        Pattern(
            rf":[ \t]*(?:{LINE_END}){{2,3}}[ \t]*(?P<secret>[A-Za-z0-9+/=_-]{{16,256}})"
            rf"(?=[ \t]*(?:{LINE_END}|\Z|[\"'`]))"
        ),
        _is_announced,
    ),
    # expect "assword:"; send "…\r"
    Rule(
        "password",
        ("send",),
        Pattern(
            r"assword[\s\S]{0,120}?send(?:line)?(?:\(|[ ]--)?[ ]*\\*[\"'{](?P<secret>[^\s\"'`\\{}]{4,128})"
            r"(?=\\*[\"'}]|\\+[rn])"
        ),
        is_literal,
    ),
    # chpasswd, with its lines
    Rule(
        "password",
        ("chpasswd",),
        Pattern(
            rf"chpasswd[^\r\n\\]{{0,80}}(?:{LINE_END}[^\r\n\\]{{0,80}}){{0,4}}?{LINE_END}[ \t-]*[a-z_][\w-]{{0,31}}:"
            r"(?P<secret>[^\s\"'`\\]{4,128})"
        ),
        is_literal,
    ),
    Rule("password", ("uci ",), Pattern(rf"uci[ ]set[ ][^\s=]{{1,128}}\.(?:key|password|psk)={VALUE}"), is_literal),
    # what a build server is told to hide
    Rule(
        "secret",
        ("::add-mask::", "issecret=true"),
        Pattern(r"(?:::add-mask::|issecret=true[^\]\r\n]{0,80}\])(?P<secret>[^\s\"'`\\]{4,4096})"),
        is_literal,
    ),
    Rule("token", ("sonar.",), Pattern(r"sonar\.(?:login|token)=(?P<secret>[\w.-]{16,128})")),
    # what a phone reads from a picture
    Rule("password", ("wifi:",), Pattern(r"WIFI:[^\r\n]{0,200}?P:(?P<secret>(?:[^;\\\"\s]|\\.){4,64});")),
)
