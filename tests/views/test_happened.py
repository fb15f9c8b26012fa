"""What a fact shows, whatever was decided about it."""

import ast
from pathlib import Path

import pytest

from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.requests import TimeQuestion
from rawr.core.vocabulary.session import Found
from rawr.views import events as e
from rawr.views import happened as happened_module
from rawr.views.happened import happened

CONNECTED = facts.ServerConnected(epoch=1, user_agent="rawr/0.163.0 (Debian)", codex_home="/c", transport="stdio")
COMMAND = items.Command(id="i", command="bash -lc ls", inner="ls", cwd="/w", status="completed", exit_code=0)
DENIED = items.Command(id="i", command="x", cwd="/w", status="failed", exit_code=1, output_tail="Permission denied")
CHANGE = items.Change("/w/a", "add")
FILES = items.FileChange(id="i", changes=(CHANGE,), status="declined")
STEPS = (facts.PlanStep("a", "pending"),)


@pytest.mark.parametrize(
    ("fact", "event"),
    [
        (facts.ThreadJoined(cwd="/w"), e.ThreadJoined(cwd="/w")),
        (facts.ThreadTookOver(origin="old"), e.ThreadReplaced(origin="old")),
        (facts.ThreadClosed(how="archived"), e.ThreadClosed(how="archived")),
        (facts.TurnStarted(turn="T"), e.TurnBegan(turn="T")),
        (
            facts.TurnCompleted(turn="T", status="failed", problem=facts.Problem("down"), duration_ms=5),
            e.TurnEnded(turn="T", status="failed", duration_ms=5, failed=True, problem="down"),
        ),
        (facts.PlanUpdated(turn="T", steps=STEPS), e.PlanChanged(steps=STEPS)),
        (
            facts.DiffUpdated(turn="T", digest="d", files=(facts.FileDelta("a", 3, 1),), files_omitted=2),
            e.DiffChanged(files=3, added=3, removed=1),
        ),
        (
            facts.UsageUpdated(turn="T", in_context=5, spent=5),
            e.ContextUsed(tokens=5, window=None, percent_left=None),
        ),
        (
            facts.ErrorReported(turn="T", problem=facts.Problem("down"), will_retry=True),
            e.ErrorSeen(message="down", will_retry=True),
        ),
        (
            facts.RequestReceived(request="1/0", question=TimeQuestion()),
            e.RequestAsked(request="1/0", question=TimeQuestion()),
        ),
        (facts.PhaseSubmitted(phase="research"), e.PhaseEnded(phase="research", by="person")),
        (facts.ItemStarted(turn="T", item=COMMAND), e.CommandBegan(command="ls")),
        (
            facts.ItemCompleted(turn="T", item=COMMAND),
            e.CommandRan(command="ls", status="completed", exit_code=0, output=""),
        ),
        (
            facts.ItemCompleted(turn="T", item=DENIED, found=Found()),
            e.CommandRan(
                command="x", status="failed", exit_code=1, output="Permission denied", unreported=True, denied=True
            ),
        ),
        (
            facts.ItemCompleted(turn="T", item=DENIED),
            e.CommandRan(command="x", status="failed", exit_code=1, output="Permission denied"),
        ),
        (
            facts.ItemCompleted(turn="T", item=FILES, found=Found()),
            e.FilesChanged(changes=(CHANGE,), status="declined", unreported=True),
        ),
        (facts.ItemStarted(turn="T", item=FILES), None),
        (facts.ItemCompleted(turn="T", item=FILES), e.FilesChanged(changes=(CHANGE,), status="declined")),
        (facts.ItemStarted(turn="T", item=items.Compaction(id="c")), e.CompactionBegan()),
        (facts.ItemCompleted(turn="T", item=items.Compaction(id="c")), e.ContextCompacted()),
        (facts.ItemCompleted(turn="T", item=items.UserMessage(id="u", text="hi")), e.UserSaid(text="hi")),
        (facts.ItemCompleted(turn="T", item=items.Reasoning(id="r")), None),
        (CONNECTED, None),
        (facts.SlotGranted(), None),
    ],
)
def test_a_fact_about_a_thread(fact: facts.AnyFact, event: e.AnyEvent | None) -> None:
    """A connection is told of once, for all of them."""
    assert happened(facts.Recorded(1, 0, "t", fact)) == ((event,) if event is not None else ())


@pytest.mark.parametrize(
    ("fact", "event"),
    [
        (CONNECTED, e.CodexConnected(version="0.163.0", transport="stdio")),
        (facts.ServerLost(epoch=1, problem="it ended"), e.CodexLost(problem="it ended")),
        (facts.ServerLost(epoch=1, problem="closed", by_us=True), None),
    ],
)
def test_a_fact_about_rawr_as_a_whole(fact: facts.AnyFact, event: e.AnyEvent | None) -> None:
    assert happened(facts.Recorded(1, 0, "", fact)) == ((event,) if event is not None else ())


def test_every_fact_with_a_case_is_let_through() -> None:
    """A case for a fact that is not in the list would never be reached."""
    tree = ast.parse(Path(happened_module.__file__).read_text())
    cases = [node for node in ast.walk(tree) if isinstance(node, ast.MatchClass)]
    named = {ast.unparse(node.cls) for node in cases}
    shown = {name.removeprefix("facts.") for name in named if name.startswith("facts.")}
    assert shown
    assert shown <= {kind.__name__ for kind in happened_module._TELLING}
