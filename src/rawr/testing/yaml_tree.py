"""Typed reading of a YAML document: every error names the file, the line and the key. It knows no scenarios."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import TypeVar

from rawr.errors import ScenarioError
from rawr.prompts.found import Found, Odd
from rawr.prompts.reading import Unusable
from rawr.prompts.yaml_found import Bounds, read_yaml

T = TypeVar("T")

BOUNDS = Bounds(aliases=1_000, depth=100, values=1_000_000)
"""A scenario is a developer's own file: the bounds only end what would not end by itself."""


class Tree:
    """One value of the document, with its path."""

    def __init__(self, found: Found, *, source: str, key: str = "") -> None:
        self._found = found
        self._source = source
        self.key = key

    def error(self, message: str, *, way_out: str = "") -> ScenarioError:
        return self._error_at(self._found.line, message, way_out=way_out)

    def expected(self, wanted: str, *, way_out: str = "") -> ScenarioError:
        return self.error(f"expected {wanted}, got {self._kind()}.", way_out=way_out)

    def placed(self, build: Callable[[], T]) -> T:
        """Run a constructor that checks its own values, and name the place of the bad one."""
        try:
            return build()
        except ScenarioError as error:
            raise self.error(error.message, way_out=error.way_out) from error

    @property
    def is_text(self) -> bool:
        return isinstance(self._found.value, str)

    @property
    def is_mapping(self) -> bool:
        return self._found.table is not None

    @property
    def is_list(self) -> bool:
        return self._found.items is not None

    def text(self) -> str:
        if not self.is_text:
            hint = "" if self.is_mapping or self.is_list else "Put it in quotes."
            raise self.expected("text", way_out=hint)
        return str(self._found.value)

    def flag(self) -> bool:
        value = self._found.value
        if not isinstance(value, bool):
            raise self.expected("true or false")
        return value

    def integer(self) -> int:
        value = self._found.value
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.expected("a whole number")
        return value

    def seconds(self) -> float:
        value = self._found.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.expected("a number of seconds")
        return float(value)

    def items(self) -> Iterator["Tree"]:
        if self._found.items is None:
            raise self.expected("a list")
        for index, found in enumerate(self._found.items):
            yield Tree(found, source=self._source, key=f"{self.key}[{index}]")

    def fields(self, *known: str) -> dict[str, "Tree"]:
        """The mapping's values in file order; a key that is unknown or appears twice is an error."""
        if self._found.table is None:
            raise self.expected("a mapping with the keys " + ", ".join(known))
        fields: dict[str, Tree] = {}
        for word, found in self._found.table.items():
            if word not in known:
                way_out = "Known here: " + ", ".join(known) + "."
                raise self._error_at(found.at, f"unknown key {word!r}.", way_out=way_out)
            if found.twice:
                raise self._error_at(found.at, f"the key {word!r} appears twice.")
            fields[word] = Tree(found, source=self._source, key=f"{self.key}.{word}" if self.key else word)
        return fields

    def mapping(self) -> dict[str, object]:
        if self._found.table is None:
            raise self.expected("a mapping")
        return {name: self._plain(found) for name, found in self._found.table.items()}

    def _plain(self, found: Found) -> object:
        """The value as YAML means it."""
        if found.table is not None:
            return {name: self._plain(below) for name, below in found.table.items()}
        if found.items is not None:
            return [self._plain(below) for below in found.items]
        if isinstance(found.value, Odd):
            raise self._error_at(found.at, f"there is {found.value}.")
        return found.value

    def _error_at(self, line: int | None, message: str, *, way_out: str = "") -> ScenarioError:
        where = f"{self._source}:{line}: " + (f"{self.key}: " if self.key else "")
        return ScenarioError(where + message, way_out=way_out)

    def _kind(self) -> str:
        match self._found.value:
            case dict():
                return "a mapping"
            case None:
                return "nothing"
            case bool(value):
                return f"true or false ({str(value).lower()})"
            case int(value) | float(value):
                return f"a number ({value})"
            case date() as value:
                return f"a date ({value})"
            case str(value):
                return f"text ({value})"
            case _:
                return self._found.shown


def parse_tree(text: str, *, source: str) -> Tree:
    try:
        found = read_yaml(text, bounds=BOUNDS)
    except Unusable as error:
        raise ScenarioError(f"{source}:{error.line}: {error.problem}.") from error
    if found is None:
        raise ScenarioError(f"{source}:1: the file is empty.", way_out="A scenario has at least a name and replies.")
    return Tree(found, source=source)


def load_tree(path: Path) -> Tree:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path}: is not UTF-8 text (byte {error.start}).") from error
    return parse_tree(text, source=str(path))
