"""The table of versions: for people on the terminal, and in the docs."""

import platform
from pathlib import Path

from msgspec import Struct

DOCS = Path(__file__).parents[2] / "docs" / "compat.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


class Share(Struct, frozen=True):
    passed: int
    ran: int

    def __str__(self) -> str:
        return f"{self.passed} of {self.ran}"


class Tried(Struct, frozen=True):
    """One version: what ``rawr doctor`` says of it, and the tests that passed on it by their subject."""

    version: str
    refused: str = ""
    """Why rawr does not use it; empty if it does."""
    shares: dict[str, Share] = {}
    failed: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        return not self.refused and all(one.passed == one.ran > 0 for one in self.shares.values())

    @property
    def as_it_should(self) -> bool:
        """It works, or rawr says that it does not."""
        return bool(self.refused) or self.works


def table(tried: list[Tried], subjects: tuple[str, ...]) -> str:
    head = ["Codex", *subjects, "rawr doctor"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for one in tried:
        shares = [str(one.shares[name]) if name in one.shares else "–" for name in subjects]
        lines.append(
            "| " + " | ".join([one.version, *shares, f"refused: {one.refused}" if one.refused else "ok"]) + " |"
        )
    return "\n".join(lines)


def write_docs(tried: list[Tried], subjects: tuple[str, ...], path: Path = DOCS) -> None:
    """Put the table between the two marks."""
    head, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    tail = rest.partition(END)[2]
    where = f"Python {platform.python_version()}, {platform.system()}."
    path.write_text(f"{head}{BEGIN}\n{where}\n\n{table(tried, subjects)}\n{END}{tail}", encoding="utf-8")
