"""The command line is a surface among others: it shows what ``rawr.views`` tells, and reads no reason codes.

A code is an audit, written for journals. Whoever shows what happened follows events, whose names are stable.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rawr
from rawr.core.vocabulary.reasons import Reason

SOURCE = Path(rawr.__file__).parent
CODES = {one.value for one in Reason}
OUTCOMES = {code.rpartition(".")[0] for code in CODES}
MODULE = "rawr.core.vocabulary.reasons"
MAY_READ = {"backtest", "core", "journal", "views"}
"""Who decides, who writes it down, who tells the surfaces, and who has it decided on sessions that are over."""


def modules(*packages: str) -> Iterator[tuple[str, ast.Module]]:
    for package in packages:
        for file in sorted((SOURCE / package).rglob("*.py")):
            yield str(file.relative_to(SOURCE)), ast.parse(file.read_text())


def imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{one.name}" for one in node.names)}
    return found


def codes_in(tree: ast.Module) -> set[str]:
    """Texts that are a reason code, or the beginning of some: ``run.stopped`` or ``run.stopped.``."""
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text for text in texts if text in CODES or (text.rstrip(".") in OUTCOMES | {"ignored"} and "." in text)}


def test_the_command_line_reads_no_reason_codes() -> None:
    assert {name: found for name, tree in modules("cli") if (found := codes_in(tree))} == {}
    assert [name for name, tree in modules("cli") if MODULE in imported(tree)] == []


def test_only_views_read_them_outside_of_what_decides_and_records() -> None:
    """``LOGIC``, the version of the rules, is no code."""
    others = [one.name for one in SOURCE.iterdir() if one.is_dir() and one.name not in MAY_READ]
    found = [name for name, tree in modules(*others) if f"{MODULE}.Reason" in imported(tree)]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "from rawr.core.vocabulary.reasons import Reason",
        "from rawr.core.vocabulary import reasons",
        "import rawr.core.vocabulary.reasons",
    ],
)
def test_an_import_is_seen(text: str) -> None:
    assert MODULE in imported(ast.parse(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("reason == 'turn.started.sequence'", {"turn.started.sequence"}),
        ("reason.startswith(('compact.deferred.', 'x'))", {"compact.deferred."}),
        ("reason.startswith('ignored.')", {"ignored."}),
        ("match reason:\n  case 'run.failed.check': pass", {"run.failed.check"}),
        ("print('rawr.log is ignored')", set()),
    ],
)
def test_a_comparison_is_seen(text: str, found: set[str]) -> None:
    assert codes_in(ast.parse(text)) == found
