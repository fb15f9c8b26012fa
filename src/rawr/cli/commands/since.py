"""``--since``: a moment in the past, as people write it."""

import re
from datetime import UTC, datetime

import typer

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_AGO = re.compile(r"(\d{1,9})\s*([smhdw])")


def moment(text: str, *, now: float) -> int:
    """In ms since the epoch. A date without a time zone is local."""
    found = _AGO.fullmatch(text.strip())
    if found is not None:
        return int((now - int(found[1]) * _SECONDS[found[2]]) * 1000)
    try:
        return int(datetime.fromisoformat(text.strip()).astimezone(UTC).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise typer.BadParameter(
            f"{text!r} is not a time: give 10m, 2h, 1d or a date such as 2026-01-31.", param_hint="--since"
        ) from None
