"""For how long turns were under way."""

PAUSE = 600_000
"""The most that counts between two model calls, in ms: beyond it somebody was asked, or the machine slept."""


class Worked:
    def __init__(self) -> None:
        self.ms = 0
        self._last = 0

    def begins(self, at: int) -> None:
        """A turn begins."""
        self._last = at

    def goes_on(self, at: int) -> None:
        """A model call of it has ended."""
        if self._last:
            self.ms += min(max(at - self._last, 0), PAUSE)
            self._last = at
