"""Settings from the command line, as values: ``rawr_auto_compaction.mode=tag``."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from rawr.errors import ConfigError
from rawr.prompts.found import Found


def parse_flags(given: Iterable[str]) -> dict[str, object]:
    """``KEY=VALUE``, any number of times. The value is TOML (``5``, ``true``, ``["commit"]``), or else plain text."""
    flags: dict[str, object] = {}
    for one in given:
        name, sign, value = one.partition("=")
        if not sign or not name.strip():
            raise ConfigError(f"{one!r} is not KEY=VALUE.", way_out="For example: rawr_auto_compaction.mode=tag.")
        flags[name.strip()] = _value(value.strip())
    return flags


def flags_tree(flags: Mapping[str, object]) -> Found:
    """Flags as a tree like that of a file. A flag with the value ``None`` was not given."""
    root: dict[str, Found] = {}
    for name, value in flags.items():
        if value is None:
            continue
        table = root
        *above, last = name.split(".")
        for part in above:
            below = table.get(part)
            inner = None if below is None else below.table
            if inner is None:
                inner = {}
                table[part] = Found(inner)
            table = inner
        table[last] = _found(value)
    return Found(root)


def _value(text: str) -> object:
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return table["value"] if len(table) == 1 else text


def _found(value: object) -> Found:
    match value:
        case list() | tuple():
            return Found([_found(item) for item in value])
        case dict():
            return Found({str(key): _found(below) for key, below in value.items()})
        case PurePath():
            return Found(str(value))
        case _:
            return Found(value)
