"""The report on a run of the matrix: a table for people, JSON for programs, and the figures in the docs."""

import platform
from collections import Counter, defaultdict
from pathlib import Path

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from rawr.cli.terminal.output import counted
from tests.crash.jobs import JOBS
from tests.crash.playing import Result
from tests.crash.victim import Kill

DOCS = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
COLUMNS: dict[str, tuple[Kill, ...]] = {
    "rawr killed": ("rawr", "host"),
    "Codex killed": ("codex",),
    "both": ("both",),
    "client killed": ("client",),
    "terminal closed": ("terminal",),
    "all three": ("all",),
}
HEADINGS = ("command", "transport", "where", *COLUMNS, "inside compactions", "violations")
AREAS = {
    "writing": "effect, before its write",
    "before": "effect, after its write",
    "sent": "effect under way",
    "answered": "answer, before its write",
    "recorded": "answer, after its write",
    "told": "fact, before its write",
    "kept": "fact, after its write",
    "entering": "golden path moves, before the write",
    "phase": "golden path moves, after the write",
}


class Report(Struct, frozen=True):
    seed: int
    seconds: float
    python: str
    codex: str
    results: tuple[Result, ...]

    @property
    def kills(self) -> int:
        return sum(one.kills for one in self.results)

    @property
    def inside(self) -> int:
        return sum(one.inside for one in self.results)

    @property
    def broken(self) -> list[Result]:
        return [one for one in self.results if one.violations]

    @property
    def missed(self) -> list[Result]:
        """Cases that did not reach their point this time, so nothing was killed."""
        return [one for one in self.results if one.kill and not one.kills]


Row = tuple[str, str, str, *tuple[int, ...]]


def rows(report: Report, *, every_point: bool = False) -> list[Row]:
    """Count kills by command, transport and place, kills inside compactions, and cases that broke a rule.

    The second kill of a case is counted at the place of the first.
    """
    found: defaultdict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for one in report.results:
        if one.kill:
            host = "@host" if one.hosted else ""
            command = f"{one.job}{host}" if every_point else f"rawr {JOBS[one.job].command}{host and ', in the host'}"
            where = one.stage if every_point else AREAS.get(one.stage.partition(":")[0], one.stage)
            found[command, one.transport, where].append(one)
    return [_row(key, group) for key, group in sorted(found.items())]


def _row(key: tuple[str, str, str], group: list[Result]) -> Row:
    counts = [sum(one.kills for one in group if one.kill in kills) for kills in COLUMNS.values()]
    counts += [sum(one.inside for one in group), sum(bool(one.violations) for one in group)]
    command, transport, where = key
    return (command, transport, where, *counts)


def sentences(report: Report) -> list[str]:
    spoken = sum(one.spoken for one in report.results)
    hosted = sum(one.kills for one in report.results if one.hosted)
    said = (
        f"{report.kills} kills, {hosted} of them with a host, {report.inside} inside compactions, "
        f"{spoken} with a user message meanwhile"
    )
    took = f"{report.seconds / 60:.0f} minutes, seed {report.seed}"
    lines = [f"{said}; {counted(len(report.broken), 'case')} with violations; {took}."]
    rules = Counter(rule for one in report.broken for rule in {each.rule for each in one.violations})
    if rules:
        lines.append("Cases by broken rule: " + ", ".join(f"{rule} {n}" for rule, n in rules.most_common()) + ".")
    if report.missed:
        place = "its point" if len(report.missed) == 1 else "their points"
        lines.append(f"{counted(len(report.missed), 'case')} did not reach {place}, so nothing was killed.")
    return lines


def show(console: Console, report: Report, *, every_point: bool) -> None:
    shown = Table(*HEADINGS)
    for row in rows(report, every_point=every_point):
        shown.add_row(*row[:3], *(str(number or "") for number in row[3:]))
    console.print(shown)
    for line in sentences(report):
        console.print(line, highlight=False, soft_wrap=True)
    for one in report.broken:
        what = "; ".join(f"{each.rule}: {each.what}" for each in one.violations)
        console.print(f"✗ make crash CASE='{one.case}'\n    {what}", highlight=False, markup=False, soft_wrap=True)


def write_json(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")


def write_docs(report: Report, path: Path = DOCS) -> None:
    """Put the figures between the two marks."""
    head, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    tail = rest.partition(END)[2]
    path.write_text(f"{head}{BEGIN}\n{figures(report)}\n{END}{tail}", encoding="utf-8")


def figures(report: Report) -> str:
    return "\n".join(
        [
            " ".join(sentences(report)),
            f"{report.codex}, Python {report.python}, {platform.system()}.",
            "",
            "| " + " | ".join(HEADINGS) + " |",
            "|---|---|---|" + "---:|" * (len(HEADINGS) - 3),
            *("| " + " | ".join(map(str, row)) + " |" for row in rows(report)),
        ]
    )
