"""Time, as the runtime sees it."""

from typing import Protocol


class Clock(Protocol):
    """Time, so that tests can hold it."""

    def now_ms(self) -> int:
        """The date in milliseconds since the epoch, except that it never runs backwards."""
        ...

    def start_after(self, at_ms: int) -> None:
        """Something of this time is on record: nothing is earlier from here on."""
        ...

    def jumped(self) -> int:
        """By how many milliseconds the date jumped since this was last asked; back is less than nothing."""
        ...

    def on_timeline(self, date_ms: int) -> int:
        """A date that somebody else gave, in the time of ``now_ms``."""
        ...

    async def sleep_until(self, at_ms: int) -> None: ...
