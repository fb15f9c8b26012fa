"""One question to a model and its answer, as plain values.

``rawr.models`` and this package do not know each other: what is asked there fits ``Completion``, and what is read
there of an answer ``Completed`` has.
"""

from typing import Protocol

from msgspec import Struct


class Completion(Protocol):
    """What is asked."""

    @property
    def system(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def schema(self) -> bytes:
        """The JSON Schema that the answer has to fit, as JSON text; empty: any answer will do."""
        ...

    @property
    def model(self) -> str:
        """Empty: the one of the user's config."""
        ...

    @property
    def seconds(self) -> float: ...


class Completed(Struct, frozen=True):
    """The answer as it came. ``tokens`` is all that it took, ``output_tokens`` what was written of it."""

    text: str
    model: str
    tokens: int
    output_tokens: int
