"""What was seen before is cleared at once, and a secret never is."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.journal import Redactor
from rawr.journal.known import KnownStrings
from tests.journal.secrets_made import NAMES, VALUES, VENDOR

WORDS = st.sampled_from(["id", "status", "idle", "name", "value", "path", "src/a.py", "text", "ok"])


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
    assert not KnownStrings().clear(text % ("Ab1" * 12))


def test_it_forgets_rather_than_grows() -> None:
    known = KnownStrings()
    for number in range(20_000):
        assert known.clear(f'{{"path":"file{number}"}}')
    assert len(known._known) < 5_000
