"""The tables of the routing are complete, and nothing else routes (B1)."""

import ast
from pathlib import Path
from typing import get_args

import pytest

import rawr
from rawr.core import events, routing
from rawr.core.compaction.packet_turn import DEADLINE as PACKET
from rawr.core.compaction.sequence import SETTLING
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.opinions import SignatureName

CORE = Path(rawr.__file__).parent / "core"


def test_every_fact_has_its_row() -> None:
    assert set(routing.FACTS) == set(get_args(facts.AnyFact))
    assert set(routing.HOST) <= set(get_args(facts.AnyFact))


def test_every_event_has_its_row_and_somebody_who_hears_it() -> None:
    assert set(routing.EVENTS) == set(events.Event.__subclasses__())
    assert all(routing.EVENTS.values())


def test_every_event_is_emitted_below_the_routing() -> None:
    """An event that nobody emits is a row that says nothing."""
    emitted = {
        node.func.id
        for path in CORE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "emit"
        for node in call.args
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert emitted == {event.__name__ for event in events.Event.__subclasses__()}


def test_every_signature_has_somebody_who_asked() -> None:
    assert set(routing.ASKED) == set(get_args(SignatureName))


def test_what_an_item_brings_is_about_items() -> None:
    assert set(routing.ITEMS) < set(get_args(items.AnyItem))


def test_every_deadline_that_is_set_is_waited_for_by_somebody() -> None:
    """A name that nobody knows would pass in silence."""
    set_by = {
        ast.unparse(node.args[0])
        for path in CORE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "set_deadline"
    }
    assert set_by == {
        "CLOSING",
        "DEADLINE",
        "DEADLINE + fact.request",
        "DEADLINE + request",
        "DEADLINE + signature",
        "RESEARCH",
        "RESET",
        "SETTLING",
        "TIME",
        "ending.COOL",
        "ending.RETRY",
        "ending.STALL",
        "ending.TIME",
        "packet_turn.DEADLINE",
    }
    assert {PACKET, SETTLING, "compaction", "interrupt", "run.retry", "run.time", "run.stall"} <= set(routing.DEADLINES)
    assert {"run.cool", "run.closing", "pause"} <= set(routing.DEADLINES)
    assert set(routing.DEADLINES_OF) == {"model:", "request:"}


@pytest.mark.parametrize(
    ("field", "places"),
    [
        ("waiting", {"run/ending.py"}),
        ("phase", {"compaction/path.py", "compaction/sequence.py", "compaction/veto.py"}),
    ],
)
def test_what_moves_by_a_table_is_set_by_it_alone(field: str, places: set[str]) -> None:
    """What a run waits for is set by ``ending.move``; a phase by ``path.move``, and where a sequence begins."""
    setters = {
        str(path.relative_to(CORE))
        for path in CORE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and _changes(node) and any(one.arg == field for one in node.keywords)
    }
    assert setters == places


def _changes(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in ("change", "move", "replace", "Run", "Sequence")
