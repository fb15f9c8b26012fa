"""Decides if and when to retry a connection that could not be made.

A Codex that says no, or that ends by its own decision before it was ever there, says so again the next time: whoever
waits is told at once, in its own words. One that was killed, or that was there before, is tried a few times.
"""

from collections.abc import Sequence

from msgspec import Struct

from rawr.codex.transport import CodexUnreachable, Ended
from rawr.errors import CodexError

BACK_OFF = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between attempts to connect; the last is repeated."""
TRIES = 6
"""Attempts in a row to start a Codex of our own."""


class EndedEarly(CodexUnreachable):
    """Codex ended before it answered the greeting."""

    def __init__(self, message: str, ended: Ended, *, way_out: str = "") -> None:
        super().__init__(message, way_out=way_out)
        self.killed = ended.killed


class Persistence(Struct):
    """The state of one client's attempts."""

    back_off: Sequence[float] = BACK_OFF
    tries: int | None = None
    """Attempts in a row before it is given up; ``None``: somebody may come at any time, so never."""
    ours: bool = True
    """What is tried to reach is started by us. One of others is waited for, once it has been there."""
    failures: int = 0
    reached: bool = False

    def succeeded(self) -> None:
        self.failures = 0
        self.reached = True

    def failed(self, error: CodexError) -> bool:
        """Return True to try again."""
        self.failures += 1
        if self.tries is None or (self.reached and not self.ours):
            return True
        if isinstance(error, CodexUnreachable):
            dies = not self.ours or (isinstance(error, EndedEarly) and error.killed)
            return (self.reached or dies) and self.failures < self.tries
        # It answered, or had its time to.
        return False

    def pause(self, attempts: int) -> float:
        """Seconds until the next attempt, after this many."""
        return self.back_off[min(attempts, len(self.back_off)) - 1]

    def said(self, error: CodexError, pause: float) -> str | None:
        """What to tell of a failure; nothing of those that repeat themselves without end."""
        if self.tries is None:
            return str(error) if self.failures == 1 else None
        return f"{error.message} Trying again in {pause:g} s ({self.failures} of {self.tries - 1})."


def given_up(error: CodexError, failures: int) -> CodexError:
    """The last word, after several attempts."""
    if failures < 2:
        return error
    return CodexUnreachable(f"{error.message} That was attempt {failures}, the last one.", way_out=error.way_out)
