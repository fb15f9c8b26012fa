"""YAML with places: typed reading of a document in which every error names the file, the line and the key.

It knows nothing of scenarios. Aliases work; merge keys (``<<``) do not, so that what you read is what is there.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import yaml

from rawr.errors import ScenarioError

T = TypeVar("T")

_KINDS = {
    "tag:yaml.org,2002:str": "text",
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:bool": "true or false",
    "tag:yaml.org,2002:null": "nothing",
    "tag:yaml.org,2002:timestamp": "a date",
}


class Tree:
    """One value of the document, with the way that leads to it."""

    def __init__(self, node: yaml.Node, loader: yaml.SafeLoader, *, source: str, key: str = "") -> None:
        self._node = node
        self._loader = loader
        self._source = source
        self.key = key

    @property
    def line(self) -> int:
        return int(self._node.start_mark.line) + 1

    def error(self, message: str, *, way_out: str = "") -> ScenarioError:
        where = f"{self._source}:{self.line}: "
        return ScenarioError(where + (f"{self.key}: " if self.key else "") + message, way_out=way_out)

    def expected(self, wanted: str, *, way_out: str = "") -> ScenarioError:
        return self.error(f"expected {wanted}, got {self._kind()}.", way_out=way_out)

    def placed(self, build: Callable[[], T]) -> T:
        """Run a constructor that checks its own values, and say where the bad one stands."""
        try:
            return build()
        except ScenarioError as error:
            raise self.error(error.message, way_out=error.way_out) from error

    @property
    def is_text(self) -> bool:
        return isinstance(self._node, yaml.ScalarNode) and _KINDS.get(self._node.tag) == "text"

    @property
    def is_number(self) -> bool:
        return isinstance(self._node, yaml.ScalarNode) and _KINDS.get(self._node.tag) == "a number"

    @property
    def is_mapping(self) -> bool:
        return isinstance(self._node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        return isinstance(self._node, yaml.SequenceNode)

    def text(self) -> str:
        if not self.is_text:
            hint = "Put it in quotes." if isinstance(self._node, yaml.ScalarNode) else ""
            raise self.expected("text", way_out=hint)
        return str(self._node.value)

    def flag(self) -> bool:
        value = self.plain()
        if not isinstance(value, bool):
            raise self.expected("true or false")
        return value

    def integer(self) -> int:
        value = self.plain()
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.expected("a whole number")
        return value

    def seconds(self) -> float:
        value = self.plain()
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.expected("a number of seconds")
        return float(value)

    def items(self) -> Iterator["Tree"]:
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.expected("a list")
        for index, node in enumerate(self._node.value):
            yield self._child(node, f"{self.key}[{index}]")

    def fields(self, *known: str) -> dict[str, "Tree"]:
        """The mapping's values in file order; a key that is not known, or stands there twice, is an error."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.expected("a mapping with the keys " + ", ".join(known))
        found: dict[str, Tree] = {}
        for name, node in self._node.value:
            at = self._child(name, self.key)
            word = at.text() if at.is_text else str(name.value)
            if word not in known:
                raise at.error(f"unknown key {word!r}.", way_out="Known here: " + ", ".join(known) + ".")
            if word in found:
                raise at.error(f"the key {word!r} stands there twice.")
            found[word] = self._child(node, f"{self.key}.{word}" if self.key else word)
        return found

    def mapping(self) -> dict[str, object]:
        value = self.plain()
        if not isinstance(value, dict):
            raise self.expected("a mapping")
        for name in value:
            if not isinstance(name, str):
                raise self.error(f"the key {name!r} is not text.", way_out="Put it in quotes.")
        return value

    def plain(self) -> object:
        """The value as YAML means it, whatever it is."""
        try:
            value: object = self._loader.construct_object(self._node, deep=True)
        except yaml.YAMLError as error:
            raise _unreadable(error, self._source) from error
        return value

    def _child(self, node: yaml.Node, key: str) -> "Tree":
        return Tree(node, self._loader, source=self._source, key=key)

    def _kind(self) -> str:
        if isinstance(self._node, yaml.MappingNode):
            return "a mapping"
        if isinstance(self._node, yaml.SequenceNode):
            return "a list"
        kind = _KINDS.get(self._node.tag, self._node.tag)
        return kind if kind == "nothing" else f"{kind} ({self._node.value})"


def parse_tree(text: str, *, source: str) -> Tree:
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ScenarioError(f"{source}:{line}: the character {error.character:#x} has no place in YAML.") from error
    except yaml.YAMLError as error:
        raise _unreadable(error, source) from error
    if node is None:
        raise ScenarioError(f"{source}:1: the file is empty.", way_out="A scenario has at least a name and replies.")
    return Tree(node, loader, source=source)


def load_tree(path: Path) -> Tree:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path}: is not UTF-8 text (byte {error.start}).") from error
    return parse_tree(text, source=str(path))


def _unreadable(error: yaml.YAMLError, source: str) -> ScenarioError:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return ScenarioError(f"{source}:{error.problem_mark.line + 1}: not readable as YAML: {error.problem}.")
    return ScenarioError(f"{source}: not readable as YAML: {error}.")
