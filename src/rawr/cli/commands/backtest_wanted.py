"""What a person asks ``rawr backtest`` for."""

from pathlib import Path

from msgspec import Struct


class Wanted(Struct, frozen=True):
    paths: tuple[Path, ...]
    policy: Path | None
    against: tuple[Path, ...]
    """Files of settings, and names of Codex's own thresholds."""
    since: str
    workers: int
    sessions: bool
    html: Path | None
    suggest: float | None
    """Search settings for this history, for so many seconds."""
    json: bool
