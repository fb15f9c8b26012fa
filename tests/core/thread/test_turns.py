"""Turns: begun by a message, filled with items, ended, and followed by the next message."""

from zlib import crc32

import pytest
from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.state.deadlines import Deadline
from rawr.core.state.ledger import Failure, Ledger, Touched
from rawr.core.state.messages import Queued, Sent
from rawr.core.state.ran import Ended
from rawr.core.state.sequence import Idling
from rawr.core.state.since import Since, Spoken
from rawr.core.state.thread import ThreadState
from rawr.core.state.topic import Topic
from rawr.core.state.turn import MAX_ENDED, MAX_FILES, MAX_OPEN_ITEMS, ActiveTurn, Cut, OpenItem, TurnOutcome
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import InterruptTurn, Notify, SetDeadline, StartTurn, SteerTurn
from rawr.core.vocabulary.facts import Problem
from rawr.core.vocabulary.items import AnyItem
from rawr.core.vocabulary.payloads import ToolUsed, TurnOver, UserSaid
from rawr.core.vocabulary.reasons import Reason
from tests.core.samples import (
    AT,
    AWAY,
    CLOSED,
    COMPACTING,
    CUT_OFF,
    HELLO,
    IDLE,
    POLICY,
    RUNNING,
    SENT,
    cut_off,
    do,
    fold,
    seen,
    take,
    why,
)

SUBMITTED = facts.UserSubmitted(text="  go\n")
STEER = facts.SteerSubmitted(text="left")
QUEUED = Queued(7, "  go\n")


# -- what a person submits ----------------------------------------------------------------------------------------


def test_a_message_starts_a_turn_when_the_thread_is_free() -> None:
    """A15: exactly as it was typed."""
    assert take(IDLE, SUBMITTED) == Step(
        replace(IDLE, sent=(Sent("t:7.0", QUEUED),)),
        (do(StartTurn(text="  go\n")),),
        (why(Reason.TURN_STARTED_INPUT, message=7, waiting=0),),
    )


@pytest.mark.parametrize("busy", [RUNNING, SENT, COMPACTING], ids=["a turn", "a message", "a compaction"])
def test_a_message_waits_while_the_thread_is_busy(busy: ThreadState) -> None:
    """A15, C12: one active turn a thread; what comes meanwhile waits, unchanged."""
    assert take(busy, SUBMITTED) == Step(replace(busy, queue=(QUEUED,)), (), (why(Reason.TURN_QUEUED_BUSY, waiting=1),))


def test_a_message_waits_while_codex_is_away() -> None:
    assert take(AWAY, SUBMITTED) == Step(
        replace(AWAY, queue=(QUEUED,)), (), (why(Reason.TURN_QUEUED_OFFLINE, waiting=1),)
    )


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
@pytest.mark.parametrize("state", [IDLE, RUNNING, CLOSED])
def test_nothing_to_say_is_ignored(state: ThreadState, text: str) -> None:
    ignored = (why(Reason.IGNORED_EMPTY_INPUT),)
    assert take(state, facts.UserSubmitted(text=text)) == Step(state, (), ignored)
    assert take(state, facts.SteerSubmitted(text=text)) == Step(state, (), ignored)


@pytest.mark.parametrize("fact", [SUBMITTED, STEER])
def test_a_closed_thread_takes_no_message_and_says_so(fact: facts.AnyFact) -> None:
    """A15: never lost without a word."""
    assert take(CLOSED, fact) == Step(
        CLOSED,
        (do(Notify(level="error", text="The thread is closed; the message was not sent.")),),
        (why(Reason.IGNORED_CLOSED_THREAD, message=7),),
    )


def test_a_steer_goes_into_the_running_turn() -> None:
    assert take(RUNNING, STEER) == Step(
        replace(RUNNING, sent=(Sent("t:7.0", Queued(7, "left"), steer=True, turn="T1"),)),
        (do(SteerTurn(turn="T1", text="left")),),
        (why(Reason.STEER_SENT_SUBMITTED, turn="T1"),),
    )


def test_a_steer_with_nothing_to_steer_starts_a_turn() -> None:
    assert take(IDLE, STEER) == Step(
        replace(IDLE, sent=(Sent("t:7.0", Queued(7, "left")),)),
        (do(StartTurn(text="left")),),
        (
            why(Reason.STEER_QUEUED_IDLE, waiting=1),
            why(Reason.TURN_STARTED_INPUT, message=7, waiting=0),
        ),
    )


UNSTEERABLE = {
    "a compaction's turn": replace(COMPACTING, turn=ActiveTurn("T1", AT)),
    "codex is away": replace(RUNNING, online=False),
    "a turn without a name": replace(IDLE, turn=ActiveTurn("", AT)),
}


@pytest.mark.parametrize("state", UNSTEERABLE.values(), ids=UNSTEERABLE)
def test_a_steer_that_cannot_be_taken_waits(state: ThreadState) -> None:
    assert take(state, STEER) == Step(
        replace(state, queue=(Queued(7, "left"),)), (), (why(Reason.STEER_QUEUED_IDLE, waiting=1),)
    )


def test_an_interrupt_is_for_the_running_turn() -> None:
    """C5."""
    late = AT + POLICY.limits.interrupt * 1000
    assert take(RUNNING, facts.InterruptSubmitted()) == Step(
        replace(RUNNING, cut=Cut("T1"), deadlines=(Deadline("interrupt", late),)),
        (do(InterruptTurn(turn="T1")), do(SetDeadline(name="interrupt", at=late), 1)),
        (why(Reason.TURN_INTERRUPTED_SUBMITTED, turn="T1"),),
    )


@pytest.mark.parametrize("state", [IDLE, AWAY, SENT, replace(IDLE, turn=ActiveTurn("", AT))])
def test_an_interrupt_of_nothing_is_ignored(state: ThreadState) -> None:
    assert take(state, facts.InterruptSubmitted()) == Step(state, (), (why(Reason.IGNORED_NO_TURN),))


# -- a turn begins and ends ---------------------------------------------------------------------------------------


def test_a_turn_begins() -> None:
    assert take(AWAY, facts.TurnStarted(turn="T1")) == Step(
        replace(AWAY, turn=ActiveTurn("T1", AT), certain=True), boundaries=(seen("turn_started", "T1"),)
    )


def test_a_turn_that_is_told_twice_goes_on() -> None:
    worked = replace(RUNNING, turn=ActiveTurn("T1", AT - 5_000, items=3))
    assert take(worked, facts.TurnStarted(turn="T1")) == Step(worked)


def test_a_turn_that_is_over_does_not_begin_again() -> None:
    """A late or doubled notice must not leave the thread busy for ever."""
    over = replace(IDLE, ended=("T1",))
    assert take(over, facts.TurnStarted(turn="T1")) == Step(
        over, (), (why(Reason.IGNORED_UNKNOWN_TURN, turn="T1", running=""),)
    )
    late = facts.ItemCompleted(turn="T1", item=items.AgentMessage(id="a", text="late"))
    assert take(over, late) == Step(over)
    assert take(over, facts.ItemStarted(turn="T1", item=items.Reasoning(id="r"))) == Step(over)
    again = facts.TurnCompleted(turn="T1", status="completed")
    assert take(over, again) == Step(over, (), (why(Reason.IGNORED_UNKNOWN_TURN, turn="T1", running=""),))


def test_when_another_turn_begins_the_one_before_is_over() -> None:
    """C12: a thread has one turn at a time."""
    lost = TurnOutcome("T1", "interrupted", AT, lost=True)
    assert take(RUNNING, facts.TurnStarted(turn="T2")) == Step(
        replace(RUNNING, turn=ActiveTurn("T2", AT), last_turn=lost, ended=("T1",), turns=1),
        (do(CUT_OFF),),
        (cut_off("T1"),),
    )


def test_a_turn_ends_and_the_next_message_goes_out() -> None:
    """A15: in the order in which they came."""
    waiting = replace(RUNNING, queue=(HELLO, QUEUED), in_review=True)
    assert take(waiting, facts.TurnCompleted(turn="T1", status="completed")) == Step(
        replace(
            IDLE,
            last_turn=TurnOutcome("T1", "completed", AT),
            ended=("T1",),
            turns=1,
            queue=(QUEUED,),
            sent=(Sent("t:7.0", HELLO),),
            topic=Topic(looked_at=3),
        ),
        (do(StartTurn(text="hello")),),
        (why(Reason.TURN_STARTED_INPUT, message=3, waiting=1),),
        (seen("turn_completed", "T1", TurnOver("completed")),),
    )


def test_what_happened_in_a_turn_is_its_outcome() -> None:
    """C2."""
    did = replace(
        RUNNING,
        turn=ActiveTurn("T1", AT, (), ("c1",), 5, commands=2, commands_failed=1, files=("a",), agent_text="Done."),
    )
    problem = Problem("model down", "internalServerError", 500)
    assert take(did, facts.TurnCompleted(turn="T1", status="failed", problem=problem)) == Step(
        replace(
            IDLE,
            last_turn=TurnOutcome("T1", "failed", AT, problem, 5, 2, 1, ("a",), "Done.", ("c1",)),
            ended=("T1",),
            turns=1,
            since=Since(files=("a",), said=(Spoken(AT, "Done."),)),
        ),
        (),
        (why(Reason.TURN_FAILED_PROBLEM, turn="T1", code="internalServerError", problem="model down"),),
        (seen("turn_completed", "T1", TurnOver("failed")),),
    )


def test_the_end_of_another_turn_is_not_the_end_of_this_one() -> None:
    assert take(RUNNING, facts.TurnCompleted(turn="T0", status="completed")) == Step(
        RUNNING, (), (why(Reason.IGNORED_UNKNOWN_TURN, turn="T0", running="T1"),)
    )


def test_a_turn_of_which_only_the_end_was_seen_counts() -> None:
    assert take(IDLE, facts.TurnCompleted(turn="T1", status="interrupted")) == Step(
        replace(IDLE, last_turn=TurnOutcome("T1", "interrupted", AT, midway=True), ended=("T1",), turns=1),
        boundaries=(seen("turn_completed", "T1", TurnOver("interrupted")),),
    )


def test_ended_turns_are_remembered_up_to_a_bound() -> None:
    names = [f"T{number}" for number in range(MAX_ENDED + 3)]
    state = fold(IDLE, *(facts.TurnCompleted(turn=name, status="completed") for name in names))
    assert (state.ended, state.turns) == (tuple(names[3:]), MAX_ENDED + 3)


# -- items --------------------------------------------------------------------------------------------------------


def ran(exit_code: int | None, *, status: items.Status = "completed") -> items.Command:
    return items.Command(id="i", command="make", cwd="/project", status=status, exit_code=exit_code)


ITEMS: dict[str, tuple[AnyItem, ActiveTurn]] = {
    "words": (items.AgentMessage(id="i", text="Hi."), ActiveTurn("T1", AT, items=1, agent_text="Hi.", spoke=True)),
    "a command": (ran(0), ActiveTurn("T1", AT, items=1, commands=1, actions=("make",), ran=(Ended("make", 0),))),
    "a command without a code": (
        ran(None),
        ActiveTurn("T1", AT, items=1, commands=1, actions=("make",), ran=(Ended("make", None),)),
    ),
    "a failing command": (
        ran(2),
        ActiveTurn("T1", AT, items=1, commands=1, commands_failed=1, actions=("make",), ran=(Ended("make", 2),)),
    ),
    "a failed command": (
        ran(None, status="failed"),
        ActiveTurn("T1", AT, items=1, commands=1, commands_failed=1, actions=("make",), ran=(Ended("make"),)),
    ),
    "a declined command": (ran(None, status="declined"), ActiveTurn("T1", AT, items=1, commands=1, actions=("make",))),
    "a change": (
        items.FileChange(id="i", changes=(items.Change("b", "add"), items.Change("a", "update")), status="completed"),
        ActiveTurn("T1", AT, items=1, files=("b", "a"), unchecked=True),
    ),
    "a refused change": (
        items.FileChange(id="i", changes=(items.Change("b", "add"),), status="declined"),
        ActiveTurn("T1", AT, items=1),
    ),
    "a message": (
        items.UserMessage(id="i", text="…", client_id="c"),
        ActiveTurn("T1", AT, items=1, messages=("c",), asked=1),
    ),
    "a search": (items.WebSearch(id="i", query="q"), ActiveTurn("T1", AT, items=1, tools=1)),
    "a thought": (items.Reasoning(id="i"), ActiveTurn("T1", AT, items=1)),
    "a tool": (items.ToolCall(id="i", tool="x", status="completed"), ActiveTurn("T1", AT, items=1, tools=1)),
    "a sub-agent": (items.SubAgent(id="i", status="running"), ActiveTurn("T1", AT, items=1, tools=1)),
    "something unknown": (items.OtherItem(id="i", wire_type="hologram"), ActiveTurn("T1", AT, items=1)),
}


KEPT = {
    "a failing command": Ledger(failures=(Failure("make", 2),)),
    "a failed command": Ledger(failures=(Failure("make", None),)),
    "a change": Ledger(files=(Touched("b", "add"), Touched("a", "update"))),
    "a message": Ledger(goal="…"),
}
"""What of it belongs into a handoff (D3)."""

TRIED = {
    name: Idling(tried=(crc32(b"make"),))
    for name in ("a command", "a command without a code", "a failing command", "a failed command")
}
"""Running it once more is no work (A20a)."""

MARKED = {
    "a message": (seen("user_directive", "T1", UserSaid("…"), source="user"),),
    "a tool": (seen("tool_milestone", "T1", ToolUsed("x")),),
}
"""What of it is a boundary, though none that a compaction waits for (B2)."""


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_is_open_until_it_is_completed(name: str) -> None:
    item, turn = ITEMS[name]
    state = replace(IDLE, turn=ActiveTurn("T1", AT))
    paths = tuple(one.path for one in item.changes) if isinstance(item, items.FileChange) else ()
    opened = replace(state, turn=ActiveTurn("T1", AT, (OpenItem("i", type(item).__name__, paths),)))
    assert take(state, facts.ItemStarted(turn="T1", item=item)) == Step(opened)
    assert take(opened, facts.ItemCompleted(turn="T1", item=item)) == Step(
        replace(state, turn=turn, ledger=KEPT.get(name, Ledger()), idling=TRIED.get(name, Idling())),
        boundaries=MARKED.get(name, ()),
    )


def test_a_review_is_on_from_its_item_to_its_item() -> None:
    """A3: a thread in review mode is known."""
    entered = facts.ItemCompleted(turn="T1", item=items.ReviewEntered(id="i", review="the diff"))
    left = facts.ItemCompleted(turn="T1", item=items.ReviewExited(id="i", review="fine"))
    assert [fold(RUNNING, entered).in_review, fold(RUNNING, entered, left).in_review] == [True, False]


def test_a_turn_joined_in_the_middle_begins_with_its_first_item() -> None:
    item = items.AgentMessage(id="i", text="Hi.")
    begun = ActiveTurn("T9", AT, items=1, agent_text="Hi.", midway=True, spoke=True)
    assert take(AWAY, facts.ItemCompleted(turn="T9", item=item)) == Step(replace(AWAY, turn=begun, certain=True))


def test_a_turn_without_a_name_gets_it_from_its_first_item() -> None:
    unnamed = replace(IDLE, turn=ActiveTurn("", AT - 9))
    item = items.Reasoning(id="i")
    assert take(unnamed, facts.ItemCompleted(turn="T9", item=item)) == Step(
        replace(IDLE, turn=ActiveTurn("T9", AT - 9, items=1))
    )


def test_an_item_of_a_turn_that_does_not_run_changes_nothing() -> None:
    assert take(RUNNING, facts.ItemCompleted(turn="T0", item=items.Reasoning(id="i"))) == Step(RUNNING)


def test_after_a_lost_connection_an_item_tells_which_turn_runs() -> None:
    """The turn we knew of is over if another one has items."""
    unsure = replace(RUNNING, certain=False)
    lost = TurnOutcome("T1", "interrupted", AT, lost=True)
    assert take(unsure, facts.ItemCompleted(turn="T2", item=items.Reasoning(id="i"))) == Step(
        replace(IDLE, turn=ActiveTurn("T2", AT, items=1), last_turn=lost, ended=("T1",), turns=1),
        (do(CUT_OFF),),
        (cut_off("T1"),),
    )


def test_items_are_bounded() -> None:
    state = RUNNING
    for number in range(MAX_OPEN_ITEMS + 2):
        state = fold(state, facts.ItemStarted(turn="T1", item=items.Reasoning(id=str(number))))
    assert state.turn is not None
    assert [one.id for one in state.turn.open_items] == [str(number) for number in range(2, MAX_OPEN_ITEMS + 2)]
    changes = tuple(items.Change(str(number), "add") for number in range(MAX_FILES + 5))
    for _ in range(2):
        state = fold(
            state, facts.ItemCompleted(turn="T1", item=items.FileChange(id="f", changes=changes, status="completed"))
        )
    assert state.turn is not None
    assert state.turn.files == tuple(str(number) for number in range(MAX_FILES))


def test_a_compaction_that_is_told_late_opens_no_turn() -> None:
    """A13: it was over before rawr joined; nothing would ever end such a turn."""
    late = facts.ItemCompleted(turn="T2", item=items.Compaction(id="c"))
    assert take(IDLE, late).state.turn is None
