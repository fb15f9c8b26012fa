"""Deadlines in virtual time: each is a fact when it passes."""

from rawr.core.vocabulary import facts
from rawr.runtime.timers import Timers
from rawr.testing import VirtualClock


class Told:
    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.passed: list[tuple[int, str, str]] = []

    def __call__(self, thread: str, fact: facts.AnyFact) -> None:
        assert isinstance(fact, facts.DeadlinePassed)
        self.passed.append((self.clock.now_ms(), thread, fact.name))


def timers() -> tuple[Timers, VirtualClock, Told]:
    clock = VirtualClock(1_000)
    told = Told(clock)
    return Timers(clock, told), clock, told


async def test_deadlines_pass_at_their_times_and_in_their_order() -> None:
    """C5: every wait has a deadline, every deadline is a fact."""
    its, clock, told = timers()
    its.set("t", "late", at=9_000)
    its.set("t", "early", at=2_000)
    its.set("u", "early", at=3_000)
    await clock.advance_to(1_999)
    assert told.passed == []
    await clock.advance_to(8_999)
    assert told.passed == [(2_000, "t", "early"), (3_000, "u", "early")]
    await clock.advance_to(9_000)
    assert told.passed[2:] == [(9_000, "t", "late")]
    assert clock.next_at_ms is None


async def test_a_deadline_that_is_set_again_moves() -> None:
    its, clock, told = timers()
    its.set("t", "a", at=2_000)
    await clock.settle()
    its.set("t", "a", at=5_000)
    its.set("t", "b", at=8_000)
    its.set("t", "b", at=3_000)
    await clock.advance_to(10_000)
    assert told.passed == [(3_000, "t", "b"), (5_000, "t", "a")]


async def test_a_cancelled_deadline_does_not_pass() -> None:
    its, clock, told = timers()
    its.set("t", "a", at=2_000)
    its.set("u", "a", at=2_000)
    await clock.settle()
    its.cancel("t", "a")
    its.cancel("t", "never set")
    await clock.advance_to(10_000)
    assert told.passed == [(2_000, "u", "a")]


async def test_a_deadline_can_be_set_again_after_it_passed() -> None:
    its, clock, told = timers()
    its.set("t", "a", at=2_000)
    await clock.advance_to(2_000)
    its.set("t", "a", at=3_000)
    await clock.advance_to(3_000)
    assert told.passed == [(2_000, "t", "a"), (3_000, "t", "a")]
    assert its._tasks == {}


async def test_a_deadline_of_the_past_passes_at_once() -> None:
    """As after a restart that took longer than the wait."""
    its, clock, told = timers()
    its.set("t", "a", at=5)
    await clock.settle()
    assert told.passed == [(1_000, "t", "a")]


async def test_closed_timers_tell_nothing() -> None:
    its, clock, told = timers()
    its.set("t", "a", at=2_000)
    await clock.settle()
    await its.close()
    await clock.advance_to(10_000)
    assert told.passed == []
