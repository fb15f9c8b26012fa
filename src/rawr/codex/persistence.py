"""Decides if and when to retry a connection that could not be made.

A Codex that refuses, or that exits by itself before rawr ever reached it, will do so again: rawr reports it at once, in
Codex's own words. If Codex was killed, or rawr reached it before, rawr tries a few times.
"""

from collections.abc import Sequence

from msgspec import Struct

from rawr.codex.transport import CodexUnreachable, Ended
from rawr.codex.versions import CodexTooOld
from rawr.errors import CodexError

BACK_OFF = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between attempts to connect; the last one repeats."""
TRIES = 6
"""Attempts in a row to start our own Codex."""


class EndedEarly(CodexUnreachable):
    """Codex exited before it answered the greeting."""

    def __init__(self, message: str, ended: Ended, *, way_out: str = "") -> None:
        super().__init__(message, way_out=way_out)
        self.killed = ended.killed


class Persistence(Struct):
    """The state of one client's attempts."""

    back_off: Sequence[float] = BACK_OFF
    tries: int | None = None
    """Attempts in a row before giving up; ``None``: never, because a server may appear at any time."""
    ours: bool = True
    """True if we start the server. If not, keep waiting for it once it has been reached."""
    failures: int = 0
    reached: bool = False

    def succeeded(self) -> None:
        self.failures = 0
        self.reached = True

    def failed(self, error: CodexError) -> bool:
        """Return True to try again."""
        self.failures += 1
        if isinstance(error, CodexTooOld):
            return False
        if self.tries is None or (self.reached and not self.ours):
            return True
        if isinstance(error, CodexUnreachable):
            dies = not self.ours or (isinstance(error, EndedEarly) and error.killed)
            return (self.reached or dies) and self.failures < self.tries
        # It answered, or had time to.
        return False

    def pause(self, attempts: int) -> float:
        """Seconds until the next attempt, after this many."""
        return self.back_off[min(attempts, len(self.back_off)) - 1]

    def said(self, error: CodexError, pause: float) -> str | None:
        """What to report about a failure; without a limit on tries, only the first."""
        if self.tries is None:
            return str(error) if self.failures == 1 else None
        return f"{error.message} Trying again in {pause:g} s ({self.failures} of {self.tries - 1})."


def given_up(error: CodexError, failures: int) -> CodexError:
    """The error to raise when giving up, with the number of attempts if there were several."""
    if failures < 2:
        return error
    return CodexUnreachable(f"{error.message} That was attempt {failures}, the last one.", way_out=error.way_out)
