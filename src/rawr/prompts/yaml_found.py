"""YAML, read into values with their lines: the one reader for frontmatter and for scenario files.

A tree is bounded in depth and size, whatever anchors and aliases a document uses. A merge key (``<<``) is an ordinary
key, so that you get exactly what is written.
"""

from bisect import bisect_left

import yaml
from msgspec import Struct

from rawr.prompts.found import Found, Odd
from rawr.prompts.reading import Unusable

_MAPPING, _SEQUENCE = "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"


class Bounds(Struct, frozen=True):
    """The limits of a document, with aliases expanded."""

    aliases: int
    depth: int
    values: int


FRONTMATTER = Bounds(aliases=16, depth=12, values=5000)


def read_yaml(text: str, *, first_line: int = 1, bounds: Bounds = FRONTMATTER) -> Found | None:
    """The document as a tree; ``None`` if it is empty. ``first_line`` is where it begins in its file."""
    lines = _Lines(text, first_line)
    try:
        return _Reading(text, lines, bounds).read()
    except yaml.reader.ReaderError as error:
        problem = f"the character {error.character:#x} is not allowed in YAML"
        raise Unusable(problem, line=lines.of(error.position)) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = lines.of(mark.index) if mark is not None else first_line
        told = (error.problem or error.context or "").removeprefix("but ")
        raise Unusable(f"this is not YAML: {told}", line=line) from error
    except RecursionError as error:
        raise Unusable("this is nested too deeply", line=first_line) from error


class _Lines:
    """Converts an offset in the text to a line. YAML's own count also breaks lines where no editor does."""

    def __init__(self, text: str, first: int) -> None:
        self._ends = [offset for offset, character in enumerate(text) if character == "\n"]
        self._first = first

    def of(self, offset: int) -> int:
        return self._first + min(bisect_left(self._ends, offset), len(self._ends))


class _Loader(yaml.SafeLoader):
    def __init__(self, text: str, most_aliases: int) -> None:
        super().__init__(text)
        self._aliases = 0
        self._most_aliases = most_aliases

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            self._aliases += 1
            if self._aliases > self._most_aliases:
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.composer.ComposerError(None, None, f"more than {self._most_aliases} aliases", mark)
        return super().compose_node(parent, index)


class _Reading:
    def __init__(self, text: str, lines: _Lines, bounds: Bounds) -> None:
        self._loader = _Loader(text, bounds.aliases)
        self._lines = lines
        self._bounds = bounds
        self._count = 0

    def read(self) -> Found | None:
        node = self._loader.get_single_node()
        return None if node is None else self._found(node, depth=0)

    def _found(self, node: yaml.Node, *, depth: int, key: yaml.Node | None = None, twice: bool = False) -> Found:
        line = self._line(node)
        self._count += 1
        if depth > self._bounds.depth:
            raise Unusable("this is nested too deeply", line=line)
        if self._count > self._bounds.values:
            raise Unusable("there is too much in here", line=line)
        value: object
        match node:
            case yaml.MappingNode(tag=tag) if tag == _MAPPING:
                value = self._table(node, depth=depth + 1)
            case yaml.SequenceNode(tag=tag) if tag == _SEQUENCE:
                value = [self._found(item, depth=depth + 1) for item in node.value]
            case yaml.ScalarNode():
                value = self._plain(node)
            case _:
                value = Odd(node.tag)
        return Found(value, line, None if key is None else self._line(key), twice)

    def _table(self, node: yaml.MappingNode, *, depth: int) -> dict[str, Found]:
        table: dict[str, Found] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            table[name] = self._found(value, depth=depth, key=key, twice=name in table)
        return table

    def _plain(self, node: yaml.Node) -> object:
        try:
            value: object = self._loader.construct_object(node)
        except Exception:
            # Constructors fail in their own ways on a value that breaks the promise of its tag or form.
            return Odd(str(node.value))
        return value

    def _line(self, node: yaml.Node) -> int:
        return self._lines.of(node.start_mark.index)
