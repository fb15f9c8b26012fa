"""All threads together: numbers, decisions, who is told of what."""

from msgspec import structs
from msgspec.structs import replace

from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Limits
from rawr.core.state.host import HostState, Link
from rawr.core.state.messages import Queued, Sent
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Intended, StartTurn
from rawr.core.vocabulary.reasons import LOGIC, Reason
from rawr.core.vocabulary.records import Decision
from tests.core.samples import AT, IDLE, QUIET, why

OPENED = facts.ThreadOpened(cwd="/project", ours=True)


def test_a_fact_gets_its_number_and_what_follows_from_it() -> None:
    """C17: the decision says which fact led to it, under which policy and which logic."""
    kernel = Kernel(QUIET, after=40)
    assert kernel.take("t", OPENED, at=AT) == Taken(facts.Recorded(41, AT, "t", OPENED))
    submitted = facts.UserSubmitted(text="go")
    record = why(Reason.TURN_STARTED_INPUT, message=42, waiting=0)
    assert kernel.take("t", submitted, at=AT + 5) == Taken(
        facts.Recorded(42, AT + 5, "t", submitted),
        (Decision("t:42/0", 42, AT + 5, "t", record, QUIET.hash, LOGIC),),
        (Intended("t:42.0", "t", StartTurn(text="go")),),
    )
    assert kernel.seq == 42
    assert kernel.threads["t"].sent == (Sent("t:42.0", Queued(42, "go")),)


def test_threads_do_not_see_each_other() -> None:
    """C12."""
    kernel = Kernel(QUIET)
    for thread in ("a", "b"):
        kernel.take(thread, OPENED, at=AT)
    kernel.take("a", facts.TurnStarted(turn="T1"), at=AT)
    assert kernel.threads["b"] == ThreadState("b", cwd="/project", ours=True, online=True, wanted=True)
    assert kernel.take("b", facts.UserSubmitted(text="go"), at=AT).effects[0].id == "b:4.0"


def test_a_fact_of_no_thread_is_the_hosts() -> None:
    kernel = Kernel(QUIET)
    connected = facts.ServerConnected(epoch=1, user_agent="c", codex_home="/c", transport="stdio")
    assert kernel.take("", connected, at=AT) == Taken(facts.Recorded(1, AT, "", connected))
    assert (kernel.host, kernel.threads) == (HostState(links=(Link(epoch=1),), epoch=1), {})


def test_every_thread_in_touch_is_told_of_the_connection() -> None:
    """One that is left alone is not, however often rawr starts and stops."""
    kernel = Kernel(QUIET)
    alone = replace(IDLE, id="c", online=False, wanted=False)
    kernel.restore([replace(IDLE, id="a"), replace(IDLE, id="b"), alone], HostState())
    connected = facts.ServerConnected(epoch=1, user_agent="c", codex_home="/c", transport="stdio")
    shared = (connected, facts.ServerLost(epoch=1, problem="p"), facts.RuntimeStarted(version="1", policy="p"))
    assert [kernel.concerns(fact) for fact in shared] == [("a", "b")] * 3
    assert kernel.concerns(facts.FaultRecorded(where="wire", problem="p")) == ()


def test_a_policy_can_be_changed_and_stands_in_what_follows() -> None:
    kernel = Kernel(QUIET)
    kernel.take("t", OPENED, at=AT)
    before = kernel.take("t", facts.InterruptSubmitted(), at=AT).decisions[0].policy
    other = structs.replace(QUIET, limits=Limits(person=5))
    kernel.use(other)
    after = kernel.take("t", facts.InterruptSubmitted(), at=AT).decisions[0].policy
    assert (before, after) == (QUIET.hash, other.hash)
    assert before != after
    assert kernel.policy_hash == other.hash


def test_only_a_closed_thread_is_forgotten() -> None:
    kernel = Kernel(QUIET)
    kernel.restore([IDLE, replace(IDLE, id="u", closed=True)], HostState())
    for thread in ("t", "u", "never seen"):
        kernel.forget(thread)
    assert list(kernel.threads) == ["t"]
