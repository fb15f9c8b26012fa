"""``config.toml`` as a tree of values with lines, read again only when the file has changed."""

import re
import tomllib
from pathlib import Path

from msgspec import Struct

from rawr.config.positions import MAX_DEPTH, key_lines
from rawr.config.positions import Path as Way
from rawr.prompts.found import Found
from rawr.prompts.reading import Stamp, Unusable, Warned, read_text, stamp_of

NAME = "config.toml"
MAX_DOTS = 1000
"""In one line. Python's TOML reader takes minutes for a key of ten thousand parts."""


class Contents(Struct, frozen=True):
    tree: Found | None = None
    warnings: tuple[Warned, ...] = ()
    missing: bool = False


class ConfigFile:
    def __init__(self, home: Path) -> None:
        self.path = home / NAME
        self._stamp: Stamp | None = None
        self._contents: Contents | None = None

    def contents(self) -> Contents:
        """The same object as before, as long as the file has not changed."""
        stamp = stamp_of(self.path)
        if self._contents is None or stamp != self._stamp:
            self._stamp = stamp
            self._contents = _read(self.path)
        return self._contents


def _read(file: Path) -> Contents:
    try:
        return Contents(parse(read_text(file)))
    except FileNotFoundError:
        return Contents(missing=True)
    except Unusable as error:
        tree, remedy = None, "the whole file is ignored"
        if _switches_off(file):
            tree = Found({"features": Found({"rawr_auto_compaction": Found(value=False)})})
            remedy += ", except that rawr_auto_compaction is off"
        return Contents(tree, (Warned(file, error.line, "", error.problem, remedy),))


_SWITCH = re.compile(
    r"^\s*(?:features\s*\.\s*)?rawr_auto_compaction[ \t]*=[ \t]*(?![ \t]|true[ \t\r]*(?:#|$))", re.MULTILINE
)
"""A line that sets the switch to anything but true: ``off`` without quotes is no TOML, and means what it says."""


def _switches_off(file: Path) -> bool:
    """Return True if a file that cannot be read as a whole says, in this one line, that rawr must not act."""
    try:
        return _SWITCH.search(read_text(file)) is not None
    except (FileNotFoundError, Unusable):
        return False


def parse(text: str) -> Found:
    """The document as a tree; ``Unusable`` if it is not TOML."""
    lines = text.rstrip("\n").split("\n")
    for number, content in enumerate(lines, 1):
        if content.count(".") > MAX_DOTS:
            raise Unusable(f"there are more than {MAX_DOTS} dots in this line", line=number)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else len(lines)
        raise Unusable(f"this is not TOML: {error}", line=line) from error
    except ValueError as error:
        raise Unusable(f"this is not TOML: {error}") from error
    except RecursionError as error:
        raise Unusable("this is nested too deeply") from error
    return _found(table, (), key_lines(text))


def _found(value: object, way: Way, lines: dict[Way, int]) -> Found:
    line = lines.get(way)
    is_deep = len(way) >= MAX_DEPTH
    if isinstance(value, dict):
        table = {} if is_deep else {key: _found(below, (*way, key), lines) for key, below in value.items()}
        return Found(table, line)
    if isinstance(value, list):
        items = [] if is_deep else [_found(below, (*way, number), lines) for number, below in enumerate(value)]
        return Found(items, line)
    return Found(value, line)
