"""One step while it is being worked out. Handlers write to it; ``step`` returns it as an immutable ``Step``."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rawr.core.events import Event
from rawr.core.policy.policy import Policy
from rawr.core.state.deadlines import Deadline
from rawr.core.state.host import HostState
from rawr.core.state.thread import MAX_SIGNALS, ThreadState
from rawr.core.vocabulary.boundaries import GATING, BoundaryEvent, EventKind, Source
from rawr.core.vocabulary.effects import AnyEffect, CancelDeadline, Intended, SetDeadline, effect_id
from rawr.core.vocabulary.payloads import AnyPayload
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence, Record

S = TypeVar("S", ThreadState, HostState)


class Step(Struct, Generic[S], frozen=True, gc=False):
    """What one fact leads to: the next state, what to do, and why."""

    state: S
    effects: tuple[Intended, ...] = ()
    records: tuple[Record, ...] = ()
    boundaries: tuple[BoundaryEvent, ...] = ()


class Draft(Struct, Generic[S], eq=False, gc=False):
    state: S
    seq: int
    at: int
    policy: Policy
    effects: tuple[Intended, ...] = ()
    records: tuple[Record, ...] = ()
    boundaries: tuple[BoundaryEvent, ...] = ()

    def change(self, **fields: Any) -> None:
        """``scripts/mypy_structs.py`` checks fields and types. Passing the names costs more than the change itself, so
        the most frequent facts set ``state`` directly."""
        self.state = replace(self.state, **fields)

    def do(self, effect: AnyEffect) -> str:
        """Request an effect; its id is known at once, because it follows from the fact."""
        name = effect_id(self.state.id, seq=self.seq, n=len(self.effects))
        self.effects += (Intended(name, self.state.id, effect),)
        return name

    def note(self, reason: Reason, **evidence: Evidence) -> None:
        self.records += (Record(reason, evidence),)

    def set_deadline(self, name: str, seconds: float) -> None:
        at = self.at + round(seconds * 1000)
        others: tuple[Deadline, ...] = tuple(deadline for deadline in self.state.deadlines if deadline.name != name)
        self.change(deadlines=(*others, Deadline(name, at)))
        self.do(SetDeadline(name=name, at=at))

    def cancel_deadline(self, name: str) -> None:
        left = tuple(deadline for deadline in self.state.deadlines if deadline.name != name)
        if len(left) != len(self.state.deadlines):
            self.change(deadlines=left)
            self.do(CancelDeadline(name=name))

    def finish(self) -> Step[S]:
        return Step(self.state, self.effects, self.records, self.boundaries)


class ThreadDraft(Draft[ThreadState], eq=False, gc=False):
    hand_on: "Callable[[ThreadDraft, Event], None] | None" = None
    """The router, for events from a lower module to a higher one."""
    held: bool = False
    """Nothing is started in this step."""

    def emit(self, event: Event) -> None:
        """Notify the modules above."""
        assert self.hand_on is not None, "only a step has somebody above"  # noqa: S101
        self.hand_on(self, event)

    def signal(
        self, kind: EventKind, payload: AnyPayload | None = None, *, source: Source, turn: str, gates: bool = True
    ) -> None:
        """Record a boundary; one that can gate a compaction is kept until a decision uses it."""
        state = self.state
        name = f"{state.id}:{self.seq}~{len(self.boundaries)}"
        detail = payload.words if payload is not None else ""
        event = BoundaryEvent(name, self.at, state.id, turn, kind, source, detail, payload)
        self.boundaries += (event,)
        if gates and kind in GATING:
            # The record has all of it; for a decision, the words are enough.
            kept = event if payload is None else replace(event, payload=None)
            self.state = replace(state, signals=(*state.signals, kept)[-MAX_SIGNALS:])


class HostDraft(Draft[HostState], eq=False, gc=False):
    """A step about something that belongs to no thread."""
