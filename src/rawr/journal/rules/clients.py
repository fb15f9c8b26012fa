"""Passwords on command lines: which program takes one after which option, in a shell line or as a list of words.

The table holds all the knowledge; a new program is a new line.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rawr.journal.names import is_reference
from rawr.journal.rules.addresses import PAIR, is_cookie
from rawr.journal.rules.positions import secrets_among
from rawr.journal.rules.rule import (
    ENDS_COMMAND,
    NEXT,
    QUOTE,
    UP_TO,
    VALUE,
    Finder,
    Found,
    Pattern,
    Rule,
    Span,
    escapes,
    is_literal,
    secret_of,
    word,
)

Form = Literal["value", "glued", "user:", "user%", "user,", "pass:"]


class Client(NamedTuple):
    programs: str
    """Names; a "*" at the end matches any ending."""
    options: str
    form: Form = "value"
    """``value``: the next word. ``glued``: the rest of the option. Otherwise, what precedes it in the next word."""
    within: str = ""
    """A word that must come before the option."""
    bundle: str = ""
    """Letters that may stand before the option's in one word, as in ``-su``: those that take no value."""


_REGISTRIES = "docker podman nerdctl buildah skopeo oras crane helm"
_MONGO = "mongo mongosh mongodump mongorestore mongoexport mongoimport mongofiles mongostat mongotop"
_SMB = "smbclient smbget rpcclient net winexe smbcacls smbcquotas nmblookup"
_SQL_SERVER = "sqlcmd bcp osql mssql-cli"
_MQTT = "mosquitto_pub mosquitto_sub mosquitto_rr"

CLIENTS: tuple[Client, ...] = (
    Client("curl", "-u --user -U --proxy-user -E --cert", "user:", bundle="#0-46BGIJLMNORSVZafgijklnpqsv"),
    Client("curl", "--oauth2-bearer --proxy-pass --key-pass --tlspassword"),
    Client("http https xh xhs", "-a --auth", "user:", bundle="bdfhjmnpv"),
    Client("mysql* mariadb*", "-p", "glued", bundle="BCEGHNfinqrstv"),
    Client("redis-cli valkey-cli keydb-cli redis-benchmark", "-a --pass"),
    Client("ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldapcompare ldapmodrdn", "-w", bundle="MNZcnvx"),
    Client("ldappasswd", "-w -s -a", bundle="MNZcnvx"),
    Client(_SMB, "-U --user", "user%", bundle="ENPSegkq"),
    Client(f"{_MONGO} cqlsh rdesktop psexec evil-winrm crackmapexec nxc smbmap ncftpget ncftpput rabbitmqadmin", "-p"),
    Client(f"{_SQL_SERVER} {_MQTT} ipmitool zip unzip", "-P", bundle="0-9NTXZejmoqruvy"),
    Client(f"{_SQL_SERVER} {_MQTT} unzip", "-P", "glued"),
    Client("sshpass", "-p", bundle="v"),
    Client("sshpass", "-p", "glued", bundle="v"),
    Client("plink pscp psftp putty", "-pw"),
    Client("7z 7za 7zr 7zz rar unrar", "-p -hp", "glued"),
    Client("lftp", "-u --user", "user,"),
    Client(f"{_REGISTRIES} az oc cf ibmcloud argocd", "-p", within="login"),
    Client(_REGISTRIES, "-p", "glued", within="login"),
    Client("skopeo", "--creds --src-creds --dest-creds", "user:"),
    Client("openssl", "-k -K"),
    Client("openssl", "-pass -passin -passout", "pass:"),
    Client("ssh-keygen", "-N -P", bundle="cpqy"),
    Client("snmpwalk snmpget snmpset snmpbulkwalk", "-A -X -c"),
    Client("gh", "-b --body", within="secret"),
    Client("gh", "-b", "glued", within="secret"),
    Client("aws", "--secret-string"),
    Client("aws", "--value", within="SecureString"),
    Client("az", "--value", within="secret"),
    Client("drone", "--data", within="secret"),
    Client("twine", "-p"),
    Client("hatch", "-a --auth", within="publish"),
    Client("poetry uv", "-p", within="publish"),
    Client("dotnet nuget", "-k -ApiKey", within="push"),
    Client("dotnet nuget", "-p", within="source"),
    Client("conan", "-p", within="login"),
    Client("gem", "-k", within="push"),
    Client("security", "-w", within="add-generic-password"),
    Client("security", "-p", within="unlock-keychain"),
    Client("security", "-p", within="create-keychain"),
    Client("security", "-P", within="import"),
    Client("altool notarytool cypher-shell influx tsql hydra medusa ncrack useradd usermod racadm", "-p"),
    Client("influx", "-t"),
    Client("nsupdate dig delv", "-y", "user:"),
    Client("radclient snmpwalk snmpget snmpset", "-k"),
    Client("openvpn", "--askpass"),
    Client("knife", "-P", within="bootstrap"),
    Client("swaks", "-ap"),
    Client("kadmin kadmin.local", "-pw -w"),
    Client("etcdctl", "--user", "user:"),
    Client("doctl", "-t", within="init"),
    Client("codecov", "-t"),
    # Windows
    Client("schtasks", "/rp /p /RP /P"),
    Client("signtool", "/p"),
    Client("certutil", "-p"),
    Client("winrs winrm", "-p: /p:", "glued"),
    Client("xfreerdp* wlfreerdp* rdesktop mstsc cmdkey net psexec wmic", "/p: /pass: /password:", "glued"),
    Client("reg", "/d", within="DefaultPassword"),
    Client("dsadd dsmod", "-pwd"),
    Client("keytool jarsigner apksigner", "-storepass -keypass -srcstorepass -deststorepass -new --ks-pass --key-pass"),
)

_REACH = 700
"""More than the distance from a program to any option, and from an option to the sign before the password."""
_BEFORE: dict[str, str] = {
    "user:": r"[^\s:\"'\\]{0,128}:",
    "user%": r"[^\s%\"']{1,128}%",
    "user,": r"[^\s,\"'\\]{1,128},",
    "pass:": r"pass:",
}


def _patterns(names: str) -> list[str]:
    return [re.escape(name).replace(r"\*", r"[\w-]*") for name in names.split()]


def _one_of(names: str) -> str:
    return "|".join(_patterns(names))


def _options(client: Client) -> str:
    """The options, and the short ones at the end of a bundle."""
    short = "".join(one[1] for one in client.options.split() if len(one) == 2 and one[0] == "-")
    bundled = rf"|-[{client.bundle}]{{1,12}}[{short}]" if client.bundle and short else ""
    return f"(?:{_one_of(client.options)}{bundled})"


def _is_password(found: Found) -> bool:
    """Digits after the colon are a group id, as in ``-u 1000:1000``."""
    return _is_secret(secret_of(found), numbers=found.lastgroup not in {"inner", "outer"})


def _is_secret(text: str, *, numbers: bool) -> bool:
    return not is_reference(text) and not text.startswith("-") and (numbers or not text.isdigit())


def _far(sign: str) -> str:
    """A cheap lookahead: without the sign before the password, no option need be tried."""
    return "" if sign.isalpha() else rf"(?=[^\r\n{sign}]{{0,{_REACH}}}+{sign})"


class Options(NamedTuple):
    """A program's passwords: it may take several, and one that is only referred to does not end the search."""

    clues: tuple[str, ...]
    first: Pattern
    """From the program to the end of a password."""
    next: Pattern
    """From there to the end of another one."""

    def meets(self, text: str) -> bool:
        return self.first.search(text) is not None

    def find(self, text: str) -> Iterator[Span]:
        done = 0
        for first in self.first.finditer(text):
            found: Found | None = first if first.start() >= done else None
            while found is not None:
                if _is_password(found):
                    yield Span(*found.span(found.lastgroup or 0), "password")
                done = found.end()
                found = self.next.match(text, found.end())


def _rule(client: Client) -> Options:
    within = rf"(?>[^\r\n|;]{{0,200}}?[\s\"']{client.within}(?=[\s\"'\\]))" if client.within else ""
    head = (
        rf"{word(*_patterns(client.programs))}(?:\.exe)?(?=[\s\"'\\]){_far(client.form[-1])}{within}"
        rf"{UP_TO}{_options(client)}"
    )
    match client.form:
        case "value":
            tail = rf"(?:=|{NEXT}){VALUE}"
        case "glued":
            tail = VALUE
        case "user:" | "user%" | "user," | "pass:":
            before = _BEFORE[client.form]
            tail = (
                rf"(?:=|{NEXT})?(?:(?P<open>{QUOTE}|[\"']){before}(?P<inner>[^\r\n]{{1,512}}?)(?:(?<!\\)(?P=open)|\Z)"
                rf"|{before}(?P<outer>[^\s\"'\\]+))"
            )
    clues = tuple(name.rstrip("*") for name in client.programs.split())
    return Options(clues, Pattern(head + tail), Pattern(f"{UP_TO}{_options(client)}{tail}"))


_NAMES = frozenset(name for client in CLIENTS for name in client.programs.split()) | {"sudo"}
_STARTS = tuple(name[:-1] for name in _NAMES if name.endswith("*"))
_WORDS = re.compile(r"[\w.-]+").findall


def is_command(text: str) -> bool:
    """Return True if the text names one of the programs."""
    words = _WORDS(escapes.sub(" ", text) if "\\" in text or "%" in text else text)
    return any(word.removesuffix(".exe") in _NAMES for word in words) or any(start in text for start in _STARTS)


_SHORT_IN_BUNDLES = "".join(
    sorted({one[1] for client in CLIENTS if client.bundle for one in client.options.split() if len(one) == 2})
)
_OPTIONS = {re.escape(option[1:]) for client in CLIENTS for option in client.options.split() if option[0] == "-"}
OPTIONS = "|".join((*sorted(_OPTIONS), rf"[#\w]{{1,12}}[{_SHORT_IN_BUNDLES}]"))
"""Without one of these after a dash, and one of the programs, a text has no such password."""

OPTION_RULES: tuple[Finder, ...] = (
    *map(_rule, CLIENTS),
    Rule(
        "cookie",
        ("curl",),
        Pattern(
            rf"{word('curl')}(?=[\s\"'\\]){_far('=')}{UP_TO}-b(?:{NEXT})?[\\\"']*(?P<secret>{PAIR}(?:;\s*{PAIR})*)"
        ),
        is_cookie,
    ),
)

RULES: tuple[Rule, ...] = (
    Rule(
        "password",
        ("htpasswd",),
        Pattern(
            word("htpasswd")
            + r"(?=[^\r\n|;]{0,200}?\s-[A-Za-z0-9]{0,8}b)(?:\s+-[A-Za-z0-9]{1,8}(?:\s+\d{1,6}(?=\s))?){1,8}"
            rf"(?:\s+[^\s-][^\s]{{0,256}}){{1,2}}?\s+{VALUE}{ENDS_COMMAND}"
        ),
        is_literal,
    ),
    # A password that is piped or passed to a program that reads one.
    Rule(
        "password",
        (
            "-stdin",
            "-set-pass",
            "-passphrase-fd",
            "sudo",
            "with-token",
            "passwd",
            "kinit",
            "cryptsetup",
            "gcloud secrets",
            "wrangler secret",
        ),
        Pattern(
            rf"{word('echo', 'printf')}\s+(?:-[neE]+\s+)?(?:\\*[\"']?%s(?:\\+n)?\\*[\"']?\s+)?{VALUE}\s*\|\s*"
            r"(?:[^\r\n|;]{0,200}?(?:--password-stdin|--pass(?:word)?-from-stdin|--with-token|--stdin|--set-password|--passphrase-fd)|sudo\s[^\r\n|;]{0,40}?-S"
            r"|(?:sudo\s+)?(?:chpasswd|passwd|smbpasswd|vncpasswd|kinit|cryptsetup)"
            r"|gcloud\s+secrets|(?:npx\s+)?wrangler\s+secret)(?![\w-])"
        ),
        is_literal,
    ),
    Rule(
        "password",
        ("sudo",),
        Pattern(rf"{word('sudo')}\s[^\r\n|;]{{0,200}}?-S[^\r\n|;]{{0,200}}?<<<\s*{VALUE}"),
        is_literal,
    ),
    Rule(
        "password",
        ("<<<",),
        Pattern(
            r"(?:-stdin|with-token|passwd|kinit|cryptsetup|gcloud\s+secrets|vault\s+login)[^\r\n|;]{0,200}?<<<\s*"
            + VALUE
        ),
        is_literal,
    ),
    Rule(
        "password",
        ("wpa_passphrase",),
        Pattern(rf"wpa_passphrase\s+(?:\\*[\"'][^\"'\r\n]{{1,64}}[\"']|\S{{1,64}})\s+{VALUE}"),
        is_literal,
    ),
    Rule("password", ("nmcli",), Pattern(rf"{word('nmcli')}{UP_TO}(?:password|wifi-sec\.psk)\s+{VALUE}"), is_literal),
    Rule(
        "secret",
        ("--from-literal",),
        Pattern(rf"--from-literal(?:=|{NEXT})\\*[\"']?[\w.-]{{1,128}}={VALUE}"),
        is_literal,
    ),
)


# -- lists of words --------------------------------------------------------------------------------------------------

_BATCH = re.compile(r"-[A-Za-z0-9]{0,8}b[A-Za-z0-9]{0,8}")
_NAMED = [(re.compile(rf"(?:{_one_of(client.programs)})(?:\.exe)?"), client) for client in CLIENTS]


def passwords_in(words: Sequence[object]) -> dict[int, int]:
    """Which words of a command, given as a list, hold a password, and from which character on."""
    found: dict[int, int] = {}
    programs = [
        (at, word.rpartition("/")[2])
        for at, word in enumerate(words)
        if isinstance(word, str) and not word.startswith("-")
    ]
    for at, program in programs[:8]:
        for pattern, client in _NAMED:
            if pattern.fullmatch(program) and (not client.within or client.within in words[at:]):
                found.update(_passwords_of(client, words, at))
        if program == "htpasswd" and any(isinstance(word, str) and _BATCH.fullmatch(word) for word in words):
            found[len(words) - 1] = 0
    found.update(dict.fromkeys(secrets_among(words), 0))
    return {
        at: start
        for at, start in found.items()
        if isinstance(word := words[at], str) and _is_secret(word[start:], numbers=start == 0 or word[:1] in "-/")
    }


def _passwords_of(client: Client, words: Sequence[object], first: int) -> dict[int, int]:
    takes = re.compile(_options(client))
    found: dict[int, int] = {}
    for at in range(first + 1, len(words)):
        word, before = words[at], words[at - 1]
        if not isinstance(word, str):
            continue
        own = takes.match(word)
        end = own.end() if own else 0
        rest = word[end:] if own else ""
        after = isinstance(before, str) and takes.fullmatch(before) is not None
        match client.form:
            case "glued":
                if rest:
                    found[at] = end
            case "value":
                if after:
                    found[at] = 0
                elif rest.startswith("="):
                    found[at] = end + 1
            case "user:" | "user%" | "user," | "pass:":
                start = end + rest.startswith("=")
                if (after or rest) and (head := re.compile(_BEFORE[client.form]).match(word, start)):
                    found[at] = head.end()
    return found
