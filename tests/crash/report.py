"""What a run of the matrix says: a table for people, JSON for programs, and the figures in the docs."""

import platform
from collections import Counter, defaultdict
from pathlib import Path

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from tests.crash.playing import Result

DOCS = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


class Report(Struct, frozen=True):
    seed: int
    seconds: float
    python: str
    codex: str
    results: tuple[Result, ...]

    @property
    def hit(self) -> list[Result]:
        """The cases in which something was killed."""
        return [one for one in self.results if one.kills]

    @property
    def broken(self) -> list[Result]:
        return [one for one in self.results if one.violations]

    @property
    def missed(self) -> list[Result]:
        """The point was not passed this time, so nothing was killed."""
        return [one for one in self.results if one.kill and not one.kills]


def rows(report: Report) -> list[tuple[str, str, str, str, int, int, int]]:
    """Command, transport, kill, point; kills, of them inside compactions, and cases with a violation."""
    found: defaultdict[tuple[str, str, str, str], list[Result]] = defaultdict(list)
    for one in report.results:
        if one.kill:
            found[one.job, one.transport, one.kill, one.stage].append(one)
    return [
        (
            *key,
            sum(one.kills for one in group),
            sum(one.inside for one in group),
            sum(bool(one.violations) for one in group),
        )
        for key, group in sorted(found.items())
    ]


def show(console: Console, report: Report, *, every_point: bool) -> None:
    shown = Table("job", "transport", "killed", "point", "kills", "inside compactions", "violations")
    for row in rows(report) if every_point else _by_area(report):
        shown.add_row(*row[:4], *(str(number) if number else "" for number in row[4:]))
    console.print(shown)
    for line in _sentences(report):
        console.print(line, highlight=False)
    for one in report.broken:
        what = "; ".join(f"{each.rule}: {each.what}" for each in one.violations)
        console.print(f"[red]✗[/red] make crash CASE='{one.case}'\n    {what}", highlight=False, soft_wrap=True)


AREAS = {
    "writing": "an effect, before the write",
    "before": "an effect, after the write",
    "sent": "an effect under way",
    "answered": "its answer, before the write",
    "recorded": "its answer, after the write",
    "told": "a fact, before the write",
    "kept": "a fact, after the write",
    "entering": "a move of the golden path, before the write",
    "phase": "a move of the golden path, after the write",
}


def _by_area(report: Report) -> list[tuple[str, str, str, str, int, int, int]]:
    sums: defaultdict[tuple[str, str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for job, transport, kill, stage, *numbers in rows(report):
        area = AREAS.get(stage.partition(":")[0], stage)
        for place, number in enumerate(numbers):
            sums[job, transport, kill, area][place] += number
    return [(*key, *numbers) for key, numbers in sorted(sums.items())]  # type: ignore[misc]


def _sentences(report: Report) -> list[str]:
    kills = sum(one.kills for one in report.hit)
    inside = sum(one.inside for one in report.hit)
    spoken = sum(one.spoken for one in report.hit)
    said = f"{kills} kills, {inside} of them inside compactions, {spoken} with the user speaking meanwhile"
    time = f"{report.seconds / 60:.1f} minutes, seed {report.seed}"
    lines = [f"{said}; {len(report.broken)} cases with violations; {time}."]
    rules = Counter(
        each.rule for one in report.broken for each in {each.rule: each for each in one.violations}.values()
    )
    if rules:
        lines.append(
            "Cases by broken rule: " + ", ".join(f"{rule} {count}" for rule, count in rules.most_common()) + "."
        )
    if report.missed:
        lines.append(f"{len(report.missed)} cases did not come to their point, and killed nothing.")
    return lines


def write_json(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")


def write_docs(report: Report, path: Path = DOCS) -> None:
    """Put the figures between the two marks."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    path.write_text(f"{head}{BEGIN}\n{figures(report)}\n{END}{tail}", encoding="utf-8")


def figures(report: Report) -> str:
    lines = [
        *_sentences(report),
        "",
        f"Python {report.python}, {report.codex}, {platform.system()}.",
        "",
        "| job | transport | killed | where | kills | inside compactions | violations |",
        "|---|---|---|---|---:|---:|---:|",
        *("| " + " | ".join(map(str, row)) + " |" for row in _by_area(report)),
    ]
    return "\n".join(lines)
