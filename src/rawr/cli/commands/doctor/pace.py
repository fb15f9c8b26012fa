"""How long ``rawr doctor`` checks a journal, and what it shows in the meantime."""

import contextlib
import sys
import time

SHOWN_AFTER = 1.0
"""Seconds: a quicker check is not shown."""
EVERY = 0.2


class JournalPace:
    """Shows the progress of the check, on a terminal, and ends it when its time is up."""

    def __init__(self, *, shown: bool, seconds: float | None) -> None:
        self._shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self._began = self._last = time.monotonic()
        self._seconds = seconds
        self._written = False

    def __call__(self, done: int, total: int) -> bool:
        now = time.monotonic()
        if self._shown and now - self._began > SHOWN_AFTER and now - self._last > EVERY:
            self._last = now
            percent = 100 * done // total if total else 100
            text = f"checking the journal: {percent} %" if percent < 100 else "checking the journal's pages"
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
