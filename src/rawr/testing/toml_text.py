"""Writes TOML: as much of it as a Codex config needs (tables, text, numbers, flags, lists).

``rawr demo`` needs it in the smallest install, where a library for these few lines would be another dependency.
"""

import json
from collections.abc import Iterator, Mapping

from rawr.errors import ConfigError


def toml_text(table: Mapping[str, object]) -> str:
    """The table as TOML, in its own order: plain values first, then the tables below it.

    >>> print(toml_text({"model": "scripted", "features": {"apps": False}}), end="")
    model = "scripted"
    <BLANKLINE>
    [features]
    apps = false
    """
    return "\n".join(_lines(table, ())) + "\n"


def merged(base: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """``base`` with ``over`` merged into it, table by table."""
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[key] = merged(below, value)
        else:
            result[key] = value
    return result


def _lines(table: Mapping[str, object], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, Mapping):
            yield f"{_key(key)} = {_value(value, (*path, key))}"
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield ""
            yield f"[{'.'.join(map(_key, (*path, key)))}]"
            yield from _lines(value, (*path, key))


def _key(key: str) -> str:
    plain = key.replace("_", "").replace("-", "")
    return key if plain.isascii() and plain.isalnum() else _quoted(key)


def _value(value: object, path: tuple[str, ...]) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _quoted(value)
        case list() | tuple():
            return "[" + ", ".join(_value(item, path) for item in value) + "]"
        case _:
            raise ConfigError(f"{'.'.join(path)}: {value!r} cannot be written in a config file.")


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, except for one character that TOML wants escaped and JSON does not.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
