"""What a benchmark says, and how it is shown: one row a figure, with its goal and whether it was met."""

from math import isfinite
from pathlib import Path

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from bench.measuring import Ratio


class Goal(Struct, frozen=True, omit_defaults=True):
    at_least: float | None = None
    at_most: float | None = None

    def met(self, measured: float) -> bool:
        return (self.at_least is None or measured >= self.at_least) and (
            self.at_most is None or measured <= self.at_most
        )

    def text(self, unit: str) -> str:
        sign, value = ("≥", self.at_least) if self.at_least is not None else ("≤", self.at_most)
        return f"{sign} {value:g}{unit}"


class Row(Struct, kw_only=True):
    """One figure. ``ours`` and ``against`` are for people; ``measured`` is what the goal is about."""

    figure: str
    measured: Ratio
    unit: str = "×"  # noqa: RUF001 - the sign of a ratio
    ours: str
    against: str
    goal: Goal | None = None
    met: bool | None = None
    """Follows from the goal; without one there is nothing to meet."""

    def __post_init__(self) -> None:
        self.met = None if self.goal is None else self.goal.met(self.measured.middle)


class Result(Struct, frozen=True):
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def check(self) -> None:
        """Numbers, at least. That they are of what is to be measured each benchmark has to see to by itself."""
        assert self.rows, "nothing was measured"
        for row in self.rows:
            one = row.measured
            assert all(map(isfinite, (one.middle, one.low, one.high))), f"{row.figure}: {one} is no figure"


class Size(Struct, frozen=True):
    """How much work to do: ``quick`` for a look, otherwise enough to believe the figures."""

    quick: bool
    folder: Path
    """On the same disk as the project: in a folder in memory a commit would cost nothing."""

    def of(self, whole: int, *, quick: int) -> int:
        return quick if self.quick else whole


class Report(Struct, frozen=True):
    """All of a run, as it is written to the file."""

    python: str
    cores: int
    quick: bool
    results: dict[str, Result]
    broken: dict[str, str]


def table(results: dict[str, Result]) -> Table:
    shown = Table("", "figure", "ours", "against", "measured", "middle half", "goal", "met")
    for name, result in results.items():
        for n, row in enumerate(result.rows):
            unit, measured = row.unit, row.measured
            shown.add_row(
                name if n == 0 else "",
                row.figure,
                row.ours,
                row.against,
                f"{number(measured.middle)}{unit}",
                f"{number(measured.low)} to {number(measured.high)}",
                row.goal.text(unit) if row.goal else "",
                {True: "[green]yes", False: "[red]no", None: ""}[row.met],
            )
        shown.add_section()
    return shown


def show(console: Console, results: dict[str, Result]) -> None:
    console.print(table(results))
    for name, result in results.items():
        for note in result.notes:
            console.print(f"[bold]{name}[/bold]: {note}", highlight=False)


def write(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")


def number(value: float) -> str:
    """Three digits that matter, without an exponent."""
    if value >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"


def rate(value: float, what: str) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:.2f} M {what}/s"
    return f"{number(value / 1000)} k {what}/s" if value >= 10_000 else f"{number(value)} {what}/s"


def seconds(value: float) -> str:
    if value >= 1:
        return f"{number(value)} s"
    return f"{number(value * 1000)} ms" if value >= 0.001 else f"{number(value * 1_000_000)} µs"


def megabytes(value: float) -> str:
    return f"{number(value / 1_000_000)} MB"
