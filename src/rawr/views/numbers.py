"""Numbers as a person reads them: the one format for amounts and times, on any surface."""

import time


def short(count: int) -> str:
    """``999``, ``12.3 k``, ``1 M``: enough digits to compare."""
    if count < 1_000:
        return str(count)
    # 999 950 would be 1000.0 k.
    size, unit = (1_000, "k") if count < 999_950 else (1_000_000, "M")
    return f"{count / size:.1f} {unit}".replace(".0 ", " ")


def counted(count: int, what: str) -> str:
    """``1 turn``, ``2 turns``."""
    return f"{count} {what}" if count == 1 else f"{short(count)} {what}s"


def clock(seconds: int) -> str:
    """``5:07``, ``1:00:07``."""
    minutes, seconds = divmod(max(seconds, 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def ago(at: int, *, now: float | None = None) -> str:
    """How long ago a moment was; ``at`` is in ms since the epoch."""
    seconds = max(int(time.time() if now is None else now) - at // 1000, 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def clock_time(at: int, form: str = "%Y-%m-%d %H:%M") -> str:
    """A moment in local time; ``at`` is in ms since the epoch. One that no calendar has is written as it is."""
    try:
        return time.strftime(form, time.localtime(at / 1000))
    except (OverflowError, ValueError, OSError):
        return f"{at} ms"
