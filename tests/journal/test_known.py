"""What was seen before is cleared at once, and a secret never is."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.journal.known import KnownStrings
from rawr.journal.redact import Redactor
from tests.journal.secrets_made import NAMES, VALUES, VENDOR

WORDS = st.sampled_from(["id", "status", "idle", "name", "value", "path", "src/a.py", "text", "ok"])


def clear(known: KnownStrings, text: str) -> bool:
    return known.clear(text.encode(), text)


@settings(max_examples=100, deadline=None)
@given(
    before=st.lists(st.dictionaries(WORDS, WORDS), max_size=5),
    secret=st.one_of(*VENDOR.values()),
    name=st.sampled_from(NAMES),
    value=VALUES,
)
def test_frames_that_went_before_do_not_clear_a_secret(
    before: list[dict[str, str]], secret: str, name: str, value: str
) -> None:
    redactor = Redactor()
    for frame in before:
        encoded = msgspec.json.encode(frame)
        assert redactor.json(encoded) is encoded
    assert secret.encode() not in bytes(redactor.json(msgspec.json.encode({"text": secret})))
    assert value.encode() not in bytes(redactor.json(msgspec.json.encode({name: value})))
    assert value.encode() not in bytes(redactor.json(msgspec.json.encode({"name": name, "value": value})))


@pytest.mark.parametrize("text", ["{ghp_%s}", "[ghp_%s]", '"ghp_%s', 'x"y"ghp_%s', '{"a":ghp_%s}'])
def test_what_only_begins_like_json_is_looked_at_as_a_whole(text: str) -> None:
    assert not clear(KnownStrings(), text % ("Ab1" * 12))


def test_it_forgets_rather_than_grows() -> None:
    known = KnownStrings()
    for number in range(20_000):
        assert clear(known, f'{{"path":"file{number}"}}')
    assert len(known._known) < 5_000
    for number in range(40):
        assert clear(known, f'{{"text":"{number} {"a word and another " * 5_000}"}}')
    assert known._characters < 1_100_000


@settings(max_examples=200, deadline=None)
@given(
    start=st.sampled_from(
        ["", "xoxb-", "ghp_", "sk-", "hvs.", "AKIA", "AIza", "glpat-", "ya29.", "dp.pt.", "SG.", "-p"]
    ),
    rest=st.text("abcdefXYZ0123456789_./-", max_size=12),
)
def test_a_short_word_is_no_secret_by_itself(start: str, rest: str) -> None:
    """What the quick look passes over, no rule would find."""
    word = (start + rest)[:12]
    assert Redactor().text(word) == word


@pytest.mark.parametrize(
    "name",
    [
        "01a1e18c-fddb-7680-938f-df196b0eaeea",
        "call_Q5ZVXn2Tl8qEZk4QzqmW9jYH",
        "msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9a0b1c2d3e4f5a6b7",
        "rs_0a1b2c3d4e5f60718293a4b5c6d7e8f9a0b1c2d3e4f5a6b7",
        "exec-01a1e18c-ff85-7d53-b08a-91ce5e2b3c67",
    ],
)
def test_names_that_codex_gives_are_no_secrets(name: str) -> None:
    assert Redactor().text(name) == name
    assert clear(KnownStrings(), f'{{"item":{{"id":"{name}"}}}}')
    assert not clear(KnownStrings(), f'{{"api_key":"{name}"}}'), "under a telling name it is one all the same"


@pytest.mark.parametrize("before", ['a \\"quoted\\" word', "a path\\\\", "\\\\\\\\", '\\"', "\\u0022"])
def test_escaped_quotes_do_not_hide_where_a_string_ends(before: str) -> None:
    known = KnownStrings()
    assert clear(known, f'{{"text":"{before}","more":"nothing here"}}')
    assert clear(known, f'{{"more":"{before}"}}')
    assert not clear(known, f'{{"text":"{before}","password":"hunter2-and-more"}}')
    assert not clear(known, f'{{"text":"{before} token=ghp_{"Ab1" * 12}"}}')


COUNTED = '{"tokens":78000,"guards":["tokens ok (78000 of no limit)"],"turn":"%s"}'


def test_tokens_that_are_counted_are_none() -> None:
    """A record of a run has them at every turn, and need not be looked at as a whole for it."""
    known = KnownStrings()
    assert clear(known, COUNTED % "t1")
    assert "tokens" not in known._known


@pytest.mark.parametrize(
    "text",
    [
        '{"tokens":["zQ8vN2xR7kLp"]}',
        '{"tokens":78000,"more":{"tokens":["zQ8vN2xR7kLp"]}}',
        '{"tokens":78000,"more":{"tokens":{"a":"zQ8vN2xR7kLp"}}}',
    ],
)
def test_tokens_that_are_not_counted_are_found_though_others_were(text: str) -> None:
    redactor = Redactor()
    for turn in ("t1", "t2"):
        redactor.json((COUNTED % turn).encode())
    assert b"zQ8vN2xR7kLp" not in bytes(redactor.json(text.encode()))
