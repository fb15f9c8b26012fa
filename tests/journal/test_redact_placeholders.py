"""Placeholders: one for each secret, and what only looks like one protects nothing."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.core.real import Real
from rawr.core.vocabulary.effects import RunCheck
from rawr.journal.redact import GONE, Redactor

from .redacting import KEY, as_foreign


def test_one_secret_has_one_placeholder_in_a_process_and_another_in_the_next() -> None:
    here, there = Redactor(), Redactor()
    first = here.text("sk-" + KEY)
    assert here.text("API_KEY=sk-" + KEY) == "API_KEY=" + first
    assert here.json(msgspec.json.encode({"api_key": "sk-" + KEY})) == msgspec.json.encode({"api_key": first})
    assert there.text("sk-" + KEY) != first


def test_after_a_restart_a_placeholder_is_unresolved_and_stays() -> None:
    redacted = Redactor().text("use ghp_" + KEY)
    later = Redactor()
    assert later.restore(redacted) == redacted
    assert later.unresolved(redacted) == [redacted.removeprefix("use ")]


def test_what_only_looks_like_a_placeholder_is_no_placeholder_here_or_after_a_restart() -> None:
    """A user's message reaches Codex unchanged, whatever it says."""
    redactor = Redactor()
    own = redactor.text("ghp_" + KEY)
    for typed in ("what does [redacted:api-key:0123456789abcdef] mean?", own, Redactor().text("ghp_" + KEY)):
        redacted = as_foreign(redactor, typed)
        assert redacted != typed
        assert redactor.text(redacted) == redacted
        for reader in (redactor, Redactor()):
            assert reader.unresolved(redacted) == []
            assert reader.restore(redacted) == typed
        twice = as_foreign(redactor, redacted)
        assert Redactor().restore(twice) == redacted


SHIELDS = (
    "DB_PASSWORD={}",
    "export DB_PASSWORD='{}' && make",
    '{{"password": "{}"}}',
    '{{\\"password\\": \\"{}\\"}}',
    "db:\n  password: {}\n",
    "mysql -u root -p{} shop",
    "curl -u bob:{} https://example.com",
    "x --password {} --verbose",
    "postgres://bob:{}@db/shop",
    "https://example.com/?api_key={}&x=1",
    "Authorization: Bearer {}",
    "Cookie: session={}",
    "<password>{}</password>",
    "user,password\nann,{}\n",
)


@pytest.mark.parametrize("place", SHIELDS)
@pytest.mark.parametrize(
    "value", ["{mark}{secret}", "{secret}{mark}", "{mark}{mark}{secret}", "{secret}{mark}{secret}"]
)
def test_what_looks_like_a_placeholder_shields_nothing_beside_it(place: str, value: str) -> None:
    secret = "Zq7vR2mK9xW4tB6n"
    redactor = Redactor()
    for mark in ("[redacted:x:0123456789abcdef]", redactor.text("ghp_" + KEY), "\ue000"):
        text = place.format(value.format(mark=mark, secret=secret))
        redacted = as_foreign(redactor, text)
        assert secret not in redacted
        assert secret not in redactor.text(text)
        assert redactor.text(redacted) == redacted
        assert redactor.restore(redacted) == text


@pytest.mark.parametrize(
    "members",
    [
        {"password": "{}"},
        {"DB_PASSWORD": "x {} y"},
        {"Authorization": "Bearer {}"},
        {"Cookie": "session={}"},
        {"cookies": {"session": "{}"}},
        {"name": "API_KEY", "value": "{}"},
        {"kind": "Secret", "data": {"x": "{}"}},
        {"argv": ["login", "--password", "{}"]},
        {"argv": ["mysql", "-p{}"]},
        {"argv": ["curl", "-u", "bob:{}"]},
    ],
)
def test_in_json_it_shields_nothing_either(members: dict[str, object]) -> None:
    value = "[redacted:x:0123456789abcdef]Zq7vR2mK9xW4[redacted:x:0123456789abcdef]"
    redactor = Redactor()
    came = msgspec.json.encode(members).replace(b"{}", value.encode())
    redacted = redactor.foreign(came)
    assert b"Zq7vR2mK9xW4" not in bytes(redacted)
    assert redactor.json(redacted) == redacted
    assert redactor.restore(redacted.decode()) == came.decode()
    assert b"Zq7vR2mK9xW4" not in bytes(redactor.json(came))


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_what_is_revealed_is_what_came_in_to_the_letter(data: st.DataObject) -> None:
    """D12: whatever an agent writes, placeholders that it has read in a journal among it."""
    redactor = Redactor()
    known = redactor.text("ghp_" + KEY)
    parts = st.sampled_from(
        [known, f"[quoted-0000:{known[1:]}", known[:-1], known[1:], "ghp_" + KEY, "-p", "mysql ", "password=", "'", '"']
    )
    command = "".join(data.draw(st.lists(parts | st.text(max_size=8), max_size=8)))
    came = RunCheck(command=command, cwd="/", seconds=1)
    kept = msgspec.json.decode(redactor.foreign(msgspec.json.encode(came)), type=RunCheck)
    assert redactor.reveal(kept) == Real(came)


def test_what_is_gone_is_not_revealed_and_is_said_where_it_is_only_quoted() -> None:
    """D12: never acted upon with a placeholder in it."""
    check = RunCheck(command=f"test ghp_{KEY} = x", cwd="/", seconds=1)
    written = msgspec.json.decode(Redactor().foreign(msgspec.json.encode(check)), type=RunCheck)
    later = Redactor()
    assert later.reveal(written) is None
    assert later.quote(written).thing.command == f"test {GONE} = x"
    earlier = Redactor()
    clean = earlier.foreign(msgspec.json.encode(check))
    later.recall(earlier.originals(clean))
    assert later.reveal(msgspec.json.decode(clean, type=RunCheck)) == Real(check)


def test_a_placeholder_of_an_earlier_process_survives_being_written_again() -> None:
    """D12: a snapshot of a state that holds one must not make plain text of it."""
    written = Redactor().json(msgspec.json.encode({"text": "ghp_" + KEY}))
    assert Redactor().json(written) == written


def test_the_vault_forgets_the_least_recently_used() -> None:
    redactor = Redactor(capacity=2)
    first, second = redactor.text("A_TOKEN=one1"), redactor.text("A_TOKEN=two2")
    assert redactor.restore(first) == "A_TOKEN=one1"
    third = redactor.text("A_TOKEN=three3")
    assert redactor.unresolved(first + second + third) == [second.removeprefix("A_TOKEN=")]
    assert redactor.text(second) == second
