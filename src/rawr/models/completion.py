"""What every way to a model has in common. Nothing here knows DSPy, HTTP or Codex."""

import threading
from collections.abc import Callable

from rawr.errors import OutsideError
from rawr.ports.completion import Completed, Completion


class Unavailable(OutsideError):
    """This model cannot be asked, or not now. The message is the reason, without anything secret."""

    def __init__(self, message: str, *, way_out: str = "", tokens: int = 0) -> None:
        super().__init__(message, way_out=way_out)
        self.tokens = tokens
        """What it used anyway."""


Complete = Callable[[Completion], Completed]
"""A way to a model. It blocks, and raises only ``Unavailable``."""


class Stop:
    """Tells blocking calls in other threads that nobody waits for them any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self._set = False

    @property
    def is_set(self) -> bool:
        return self._set

    def add(self, callback: Callable[[], None]) -> None:
        """Call back once it is set; at once if it is already."""
        with self._lock:
            if not self._set:
                self._callbacks.append(callback)
                return
        callback()

    def set(self) -> None:
        with self._lock:
            self._set = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
