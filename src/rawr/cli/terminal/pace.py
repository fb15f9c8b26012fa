"""How far a long reading of the journal is, on a terminal only, and for how long it may go on."""

import contextlib
import sys
import time

SHOWN_AFTER = 1.0
"""Seconds: a quicker check is not shown."""
EVERY = 0.2


class JournalPace:
    """Shows the progress on stderr, and ends the reading when its time is up."""

    def __init__(
        self,
        *,
        shown: bool,
        seconds: float | None = None,
        doing: str = "checking the journal",
        after: str = "checking the journal's pages",
    ) -> None:
        """``after``: what is left to do when all rows are done."""
        self._doing, self._after = doing, after
        self._shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self._began = self._last = time.monotonic()
        self._seconds = seconds
        self._written = False

    def __call__(self, done: int, total: int) -> bool:
        now = time.monotonic()
        if self._shown and now - self._began > SHOWN_AFTER and now - self._last > EVERY:
            self._last = now
            percent = 100 * done // total if total else 100
            text = f"{self._doing}: {percent} %" if percent < 100 else self._after
            self._write(text)
            self._written = True
        return self._seconds is None or now - self._began < self._seconds

    def close(self) -> None:
        """Clear what was shown."""
        if self._written:
            self._write("")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()
