"""The arbiter as a whole: total, pure, bounded (B1)."""

import random
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.core.draft import Step
from rawr.core.kernel import Kernel
from rawr.core.state.deadlines import Deadline
from rawr.core.state.host import HostState, Link
from rawr.core.state.messages import Sent
from rawr.core.state.thread import OpenRequest, ThreadState, Usage
from rawr.core.state.turn import ActiveTurn
from rawr.core.step import step, step_host
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AnyEffect
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.requests import CommandApproval
from tests.core.samples import (
    AT,
    AWAY,
    CLOSED,
    COMPACTING,
    DOUBTED,
    HELLO,
    IDLE,
    POLICY,
    QUIET,
    RUNNING,
    SENT,
    take,
    take_host,
    why,
)
from tests.core.strategies import values

FACTS: tuple[type[facts.AnyFact], ...] = get_args(facts.AnyFact)
STATES = {
    "unknown": ThreadState("t"),
    "idle": IDLE,
    "running": RUNNING,
    "away": AWAY,
    "closed": CLOSED,
    "sent": SENT,
    "doubted": DOUBTED,
    "compacting": COMPACTING,
    "theirs": replace(RUNNING, ours=False),
    "unnamed": replace(IDLE, turn=ActiveTurn("", AT)),
    "full": replace(
        RUNNING,
        usage=Usage(5, 5, None),
        requests=(OpenRequest("1/1", CommandApproval(command="x", cwd="/"), AT, "T1"),),
        deadlines=(Deadline("request:1/1", AT),),
        queue=(HELLO,),
        sent=(Sent("t:3.0", HELLO, steer=True, turn="T1"),),
    ),
}
NO_CONSEQUENCE = (
    facts.ThreadStatusChanged(status="idle"),
    facts.WarningReported(message="long thread"),
    facts.RequestRefused(request="1/1", method="x/y"),
    facts.FaultRecorded(where="wire", problem="p"),
    facts.NotificationPassed(method="m", size=1),
    facts.RateLimitsUpdated(limit="l", used_percent=1),
    facts.ThreadRequested(ticket="k", cwd="/"),
    facts.RuntimeStopped(reason="closed"),
)
HOST_FACTS = (
    facts.ServerConnected,
    facts.ServerLost,
    facts.RuntimeStarted,
    facts.ClockJumped,
    facts.ThreadRequested,
    facts.EffectSucceeded,
    facts.EffectFailed,
    facts.RateLimitsUpdated,
    facts.FaultRecorded,
    facts.OrderRefused,
)


# -- deadlines ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [IDLE, RUNNING, COMPACTING])
def test_a_deadline_that_was_moved_or_cancelled_is_ignored(state: ThreadState) -> None:
    fact = facts.DeadlinePassed(name="compaction")
    assert take(state, fact) == Step(state, (), (why(Reason.IGNORED_STALE_DEADLINE, name="compaction"),))


def test_a_deadline_nobody_knows_any_more_is_taken_off() -> None:
    state = replace(IDLE, deadlines=(Deadline("request:1/1", AT), Deadline("other", AT - 1)))
    assert take(state, facts.DeadlinePassed(name="other")) == Step(
        replace(IDLE, deadlines=(Deadline("request:1/1", AT),))
    )
    assert take(state, facts.DeadlinePassed(name="request:1/1")) == Step(
        replace(IDLE, deadlines=(Deadline("other", AT - 1),))
    )


# -- total --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fact", NO_CONSEQUENCE, ids=lambda fact: type(fact).__name__)
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_facts_of_no_consequence_for_a_thread(state: ThreadState, fact: facts.AnyFact) -> None:
    assert take(state, fact) == Step(state)


@pytest.mark.parametrize("kind", FACTS, ids=lambda kind: kind.__name__)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_every_fact_has_a_meaning_in_every_state(kind: type[facts.AnyFact], data: st.DataObject) -> None:
    """B1: nothing raises; a fact that is ignored leaves the state as it was and does nothing but say so; the same
    inputs give the same step; and what follows can be written down and read back."""
    fact = data.draw(values(kind))
    for state in STATES.values():
        result = take(state, fact)
        assert take(state, fact) == result
        ignored = [record for record in result.records if record.reason.startswith("ignored.")]
        if ignored:
            assert (result.state, list(result.records)) == (state, ignored)
            assert all(type(one.effect).__name__ == "Notify" for one in result.effects)
        _reads_back(result)
    host = take_host(HostState(links=(Link(epoch=1),), epoch=1), fact)
    assert take_host(HostState(links=(Link(epoch=1),), epoch=1), fact) == host
    if not isinstance(fact, HOST_FACTS):
        assert host == Step(HostState(links=(Link(epoch=1),), epoch=1))
    _reads_back(host)


def _reads_back(result: Step[ThreadState] | Step[HostState]) -> None:
    state = result.state
    assert msgspec.json.decode(msgspec.json.encode(state), type=type(state)) == state
    for intended in result.effects:
        assert msgspec.json.decode(msgspec.json.encode(intended.effect), type=AnyEffect) == intended.effect


@settings(max_examples=60, deadline=None)
@given(story=st.lists(st.one_of([values(kind) for kind in FACTS]), max_size=60))
def test_any_story_can_be_told(story: list[facts.AnyFact]) -> None:
    """B1, C17: facts in any order, about anything; told again they lead to the same."""
    first, second = Kernel(QUIET), Kernel(QUIET)
    for number, fact in enumerate(story):
        thread = "" if isinstance(fact, HOST_FACTS) and number % 2 else "t"
        assert first.take(thread, fact, at=AT + number) == second.take(thread, fact, at=AT + number)
    assert (first.threads, first.host) == (second.threads, second.host)
    for state in first.threads.values():
        assert len({deadline.name for deadline in state.deadlines}) == len(state.deadlines)


# -- bounded ------------------------------------------------------------------------------------------------------

MOST_BYTES = 40_000
"""The generated plans, diffs and texts are small: a state at all its bounds stays well below this, and one that leaks
passes it soon."""
RESETS = facts.ThreadClosed | facts.ServerLost | facts.RuntimeStarted | facts.ServerConnected


@pytest.mark.parametrize("calm", [True, False], ids=["one long connection", "with losses"])
def test_a_long_thread_costs_what_a_short_one_costs(calm: bool) -> None:
    """Twenty thousand facts leave a state of bounded size, the messages that a person waits for aside."""
    chance = random.Random(7)  # noqa: S311 - a seed, not a secret
    pool = [fact for fact in _pool() if not (calm and isinstance(fact, RESETS))]
    thread, host = ThreadState("t", ours=True, online=True), HostState()
    largest = 0
    for seq in range(20_000):
        fact = _renamed(chance.choice(pool), str(chance.randrange(100_000)))
        thread = step(thread, facts.Recorded(seq, AT + seq * 7, "t", fact), POLICY).state
        host = step_host(host, facts.Recorded(seq, AT + seq * 7, "", fact), POLICY).state
        thread = replace(thread, queue=(), sent=thread.sent[-3:])
        host = replace(host, wanted=())
        if seq % 500 == 0:
            largest = max(largest, len(msgspec.json.encode(thread)), len(msgspec.json.encode(host)))
    assert largest < MOST_BYTES


def _pool() -> list[facts.AnyFact]:
    """Generated facts of every kind."""
    found: list[facts.AnyFact] = []

    @settings(max_examples=40, deadline=None, database=None, derandomize=True)
    @given(one=st.tuples(*(values(kind) for kind in FACTS)))
    def collect(one: tuple[facts.AnyFact, ...]) -> None:
        found.extend(one)

    collect()
    return found


def _renamed(fact: facts.AnyFact, name: str) -> facts.AnyFact:
    """The same fact about another turn, request or item."""
    fields = {field for field in ("turn", "request", "limit") if hasattr(fact, field)}
    renamed: facts.AnyFact = replace(fact, **dict.fromkeys(fields, name))
    if isinstance(renamed, facts.ItemStarted | facts.ItemCompleted):
        return replace(renamed, item=replace(renamed.item, id=name))
    return renamed
