"""What a person asks ``rawr backtest`` for."""

from pathlib import Path

from msgspec import Struct


class Wanted(Struct, frozen=True):
    paths: tuple[Path, ...]
    policy: Path | None
    against: Path | None
    since: str
    workers: int
    sessions: bool
    html: Path | None
    suggest: float | None
    """Search settings for this history, for so many seconds."""
    json: bool
