"""No secret survives, whatever is around it: in text, in JSON and in the files."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rawr.core.vocabulary.facts import UserSubmitted
from rawr.journal.redact import Redactor
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from tests.journal.samples import bodies, recorded
from tests.journal.secrets_made import COLOURS, FORMS, LINES, NAMES, NEXT_LINE, PLACES, VALUES, VENDOR, private_key

from .redacting import KEY

AROUND = st.text(st.characters(codec="utf-8", exclude_characters="\\"), max_size=30)


def in_every_wrapping(before: str, secret: str, after: str) -> list[bytes]:
    text = f"{before} {secret} {after}"
    once = msgspec.json.encode({"fact": "UserSubmitted", "text": text})
    twice = msgspec.json.encode({"item": {"arguments": once.decode()}, "list": [[text]]})
    return [once, twice, once[: len(once) - 2], text.encode()]


@pytest.mark.parametrize("kind", VENDOR)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), before=AROUND, after=AROUND)
def test_no_secret_with_looks_of_its_own_survives(kind: str, data: st.DataObject, before: str, after: str) -> None:
    secret = data.draw(VENDOR[kind])
    redactor = Redactor()
    for wrapped in in_every_wrapping(before, secret, after):
        redacted = bytes(redactor.json(wrapped))
        assert secret.encode() not in redacted
        assert redactor.json(redacted) == redacted


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(NAMES), value=VALUES, before=AROUND, after=AROUND)
def test_no_secret_with_a_telling_name_survives(form: str, name: str, value: str, before: str, after: str) -> None:
    redactor = Redactor()
    for wrapped in in_every_wrapping(before, form.format(name=name, value=value), after):
        redacted = bytes(redactor.json(wrapped))
        assert value.encode() not in redacted
        assert redactor.json(redacted) == redacted


@pytest.mark.parametrize("form", NEXT_LINE)
@settings(max_examples=20, deadline=None)
@given(name=st.sampled_from(NAMES), value=VALUES)
def test_no_secret_on_the_line_after_its_name_survives(form: str, name: str, value: str) -> None:
    for wrapped in in_every_wrapping("", form.format(name=name, value=value), ""):
        assert value.encode() not in bytes(Redactor().json(wrapped))


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=40, deadline=None)
@given(value=VALUES, before=AROUND, after=AROUND)
def test_no_secret_in_a_telling_place_survives(place: str, value: str, before: str, after: str) -> None:
    redactor = Redactor()
    for wrapped in in_every_wrapping(before, place.format(value=value), after):
        redacted = bytes(redactor.json(wrapped))
        assert value.encode() not in redacted
        assert redactor.json(redacted) == redacted


@pytest.mark.parametrize("kind", VENDOR)
@settings(max_examples=30, deadline=None)
@given(data=st.data(), colours=st.lists(st.sampled_from(COLOURS), min_size=3, max_size=3))
def test_no_secret_survives_in_colours(kind: str, data: st.DataObject, colours: list[str]) -> None:
    """Coloured as a whole, after a coloured word, and from its middle on."""
    secret = data.draw(VENDOR[kind])
    middle = data.draw(st.integers(1, len(secret) - 1))
    text = colours[0] + secret[:middle] + colours[1] + secret[middle:] + colours[2]
    redactor = Redactor()
    assert redactor.restore(redactor.text(text)) == text
    for wrapped in in_every_wrapping("", text, ""):
        redacted = bytes(redactor.json(wrapped))
        assert secret[middle:].encode() not in redacted or len(secret) - middle < 8
        assert secret[:middle].encode() not in redacted or middle < 8
    glued = f"{colours[0]}ok{colours[1]}{secret}"
    assert secret not in redactor.text(glued)


@settings(max_examples=60, deadline=None)
@given(lines=LINES, line_end=st.sampled_from(["\n", "\r\n", "\\n", "\\\\n", "\n    "]), data=st.data())
def test_no_private_key_survives_whole_or_cut(lines: list[str], line_end: str, data: st.DataObject) -> None:
    block = private_key(lines, line_end=line_end)
    cut = block[: data.draw(st.integers(len("-----BEGIN RSA PRIVATE KEY-----") + len(lines[0]), len(block)))]
    redactor = Redactor()
    for text in (block, cut):
        for wrapped in in_every_wrapping("a", text, "b"):
            redacted = bytes(redactor.json(wrapped))
            assert not any(line.encode() in redacted for line in lines)
            assert lines[0][:20].encode() not in redacted


@settings(max_examples=300, deadline=None)
@given(
    parts=st.lists(
        st.one_of(
            AROUND,
            st.sampled_from(["Authorization: ", "Bearer ", "password=", '"api_key": "', "'", '"', "--token ", "://a:"]),
            st.sampled_from(
                ["\x1b[1m", "\\u001b[0m", "\x1b", "curl -u ", "a:", "Cookie: ", "a=b", "; ", "&sig=", "_PASS"]
            ),
            st.sampled_from(["[redacted:x:0123456789abcdef]", "\ue000"]),
            st.sampled_from(["@", "\\", "\n", "[redacted:", "token:0123456789abcdef]", "sk-", KEY, ": ", "= ", ","]),
        ),
        max_size=12,
    ).map("".join)
)
def test_redacting_twice_changes_nothing_and_restoring_gives_the_text_back(parts: str) -> None:
    redactor = Redactor()
    redacted = redactor.text(parts)
    assert redactor.text(redacted) == redacted
    assert redactor.restore(redacted) == parts
    encoded = redactor.json(msgspec.json.encode({"text": parts, "password": parts}))
    assert redactor.json(encoded) == encoded
    assert redactor.restore(msgspec.json.decode(encoded)["password"]) == parts


@pytest.mark.parametrize("kind", VENDOR)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), around=AROUND)
def test_no_secret_is_in_the_files(tmp_path: Path, kind: str, data: st.DataObject, around: str) -> None:
    """Not in the database, not in its log: the raw bytes are searched while the journal is open and after."""
    secret = data.draw(VENDOR[kind])
    assert_stays_out(tmp_path, secret, f"{around} {secret} {around}")


@pytest.mark.parametrize("place", [*PLACES, *(form.replace("{name}", "MYSQL_PWD") for form in (*FORMS, *NEXT_LINE))])
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES)
def test_no_secret_known_by_its_place_is_in_the_files(tmp_path: Path, place: str, value: str) -> None:
    assert_stays_out(tmp_path, value, place.format(value=value))


def assert_stays_out(tmp_path: Path, secret: str, text: str) -> None:
    message = UserSubmitted(text=text)
    redactor = Redactor()
    body = redactor.json(msgspec.json.encode(message))
    with Journal.open(tmp_path / "home") as journal:
        batch = Batch()
        batch.add_fact(recorded(journal.last_seq() + 1, fact=message), body)
        batch.add_frame("out", redactor.json(msgspec.json.encode({"params": {"input": message.text}})), at=1)
        journal.append(batch).result()
        assert_absent(secret, tmp_path / "home")
    assert_absent(secret, tmp_path / "home")


def assert_absent(secret: str, home: Path) -> None:
    for path in home.iterdir():
        assert secret.encode() not in path.read_bytes(), path.name
    assert secret not in bodies(home)
