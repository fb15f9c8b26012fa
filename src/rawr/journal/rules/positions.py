"""Secrets that are known by their place among a program's words: ``net use Z: \\\\srv\\share PASSWORD``.

The table holds all the knowledge. In a line of it, ``*`` is any word, ``a|b`` is one of two, ``@`` is the secret, and
options may come between. Where a word could as well be a name, ``?`` asks for one that a person made up, and ``!`` for
one that is random.
"""

import re
from collections.abc import Iterator, Sequence

from rawr.journal.guess import Sure, guess
from rawr.journal.names import is_reference
from rawr.journal.rules.rule import NEXT, VALUE, Found, Pattern, Rule, secret_of, word
from rawr.journal.values import is_mixed, looks_random

PLACES: tuple[str, ...] = (
    # Windows
    "net user * @",
    r"net use [A-Za-z*]: \\* @",
    r"net use \\* @",
    r"net use \\* /user:* @",
    r"net use [A-Za-z*]: \\* /user:* @",
    "rasdial * * @",
    # packages
    "poetry config http-basic.* * @",
    "poetry config pypi-token.* !",
    "composer config http-basic.* * @",
    "composer config github-oauth.*|gitlab-token.*|bearer.* !",
    "bundle config|set *.* !",
    "bundle config set *.* !",
    "yarn config npmAuthToken !",
    "cargo login !",
    "snyk auth !",
    "rclone obscure ?",
    # servers
    "rabbitmqctl add_user|change_password|authenticate_user * @",
    "mc admin user add * * @",
    "mc alias|config|host set|add|host * * * @",
    "mysqladmin password ?",
    "mosquitto_passwd * * @",
    "vault login !",
    "wandb login !",
    "ngrok authtoken !",
    "ngrok config add-authtoken !",
    "cloudflared service install !",
    "bw login * @",
    "b2 authorize-account * @",
    "b2 account authorize * @",
    "ansible-vault encrypt_string ?",
    "bw unlock ?",
    "pulumi config set * ?",
    "dotnet user-secrets set * ?",
    "db2 connect to * user * using @",
    "mkpasswd -m * ?",
    "doveadm auth test|login * ?",
    "doveadm pw -p ?",
    "radtest * ?",
    "ldappasswd * ?",
    "smbpasswd -a * ?",
    "saslpasswd2 * ?",
    "mkpasswd ?",
    "rootpw ?",
    "openssl passwd ?",
    "bitcoin-cli importprivkey !",
    "oathtool !",
    "ykman oath accounts add * !",
    "isql * * ?",
    # networks
    "networksetup -setairportnetwork * * @",
    "wpa_cli set_network * psk @",
    "netsh wlan set hostednetwork * * ?",
)

_REPEATED = r"(?:\\+[\"']|[\"'])?"
_WORD = r"(?:\"[^\"\r\n]{1,128}\"|'[^'\r\n]{1,128}'|[^\s\"'|;&<>]{1,128})"
_OPTION = rf"(?:{NEXT}{_REPEATED}-{{1,2}}[A-Za-z1-9][\w-]{{0,40}}(?:=[^\s\"']{{1,128}})?{_REPEATED}){{0,3}}"
_ANOTHER = re.compile(r"-|/[A-Za-z]+(?::|\Z)|\*\Z|(?:sha-?\d{3}|md5(?:crypt)?|sha\d{3}crypt|bcrypt(?:-a)?)\Z")
"""An option, the sign that asks for the password, or how to hash it."""


def _spelled(piece: str) -> str:
    """One word of the table as a pattern."""
    if piece == "*":
        return _WORD
    if piece.startswith("["):
        return piece
    one = r"[^\s\"'|;&<>]{1,128}"
    return "(?:" + "|".join(re.escape(way).replace(r"\*", one) for way in piece.split("|")) + ")"


def _judge(sign: str, secret: str) -> bool:
    if is_reference(secret) or _ANOTHER.match(secret):
        return False
    match sign:
        case "?":
            return is_mixed(secret) or guess(secret) >= Sure.LIKELY
        case "!":
            return looks_random(secret)
        case _:
            return True


def _rule(line: str) -> Rule:
    program, *pieces, sign = line.split()
    middle = "".join(f"{_OPTION}{NEXT}{_REPEATED}{_spelled(one)}{_REPEATED}" for one in pieces)
    pattern = rf"{word(re.escape(program))}(?:\.exe)?{_REPEATED}{middle}{_OPTION}{NEXT}{VALUE}"
    return Rule("password", (program,), Pattern(pattern), lambda found: _is_secret(found, sign))


def _is_secret(found: Found, sign: str) -> bool:
    return _judge(sign, secret_of(found))


RULES: tuple[Rule, ...] = tuple(map(_rule, PLACES))

_COMMON = frozenset(
    [
        "use",
        "user",
        "set",
        "config",
        "login",
        "unlock",
        "passwd",
        "password",
        "host",
        "alias",
        "wlan",
        "psk",
        "service",
        "auth",
        "obscure",
        "account",
        "connect",
    ]
)
"""These tell nothing without the program before them."""


def _seconds() -> Iterator[str]:
    for line in PLACES:
        program, second, *_ = line.split()
        for way in second.split("|"):
            name = way.split("*")[0].replace(".", r"\.")
            if way[0] not in "-*[?!@":
                yield f"{name} (?<={program} {name} )" if way in _COMMON else name


SECOND_WORDS = frozenset(_seconds())
"""What follows a program, as patterns. One of these, behind a blank, is in every line that has such a secret, unless
another rule's clue is."""
PROGRAMS = frozenset(line.split()[0] for line in PLACES)
_SPLIT = [line.split() for line in PLACES]


def secrets_among(words: Sequence[object]) -> Iterator[int]:
    """Which words of a command, given as a list, are secrets."""
    plain = [(at, one) for at, one in enumerate(words) if isinstance(one, str) and not re.match(r"--?[A-Za-z]", one)]
    for first, (_, program) in enumerate(plain[:8]):
        name = program.rpartition("/")[2].removesuffix(".exe")
        for own, *pieces, sign in _SPLIT if name in PROGRAMS else ():
            rest = plain[first + 1 : first + 2 + len(pieces)]
            if own == name and len(rest) == len(pieces) + 1:
                fits = all(re.fullmatch(_spelled(piece), one) for piece, (_, one) in zip(pieces, rest, strict=False))
                if fits and _judge(sign, rest[-1][1]):
                    yield rest[-1][0]
