"""Reading ``config.toml``.

Each value is judged on its own: one that is wrong is named with file, line and key, and its default is used; the rest
stands. A file that is not TOML at all is one warning and all defaults.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import fields, replace

from rawr.core.policy import Limits, Policy
from rawr.core.tiers import Thresholds

MAX_SIZE = 1024 * 1024


class Warned(Struct, frozen=True):
    """Something in a config file that could not be used."""

    file: Path
    line: int | None
    key: str
    problem: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else str(self.file)
        key = f" {self.key}:" if self.key else ""
        return f"{place}:{key} {self.problem}"


class Settings(Struct, frozen=True):
    policy: Policy = Policy()
    codex_bin: Path | None = None
    codex_home: Path | None = None
    warnings: tuple[Warned, ...] = ()


def load(file: Path) -> Settings:
    """The settings in a file; the defaults where there is none."""
    try:
        if file.stat().st_size > MAX_SIZE:
            return _unusable(file, None, f"the file is larger than {MAX_SIZE} bytes; it was not read")
        text = file.read_bytes().decode()
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        return _unusable(file, None, f"the file could not be read: {error}")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        return _unusable(file, int(found[1]) if found else None, f"this is not TOML: {error}")
    return _Reader(file, text).settings(table)


def _unusable(file: Path, line: int | None, problem: str) -> Settings:
    return Settings(warnings=(Warned(file, line, "", problem + "; defaults are used"),))


class _Reader:
    """Goes through one file and collects what it has to say about it."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._lines = text.splitlines()
        self._warnings: list[Warned] = []

    def settings(self, table: Mapping[str, object]) -> Settings:
        codex = self._table(table, "codex")
        settings = Settings(
            policy=Policy(limits=self._limits(table), tiers=self._tiers(table)),
            codex_bin=self._path(codex, "codex", "bin"),
            codex_home=self._path(codex, "codex", "home"),
        )
        self._unknown(table, "", {"codex", "limits", "tiers"})
        self._unknown(codex, "codex", {"bin", "home"})
        return replace(settings, warnings=tuple(self._warnings))

    def _limits(self, table: Mapping[str, object]) -> Limits:
        return Limits(**self._integers(table, "limits", Limits(), least=1, most=7 * 24 * 3600))

    def _tiers(self, table: Mapping[str, object]) -> Thresholds:
        tiers = Thresholds(**self._integers(table, "tiers", Thresholds(), least=0, most=100))
        if not tiers.early >= tiers.ready >= tiers.asap >= tiers.emergency:
            self._warn("tiers", "", "percents must fall from early over ready and asap to emergency; defaults are used")
            return Thresholds()
        return tiers

    def _integers(
        self, table: Mapping[str, object], section: str, default: Struct, *, least: int, most: int
    ) -> dict[str, int]:
        given = self._table(table, section)
        known = {field.name: int(getattr(default, field.name)) for field in fields(default)}
        self._unknown(given, section, set(known))
        for key, value in given.items():
            if key not in known:
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                self._warn(section, key, f"expected a whole number, found {value!r}; {known[key]} is used")
            elif not least <= value <= most:
                self._warn(section, key, f"{value} is not between {least} and {most}; {known[key]} is used")
            else:
                known[key] = value
        return known

    def _table(self, table: Mapping[str, object], key: str) -> Mapping[str, object]:
        value = table.get(key, {})
        if isinstance(value, dict):
            return value
        self._warn("", key, f"expected a table, found {value!r}; defaults are used")
        return {}

    def _path(self, table: Mapping[str, object], section: str, key: str) -> Path | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, str) and value:
            return Path(value).expanduser()
        self._warn(section, key, f"expected a path, found {value!r}; it is ignored")
        return None

    def _unknown(self, table: Mapping[str, object], section: str, known: set[str]) -> None:
        for key in table:
            if key not in known:
                self._warn(section, key, "this key is not known; it is ignored")

    def _warn(self, section: str, key: str, problem: str) -> None:
        name = ".".join(part for part in (section, key) if part)
        self._warnings.append(Warned(self._file, self._line_of(section, key), name, problem))

    def _line_of(self, section: str, key: str) -> int | None:
        """Where a key stands. TOML's reader does not say, so the text is searched: good enough to go and look."""
        begin = 0
        for number, line in enumerate(self._lines):
            if section and re.match(rf"\s*\[\s*{re.escape(section)}\s*\]", line):
                begin = number
                break
        for number in range(begin, len(self._lines)):
            if re.match(rf"""\s*(\[\s*)?["']?{re.escape(key or section)}["']?\s*[\].=]""", self._lines[number]):
                return number + 1
        return begin + 1 if section else None
