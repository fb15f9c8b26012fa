"""Each promise of the threat model names the tests that hold it, and they are there (D25)."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "threat-model.md"

_PROMISE = re.compile(r"^\| (?P<promise>[A-Za-z].*?\.) \| (?P<tests>`.*`) \|$", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")

pytestmark = pytest.mark.mission("D25")


def promises() -> list[tuple[str, str]]:
    return [(row["promise"], row["tests"]) for row in _PROMISE.finditer(PAGE.read_text("utf-8"))]


@cache
def functions(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize(("promise", "tests"), promises(), ids=lambda text: text[:40])
def test_a_promise_names_tests_that_exist(promise: str, tests: str) -> None:
    named = _TEST.findall(tests)
    assert named, f"{promise} names no test"
    assert re.sub(r"[\s,]|<br>", "", _TEST.sub("", tests)) == "", f"{tests} names something else than tests"
    for file, function in named:
        assert (ROOT / file).is_file(), file
        assert not function or function in functions(file), f"{file} has no {function}"


def test_no_row_of_the_promises_is_overlooked() -> None:
    """A row that the pattern does not match would not be checked."""
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if "`tests/" in line]
    assert len(rows) == len(promises()) > 20
