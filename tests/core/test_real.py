"""What is real cannot be written, and only the redactor that made a placeholder gives the real thing out (D12)."""

import ast
import pickle
from pathlib import Path

import msgspec
import pytest

import rawr
from rawr.core.real import Real
from rawr.core.vocabulary.effects import RunCheck

SOURCE = Path(rawr.__file__).parent
MAY_MAKE_ONE = {
    "journal/redact.py": "it has the secrets",
    "cli/terminal/answering.py": "out of another real one",
    "host/client.py": "out of one that the host's redactor gave out",
    "cli/commands/guidance_demo.py": "of a file that a person wrote",
    "models/tuning/compiling.py": "of receipts, in which nothing is acted upon",
}


def test_it_cannot_be_encoded_or_pickled_and_does_not_print() -> None:
    real = Real(RunCheck(command="PGPASSWORD=hunter2 pytest", cwd="/", seconds=1))
    with pytest.raises(TypeError):
        msgspec.json.encode(real)
    with pytest.raises(TypeError):
        pickle.dumps(real)
    assert "hunter2" not in f"{real} {real!r}"


def test_who_makes_one_is_on_the_list() -> None:
    """D12: by construction. The ports that act take a ``Real``; mypy holds them to it, and this the makers."""
    makers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Real"
    }
    assert makers == set(MAY_MAKE_ONE)


def test_who_says_that_bytes_are_redacted_is_the_redactor() -> None:
    makers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Redacted"
    }
    assert makers == {"journal/redact.py"}
