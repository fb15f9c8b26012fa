"""Values found in a file, each with its line. This module knows nothing of settings."""

from dataclasses import dataclass

MAX_BITS = 128
"""Larger numbers are not written out: beyond some size, Python itself refuses to."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A value that is not what its tag or its form promises: a thirteenth month, an unknown tag."""

    text: str

    def __str__(self) -> str:
        return f"{self.text[:40]!r}, which cannot be read"


@dataclass(frozen=True, slots=True)
class Found:
    """A value and its line. Lists and tables contain more of the same; everything else is as in the file's format."""

    value: object
    line: int | None = None
    key_line: int | None = None
    """The line of its key, in a table."""
    twice: bool = False
    """Its key occurs twice; this is the later value."""

    @property
    def at(self) -> int | None:
        return self.key_line or self.line

    @property
    def table(self) -> dict[str, "Found"] | None:
        return self.value if isinstance(self.value, dict) else None

    @property
    def items(self) -> list["Found"] | None:
        return self.value if isinstance(self.value, list) else None

    @property
    def shown(self) -> str:
        """The value for a message: short, and on one line."""
        if isinstance(self.value, dict):
            return "a table"
        if isinstance(self.value, list):
            return "a list"
        if self.value is None:
            return "nothing"
        if isinstance(self.value, int) and self.value.bit_length() > MAX_BITS:
            return "a huge number"
        text = repr(self.value) if isinstance(self.value, str | int | float) else str(self.value)
        return text if len(text) <= 60 else text[:57] + "…"
