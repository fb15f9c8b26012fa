"""What happened, as lines for a person: what was declined must not look done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.cli.terminal.lines import Line, lines_of
from rawr.core.kernel import Taken
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Decision, Evidence, Record
from rawr.core.vocabulary.requests import ToolInvocation
from rawr.core.vocabulary.session import Found
from rawr.views import events as e
from rawr.views.following import Following


def lines(taken: Taken) -> list[Line]:
    return [line for event in Following().take(taken) for line in lines_of(event, marks={"pending": "o"})]


def shown(item: items.AnyItem) -> list[tuple[str, str]]:
    fact = facts.ItemCompleted(turn="t1", item=item)
    return [(one.who, one.text) for one in lines(Taken(facts.Recorded(1, 0, "thread", fact)))]


def command(status: items.Status, code: int | None = None, output: str = "") -> items.Command:
    return items.Command(
        id="i1", command="bash -lc ls", inner="ls", cwd="/w", status=status, exit_code=code, output_tail=output
    )


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        (command("completed", 0, "a\nb\n"), [("run", "$ ls"), ("", "a"), ("", "b")]),
        (command("failed", 2), [("run", "$ ls  (exit code 2)")]),
        (command("failed"), [("run", "$ ls  (no exit code)")]),
        (command("declined"), [("declined", "$ ls")]),
    ],
)
def test_a_command(item: items.Command, wanted: list[tuple[str, str]]) -> None:
    """C10, C18."""
    assert shown(item) == wanted


@pytest.mark.parametrize(
    ("output", "how"), [("x: Read-only file system", "denied by Codex"), ("no such thing", "not reported by Codex")]
)
def test_a_command_that_codex_did_not_report(output: str, how: str) -> None:
    """C18: shown once, also if it is reported after all."""
    fact = facts.ItemCompleted(turn="t1", item=command("failed", 1, output), found=Found())
    recorded = facts.Recorded(1, 0, "thread", fact)
    assert lines(Taken(recorded))[0].text == f"$ ls  (exit code 1, {how})"
    known = Decision("d", 1, 0, "thread", Record(Reason.IGNORED_KNOWN_CALL), "", 1)
    assert lines(Taken(recorded, (known,))) == []


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
    assert lines(taken) == [Line("rawr", line, "magenta")]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (e.CompactionMarked(percent_left=64), Line("rawr", "marked: a moment to compact, 64 % left", "yellow")),
        (
            e.CompactionHeld(percent_left=64),
            Line("rawr", "compacting before your next message, 64 % left", level="status"),
        ),
        (e.CompactionBegan(), Line("rawr", "compacting the context", level="status")),
        (
            e.CompactionMarked(percent_left=64, boundary="commit, 0a1b2c Add a"),
            Line("rawr", "marked: a moment to compact (commit, 0a1b2c Add a), 64 % left", "yellow"),
        ),
        (
            e.AgentAsked(purpose="scratch"),
            Line("rawr", "auto-compaction: requesting scratch write", "magenta"),
        ),
        (
            e.AgentAsked(purpose="heads_up"),
            Line("rawr", "telling the agent that a compaction is coming", level="status"),
        ),
        (
            e.CompactionDecided(why="A boundary.", only_suggested=False, judgment="compact, x says: it is over"),
            Line("rawr", "now: A boundary.", "yellow"),
        ),
    ],
    ids=lambda one: type(one).__name__,
)
def test_the_steps_of_the_golden_path_have_their_lines(event: e.AnyEvent, line: Line) -> None:
    """A21: what is under way is live, and a mark stays."""
    assert lines_of(event, marks={}) == [line]


BREAKS = st.text(st.sampled_from("a \n\r\v\f\x1c\x85\u2028\u2029"), max_size=30)


@given(BREAKS)
def test_in_rawrs_own_voice_it_is_one_line_each(text: str) -> None:
    """A21, B9: a phase, a plan step, a path or an error cannot add a line to what rawr shows."""
    text = f"a{text}z"
    change = items.FileChange(id="i", status="completed", changes=(items.Change(path=text, kind="add"),))
    told: list[facts.AnyFact] = [
        facts.ItemCompleted(turn="t1", item=change),
        facts.PlanUpdated(turn="t1", steps=(facts.PlanStep(text, "pending"),)),
        facts.TurnCompleted(turn="t1", status="failed", problem=facts.Problem(text)),
        facts.ErrorReported(turn="t1", problem=facts.Problem(text), will_retry=False),
        facts.ThreadJoined(cwd=text),
        facts.RequestReceived(request="1/1", question=ToolInvocation(tool="t", call="c", arguments="{}")),
    ]
    marked = Record(Reason.PHASE_MARKED_TOOL, {"phase": text})
    safe = Record(Reason.REQUEST_JUDGED_SAFE, {"what": text})
    boundary = BoundaryEvent("e", 0, "thread", "t1", "phase_boundary", "phase_tool", text)
    decisions = tuple(Decision("d", 1, 0, "thread", one, "p", 1) for one in (marked, safe))
    for fact in told:
        taken = Taken(facts.Recorded(1, 0, "thread", fact), decisions=decisions, boundaries=(boundary,))
        found = lines(taken)
        assert len(found) >= 3
        assert [one for one in found if len(one.text.splitlines()) != 1] == []
