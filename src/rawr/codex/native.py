"""What Codex's own configuration says about compacting before the window is full (A19).

Codex is asked, and not its file: the file is one layer of several, and another Codex may have another one.
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from rawr.codex.wire import methods
from rawr.core.text import head
from rawr.core.vocabulary.native import Native

THRESHOLD = "model_post_turn_compact_threshold_percent"
LIMIT = "model_auto_compact_token_limit"
TOKEN_BUDGET = "features.token_budget"  # noqa: S105
DEADLINE = 5.0
MAX_VALUE = 300


class Asked(Struct, frozen=True):
    native: Native
    knows: bool = True
    """This Codex knows the threshold, or may know it. An older one would take the key, and pass it over."""


class _Name(Struct, frozen=True):
    file: str = ""
    dotCodexFolder: str = ""  # noqa: N815 - as Codex spells it


class _Origin(Struct, frozen=True):
    name: _Name = _Name()


def understood(found: methods.ConfigFound) -> Asked:
    """Nothing here raises: a value in a shape that rawr does not know is reported as such."""
    config = _object(found.config)
    if config is None:
        return Asked(Native(problem="its answer has no configuration"))
    percent, odd = config.get(THRESHOLD), []
    if percent is None:
        percent = 0
    elif not isinstance(percent, int) or isinstance(percent, bool) or not 0 <= percent <= 100:
        odd.append(f"{THRESHOLD} is {_shown(percent)}")
        percent = 0
    limit = config.get(LIMIT)
    if limit is None:
        limit = 0
    elif not isinstance(limit, int) or isinstance(limit, bool):
        odd.append(f"{LIMIT} is {_shown(limit)}")
        limit = 0
    features = config.get("features")
    budget = features.get("token_budget") if isinstance(features, dict) else None
    switch = budget.get("enabled", True) if isinstance(budget, dict) else budget
    if switch is not None and not isinstance(switch, bool):
        odd.append(f"{TOKEN_BUDGET} is {_shown(budget)}")
        switch = None
    problem = f"{' and '.join(odd)}, which rawr does not understand" if odd else ""
    origin = _origin(found.origins, THRESHOLD) if percent else ""
    native = Native(percent, origin, max(limit, 0), bool(switch), problem)
    return Asked(native, knows=THRESHOLD in config)


def unknown(problem: str) -> Asked:
    """Codex could not read its own configuration, or did not say."""
    return Asked(Native(problem=head(" ".join(problem.split()), MAX_VALUE)))


def _origin(raw: Raw, key: str) -> str:
    found = (_object(raw) or {}).get(key)
    try:
        name = msgspec.convert(found, _Origin).name
    except msgspec.ValidationError:
        return ""
    return head(name.file or (f"{name.dotCodexFolder}/config.toml" if name.dotCodexFolder else ""), MAX_VALUE)


def _object(raw: Raw) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _shown(value: object) -> str:
    return head(msgspec.json.encode(value).decode(), MAX_VALUE)
