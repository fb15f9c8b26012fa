"""Secrets that a program shows because it was asked to: the line after ``terraform output -raw db_password``.

The command says what comes. Alone in its line, it needs no name; a list of codes, and what is typed at a prompt, are
the same thing.
"""

import re
from collections.abc import Iterator

from rawr.journal.guess import Sure, guess
from rawr.journal.names import is_reference
from rawr.journal.rules.rule import LINE_END, Finder, Found, Pattern, Rule, Span, secret_of
from rawr.journal.rules.stems import Stems
from rawr.journal.values import is_digest_or_uuid, is_irregular

SHOWS = (
    # of a vault or a password manager
    *("get secret", "secret get", "secrets get", "secret show", "secret view", "secrets view", "secrets read"),
    *("secret read", "secrets decrypt", "secrets export", "secrets versions access", "get-secret-value"),
    *("kv get", "vault read", "pass show", "gopass show", "lpass show", "op read", "op item get", "bw get"),
    *("rbw get", "keyring get", "secret-tool lookup", "credstash get", "chamber read", "get password"),
    *("find-generic-password", "find-internet-password", "get-credential", "sops -d", "sops decrypt"),
    *("ansible-vault view", "ansible-vault decrypt", "credentials:show", "--reveal", "--with-decryption"),
    # of a cloud or a server
    *("print-access-token", "print-identity-token", "auth token", "get-login-password", "create token"),
    *("token create", "token issue", "tokens create", "output -raw", "output --raw", "config:get", "keys list"),
    *("list-keys", "show-keys", "initial-password", "initial_password", "initialadminpassword", "initial-admin"),
    *("reset-password", "join-token", "authkeys create", "api-key create", "apikey create", "get-token"),
    *("security.psk", "wifi-sec.psk", "base64 -d", "base64 --decode", "printenv "),
    # that makes one
    *(
        "genkey",
        "genpsk",
        "consul keygen",
        "gen-key",
        "pwgen",
        "openssl rand",
        "xkcdpass",
        "rails secret",
        "key:generate",
    ),
)
"""What makes a program print a secret. In lower case."""
FILES = (*("cat ", "get-content ", "echo $", 'echo "$', "jq ", "yq ", "-field", "--query", "jsonpath"),)
"""What shows a secret if the rest of the line tells of one."""
_TELLS = re.compile(r"pass|secret|token|key|psk|cred|auth|login|pwd|_pin\b|apikey")


_ESCAPE = re.compile(r"\\+(?=[$!&#*])")
"""What a shell needs before some signs."""


def _looks_it(secret: str) -> bool:
    secret = _ESCAPE.sub("", secret)
    if is_reference(secret):
        return False
    sure = guess(secret)
    if sure >= Sure.LIKELY:
        return True
    return (
        len(secret) >= 20 and (is_irregular(secret) or re.fullmatch(r"[0-9a-f]{32,128}", secret) is not None)
    ) or is_digest_or_uuid(secret)


_LINES = re.compile(r"[^\r\n\\]*(?:\\(?!r?\\?n)[^\r\n\\]*)*")
_END = re.compile(LINE_END)
_ANSWER = re.compile(
    r"[ \t]*(?:[\w.@+-]{1,64}[,:])?(?P<secret>(?:[^\s\"'`\\]|\\{1,2}[$!&#*]){4,2048})(?=[ \t]*(?:\Z"
    r"|[\r\n\"'`]|\\+[nr\"']))"
)
LINE_BREAK = re.compile(r"[\n]|\\n")
_LONGEST = 600


_ASKS = Stems((*SHOWS, *FILES))


class Revealed:
    """What is alone in the line after a command that shows a secret."""

    clues = ("",)

    def meets(self, text: str) -> bool:
        return LINE_BREAK.search(text) is not None and _ASKS.seen(text.lower())

    def find(self, text: str) -> Iterator[Span]:
        low, found = text.lower(), set[Span]()
        if len(low) != len(text):
            return
        until = 0
        for at, words in sorted(_ASKS.find(low)):
            if at < until:
                continue
            line = _LINES.match(text, at)
            after = max(at + len(words), line.end() if line else 0)
            if after - at < _LONGEST and _tells(low, at, after, words):
                found.update(Span(*span, "secret") for span in _answers(text, after))
                until = after
        done = 0
        for span in sorted(found):
            if span.start >= done:
                done = span.end
                yield span


def _tells(low: str, at: int, after: int, words: str) -> bool:
    return words not in FILES or _TELLS.search(low, at, after) is not None


def _answers(text: str, at: int) -> Iterator[tuple[int, int]]:
    """What is alone in one of the next lines, and looks like a secret."""
    for _ in range(4):
        end = _END.match(text, at)
        if end is None:
            return
        answer = _ANSWER.match(text, end.end())
        line = _LINES.match(text, end.end())
        at = line.end() if line else end.end()
        if answer:
            if _looks_it(answer["secret"]):
                yield answer.span("secret")
                return
        elif line and line[0].count(" ") > 2:
            return


_HEADS = (
    r"(?:recovery|backup|scratch|emergency|2fa|one-time)[ _-]?codes"
    r"|(?:wiederherstellungs|rettungs|reserve|herstel)codes"
    r"|codes[ ]de[ ](?:secours|récupération|sauvegarde)|códigos[ ]de[ ](?:recuperación|recuperação|respaldo|backup)"
    r"|codici[ ]di[ ](?:recupero|backup)|kody[ ]odzyskiwania|резервные[ ]коды|záložní[ ]kódy|yedek[ ]kodlar"
)
_CODE = r"[A-Za-z0-9]{4,12}(?:[ -][A-Za-z0-9]{4,12}){0,4}"
_ONE = r"[ \t]*(?:[*•☐-][ ]|\d{1,2}[.)][ ])?"
_HEAD = re.compile(
    rf"(?:{_HEADS})[^\r\n\\]{{0,80}}(?:{LINE_END}[^\r\n\\]{{0,120}}){{0,3}}?(?P<list>(?:{LINE_END}{{1,2"
    rf"}}{_ONE}{_CODE}(?:[ \t]{{1,8}}{_CODE})?[ \t]*(?={LINE_END}|\Z|\\*[\"'`])){{1,24}})",
    re.IGNORECASE,
)
_EACH_CODE = re.compile(_CODE)


class Codes:
    """A list of codes that are good for one login each."""

    clues = (
        *("recovery codes", "backup codes", "scratch codes", "emergency codes", "2fa codes", "one-time codes"),
        *("recovery-codes", "recovery_codes", "backup-codes", "backup_codes", "recoverycodes", "backupcodes"),
        *("ungscodes", "reservecodes", "herstelcodes", "codes de ", "códigos de ", "codici di "),
        *("kody odzyskiwania", "резервные коды", "záložní kódy", "yedek kodlar"),
    )

    def meets(self, text: str) -> bool:
        return _HEAD.search(text) is not None

    def find(self, text: str) -> Iterator[Span]:
        for head in _HEAD.finditer(text):
            for code in _EACH_CODE.finditer(text, *head.span("list")):
                if sum(map(str.isdigit, code[0])) > 1:
                    yield Span(*code.span(), "password")


def _is_typed(found: Found) -> bool:
    return not is_reference(secret_of(found))


RULES: tuple[Finder, ...] = (
    Revealed(),
    Codes(),
    # send: sending "…\r"
    Rule(
        "password",
        ("sending",),
        Pattern(r"ass(?:word|phrase)[\s\S]{0,120}?send: sending[ ]*\\*[\"'{](?P<secret>[^\s\"'`\\{}]{4,128})"),
        _is_typed,
    ),
)


_cat = re.compile(rf"cat [^\r\n|]{{0,200}}(?:{_TELLS.pattern})[\w.-]{{0,20}}[ ]*(?:[\r\n]|\\+n)").search
_NAMED = rf"[^\r\n]{{0,200}}?(?:{_TELLS.pattern})[^\r\n\\]{{0,60}}(?:[\r\n]|\\+n)"
_EXPRESSION = re.compile(rf"q (?<=[jy]q ){_NAMED}").search
_OTHER_EXPRESSIONS = re.compile(rf"(?:-field|--query|jsonpath){_NAMED}").search
"""What takes one value out of many, by an expression that names it."""
HINTS = (*SHOWS, *Codes.clues, "send: sending")


def shows_more(low: str) -> bool:
    """Return True if a text in lower case may have such a secret without one of the ``HINTS``. On the hot path."""
    return (
        ("cat " in low and _cat(low) is not None)
        or _EXPRESSION(low) is not None
        or (("-field" in low or "--query" in low or "jsonpath" in low) and _OTHER_EXPRESSIONS(low) is not None)
    )
