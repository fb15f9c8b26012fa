"""The figures in the docs are those of a run, and nothing else is replaced."""

from pathlib import Path

from tests.crash.invariants import Violation
from tests.crash.playing import Result
from tests.crash.report import DOCS, Report, figures, rows, sentences, write_docs


def result(
    kill: str, stage: str, *, kills: int = 1, inside: bool = False, broken: bool = False, hosted: bool = False
) -> Result:
    found = (Violation("handoff", "none"), Violation("handoff", "none again")) if broken else ()
    return Result(
        case=f"run/stdio/{kill}/{stage}#1/0",
        job="run",
        transport="stdio",
        kill=kill,
        stage=stage,
        kills=kills,
        inside=inside,
        spoken=False,
        violations=found,
        seconds=1.0,
        hosted=hosted,
    )


REPORT = Report(
    seed=3,
    seconds=600,
    python="3.11",
    codex="codex-cli 1",
    results=(
        result("", "", kills=0),
        result("rawr", "sent:StartTurn", kills=2),
        result("codex", "sent:StartCompaction", inside=True, broken=True),
        result("both", "kept:TurnStarted", kills=0),
        result("terminal", "sent:StartTurn", hosted=True),
        result("host", "sent:StartTurn", hosted=True),
        result("all", "sent:StartTurn", hosted=True),
    ),
)


def test_the_rows() -> None:
    assert rows(REPORT) == [
        ("rawr run", "stdio", "effect under way", 2, 1, 0, 0, 0, 0, 1, 1),
        ("rawr run", "stdio", "fact, after its write", 0, 0, 0, 0, 0, 0, 0, 0),
        ("rawr run, in the host", "stdio", "effect under way", 1, 0, 0, 0, 1, 1, 0, 0),
    ]
    assert [row[:3] for row in rows(REPORT, every_point=True)] == [
        ("run", "stdio", "kept:TurnStarted"),
        ("run", "stdio", "sent:StartCompaction"),
        ("run", "stdio", "sent:StartTurn"),
        ("run@host", "stdio", "sent:StartTurn"),
    ]


def test_the_words() -> None:
    kills, rules, missed = sentences(REPORT)
    assert kills == (
        "6 kills, 3 of them with a host, 1 inside compactions, 0 with a user message meanwhile; "
        "1 case with violations; 10 minutes, seed 3."
    )
    assert rules == "Cases by broken rule: handoff 1."
    assert missed == "1 case did not reach its point, so nothing was killed."


def test_only_the_figures_are_replaced(tmp_path: Path) -> None:
    page = tmp_path / "reliability.md"
    page.write_text(DOCS.read_text(encoding="utf-8"), encoding="utf-8")
    write_docs(REPORT, page)
    once = page.read_text(encoding="utf-8")
    assert figures(REPORT) in once
    write_docs(REPORT, page)
    assert page.read_text(encoding="utf-8") == once
    before, after = DOCS.read_text(encoding="utf-8"), once
    assert before.partition("<!-- figures")[0] == after.partition("<!-- figures")[0]
