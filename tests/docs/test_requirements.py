"""Every number of a requirement leads to a line in ``docs/requirements.md``."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "requirements.md"
_SHIPPED = "\n## Shown as shipped\n"

_NUMBER = re.compile(r"(?<![\w.#-])([A-D])([1-9]\d?)(?:(a)|–\1([1-9]\d?))?(?![\w-])")
"""``A18``; a later one, ``A20a``; or a range such as ``A9–A15``."""


def promises() -> str:
    return PAGE.read_text("utf-8").partition(_SHIPPED)[0]


def entries() -> list[str]:
    return re.findall(r"^\| ([A-D]\d+a?) \| \S.*\. \|$", promises(), re.MULTILINE)


def stories() -> dict[str, tuple[list[str], str]]:
    """By number: the tests that play it as users get it, and what they set."""
    table = PAGE.read_text("utf-8").partition(_SHIPPED)[2]
    rows = re.findall(r"^\| ([A-D]\d+a?) \| (.+) \| (.+) \|$", table, re.MULTILINE)
    return {number: (re.findall(r"`([^`]+)`", told), what) for number, told, what in rows}


def source(story: str) -> str:
    """The text of a test, by the name that pytest gives it."""
    path, _, name = story.partition("::")
    text = (ROOT / "tests" / "e2e" / f"{path}.py").read_text("utf-8")
    [found] = [
        one
        for one in ast.parse(text).body
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name
    ]
    return ast.get_source_segment(text, found) or ""


def numbers(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        letter, first, later, last = found.groups()
        if later:
            yield f"{letter}{first}a"
        else:
            yield from (f"{letter}{number}" for number in range(int(first), int(last or first) + 1))


def texts(tree: ast.AST) -> Iterator[str]:
    """Docstrings, those below an attribute too, and the arguments of ``mission`` marks."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
            case ast.Call(func=ast.Attribute(attr="mission"), args=given):
                yield from (str(one.value) for one in given if isinstance(one, ast.Constant))


def used(folder: str) -> dict[str, str]:
    """Each number with one of the files that it is in."""
    return {
        number: str(path.relative_to(ROOT))
        for path in sorted((ROOT / folder).rglob("*.py"))
        for text in texts(ast.parse(path.read_text("utf-8")))
        for number in numbers(text)
    }


def test_no_number_has_two_lines_and_none_is_missing() -> None:
    lines = [one for one in entries() if not one.endswith("a")]
    later = [one for one in entries() if one.endswith("a")]
    assert all(entries()[entries().index(one) - 1] == one.removesuffix("a") for one in later)
    in_order = [f"{part}{n + 1}" for part, last in zip("ABCD", (23, 11, 18, 25), strict=True) for n in range(last)]
    assert lines == in_order
    assert promises().count("\n| ") == len(entries()) + 4  # and the four headings


def test_each_is_played_as_shipped() -> None:
    """And where it says that nothing is set, nothing is."""
    expected = [one for one in entries() if one[0] == "A" or one == "B9" or (one[0] == "D" and int(one[1:]) <= 12)]
    assert list(stories()) == expected
    for number, (told, what) in stories().items():
        assert told or number == "D6", number
        set_here = [one for one in told if re.search(r"config\.toml\"\)\.write|policy\(|rules=", source(one))]
        assert what != "nothing" or set_here == [], number


@pytest.mark.parametrize("folder", ["src", "tests"])
def test_every_number_leads_to_a_line(folder: str) -> None:
    known = set(entries())
    found = used(folder)
    assert len(found) > 40
    assert {number: path for number, path in found.items() if number not in known} == {}


def test_what_no_test_names(record_property: Callable[[str, object], None]) -> None:
    """A report, not a demand: ``pytest -rP`` shows it."""
    named = used("tests")
    untested = [number for number in entries() if number not in named]
    record_property("requirements that no test names", untested)
    print("No test names:", ", ".join(untested) or "none, which is as it should be")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Safe (C10, D11).", ["C10", "D11"]),
        ("C5: it ends.", ["C5"]),
        ("(A20, A20a)", ["A20", "A20a"]),
        ("(A9–A12)", ["A9", "A10", "A11", "A12"]),
        ("A3-XYZ, IPC4, B0, E5, .D5", []),
    ],
)
def test_what_counts_as_a_number(text: str, found: list[str]) -> None:
    assert list(numbers(text)) == found
