"""Which variables a user's Codex config names: keys of model providers and of MCP servers, and what commands get."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

_ONE = frozenset({"env_key", "bearer_token_env_var"})
"""Keys whose value is the name of a variable."""
_MANY = frozenset({"env_vars", "include_only"})
"""Keys whose value is a list of names or patterns."""
_BY_NAME = frozenset({"env_http_headers"})
"""Keys whose table has names of variables as values."""


def named_by(codex_home: Path) -> tuple[str, ...]:
    """The names, and patterns with ``*``. Nothing if the config cannot be read: Codex itself will say so."""
    try:
        config = tomllib.loads((codex_home / "config.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    return tuple(dict.fromkeys(_names(config)))


def _names(value: object) -> Iterator[str]:
    """Wherever they are: profiles have tables of their own."""
    if isinstance(value, list):
        for one in value:
            yield from _names(one)
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key in _ONE and isinstance(inner, str):
            yield inner
        elif key in _MANY and isinstance(inner, list):
            yield from (one for one in inner if isinstance(one, str))
            yield from (one["name"] for one in inner if isinstance(one, dict) and isinstance(one.get("name"), str))
        elif key in _BY_NAME and isinstance(inner, dict):
            yield from (one for one in inner.values() if isinstance(one, str))
        else:
            yield from _names(inner)
