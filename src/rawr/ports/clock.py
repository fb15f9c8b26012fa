"""Time, as the runtime sees it."""

from typing import Protocol


class Clock(Protocol):
    """Time, so that tests can control it."""

    def now_ms(self) -> int:
        """The date in milliseconds since the epoch, except that it never runs backwards."""
        ...

    def start_after(self, at_ms: int) -> None:
        """Continue after this time, which is on record: from now on nothing is earlier."""
        ...

    def jumped(self) -> int:
        """Milliseconds by which the date jumped since the last call; negative if it went back."""
        ...

    def on_timeline(self, date_ms: int) -> int:
        """Convert an outside date to the time of ``now_ms``."""
        ...

    async def sleep_until(self, at_ms: int) -> None: ...
