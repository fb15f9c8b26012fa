"""Secrets under a telling name: ``API_KEY=…`` and its forms in other languages."""

import re

from rawr.journal.guess import is_scrambled
from rawr.journal.names import (
    ENDINGS_ANY_CASE,
    SUFFIXES,
    classify,
    is_bare_secret,
    is_phrase,
    is_quoted_secret,
    is_reference,
    looks_like_chance,
)
from rawr.journal.rules.addresses import PROSE
from rawr.journal.rules.rule import (
    LINE_END,
    NAME_BEFORE,
    NEXT,
    VALUE,
    Found,
    Pattern,
    Rule,
    behind,
    escapes,
    is_literal,
    secret_of,
)
from rawr.journal.values import is_mixed, is_path, looks_random

_LONGEST_SIGN = 2
_NAME_TAIL = re.compile(r"[A-Za-z0-9_.\-]+\Z")
_WORD_TAIL = re.compile(r"([A-Za-z]{2,20})[ \t]\Z")
_LINE_START = re.compile(r"(?:\A|[\r\n\"'`]|\\[nr])[ \t]*(?:-[ \t]+)?\Z")
_SECTION = re.compile(r"(?:\A|[\r\n]|\\n)[ \t]*\[[\w.:/ \"-]{1,64}\][ \t]*(?:[\r\n]|\\+[rn])")


def _name_before(found: Found) -> str:
    """The whole name whose ending matched, found by searching backwards, so that no pattern must try every letter."""
    start = found.start()
    head = _NAME_TAIL.search(found.string, max(0, start - 64), start)
    if head is None:
        return found["ending"]
    # The "n" of an escaped line end, as in JSON, is not part of the name.
    spelled = escapes.match(found.string, max(0, head.start() - 1), start)
    return found.string[spelled.end() if spelled else head.start() : start] + found["ending"]


def _spaced_name(found: Found) -> str:
    """Two words, as in "API key: …"; empty if it is one word."""
    start = found.start("ending")
    word = _WORD_TAIL.search(found.string, max(0, start - 22), start)
    return f"{word[1]}_{found['ending']}" if word else ""


def _is_named(found: Found) -> bool:
    name, secret = _name_before(found), secret_of(found)
    if classify(name) is None and (spaced := _spaced_name(found)):
        return classify(spaced) is not None and looks_random(secret) and is_quoted_secret(spaced, secret)
    if found["prefix"] in {"f", "F"} and "{" in secret:
        return False
    if found["lines"] is not None or found["ticked"] is not None:
        # It may be a long text, or a shell command.
        return is_quoted_secret(name, secret) and "${" not in secret and looks_like_chance(secret)
    if found["prefix"] is not None or len(found["operator"].strip()) > _LONGEST_SIGN:
        # In such explicit code the telling word is often part of another name.
        password = classify(name) == ("password", "strong")
        return is_quoted_secret(name, secret) and (password or looks_like_chance(secret))
    if found["bare"] is None:
        return is_quoted_secret(name, secret, operator=found["operator"])
    following = found.string[found.end() : found.end() + 8]
    if is_bare_secret(name, secret, operator=found["operator"], following=following):
        return True
    return found["operator"].strip() == "=" and _is_in_section(found, name)


def _is_in_section(found: Found, name: str) -> bool:
    """In a file with ``[sections]`` a value needs no quotes; in code it would be a variable."""
    start = found.end("ending") - len(name)
    promise = classify(name)
    if promise is None or promise[1] != "strong" or not _LINE_START.search(found.string, max(0, start - 64), start):
        return False
    ends = re.match(r"[ \t]*(?:\Z|[\r\n;#]|\\+[nr\"'])", found.string[found.end() : found.end() + 40])
    in_section = ends is not None and _SECTION.search(found.string, max(0, start - 2000), start) is not None
    return in_section and is_quoted_secret(name, secret_of(found))


def _is_in_yaml(found: Found) -> bool:
    """Several words without quotes, or a value on the next line."""
    if found["phrase"] is not None:
        return _is_phrase(found)
    name, secret = _name_before(found), found["secret"]
    if found["block"] or found["quote"]:
        return is_quoted_secret(name, secret)
    # A name at the end of a line may also head a list or a paragraph, so the value must look random.
    promise = classify(name)
    random = is_mixed(secret) if promise and promise[0] == "password" else looks_random(secret)
    return random and is_bare_secret(name, secret, operator=":", following="")


def _is_phrase(found: Found) -> bool:
    """The name must begin the line; otherwise it is part of a sentence."""
    name = _name_before(found)
    start = found.end("ending") - len(name)
    return _LINE_START.search(found.string, max(0, start - 64), start) is not None and is_phrase(name, found["phrase"])


def _is_flag(found: Found) -> bool:
    promise, secret = classify(found["name"]), secret_of(found)
    if promise is None or is_reference(secret) or PROSE.fullmatch(secret):
        return False
    if secret.startswith("-") and not is_scrambled(secret):
        return False
    if not found["long"] and promise[1] != "strong":
        return False
    return promise[0] == "password" or (not secret.isdigit() and not is_path(secret))


def _is_under_name(found: Found) -> bool:
    """The name and the value are separate: an element and its text, or two members of one object."""
    return is_quoted_secret(found["name"], secret_of(found).strip())


def _is_told(found: Found) -> bool:
    """In a sentence a word is just a word; a secret has digits among its letters."""
    secret = secret_of(found).rstrip(".,;:!?)")
    return is_mixed(secret) and not is_reference(secret)


def _kind_of_ending(found: Found) -> str:
    promise = classify(_name_before(found)) or classify(_spaced_name(found))
    return promise[0] if promise else "secret"


def _kind_of_name(found: Found) -> str:
    promise = classify(found["name"])
    return promise[0] if promise else "secret"


_WORDS = ("key", "token", "secret", "pass", "pwd", "pw", "credential", "auth", "psk")

_ENDING = rf"(?P<ending>{ENDINGS_ANY_CASE}(?:[_-]?\d{{1,3}}|[_-]?(?i:{SUFFIXES}))?)[\\\"']{{0,256}}+\]?"
_TYPE = (
    r":[ \t]*&?(?:'\w{1,20}[ \t]+)?[A-Za-z_][\w.:<>\[\]|?, ]{0,60}?(?<![:=<>])=(?![=>])(?=[ \t]*[\w#]{0,4}\\*[\"'`])"
)
_OR = r"(?:\|\||\?\?)(?=[ \t]*[\"'])"
_NAMED = rf"{_ENDING}(?P<operator>[ \t]*(?:{_TYPE}|(?>:(?!:)=?|=(?![=~>])|=>|{_OR}))[ \t]*)"
_PREFIX = (
    # A string prefix, r"…" or $'…'; an anchor or a tag in YAML.
    r"(?:(?P<prefix>[rRbBfFuUN]{1,2}|r#{1,3}|[$@])(?=\\*[\"'])|(?:&\w{1,40}|!!?\w{1,20})[ \t]+)?"
)
_BLOCK = rf"(?:\\*[\"']){{3}}{LINE_END}[ \t]*(?P<lines>[^\s\"'\\]{{4,512}})(?=\\*[\"']|{LINE_END})"
_TICKED = r"`(?P<ticked>[^`\r\n]{1,4096})(?:`|\Z)"
_BEFORE_DASH = behind(r"\w-", then="-")
_FLAG = rf"-{_BEFORE_DASH}(?P<long>-?)(?P<name>[A-Za-z][A-Za-z0-9_.-]{{2,40}})(?![\w-])(?:=|{NEXT})(?!-)"
_YAML_WORD = r"(?!#)[^\s\x07\x1b\"'`;&|<>(){}\[\]\\,=]{1,64}+"
_UNTIL = r"(?:[^{}<>\r\n\\]|\\+[nrt\"']|\r?\n){0,120}?"
_TEXT_OF_XML = (
    r"\s*(?:<!\[CDATA\[)?(?P<secret>[^<>\s\\](?:[^<>\r\n\\]|\\(?![nr])){0,4095}?)(?:\]\]>)?(?:\s|\\+[nrt])*</"
)

RULES: tuple[Rule, ...] = (
    # <password>…</password>
    Rule(
        _kind_of_name,
        ("</",),
        Pattern(
            rf"<(?P<name>[\w:.-]{{1,80}})(?:\s[^<>]{{0,200}})?>(?:\s{{0,40}}<(?i:value|string|text)>)?{_TEXT_OF_XML}"
        ),
        _is_under_name,
    ),
    # <entry key="password">…</entry>
    Rule(
        _kind_of_name,
        ("</",),
        Pattern(
            r"\s(?:name|key|id|property)=\\*[\"'](?P<name>[\w:.-]{1,80})\\*[\"'][^<>]{0,200}>\s*(?:<(?:value|string)>)?"
            + _TEXT_OF_XML
        ),
        _is_under_name,
    ),
    # <key>password</key><string>…</string>
    Rule(
        _kind_of_name,
        ("</key>", "</name>"),
        Pattern(rf"<(?:key|name)>(?P<name>[\w:. -]{{1,80}})</(?:key|name)>(?:\s|\\+[nrt])*<\w{{1,20}}>{_TEXT_OF_XML}"),
        _is_under_name,
    ),
    # name: password, value: …
    Rule(
        _kind_of_name,
        ("value=", "value:", "value =", "value :", 'value"', "value'", "value\\"),
        Pattern(
            r"[nNkKiIoOvV](?:(?<=[nN])ame|(?<=[kK])ey|(?<=[iI])[dD]|(?<=[oO])ption|(?<=[vV])ariable)"
            rf"\\*[\"']?\s*[:=]\s*\\*[\"']?(?P<name>[\w.:/-]{{1,80}})\\*[\"']?(?![\w.:/-]){_UNTIL}"
            rf"{NAME_BEFORE}(?i:value)\\*[\"']?\s*[:=]\s*{VALUE}"
        ),
        _is_under_name,
    ),
    # npm config set //host/:_authToken …
    Rule(
        _kind_of_name,
        (" set ", ":set ", "setx ", "setenv ", "set -", "git config"),
        Pattern(
            r"(?=[cegsv])"
            + NAME_BEFORE
            + r"(?:(?:config(?:ure)?|secrets?|env|variables?)[: ]set|setx|setenv|set[ ]+-[A-Za-z]{1,4}"
            r"|git[ ]+config(?:[ ]+--\w+){0,3})"
            rf"\s+\\*[\"']?(?:[^\s\"'=]{{0,100}}[^\w\"'=.-])?(?P<name>[\w.-]{{1,80}})\\*[\"']?\s+{VALUE}"
        ),
        _is_under_name,
    ),
    # the password is …
    Rule(
        "password",
        (" is ", " was ", " is: ", " was: "),
        Pattern(
            # Begins with the blank after the word: blanks are rarer than letters.
            r"[ ](?<=(?i:key|ken|ret|ord|swd|ase|ode|pwd|psk|ial|als|uth|ass|[ ]pw)[ ])"
            r"(?:(?<=word[ ])(?:for|of)[ ][\w.@-]{1,40}[ ]"
            rf"(?:[\w.@-]{{1,40}}[ ])?)?(?:is|was)(?:[ ]now)?:?[ ]{VALUE}"
        ),
        _is_told,
    ),
    # Uid=sa;Pwd=…
    Rule("password", ("pwd",), Pattern(r"(?i:;\s{0,4}pwd\s{0,4}=\s{0,4}\{?)(?P<secret>[^\s;\"'\\{}]{2,})"), is_literal),
    Rule(
        _kind_of_ending,
        _WORDS,
        Pattern(
            rf"{_ENDING}[ \t]*:[ \t]*(?:(?P<block>[|>][+-]?[ \t]*)?{LINE_END}[ \t]*(?P<quote>\\*[\"'])?"
            r"(?P<secret>[^\s\x07\x1b\"'`;&|<>(){}\[\]\\,:]+)(?=\s|\\|[\"']|\Z)"
            rf"|(?<=[ \t])(?P<phrase>{_YAML_WORD}(?:[ \t]++{_YAML_WORD}){{1,8}}+)"
            r"(?=[ \t]*(?:\Z|[\r\n\"'`#]|\\+[nr\"'])))"
        ),
        _is_in_yaml,
    ),
    Rule(_kind_of_ending, _WORDS, Pattern(f"{_NAMED}(?:{_BLOCK}|{_PREFIX}{VALUE}|{_TICKED})"), _is_named),
    Rule(_kind_of_name, ("-",), Pattern(_FLAG + VALUE), _is_flag),
)
