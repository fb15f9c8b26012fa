"""The line of each key in a TOML document. Python's reader knows the values but not the places.

So that reader gets the document once more, statement by statement: a table or a pair begins on one line, and ends on
the first line at which the reader accepts it. Everything inside a value has the line of its pair.
"""

import tomllib
from collections.abc import Iterator

MAX_DEPTH = 16
"""Keys further down than this are not reported."""
MAX_READ = 1_000_000
"""The most characters to read. A value that spans lines is read again with each of its lines."""

Path = tuple[str | int, ...]
"""The path to a value: keys, and numbers for the elements of lists and of arrays of tables."""


def key_lines(text: str) -> dict[Path, int]:
    """Every key, table and element, with its line, counted from 1. For text that ``tomllib`` has accepted; for any
    other, what it found before it got lost."""
    lines: dict[Path, int] = {}
    arrays: dict[Path, int] = {}
    table: Path = ()
    statement, begun, left = "", 1, MAX_READ
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        begun = begun if statement else number
        statement += f"{line}\n"
        left -= len(statement)
        if left < 0:
            break
        try:
            found = tomllib.loads(statement)
        except (ValueError, RecursionError):
            continue  # its value continues on the next line
        if statement.lstrip().startswith("["):
            *above, table = _tables(found, arrays)
            ways = [*above, table]
        else:
            ways = list(_below(found, table))
        lines |= {way: begun for way in ways if way not in lines}
        statement = ""
    return lines


def _tables(header: dict[str, object], arrays: dict[Path, int]) -> Iterator[Path]:
    """The tables that a header names, one inside the other. ``arrays`` has the newest element of arrays of tables."""
    way: Path = ()
    below: object = header
    while isinstance(below, dict) and below:
        [(key, below)] = below.items()
        way = (*way, key)
        yield way
        if isinstance(below, list):
            arrays[way] = arrays.get(way, -1) + 1
        if way in arrays:
            way = (*way, arrays[way])
            yield way


def _below(value: object, way: Path) -> Iterator[Path]:
    if len(way) >= MAX_DEPTH or not isinstance(value, dict | list):
        return
    for key, below in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*way, key)
        yield from _below(below, (*way, key))
