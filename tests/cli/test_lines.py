"""What happened, as lines for a person: what was declined must not look done."""

import pytest

from rawr.cli.lines import Line, lines_of
from rawr.core import facts, items
from rawr.core.kernel import Taken
from rawr.core.reasons import Reason
from rawr.core.records import Decision, Evidence, Record


def shown(item: items.AnyItem) -> list[tuple[str, str]]:
    fact = facts.ItemCompleted(turn="t1", item=item)
    return [(one.who, one.text) for one in lines_of(Taken(facts.Recorded(1, 0, "thread", fact)), marks={})]


def command(status: items.Status, code: int | None = None, output: str = "") -> items.Command:
    return items.Command(
        id="i1", command="bash -lc ls", inner="ls", cwd="/w", status=status, exit_code=code, output_tail=output
    )


@pytest.mark.parametrize(
    ("item", "lines"),
    [
        (command("completed", 0, "a\nb\n"), [("run", "$ ls"), ("", "a"), ("", "b")]),
        (command("failed", 2), [("run", "$ ls  (exit code 2)")]),
        (command("failed"), [("run", "$ ls  (no exit code)")]),
        (command("declined"), [("declined", "$ ls")]),
    ],
)
def test_a_command(item: items.Command, lines: list[tuple[str, str]]) -> None:
    """C10, C18."""
    assert shown(item) == lines


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("completed", ("files", "add /w/a, delete /w/b")),
        ("declined", ("declined", "add /w/a, delete /w/b")),
        ("failed", ("files", "failed: add /w/a, delete /w/b")),
    ],
)
def test_a_change_of_files(status: items.Status, line: tuple[str, str]) -> None:
    """C10, C18."""
    changes = (items.Change("/w/a", "add"), items.Change("/w/b", "delete"))
    assert shown(items.FileChange(id="i1", changes=changes, status=status)) == [line]


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("approval of: ls -l", "approved by rule: ls -l"),
        ("approval of a file change", "approved by rule: a file change"),
    ],
)
def test_what_nobody_was_asked_about_is_marked(what: str, line: str) -> None:
    """C10: a person sees what was approved in their place."""
    evidence: dict[str, Evidence] = {"request": "1/0", "what": what}
    fact = facts.ApprovalJudged(request="1/0", safe=True)
    record = Record(Reason.REQUEST_JUDGED_SAFE, evidence)
    taken = Taken(facts.Recorded(1, 0, "thread", fact), (Decision("thread:1/0", 1, 0, "thread", record, "p", 1),))
    assert lines_of(taken, marks={}) == [Line("rawr", line, "magenta")]
