"""Where a value came from."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

Source = Literal["default", "prompt", "frontmatter", "config", "flag"]
"""``prompt`` is the body of a prompt file, ``frontmatter`` the settings above the body of ``auto-compact.md``."""


class Origin(Struct, frozen=True):
    source: Source = "default"
    file: Path | None = None
    line: int | None = None

    def __str__(self) -> str:
        if self.file is None:
            return self.source
        place = f"{self.file}:{self.line}" if self.line else str(self.file)
        return f"{self.source} {place}"
