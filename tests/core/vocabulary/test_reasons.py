"""The closed list of reason codes: unique, well formed, explained, and each in use."""

import re
from pathlib import Path

import pytest

import rawr
from rawr.core.vocabulary.reasons import Reason

SHAPE = re.compile(r"[a-z]+\.[a-z_]+\.[a-z_]+|ignored\.[a-z_]+")


def test_codes_are_unique() -> None:
    """An enum makes a doubled value an alias, silently: so the members are counted by name."""
    assert len(Reason.__members__) == len({reason.value for reason in Reason})


@pytest.mark.parametrize("reason", Reason)
def test_a_code_is_well_formed_and_explained(reason: Reason) -> None:
    """C17: ``area.outcome.cause``, and one line of meaning."""
    assert SHAPE.fullmatch(reason.value)
    assert reason.meaning.endswith(".")
    assert "\n" not in reason.meaning
    assert reason == reason.value


PAST = {"COMPACT_DECIDED_CHECKPOINT", "COMPACT_DEFERRED_COOLDOWN_TURNS", "COMPACT_DEFERRED_COOLDOWN_SECONDS"}
"""Older journals have them."""


def test_every_code_is_used() -> None:
    sources = [path for path in Path(rawr.__file__).parent.rglob("*.py") if path.name != "reasons.py"]
    text = "\n".join(path.read_text() for path in sources)
    assert set(Reason.__members__) - set(re.findall(r"\bReason\.(\w+)", text)) - PAST == set()
    assert all("Not since LOGIC" in Reason[name].meaning for name in PAST)
