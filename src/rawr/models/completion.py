"""What is asked of a model and what it says, whichever model it is. Nothing here knows DSPy, HTTP or Codex."""

import threading
from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from rawr.errors import OutsideError


class Unavailable(OutsideError):
    """This model cannot be asked, or not now. The message is the reason, without anything secret."""

    def __init__(self, message: str, *, way_out: str = "", tokens: int = 0) -> None:
        super().__init__(message, way_out=way_out)
        self.tokens = tokens
        """What it took all the same."""


class Said(Struct, frozen=True):
    role: Literal["user", "assistant"]
    text: str


class Completion(Struct, frozen=True):
    """One question, ready to be sent."""

    system: str
    prompt: str
    """Everything beside the system text as one text, for a model that takes only one."""
    schema: bytes
    """The JSON schema that the answer has to fit."""
    model: str
    """Empty: the one that is set up there."""
    seconds: float
    messages: tuple[Said, ...] = ()
    """The same as ``prompt``, message by message."""
    temperature: float | None = None


class Completed(Struct, frozen=True):
    """One reply, as it came."""

    text: str
    model: str = ""
    """What the other side calls the model that answered."""
    tokens: int = 0
    """In and out."""
    output_tokens: int = 0
    refused: bool = False
    """The other side marks this as a refusal."""


Complete = Callable[[Completion], Completed]
"""A way to a model. It blocks; ``Unavailable`` is all that it raises."""


class Reply(Protocol):
    """What of a reply is read; ``Completed`` is one."""

    @property
    def text(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...


@runtime_checkable
class Failed(Protocol):
    """What an error may tell beside its message."""

    @property
    def refused(self) -> bool:
        """The model was reached, and would not answer."""
        ...

    @property
    def tokens(self) -> int:
        """What it took all the same."""
        ...


class Completer(Protocol):
    """The way to a model through Codex. What goes wrong there is an ``OutsideError``, which may be ``Failed`` too."""

    async def complete(self, completion: Completion, /) -> Reply: ...


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
        """Call back once it is set; at once if it is."""
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
