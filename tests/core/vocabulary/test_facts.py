"""Facts, effects, items and answers go to disk and come back as they were."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.core.state.host import HostState
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.effects import AnyEffect, Intended, effect_id
from rawr.core.vocabulary.facts import AnyFact, Recorded
from rawr.core.vocabulary.records import Record
from rawr.core.vocabulary.requests import Answer, Question
from tests.core.strategies import values

UNIONS = {"fact": AnyFact, "effect": AnyEffect, "question": Question, "answer": Answer}
KINDS = [pytest.param(union, kind, id=kind.__name__) for union in UNIONS.values() for kind in get_args(union)]
WHOLES = (ThreadState, HostState, Recorded, Intended, Record)


@pytest.mark.parametrize(("union", "kind"), KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_kind_comes_back_as_it_was(union: type, kind: type, data: st.DataObject) -> None:
    value = data.draw(values(kind))
    assert msgspec.json.decode(msgspec.json.encode(value), type=union) == value


@pytest.mark.parametrize("kind", WHOLES, ids=lambda kind: kind.__name__)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_whole_values_come_back_as_they_were(kind: type, data: st.DataObject) -> None:
    """B10: a state is read back from disk as it was."""
    value = data.draw(values(kind))
    assert msgspec.json.decode(msgspec.json.encode(value), type=kind) == value


def test_kinds_are_told_apart_by_their_names() -> None:
    """A tag in a journal is for ever: no two kinds share one."""
    for union in UNIONS.values():
        tags = [kind.__struct_config__.tag for kind in get_args(union)]
        assert len(set(tags)) == len(tags)


def test_an_effects_name_follows_from_its_fact() -> None:
    assert effect_id("t", seq=12, n=3) == "t:12.3"
