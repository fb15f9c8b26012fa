"""Files that a turn wrote, by whatever means, are on record (B6, D2, D3)."""

import pytest
from msgspec.structs import replace

from rawr.core.handover.check import check
from rawr.core.handover.claims import Known
from rawr.core.handover.handoff import recorded
from rawr.core.handover.packet import parse
from rawr.core.state.ledger import Ledger, Touched
from rawr.core.thread.repository import TOO_LARGE
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Notify, ObserveTree, WatchRepository
from rawr.core.vocabulary.items import Change, ChangeKind, Command, FileChange
from rawr.core.vocabulary.order import Budgets, Order
from tests.core.runs import GOAL, RULES, Auto
from tests.core.samples import GOLDEN, IDLE, Story

LOOKS = replace(GOLDEN, watch_repositories=True, watch_files=True)
ADDED = Change("/w/src/parser.py", "add")
HERE = "/project"
RAN = Command(id="i", command="make", cwd=HERE, status="completed", exit_code=0)


def story() -> Story:
    return Story(replace(IDLE, cwd=HERE), policy=LOOKS)


def seen(turn: str, *changes: Change, shared: bool = False, more: int = 0) -> facts.TreeSeen:
    return facts.TreeSeen(turn=turn, digest="d1", changes=changes, shared=shared, more=more)


def working(turn: str) -> Story:
    """A turn in which a command ran; its look at the repository is back."""
    told = story().begin(turn, "Build it.")
    return back(told.tell(facts.ItemCompleted(turn=turn, item=RAN)))


def back(told: Story, *found: facts.AnyFact) -> Story:
    """The look is back."""
    return told.tell(*found, facts.EffectSucceeded(effect=told.state.observing[-1]))


def test_a_turn_is_looked_at_before_and_after() -> None:
    """The look at its start tells apart what a person did between two turns."""
    told = working("T1")
    assert told.wanted(WatchRepository)[-1] == WatchRepository(cwd=HERE, turn=True, files=True)
    told.end("T1")
    assert told.wanted(ObserveTree) == [ObserveTree(turn="T1", cwd=HERE, commits=True)]
    assert told.state.unweighed


def test_a_turn_without_work_is_not_waited_for() -> None:
    told = story().begin("T1", "Hello.").says("T1", "Hello.").end("T1")
    assert told.wanted(ObserveTree) == [ObserveTree(turn="T1", cwd=HERE, commits=True, files=False)]
    assert (told.state.observing, told.state.unweighed) == ((), False)


def test_the_tree_is_not_looked_at_again_at_once() -> None:
    """In a run, one turn's end is the next one's start."""
    told = working("T1").end("T1")
    back(told, seen("T1", ADDED)).begin("T2", "Go on.")
    assert told.wanted(WatchRepository)[-1] == WatchRepository(cwd=HERE, turn=True, files=False)


def test_rules_of_an_older_journal_do_not_look() -> None:
    """C17: a replay decides as it did."""
    told = Story(replace(IDLE, cwd=HERE), policy=replace(LOOKS, watch_files=False))
    told.begin("T1", "Build it.").tell(facts.ItemCompleted(turn="T1", item=RAN)).end("T1")
    assert (told.wanted(ObserveTree), told.wanted(WatchRepository)) == ([], [])


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ((), ADDED, [(ADDED.path, "add")]),
        (("add",), Change(ADDED.path, "update"), [(ADDED.path, "add")]),
        (("update",), Change(ADDED.path, "delete"), [(ADDED.path, "delete")]),
        (("add",), Change(ADDED.path, "delete"), []),
        (("add",), Change(ADDED.path, "update", "/w/b.py"), [("/w/b.py", "add")]),
        ((), Change(ADDED.path, "update", "/w/b.py"), [("/w/b.py", "update")]),
    ],
)
def test_what_is_found_is_on_record(
    before: tuple[ChangeKind, ...], change: Change, after: list[tuple[str, ChangeKind]]
) -> None:
    """Once for each file, whether a patch or a command wrote it."""
    told = working("T1")
    for kind in before:
        patch = FileChange(id="p", changes=(Change(ADDED.path, kind),), status="completed")
        told.tell(facts.ItemCompleted(turn="T1", item=patch))
    back(told.end("T1"), seen("T1", change))
    assert [(one.path, one.kind) for one in told.state.ledger.files] == after
    assert (change.moved_to or change.path) in told.state.since.files


def test_more_than_are_listed_are_counted() -> None:
    told = working("T1").end("T1")
    back(told, seen("T1", ADDED, more=7))
    assert told.state.ledger.dropped == 7


def test_a_packet_that_omits_a_file_that_a_command_wrote() -> None:
    """D2, D3: it goes back; and the handoff has the file in any case."""
    kept = Ledger(files=(Touched(ADDED.path, "add"), Touched("/w/theirs.py", "update", shared=True)))
    packet = parse("## What just completed\n\nThe lexer.\n")
    told = [str(one.text) for one in check(packet, Known(kept)) if one.kind == "file"]
    assert told == ["The changed file “/w/src/parser.py” is not mentioned."]
    assert str(recorded(kept, ())).splitlines() == [
        "file, add: “/w/src/parser.py”",
        "file, update: “/w/theirs.py” (perhaps by another thread)",
    ]


def test_of_a_tree_that_is_too_large_nobody_says_that_nothing_changed() -> None:
    """C6: and the person is told once."""
    told = working("T1").end("T1")
    back(told, replace(seen("T1"), cut=True))
    first = told.state.tree
    told.begin("T2", "Go on.").tell(facts.ItemCompleted(turn="T2", item=RAN))
    back(back(told).end("T2"), replace(seen("T2"), cut=True))
    assert told.state.tree != first
    assert [one.text for one in told.wanted(Notify)].count(TOO_LARGE) == 1


def test_a_run_that_goes_on_does_not_wait_for_a_look_that_decides_nothing() -> None:
    """C2: it is made up for when the next turn has begun, and counts as progress of the turn that it is about."""
    run = Auto(replace(IDLE, cwd=HERE), policy=replace(RULES, watch_repositories=True, watch_files=True))
    run.tell(facts.RunSubmitted(order=Order(goal=GOAL, tree=True)))
    run.begin("T1", GOAL, ours=True).uses("T1", 1_000).tell(facts.ItemCompleted(turn="T1", item=RAN))
    back(run).says("T1", "On I go.").end("T1")
    assert (len(run.sent), run.wanted(ObserveTree), run.state.tree_owed) == (2, [], "T1")
    before = run.run.history[-1].work
    run.begin("T2", run.sent[-1], ours=True)
    assert run.wanted(ObserveTree) == [ObserveTree(turn="T1", cwd=HERE, commits=True, begun=True)]
    run.tell(seen("T1", ADDED))
    assert (run.run.history[-1].work != before, run.state.tree_owed) == (True, "")


def test_it_is_made_up_for_when_the_run_rests() -> None:
    """D3."""
    run = Auto(replace(IDLE, cwd=HERE), policy=replace(RULES, watch_repositories=True, watch_files=True))
    run.tell(facts.RunSubmitted(order=Order(goal=GOAL, tree=True, budgets=Budgets(turns=1))))
    run.begin("T1", GOAL, ours=True).uses("T1", 1_000).tell(facts.ItemCompleted(turn="T1", item=RAN))
    back(run).says("T1", "On I go.").end("T1")
    assert (run.run.status, run.wanted(ObserveTree)) == ("stopped", [ObserveTree(turn="T1", cwd=HERE, commits=True)])
