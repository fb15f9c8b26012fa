"""One question to a model and its answer. The asker and the way through Codex know this, and not each other."""

from typing import Literal, Protocol

from msgspec import Struct

from rawr.errors import CodexError


class Said(Struct, frozen=True):
    role: Literal["user", "assistant"]
    text: str


class Completion(Struct, frozen=True):
    """One question, ready to be sent."""

    system: str
    prompt: str
    """Everything besides the system text as one text, for a model that takes only one."""
    schema: bytes
    """The JSON Schema that the answer must match, as JSON text; empty: any answer will do."""
    model: str
    """Empty: the model that is set up there."""
    seconds: float
    messages: tuple[Said, ...] = ()
    """The same as ``prompt``, message by message."""
    temperature: float | None = None


class Completed(Struct, frozen=True):
    """The answer as it came."""

    text: str
    model: str = ""
    """What the other side calls the model that answered."""
    tokens: int = 0
    """In and out."""
    output_tokens: int = 0
    refused: bool = False
    """The other side marks this as a refusal."""


class CompletionFailed(CodexError):
    """There is no answer.

    ``refused``: the model was reached but would not answer, so asking the same question again is no use. ``tokens`` is
    what it used anyway.
    """

    def __init__(self, message: str, *, refused: bool = False, tokens: int = 0, way_out: str = "") -> None:
        super().__init__(message, way_out=way_out)
        self.refused = refused
        self.tokens = tokens


class Completer(Protocol):
    """The way to a model through Codex. It raises an ``OutsideError``, usually ``CompletionFailed``."""

    async def complete(self, completion: Completion, /) -> Completed: ...
