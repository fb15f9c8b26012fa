"""A journal told again, as values: what differs, where and how; a state as it was; the totals."""

from msgspec import UNSET, Struct, UnsetType, to_builtins

from rawr.core.replay import Followed
from rawr.core.state.host import HostState
from rawr.core.state.thread import ThreadState
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.facts import AnyFact, Recorded
from rawr.core.vocabulary.reasons import LOGIC
from rawr.core.vocabulary.records import Decision
from rawr.runtime.replaying import Difference, Replaying
from rawr.views.decisions import decision_view

State = ThreadState | HostState


class DifferenceView(Struct, frozen=True, kw_only=True, tag_field="type", tag="difference"):
    """One fact after which the replay and the record part. Fields that are not set do not apply."""

    seq: int
    at: int | UnsetType = UNSET
    thread: str
    what: str
    """decisions, effects, boundaries or state; or ``unreadable facts`` and the like, with a ``problem``."""
    problem: str | UnsetType = UNSET
    logic: int
    """The version of the rules it was decided under."""
    fact: AnyFact | UnsetType = UNSET
    recorded: tuple[object, ...] = ()
    replayed: tuple[object, ...] = ()
    before: State | UnsetType | None = UNSET
    """The state before the fact: with the first difference."""


class ChangeView(DifferenceView, frozen=True, kw_only=True, tag_field="type", tag="change"):
    """The same under another policy: what would have been decided instead."""


class ReplayView(Struct, frozen=True, kw_only=True, tag_field="type", tag="summary"):
    """The totals. ``differ`` has what differs by kind; under another policy, what would change."""

    journal: str
    thread: str | None
    """None: all of them."""
    facts: int
    decisions: int
    effects: int
    boundaries: int
    states: int
    differ: dict[str, int]
    same: bool
    outdated: int
    """Decisions and the like under other rules that today's would make otherwise."""
    rules: dict[str, int]
    """How many decisions were made under which version of the rules."""
    logic: int = LOGIC
    """The version of the rules that decided again."""
    not_compared: int
    """Facts that come after one that cannot be used."""
    policy: str | UnsetType = UNSET
    """The file whose settings were in force instead."""


class StateView(Struct, frozen=True, kw_only=True, tag_field="type", tag="state"):
    """Everything known about a thread, or about rawr as a whole, after a fact."""

    seq: int
    at: int
    thread: str
    sound: bool
    """False if a fact before it cannot be used, and this is the last sound state."""
    policy: str
    logic: int
    fact: AnyFact
    """The newest one about the thread."""
    state: State | None


class Account:
    """Counts what differs, and makes a view of it; the first gets the state before it."""

    def __init__(self, *, instead: str = "") -> None:
        self.differ: dict[str, int] = {}
        self.outdated = 0
        self.first: DifferenceView | None = None
        self._instead = instead

    def take(self, one: Difference) -> DifferenceView | None:
        """None for what other rules decided then: it is counted, and not called different."""
        divergence = one.divergence
        if divergence.logic != LOGIC and not self._instead:
            self.outdated += divergence.count
            return None
        self.differ[divergence.what] = self.differ.get(divergence.what, 0) + divergence.count
        known = isinstance(one.fact, Recorded)
        kind = ChangeView if self._instead else DifferenceView
        view = kind(
            seq=divergence.seq,
            at=one.fact.at if one.fact is not None else UNSET,
            thread=one.thread,
            what=divergence.what,
            problem=divergence.problem or UNSET,
            logic=divergence.logic,
            fact=one.fact.fact if one.fact is not None else UNSET,
            recorded=_views(divergence.recorded),
            replayed=_views(divergence.replayed),
            before=one.before if self.first is None and known else UNSET,
        )
        self.first = self.first or view
        return view

    def total(self, replaying: Replaying, *, journal: str, thread: str | None) -> ReplayView:
        tally = replaying.tally
        return ReplayView(
            journal=journal,
            thread=thread,
            facts=tally.facts,
            decisions=tally.decisions,
            effects=tally.effects,
            boundaries=tally.boundaries,
            states=tally.states,
            differ=self.differ,
            same=not self.differ,
            outdated=self.outdated,
            rules={str(logic): count for logic, count in sorted(tally.rules.items())},
            not_compared=tally.skipped,
            policy=self._instead or UNSET,
        )


def state_view(replaying: Replaying, fact: Recorded) -> StateView:
    """The state after ``fact``, once everything up to it is told again."""
    return StateView(
        seq=fact.seq,
        at=fact.at,
        thread=fact.thread,
        sound=replaying.is_sound(fact.thread),
        policy=replaying.policy.hash,
        logic=replaying.logic,
        fact=fact.fact,
        state=replaying.state(fact.thread),
    )


def _views(rows: Followed) -> tuple[object, ...]:
    return tuple(_view(one) for one in rows)


def _view(row: object) -> object:
    match row:
        case Decision():
            return decision_view(row)
        case Intended():
            return {"id": row.id, **to_builtins(row.effect)}
        case _:
            return row
