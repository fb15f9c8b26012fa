"""A compaction from its start to its end, whoever started it. Done means both signals, in either order (A13)."""

import pytest
from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.state.deadlines import Deadline
from rawr.core.state.messages import Sent
from rawr.core.state.sequence import MAX_COMPACTIONS, CompactionPast, CompactionRun, Compactor, LastCompaction
from rawr.core.state.thread import ThreadState, Usage
from rawr.core.state.turn import ActiveTurn, OpenItem, TurnOutcome
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import CancelDeadline, Notify, SetDeadline, StartCompaction, StartTurn
from rawr.core.vocabulary.payloads import TurnOver
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Record
from tests.core.samples import (
    AT,
    AWAY,
    CLOSED,
    COMPACTING,
    CUT_OFF,
    HELLO,
    IDLE,
    RUNNING,
    SENT,
    audited,
    compacted,
    cut_off,
    do,
    fold,
    seen,
    take,
    why,
)

FULL = replace(IDLE, usage=Usage(90_000, 90_000, 258_400))
STARTED = facts.TurnStarted(turn="C")
ITEM_STARTED = facts.ItemStarted(turn="C", item=items.Compaction(id="c"))
ITEM = facts.ItemCompleted(turn="C", item=items.Compaction(id="c"))
ENDED = facts.TurnCompleted(turn="C", status="completed")
CANCEL = CancelDeadline(name="compaction")
ASKED = facts.CompactionSubmitted(bare=True)
LAST = LastCompaction(AT, work_turns=0, sequence="", tier="", reason="submitted")


def past(
    by: Compactor, *, ok: bool, turn: str = "C", duration: int = 2_000, after: int | None = None
) -> CompactionPast:
    before = 90_000 if by == "rawr" else None
    return CompactionPast(by, turn, AT, ok, before, after, duration)


def doubted(state: ThreadState) -> ThreadState:
    assert state.compacting is not None
    return replace(state, compacting=replace(state.compacting, doubted=True))


def failed(status: str, *, turn: str = "C") -> Record:
    return why(Reason.COMPACT_FAILED_TURN, turn=turn, status=status)


def under_way(*, turn: str = "C", item_done: bool = False, turn_done: bool = False) -> ThreadState:
    """Ours, with its turn known."""
    assert COMPACTING.compacting is not None
    run = replace(COMPACTING.compacting, turn=turn, item_done=item_done, turn_done=turn_done)
    return replace(COMPACTING, compacting=run)


# -- asked for by a person ----------------------------------------------------------------------------------------


def test_an_idle_thread_is_compacted() -> None:
    at = AT + 600_000
    assert take(FULL, ASKED) == Step(
        replace(
            FULL,
            compacting=CompactionRun("rawr", AT, effect="t:7.0", tokens_before=90_000),
            deadlines=(Deadline("compaction", at),),
        ),
        (do(StartCompaction()), do(SetDeadline(name="compaction", at=at), 1)),
        (why(Reason.COMPACT_STARTED_SUBMITTED, tokens_before=90_000),),
    )


@pytest.mark.parametrize("busy", [RUNNING, SENT, COMPACTING], ids=["a turn", "a message", "a compaction"])
def test_a_busy_thread_is_left_alone(busy: ThreadState) -> None:
    """A7: Codex would cut the running turn off."""
    said = do(Notify(level="warning", text="A turn is running; nothing was compacted."))
    assert take(busy, ASKED) == Step(busy, (said,), (why(Reason.COMPACT_DEFERRED_BUSY),))


def test_without_codex_nothing_is_compacted() -> None:
    said = do(Notify(level="warning", text="Codex is away; nothing was compacted."))
    assert take(AWAY, ASKED) == Step(AWAY, (said,), (why(Reason.COMPACT_DEFERRED_OFFLINE),))
    assert take(CLOSED, ASKED) == Step(CLOSED, (), (why(Reason.IGNORED_CLOSED_THREAD),))


@pytest.mark.parametrize("code", ["refused", "unsent"])
def test_one_that_was_not_begun_has_failed(code: facts.FailureCode) -> None:
    answer = facts.EffectFailed(effect="t:4.0", problem="no", code=code)
    assert take(COMPACTING, answer) == Step(
        replace(IDLE, compactions=(past("rawr", ok=False, turn=""),)),
        (do(CANCEL),),
        (why(Reason.COMPACT_FAILED_REFUSED, problem="no"), audited(ok=False)),
    )


@pytest.mark.parametrize("code", ["lost", "timed_out"])
def test_without_an_answer_it_may_have_begun(code: facts.FailureCode) -> None:
    """Nothing else is started meanwhile; events, the next connection or the deadline tell."""
    answer = facts.EffectFailed(effect="t:4.0", problem="?", code=code)
    waiting = replace(COMPACTING, queue=(HELLO,))
    assert take(waiting, answer) == Step(waiting)


# -- both signals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("item_first", [True, False])
def test_done_when_item_and_turn_are(item_first: bool) -> None:
    """A13: in either order; the tokens after are those of then (A20)."""
    usage = facts.UsageUpdated(turn="C", in_context=9_000, spent=99_000)
    signals = (ITEM, ENDED) if item_first else (ENDED, ITEM)
    state = fold(COMPACTING, STARTED, ITEM_STARTED, signals[0])
    assert (state.compaction_count, state.compactions) == (0, ())
    assert state.busy
    done = take(fold(state, usage), signals[1])
    assert done.state.compactions == (past("rawr", ok=True, after=9_000),)
    assert (done.state.compaction_count, done.state.compacting, done.state.deadlines) == (1, None, ())
    assert done.effects == (do(CANCEL),)
    assert done.state.last_compaction == LAST
    assert done.records == (
        why(Reason.COMPACT_DONE_BOTH, turn="C", tokens_before=90_000, tokens_after=9_000),
        audited(after=9_000),
    )
    last = (seen("turn_completed", "C", TurnOver("completed"), n=1),) if item_first else ()
    assert done.boundaries == (compacted(), *last)


def test_its_turn_is_the_one_that_begins_next() -> None:
    assert take(COMPACTING, STARTED) == Step(
        replace(under_way(), turn=ActiveTurn("C", AT)), boundaries=(seen("turn_started", "C"),)
    )


def test_after_the_turn_the_item_has_a_short_while() -> None:
    waiting = replace(under_way(), turn=ActiveTurn("C", AT - 1_000))
    at = AT + 30_000
    assert take(waiting, ENDED) == Step(
        replace(
            under_way(turn_done=True),
            last_turn=TurnOutcome("C", "completed", AT),
            ended=("C",),
            turns=1,
            deadlines=(Deadline("compaction", at),),
        ),
        (do(SetDeadline(name="compaction", at=at)),),
        boundaries=(seen("turn_completed", "C", TurnOver("completed")),),
    )


def test_a_message_that_waited_goes_out_when_it_is_done() -> None:
    """A15."""
    waiting = replace(under_way(turn_done=True), queue=(HELLO,), ended=("C",))
    assert take(waiting, ITEM) == Step(
        replace(
            IDLE,
            ended=("C",),
            compactions=(past("rawr", ok=True),),
            compaction_count=1,
            last_compaction=LAST,
            sent=(Sent("t:7.1", HELLO),),
        ),
        (do(CANCEL), do(StartTurn(text="hello"), 1)),
        (
            why(Reason.COMPACT_DONE_BOTH, turn="C", tokens_before=90_000, tokens_after=None),
            audited(),
            why(Reason.TURN_STARTED_INPUT, message=3, waiting=0),
        ),
        (compacted(),),
    )


# -- failure ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["failed", "interrupted"])
def test_a_turn_that_did_not_complete_is_a_failure(status: facts.TurnStatus) -> None:
    """A13: told apart by status, where the item did not come."""
    running = replace(under_way(), turn=ActiveTurn("C", AT - 1_000))
    assert take(running, facts.TurnCompleted(turn="C", status=status)) == Step(
        replace(
            IDLE,
            last_turn=TurnOutcome("C", status, AT),
            ended=("C",),
            turns=1,
            compactions=(past("rawr", ok=False),),
        ),
        (do(CANCEL),),
        (failed(status), audited(ok=False)),
        (seen("turn_completed", "C", TurnOver(status)),),
    )


@pytest.mark.parametrize("status", ["failed", "interrupted"])
def test_the_item_says_that_it_happened_whatever_became_of_the_turn(status: facts.TurnStatus) -> None:
    """A13, D5: a Codex whose client goes away finishes and calls the turn interrupted (measured)."""
    running = replace(under_way(item_done=True), turn=ActiveTurn("C", AT - 1_000))
    assert take(running, facts.TurnCompleted(turn="C", status=status)).state.compactions == (past("rawr", ok=True),)


def test_when_its_time_is_over_it_has_failed() -> None:
    due = replace(under_way(turn_done=True), deadlines=(Deadline("compaction", AT),))
    assert take(due, facts.DeadlinePassed(name="compaction")) == Step(
        replace(IDLE, compactions=(past("rawr", ok=False),)), (), (failed("timed out"), audited(ok=False))
    )


@pytest.mark.parametrize("late", [ITEM_STARTED, ITEM, facts.ContextCompacted(turn="C")])
@pytest.mark.parametrize("ok", [True, False])
def test_what_has_ended_is_not_counted_again(ok: bool, late: facts.AnyFact) -> None:
    """A13: a doubled or late signal makes neither a second compaction nor a success of a failure."""
    over = replace(IDLE, ended=("C",), compactions=(past("rawr", ok=ok),), compaction_count=int(ok))
    assert take(over, late) == Step(over)


def test_a_late_signal_of_the_last_one_is_not_the_next_ones() -> None:
    again = replace(COMPACTING, ended=("C",), compactions=(past("rawr", ok=True),), compaction_count=1)
    assert take(again, ITEM) == Step(again)


def test_when_the_thread_is_found_idle_it_is_over() -> None:
    away = replace(doubted(under_way()), online=False, certain=False, turn=ActiveTurn("C", AT - 1_000))
    joined = facts.ThreadJoined(cwd="/project", last_turn="C", last_status="interrupted", fresh=True)
    assert take(away, joined) == Step(
        replace(
            IDLE,
            last_turn=TurnOutcome("C", "interrupted", AT, lost=True),
            ended=("C",),
            turns=1,
            compactions=(past("rawr", ok=False),),
        ),
        (do(CUT_OFF), do(CANCEL, 1)),
        (cut_off("C"), failed("Codex or rawr ended before it was done"), audited(ok=False)),
        (seen("turn_completed", "C", TurnOver("interrupted")),),
    )


def missed(*turns: facts.MissedTurn, idle: bool = True, fresh: bool = True) -> facts.ThreadJoined:
    newest = turns[-1].turn
    status = "completed" if idle else "inProgress"
    return facts.ThreadJoined(
        cwd="/project", idle=idle, last_turn=newest, last_status=status, missed=turns, fresh=fresh
    )


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize("known", ["C", ""])
@pytest.mark.parametrize("later", [(), (facts.MissedTurn("U", spoken=True),)])
def test_codexs_history_says_that_it_happened(fresh: bool, known: str, later: tuple[facts.MissedTurn, ...]) -> None:
    """A14, D5: whoever died, whether its turn had been seen, and whatever the user said meanwhile."""
    state = under_way() if known else COMPACTING
    away = replace(doubted(state), online=False, certain=False, turn=ActiveTurn("C", AT - 1) if known else None)
    told = take(away, missed(facts.MissedTurn("C", compacted=True), *later, fresh=fresh)).state
    assert (told.compacting, told.compaction_count) == (None, 1)
    assert [(one.turn, one.ok, one.tokens_after) for one in told.compactions] == [("C", True, None)]
    assert told.usage is None, "what was counted before is not what is in the context now"


def test_codex_compacted_by_itself_in_its_place() -> None:
    """A14, A19: ours never began, and the user's turn was compacted meanwhile. The packet is handed over, and nobody
    says that rawr did it."""
    away = replace(doubted(COMPACTING), online=False, certain=False)
    told = take(away, missed(facts.MissedTurn("U", compacted=True, spoken=True), fresh=False)).state
    assert (told.compacting, told.compaction_count) == (None, 1)
    assert [one.by for one in told.compactions] == ["upstream"]


def test_a_users_turn_is_not_taken_for_it() -> None:
    """A13: theirs runs, ours is in no history: it did not happen."""
    away = replace(doubted(COMPACTING), online=False, certain=False)
    told = take(away, missed(facts.MissedTurn("U", spoken=True), idle=False, fresh=False)).state
    assert told.compacting is None
    assert [one.ok for one in told.compactions] == [False]


def test_a_server_that_lives_may_still_begin() -> None:
    """D5: it was asked moments before the connection was lost. For a while it is waited for."""
    away = replace(doubted(COMPACTING), online=False, certain=False)
    joined = facts.ThreadJoined(cwd="/project", last_turn="T1", last_status="completed")
    waiting = take(away, joined).state
    assert waiting.compacting is not None
    begun = fold(waiting, STARTED, ITEM_STARTED, ITEM, ENDED)
    assert [(one.turn, one.ok) for one in begun.compactions] == [("C", True)]
    late = replace(waiting, deadlines=(Deadline("compaction", AT),))
    assert take(late, facts.DeadlinePassed(name="compaction")).state.compacting is None


@pytest.mark.parametrize(("spoken", "by"), [(True, "upstream"), (False, "other")])
def test_one_that_nobody_saw_is_on_record(spoken: bool, by: Compactor) -> None:
    """A19: while rawr was away Codex compacted by itself, or its user did."""
    away = replace(FULL, online=False, certain=False)
    told = take(away, missed(facts.MissedTurn("C", compacted=True, spoken=spoken))).state
    assert [(one.by, one.turn, one.ok) for one in told.compactions] == [(by, "C", True)]
    again = take(replace(told, online=False, certain=False), missed(facts.MissedTurn("C", True, spoken))).state
    assert again.compaction_count == 1


def test_when_its_turn_still_runs_it_goes_on() -> None:
    away = replace(doubted(under_way()), online=False, certain=False, turn=ActiveTurn("C", AT - 1_000))
    joined = facts.ThreadJoined(cwd="/project", idle=False, last_turn="C", last_status="inProgress")
    assert take(away, joined) == Step(replace(away, online=True, certain=True))


def test_one_whose_turn_was_not_seen_takes_the_running_one() -> None:
    away = replace(doubted(COMPACTING), online=False, certain=False)
    joined = facts.ThreadJoined(cwd="/project", idle=False, last_turn="C", last_status="inProgress")
    assert take(away, joined) == Step(replace(doubted(under_way()), turn=ActiveTurn("C", AT, midway=True)))


def test_when_another_turn_runs_it_is_over() -> None:
    running = replace(under_way(), turn=ActiveTurn("C", AT - 1_000))
    assert take(running, facts.TurnStarted(turn="T2")) == Step(
        replace(
            IDLE,
            turn=ActiveTurn("T2", AT),
            last_turn=TurnOutcome("C", "interrupted", AT, lost=True),
            ended=("C",),
            turns=1,
            compactions=(past("rawr", ok=False),),
        ),
        (do(CUT_OFF), do(CANCEL, 1)),
        (cut_off("C"), failed("its end was not seen"), audited(ok=False)),
    )


# -- another client's, and Codex's own ----------------------------------------------------------------------------


def test_a_users_turn_that_codex_began_by_compacting_is_not_ours() -> None:
    """A23: it came before the compaction that rawr asked for."""
    item = items.Compaction(id="c")
    spoke = facts.ItemCompleted(turn="C", item=items.UserMessage(id="u", text="hi"))
    told = fold(COMPACTING, STARTED, facts.ItemCompleted(turn="C", item=item), spoke, ENDED)
    assert [(one.by, one.ok) for one in told.compactions] == [("upstream", True)]


def test_a_turn_with_a_message_is_not_the_compactions() -> None:
    """Another client came first: the turn we took for the compaction's is theirs."""
    spoke = facts.ItemCompleted(turn="C", item=items.UserMessage(id="u", text="hi"))
    state = fold(COMPACTING, STARTED, spoke)
    assert state.compacting is not None
    assert replace(state.compacting, spoke="", said="") == COMPACTING.compacting
    assert fold(state, ENDED).compacting == COMPACTING.compacting


def test_another_clients_compaction_is_followed() -> None:
    """A person's ``/compact`` in their own terminal."""
    at = AT + 600_000
    begun = take(fold(IDLE, STARTED), ITEM_STARTED)
    assert begun == Step(
        replace(
            IDLE,
            turn=ActiveTurn("C", AT, (OpenItem("c", "Compaction"),)),
            compacting=CompactionRun("other", AT, turn="C"),
            deadlines=(Deadline("compaction", at),),
        ),
        (do(SetDeadline(name="compaction", at=at)),),
    )
    done = fold(begun.state, ITEM, ENDED)
    assert done.compactions == (CompactionPast("other", "C", AT + 1_000, True, None, None, 1_000),)
    assert (done.compaction_count, done.compacting, done.deadlines) == (1, None, ())


def test_an_older_servers_notice_is_enough() -> None:
    """The item's start was not seen; the turn's end is still waited for, and not for ever."""
    at = AT + 30_000
    noticed = take(IDLE, facts.ContextCompacted(turn="C"))
    assert noticed == Step(
        replace(
            IDLE,
            compacting=CompactionRun("other", AT, turn="C", item_done=True),
            deadlines=(Deadline("compaction", at),),
        ),
        (do(SetDeadline(name="compaction", at=at)),),
    )
    assert take(noticed.state, ENDED).state.compaction_count == 1
    assert not take(noticed.state, facts.DeadlinePassed(name="compaction"), at=at).state.busy
    assert take(replace(IDLE, ended=("C",)), facts.ContextCompacted(turn="C")).state.compaction_count == 1


def test_codex_compacting_in_the_middle_of_a_turn_is_upstream() -> None:
    """A19: it needs no second signal, because its turn goes on."""
    working = replace(IDLE, turn=ActiveTurn("C", AT, items=2))
    begun = fold(working, ITEM_STARTED)
    assert begun.compacting == CompactionRun("upstream", AT, turn="C")
    done = take(begun, ITEM)
    assert done.state.compactions == (past("upstream", ok=True, duration=0),)
    assert done.records == (why(Reason.COMPACT_SEEN_UPSTREAM, turn="C"), audited("Codex itself", before=None, ms=0))
    assert done.boundaries == (compacted("Codex itself"),)
    assert done.state.turn is not None
    again = fold(done.state, ITEM_STARTED, ITEM)
    assert again.compaction_count == 2, "Codex can compact several times in one turn"


@pytest.mark.parametrize("item_done", [True, False])
def test_a_turn_that_codex_began_by_compacting_is_upstream(item_done: bool) -> None:
    """A19: the compaction stands before the message of the turn."""
    spoke = facts.ItemCompleted(turn="C", item=items.UserMessage(id="u", text="hi"))
    before = (STARTED, ITEM_STARTED, ITEM, spoke) if item_done else (STARTED, ITEM_STARTED, spoke, ITEM)
    state = fold(IDLE, *before)
    assert [(one.by, one.ok) for one in state.compactions] == [("upstream", True)]
    assert (state.compaction_count, state.compacting, state.deadlines) == (1, None, ())


def test_one_that_begins_while_another_is_open_ends_it() -> None:
    waiting = replace(under_way(turn="B", turn_done=True), ended=("B",), turn=ActiveTurn("C", AT))
    begun = take(waiting, ITEM_STARTED)
    assert begun.state.compactions == (past("rawr", ok=False, turn="B"),)
    assert begun.state.compacting == CompactionRun("other", AT, turn="C")
    assert begun.records == (failed("another one began", turn="B"), audited(ok=False))


def test_past_compactions_are_bounded_and_counted() -> None:
    state = IDLE
    for number in range(MAX_COMPACTIONS + 3):
        turn = f"C{number}"
        state = fold(state, facts.ContextCompacted(turn=turn), facts.TurnCompleted(turn=turn, status="completed"))
    assert len(state.compactions) == MAX_COMPACTIONS
    assert (state.compactions[-1].turn, state.compaction_count) == (f"C{MAX_COMPACTIONS + 2}", MAX_COMPACTIONS + 3)
