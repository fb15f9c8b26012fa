"""Codex compacting by itself again and again inside one turn (A20, C6)."""

import pytest
from msgspec.structs import replace

from rawr.core.state.run import Run
from rawr.core.state.thread import ThreadState, Usage
from rawr.core.state.turn import ActiveTurn
from rawr.core.step import step
from rawr.core.vocabulary import facts, items
from rawr.core.vocabulary.effects import InterruptTurn, Notify
from rawr.core.vocabulary.facts import Recorded
from rawr.core.vocabulary.order import Order
from tests.core.samples import AT, IDLE, POLICY

RUN = Run("r3", Order(goal="Build it."), "running", AT, AT, waiting="turn")
FULL, ROOMY = 250_000, 20_000
AT_WORK = replace(IDLE, turn=ActiveTurn("T1", AT, items=1, purpose="user"), usage=Usage(FULL, FULL, 258_400), run=RUN)


def compact(state: ThreadState, *, at: int, after: int) -> tuple[ThreadState, list[object]]:
    """Codex compacts in the middle of the turn, and the next call of the model tells what is in the context then."""
    done: list[object] = []
    item = items.Compaction(id="c")
    usage = facts.UsageUpdated(turn="T1", in_context=after, spent=FULL + at, window=258_400)
    for fact in (facts.ItemStarted(turn="T1", item=item), facts.ItemCompleted(turn="T1", item=item), usage):
        result = step(state, Recorded(7, AT + at, "t", fact), POLICY)
        state = result.state
        done += [one.effect for one in result.effects]
    return state, done


def status(state: ThreadState) -> tuple[str, str]:
    assert state.run is not None
    return state.run.status, state.run.stop.reason if state.run.stop is not None else ""


@pytest.mark.parametrize("apart", [1_000, 3_600_000], ids=["at once", "an hour apart"])
def test_three_without_gain_end_the_turn_and_pause_the_run(apart: int) -> None:
    state = AT_WORK
    for n in range(2):
        state, done = compact(state, at=apart * n, after=FULL)
        assert InterruptTurn(turn="T1") not in done
    state, done = compact(state, at=apart * 2, after=FULL)
    assert InterruptTurn(turn="T1") in done
    assert status(state) == ("paused", "run.paused.storm")


def test_three_in_a_short_time_do_as_well() -> None:
    """Whatever they gain: nobody reads a window full in that time for a reason."""
    state = AT_WORK
    for n in range(3):
        state = replace(state, usage=Usage(FULL, FULL, 258_400))
        state, done = compact(state, at=90_000 * n, after=ROOMY)
    assert InterruptTurn(turn="T1") in done
    assert status(state) == ("paused", "run.paused.storm")


def test_a_long_turn_may_be_compacted_often() -> None:
    state = AT_WORK
    for n in range(12):
        state = replace(state, usage=Usage(FULL, FULL, 258_400))
        state, done = compact(state, at=600_000 * n, after=ROOMY)
        assert InterruptTurn(turn="T1") not in done
    assert status(state) == ("running", "")


def test_who_resumes_it_lets_it_try_again() -> None:
    state = AT_WORK
    for n in range(3):
        state, _ = compact(state, at=1_000 * n, after=FULL)
    state = step(state, Recorded(8, AT + 9_000, "t", facts.RunResumed()), POLICY).state
    assert state.barren == 0
    state, done = compact(state, at=10_000, after=FULL)
    assert (status(state)[0], InterruptTurn(turn="T1") in done) == ("running", False)


def test_on_a_thread_without_a_run_a_person_is_told_once() -> None:
    state, told = replace(AT_WORK, run=None), 0
    for n in range(8):
        state, done = compact(state, at=1_000 * n, after=FULL)
        told += sum(isinstance(one, Notify) and "keeps compacting" in one.text for one in done)
        assert InterruptTurn(turn="T1") not in done
    assert told == 1
