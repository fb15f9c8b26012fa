"""``--policy FILE``: settings for one run, written as in ``config.toml`` and laid over it."""

import tomllib
from pathlib import Path

from rawr.errors import ConfigError

MAX_FILE = 1024 * 1024


def settings_in(file: Path) -> dict[str, object]:
    """Every setting by its name, as a flag would give it. What a name or a value may be is checked with the others."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}.") from error
    if len(data) > MAX_FILE:
        raise ConfigError(f"{file} is larger than {MAX_FILE // 1024} kB.")
    try:
        return _flat(tomllib.loads(data.decode()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file}: {error}.", way_out="It is written as config.toml is.") from error


def _flat(tree: dict[str, object], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
