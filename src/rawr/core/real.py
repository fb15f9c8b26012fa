"""Two types for one text: the real thing, and what is written about it (D12).

Everything in the core, in the journal and in a report is *written*: placeholders replaced the secrets before the kernel
saw them. To judge, run or send something, or to show it to a person who decides, rawr needs the *real* thing. The ports
that do so take a ``Real``, which only the redactor that made the placeholders can produce, so a written text cannot get
there by mistake. Conversely, the journal accepts only ``Redacted`` bytes.
"""

from typing import Generic, NewType, NoReturn, TypeVar

T_co = TypeVar("T_co", covariant=True)

Redacted = NewType("Redacted", bytes)
"""Encoded JSON, or text, without its secrets: this may be written to the disk."""


class Real(Generic[T_co]):
    """A value with all of its texts as they really are. It cannot be encoded, and so not written; nor does it print."""

    __slots__ = ("_thing",)

    def __init__(self, thing: T_co) -> None:
        self._thing = thing

    @property
    def thing(self) -> T_co:
        return self._thing

    def __repr__(self) -> str:
        return f"Real({type(self._thing).__name__})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Real) and self._thing == other._thing

    def __hash__(self) -> int:
        return hash(self._thing)

    def __reduce__(self) -> NoReturn:
        raise TypeError("what is real is kept in memory only")
