"""All threads together: takes a fact, steps its thread, and returns what to write and what to do.

Its computation is pure: it holds the newest states and the next number, and touches nothing else. The loop, a replay
and a benchmark drive the same kernel.
"""

from collections.abc import Iterable

from msgspec import Struct

from rawr.core.policy.policy import Policy
from rawr.core.run import schedule
from rawr.core.state.host import FULL, HostState
from rawr.core.state.thread import ThreadState
from rawr.core.step import drafted, step_host
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.facts import (
    AnyFact,
    ClockJumped,
    ItemCompleted,
    PolicyAdopted,
    RateLimitsUpdated,
    Recorded,
    RuntimeStarted,
    ServerConnected,
    ServerLost,
    SubAgentTurn,
    TurnCompleted,
    TurnStarted,
)
from rawr.core.vocabulary.items import SubAgent
from rawr.core.vocabulary.reasons import LOGIC
from rawr.core.vocabulary.records import Decision, Record


class Taken(Struct, frozen=True, gc=False):
    """One fact in its place, with everything that follows from it."""

    recorded: Recorded
    decisions: tuple[Decision, ...] = ()
    effects: tuple[Intended, ...] = ()
    boundaries: tuple[BoundaryEvent, ...] = ()


def worth_keeping(state: ThreadState) -> bool:
    """Return True if the state may still be needed. A closed thread is kept for the sake of its run."""
    return not state.closed or state.run is not None


class Kernel:
    def __init__(self, policy: Policy | None = None, *, after: int = 0) -> None:
        self.seq = after
        self.host = HostState()
        self.threads: dict[str, ThreadState] = {}
        self.use(policy or Policy())

    def use(self, policy: Policy) -> None:
        self.policy = policy
        self._hash = policy.hash

    @property
    def policy_hash(self) -> str:
        return self._hash

    def restore(self, states: Iterable[ThreadState], host: HostState) -> None:
        self.host = host
        self.threads = {state.id: state for state in states}

    def take(self, thread: str, fact: AnyFact, *, at: int) -> Taken:
        """Take the next fact, about one thread, or about rawr as a whole if ``thread`` is empty."""
        self.seq += 1
        recorded = Recorded(self.seq, at, thread, fact)
        if not thread:
            if isinstance(fact, PolicyAdopted):
                self.use(fact.policy)
            host = step_host(self.host, recorded, self.policy)
            self.host = host.state
            decisions = self._decisions(recorded, host.records) if host.records else ()
            return Taken(recorded, decisions, host.effects)
        result = drafted(self.threads.get(thread) or ThreadState(thread), recorded, self.policy)
        self.threads[thread] = result.state
        decisions = self._decisions(recorded, result.records) if result.records else ()
        return Taken(recorded, decisions, result.effects, result.boundaries)

    def concerns(self, fact: AnyFact) -> tuple[str, ...]:
        """The threads that need to know a fact about rawr as a whole. Each gets its own fact, so that the story of one
        thread can be read, and replayed, without the others."""
        if isinstance(fact, ServerConnected | ServerLost):
            return tuple(name for name, state in self.threads.items() if state.in_touch and state.link == fact.link)
        if isinstance(fact, RuntimeStarted | ClockJumped):
            return tuple(name for name, state in self.threads.items() if state.in_touch)
        if isinstance(fact, RateLimitsUpdated) and (fact.reached or fact.used_percent >= FULL):
            return tuple(name for name, state in self.threads.items() if state.run is not None and state.run.active)
        return ()

    def due(self, *, now: int) -> tuple[str, ...]:
        """The runs whose turn it is to start one, in order (C12)."""
        return schedule.due(self.threads.values(), self.host, most=self.policy.full_auto.concurrent_turns, now=now)

    def kin(self, thread: str, fact: AnyFact) -> tuple[tuple[str, SubAgentTurn], ...]:
        """The other threads that a fact concerns: for a sub-agent's fact, the thread that spawned it.

        The two facts come in either order, so a spawned thread that is already at work is reported too.
        """
        if isinstance(fact, ItemCompleted) and isinstance(fact.item, SubAgent):
            known = {name: self.threads.get(name) for name in fact.item.threads}
            at_work = [name for name, state in known.items() if state is not None and state.turn is not None]
            return tuple((thread, SubAgentTurn(thread=name, running=True)) for name in at_work)
        if not isinstance(fact, TurnStarted | TurnCompleted):
            return ()
        turn = SubAgentTurn(thread=thread, running=isinstance(fact, TurnStarted))
        return tuple((name, turn) for name, state in self.threads.items() if thread in state.children)

    def forget(self, thread: str) -> None:
        """Drop a thread if it is closed and has no run. The journal remembers it, and rawr recalls it from there."""
        state = self.threads.get(thread)
        if state is not None and not worth_keeping(state):
            del self.threads[thread]

    def _decisions(self, recorded: Recorded, records: tuple[Record, ...]) -> tuple[Decision, ...]:
        return tuple(
            Decision(
                f"{recorded.thread}:{recorded.seq}/{n}",
                recorded.seq,
                recorded.at,
                recorded.thread,
                record,
                self._hash,
                LOGIC,
            )
            for n, record in enumerate(records)
        )
