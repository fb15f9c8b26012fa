"""Everything that a home has on the disk, as text: what a thief who knows the format would read."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from rawr.journal.packing import Unpackable, unpacked
from tests.journal.samples import bodies

NESTED = 3
"""How often a text is unescaped: a JSON string in a JSON string in a frame."""


def everything(home: Path, *, but: tuple[str, ...] = ()) -> str:
    """Every value of every table unpacked, and every file as it is: the write-ahead log, a host's log, settings."""
    texts = [bodies(home), *_values(home / "journal.db")]
    texts += [one.read_bytes().decode("utf-8", "replace") for one in _files(home) if one.name not in but]
    return "\n".join(layer for text in texts for layer in _layers(text))


def _files(home: Path) -> list[Path]:
    return [one for one in home.rglob("*") if one.is_file()]


def _values(path: Path) -> list[str]:
    found: list[str] = []
    with closing(sqlite3.connect(path)) as db:
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in db.execute(f"SELECT * FROM {table}"):  # noqa: S608
                found += [_plain(value) for value in row if isinstance(value, str | bytes)]
    return found


def _plain(value: str | bytes) -> str:
    try:
        return unpacked(value)
    except Unpackable:
        assert isinstance(value, bytes)
        return value.decode("utf-8", "replace")


def _layers(text: str) -> list[str]:
    """The text, and what it says once and twice unescaped."""
    layers = [text]
    for _ in range(NESTED):
        layers.append(re.sub(r"\\u([0-9a-f]{4})|\\(.)", _unescaped, layers[-1]))
    return layers


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else str(json.loads('"\\n"')) if found[2] == "n" else found[2]
