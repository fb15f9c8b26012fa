"""One value for each setting, from layers: the defaults, the frontmatter, ``config.toml``, the command line.

Each value is checked separately: a wrong one is reported with file, line and key, and the layer below applies; all
others are used. Only the tiers' percents are checked together, because they must decrease.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from pathlib import Path

from rawr.config.kinds import Read, meant
from rawr.config.origin import Origin, Source
from rawr.config.settings import (
    ACTING,
    ENABLED,
    GONE,
    IDLE,
    MOVED,
    SECTION,
    SETTINGS,
    boundaries_key,
    last_resort_key,
    percent_key,
)
from rawr.core.policy.tiers import TIERS
from rawr.prompts.found import Found
from rawr.prompts.reading import Warned

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]{1,60}")


class Resolution:
    """Put one layer after the other on it, lowest first."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {setting.name: setting.default for setting in SETTINGS.values()}
        self.origins: dict[str, Origin] = {name: Origin() for name in SETTINGS}
        self.warnings: list[Warned] = []

    def lay(
        self, tree: Found | None, source: Source, *, names: Mapping[str, tuple[str, ...]], file: Path | None
    ) -> None:
        """``names`` has the layer's own names, and the settings that each of them sets."""
        if tree is None:
            return
        layer = _Layer(names, file, self)
        layer.read(tree)
        layer.put_percents_in_order()
        for setting, (value, found, _) in layer.taken.items():
            self.values[setting] = value
            self.origins[setting] = Origin(source, file, found.at)
        self.warnings += layer.warnings

    def keep_lists(self) -> None:
        """Boundaries that somebody has set are law: the end of any turn is none beside them, unless that is set too.
        The list that rawr seeds into the frontmatter is nobody's."""
        for tier in ACTING:
            boundaries, last_resort = boundaries_key(tier), last_resort_key(tier)
            origin, shipped = self.origins[boundaries], SETTINGS[boundaries].default
            seeded = origin.source == "frontmatter" and self.values[boundaries] == shipped
            if self.origins[last_resort].source == "default" and origin.source != "default" and not seeded:
                self.values[last_resort], self.origins[last_resort] = False, origin


class _Layer:
    def __init__(self, names: Mapping[str, tuple[str, ...]], file: Path | None, below: Resolution) -> None:
        self._names = names
        self._tables = {name[:end] for name in names for end in _dots(name)}
        self._file = file
        self._below = below
        self.taken: dict[str, tuple[object, Found, str]] = {}
        """By setting: the value, where it was found, and its name in this layer."""
        self.warnings: list[Warned] = []

    def read(self, tree: Found, prefix: str = "") -> None:
        for key, found in (tree.table or {}).items():
            name = prefix + key
            if found.twice:
                self._warn(name, found.at, "this key is given twice", "the later one is used")
            if name in self._tables and (found.table is not None or name not in self._names):
                self._read_table(name, found)
            elif name in self._names:
                self._take(name, found)
            elif name in GONE:
                self._warn(name, found.at, GONE[name], "it is ignored")
            elif name in IDLE:
                self._warn(name, found.at, "emergency needs no boundary and asks no model", "it is ignored")
            else:
                self._warn(name, found.at, f"this key is not known{self._meant(name, key, prefix)}", "it is ignored")

    def _read_table(self, name: str, found: Found) -> None:
        if found.table is not None:
            self.read(found, f"{name}.")
        elif name == SECTION and ENABLED in self._names:
            self._take_switch(found)
        else:
            self._warn(name, found.at, f"expected a table, found {found.shown}", "it is ignored")

    def _take_switch(self, found: Found) -> None:
        """``rawr_auto_compaction = false``, outside of [features]: it says what it means."""
        on = found.value is True
        problem = f"expected a table, found {found.shown}; the switch is {ENABLED}"
        self._warn(SECTION, found.at, problem, f"{'on' if on else 'off'} is used")
        if ENABLED not in self.taken:
            self.taken[ENABLED] = (on, found, SECTION)

    def _take(self, name: str, found: Found) -> None:
        targets = self._names[name]
        setting = SETTINGS[targets[0]]
        read = setting.reader(found)
        if read.value is None and setting.unclear is not None:
            self._take_unclear(name, found, read, setting.unclear)
            return
        remedy = "it is ignored" if read.value is not None else self._stays(targets)
        for line, problem in read.problems:
            self._warn(name, line, problem, remedy)
        if read.value is not None:
            self._put(targets, read.value, found, name)

    def _put(self, targets: tuple[str, ...], value: object, found: Found, name: str) -> None:
        """A setting may have two names in a layer."""
        other = next((self.taken[one] for one in targets if one in self.taken and self.taken[one][2] != name), None)
        if other is not None:
            self._warn(name, found.at, f"{other[2]} sets the same", "the later one is used")
        for target in targets:
            self.taken[target] = (value, found, name)

    def _take_unclear(self, name: str, found: Found, read: Read, means: object) -> None:
        meaning = "off" if means is False else str(means)
        for line, problem in read.problems:
            self._warn(name, line, problem, f"{meaning} is used")
        self._put(self._names[name], means, found, name)

    def put_percents_in_order(self) -> None:
        """Percents must decrease from tier to tier. Drop as few of those given here as possible until they do."""
        given = [percent_key(tier) for tier in reversed(TIERS) if percent_key(tier) in self.taken]
        for size in range(len(given) + 1):
            for dropped in combinations(given, size):
                if _falls(self._percents(without=dropped)):
                    self._drop(dropped)
                    return

    def _percents(self, *, without: tuple[str, ...] = ()) -> list[int]:
        keys = map(percent_key, TIERS)
        values = [
            self.taken[key][0] if key in self.taken and key not in without else self._below.values[key] for key in keys
        ]
        return [value for value in values if isinstance(value, int)]

    def _drop(self, keys: tuple[str, ...]) -> None:
        order = ", ".join(f"{tier} {percent}" for tier, percent in zip(TIERS, self._percents(), strict=True))
        for key in keys:
            _, found, name = self.taken.pop(key)
            problem = f"percents must fall from {' to '.join(TIERS)}, but they are {order}"
            self._warn(name, found.at, problem, self._stays((key,)))

    def _stays(self, targets: tuple[str, ...]) -> str:
        """What is used instead of an unusable value."""
        [value, *others] = [self._below.values[target] for target in targets]
        origin = self._below.origins[targets[0]]
        if not others and isinstance(value, bool):
            return f"{str(value).lower()} is used"
        if not others and isinstance(value, int | str) and value != "":
            return f"{value} is used"
        if value is None or value == "":
            return "it is ignored"
        return "the default is used" if origin.source == "default" else f"the value from {origin.source} is used"

    def _meant(self, name: str, key: str, prefix: str) -> str:
        right = MOVED.get(name)
        elsewhere = [known for known in self._names if known.rpartition(".")[2] == key]
        if right is None and len(elsewhere) == 1:
            right = elsewhere[0]
        if right is not None:
            return f" (did you mean {right}?)"
        return meant(
            key, sorted({known[len(prefix) :].partition(".")[0] for known in self._names if known.startswith(prefix)})
        )

    def _warn(self, name: str, line: int | None, problem: str, remedy: str) -> None:
        key = ".".join(part if _PLAIN_KEY.fullmatch(part) else ascii(part)[:60] for part in name.split("."))
        self.warnings.append(Warned(self._file, line, key[:200], problem, remedy))


def _dots(name: str) -> Iterator[int]:
    return (offset for offset, sign in enumerate(name) if sign == ".")


def _falls(percents: list[int]) -> bool:
    return all(above >= below for above, below in pairwise(percents))
