"""A surface that cannot stop the loop: rawr records its first error and keeps calling it."""

from rawr.core.kernel import Taken
from rawr.core.text import head
from rawr.core.vocabulary.facts import FaultRecorded, Level
from rawr.ports.surface import Surface, Tell

MAX_PROBLEM = 1_000


class GuardedSurface:
    def __init__(self, surface: Surface, tell: Tell) -> None:
        self._surface = surface
        self._tell = tell
        self._failed = False

    def notify(self, thread: str, level: Level, text: str) -> None:
        try:
            self._surface.notify(thread, level, text)
        except Exception as error:
            self._record(error)

    def taken(self, taken: Taken) -> None:
        try:
            self._surface.taken(taken)
        except Exception as error:
            self._record(error)

    def _record(self, error: Exception) -> None:
        # The record is itself a fact that the surface gets and may fail on: hence once.
        if not self._failed:
            self._failed = True
            problem = head(f"{type(error).__name__}: {error}", MAX_PROBLEM)
            self._tell("", FaultRecorded(where="surface", problem=problem))
