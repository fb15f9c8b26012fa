"""No secret of any kind survives in any place that an agent's work has for it."""

import math
import re
import time
from random import Random

import msgspec
import pytest

from rawr.journal.glance import may_hold_secret
from rawr.journal.placeholders import MARK
from rawr.journal.redact import Redactor
from rawr.journal.rules import RULES
from rawr.journal.rules.rule import Finder, Rule, Within
from rawr.journal.rules.token_shapes import SHAPES
from tests.journal.secret_corpus import bare, kinds, planted
from tests.journal.secret_kinds import mixed
from tests.journal.secret_places import IN_LANGUAGES, LINES, SPELLED, WRAPPINGS

_NOT_BEHIND = ("db.example.com:5432", ".example.com\t")


def test_there_are_kinds_enough() -> None:
    assert len(kinds()) >= 200


@pytest.mark.parametrize("kind", kinds())
def test_no_secret_survives_in_any_place(kind: str) -> None:
    """And every text comes back as it was, and is left alone the second time."""
    survived: list[str] = []
    for place, text, secret in planted(kind, Random(kind)):  # noqa: S311 - the same in every run
        redactor = Redactor()
        redacted = redactor.text(text)
        encoded = bytes(redactor.json(msgspec.json.encode({"text": text})))
        assert redactor.restore(redacted) == text, place
        assert redactor.text(redacted) == redacted, place
        if secret in redacted or secret.encode() in encoded:
            survived.append(place)
    assert survived == []


@pytest.mark.parametrize("kind", [kind for kind in kinds() if not kind.startswith(("name", "file"))])
def test_no_secret_survives_behind_a_character_that_is_spelled_out(kind: str) -> None:
    chance = Random(kind)  # noqa: S311 - the same in every run
    _, text, secret = next(bare(kind, chance, around=lambda token: token))
    if "://" in text or secret not in text or text.startswith(_NOT_BEHIND):
        pytest.skip("is known by what stands before it, or by all of its line")
    survived: list[str] = []
    for spelled in SPELLED:
        redactor = Redactor()
        behind = f"printf 'a{spelled}{text}\\n'" if "'" not in text else f"a{spelled}{text}"
        assert may_hold_secret(behind)
        redacted = redactor.text(behind)
        assert redactor.restore(redacted) == behind
        if secret in redacted:
            survived.append(spelled)
    assert survived == []


PLAIN_WRAPPINGS = ("as it is", "JSON", "JSON in JSON", "coloured")


@pytest.mark.parametrize("place", IN_LANGUAGES)
def test_no_secret_survives_in_any_language(place: str) -> None:
    chance = Random(place)  # noqa: S311 - the same in every run
    for name in ("DB_PASSWORD", "password", "dbPassword", "API_KEY", "client_secret", "access_token"):
        value = mixed(chance)
        assert_hidden(IN_LANGUAGES[place](name, value), value)


@pytest.mark.parametrize("line", LINES)
def test_no_secret_survives_in_a_line_that_tells(line: str) -> None:
    value = mixed(Random(line))  # noqa: S311 - the same in every run
    assert_hidden(line.format(*[value] * 2), value)


def assert_hidden(text: str, secret: str) -> None:
    for wrapping in PLAIN_WRAPPINGS:
        redactor = Redactor()
        wrapped = WRAPPINGS[wrapping](text)
        assert may_hold_secret(wrapped), wrapping
        redacted = redactor.text(wrapped)
        assert secret not in redacted, (wrapping, redacted)
        assert redactor.restore(redacted) == wrapped
        assert redactor.text(redacted) == redacted
        assert secret.encode() not in bytes(redactor.foreign(wrapped.encode())), wrapping


def test_in_a_list_of_words_passwords_are_found_as_in_a_line() -> None:
    redactor = Redactor()
    commands = {
        "redis": ["redis-cli", "-a", "letmein", "ping"],
        "sudo": ["sudo", "redis-cli", "-a", "letmein"],
        "smb": ["smbclient", "//h/s", "-U", "bob%letmein"],
        "lftp": ["lftp", "-u", "bob,letmein", "h"],
        "ldap": ["/usr/bin/ldapsearch", "-w", "letmein"],
        "sqlcmd": ["sqlcmd", "-Pletmein"],
        "7z": ["7z", "a", "-pletmein", "x.7z"],
        "keytool": ["keytool", "-storepass", "letmein", "-keypass", "letmein"],
        "login": ["az", "login", "-u", "x", "-p", "letmein"],
    }
    assert b"letmein" not in bytes(redactor.json(msgspec.json.encode(commands)))
    kept = msgspec.json.encode({"run": ["docker", "run", "-p", "8080:80"], "grep": ["grep", "-w", "letmein"]})
    assert redactor.json(kept) == kept


def test_members_tell_of_each_other() -> None:
    redactor = Redactor()
    value = {
        "env": [{"name": "API_KEY", "value": "letmein"}, {"name": "HOST", "value": "kept"}],
        "manifest": {"kind": "Secret", "data": {"anything": "bGV0bWVpbg=="}},
        "jwk": {"kty": "oct", "k": "letmein-letmein-letmein"},
        "cookies": {"theme": "letmein"},
        "password": 12345678,
        "token": 5,
        "db_password": {"type": "plain", "value": "letmein"},
        "passwords": ["letmein1", "kept"],
        "secrets": {"a": "letmein1", "b": {"n": 1}},
        "credentials": {"user": "kept", "p": "letmein1"},
    }
    redacted = bytes(redactor.json(msgspec.json.encode(value)))
    assert not re.search(rb"letmein|bGV0|1234", redacted)
    assert b'"kept"' in redacted
    assert redactor.json(redacted) == redacted


def test_every_kind_is_a_name_that_a_placeholder_can_hold() -> None:
    redactor = Redactor()
    named = {shape.kind for shape in SHAPES} | {rule.kind for rule in RULES if isinstance(rule, Rule | Within)}
    for kind in named:
        assert not isinstance(kind, str) or MARK.fullmatch(redactor.hide("x", kind=kind)), kind


# -- time ------------------------------------------------------------------------------------------------------------

PIECES = (
    *(
        "a",
        "A1",
        "0",
        "-",
        "_",
        ".",
        " ",
        "\\",
        '"',
        "'",
        "\\'",
        "'\"'\"'",
        "=",
        ":",
        "/",
        "@",
        "<",
        "<a>",
        "</",
        ">",
        ",",
    ),
    *(
        "\n",
        "\\n",
        "\t",
        "{",
        "$",
        "~",
        "://a:",
        "kty",
        "4111",
        "4111 ",
        "word ",
        "key",
        "key=",
        "token ",
        "password: ",
    ),
    *("pass,", "a,password\n", "<key>", "name: a ", "value: ", "--token ", "-p ", "curl -u ", "curl ", "docker login "),
    *(
        "mysql -p",
        "echo a |",
        "config set ",
        "cookies={",
        "data:\n ",
        "sk-",
        "eyJ",
        "eyJ.",
        "ghp_",
        "dp.pt.",
        "AKIA",
        "AIza",
    ),
    *(
        "| a ",
        "a | ",
        "| password |",
        "insert into a (",
        "('a', ",
        "password: str = ",
        '("key", ',
        "%3D",
        "\\u003d",
        '": {"',
    ),
    *("phrase ", "Private-Lines: 1\n", "-----BEGIN PRIVATE KEY-----", "Authorization: ", "authorization signature="),
    *("LS0tLS1CRUdJTi", "[a]\npassword = ", "fm2_", "TRUE\t/"),
    *(
        "cat a/key\n",
        "<<E\na\nb\n",
        ":500:",
        "recovery codes:\n",
        "aaaa-bbbb\n",
        " PIN of a",
        "auth=('a', ",
        "set pass ",
        *(
            "key 7 ",
            "get secret\n",
            "-u a -p ",
            "passphrase: a ",
            "[1, 1, ",
            "code 1 ",
            "is your code ",
            "'user': 'a', ",
        ),
        *("passwort ist ", "密码 ", "key = A(", "terraform output -raw\na\n", "option key ", "-auth a:", "{SSHA}"),
        "| a_key |",
    ),
)


NOTHING = 0.005
"""Seconds; too few to say anything by."""


def _seconds(rule: Finder, piece: str, size: int) -> float:
    text = piece * (size // len(piece))
    started = time.process_time()
    rule.meets(text)
    for _ in rule.find(text):
        pass
    return time.process_time() - started


@pytest.mark.parametrize("piece", PIECES)
def test_the_work_of_every_rule_grows_with_the_text(piece: str) -> None:
    """Twice the text is twice the work: a rule that goes back and forth would take four times as long, or forever."""
    for rule in RULES:
        if _seconds(rule, piece, 10_000) > NOTHING:
            small, large = _at_their_best(rule, piece)
            assert large < 3 * small + NOTHING, (rule.clues, small, large)


def _at_their_best(rule: Finder, piece: str) -> tuple[float, float]:
    """Seconds for some text and for twice as much. Others use this machine too: what looks slow is measured again."""
    small = large = math.inf
    for tries in range(16):
        small, large = min(small, _seconds(rule, piece, 5_000)), min(large, _seconds(rule, piece, 10_000))
        if tries >= 3 and large < 2.5 * small:
            break
    return small, large
