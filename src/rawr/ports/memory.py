"""What goes to disk together: the rows of one batch, ready to be bound.

Bodies come in as encoded JSON without secrets, as their type says; nothing here encodes or searches them again. A batch
knows rows and what must be durable at once, and nothing of connections or threads.
"""

from concurrent.futures import Future
from typing import Literal, Protocol

from msgspec import Struct

from rawr.core.real import Redacted
from rawr.core.vocabulary import payloads
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import Intended, Look
from rawr.core.vocabulary.facts import Recorded, Submitted
from rawr.core.vocabulary.records import Decision

Direction = Literal["in", "out"]
OutcomeState = Literal["done", "failed"]
EffectState = Literal["intended", "done", "failed"]

FactRow = tuple[int, int, str, str, str]
DecisionRow = tuple[str, int, int, str, str, str, int, str]
EffectRow = tuple[str, int, str, str, str]
OutcomeRow = tuple[str, int, str, str]
FrameRow = tuple[int, str, str, str, int, bytes]
SnapshotRow = tuple[str, int, int, str, str]
BoundaryRow = tuple[str, int, int, str, str, str, str, str]
MendRow = tuple[str, int, int]
TouchRow = tuple[str, bool]


class Pruning(Struct, frozen=True):
    """A thread to take out for good, if ``seq`` is still its last fact; for rawr itself, the facts before ``seq``."""

    thread: str
    seq: int
    at: int
    """Now."""


class Batch(Struct):
    """Rows to commit together or not at all.

    ``durable`` means that the batch must survive not just a crash of rawr but a power cut, once its future has
    resolved. A batch sets it by itself for effects and for what a person submitted.
    """

    facts: list[FactRow] = []
    decisions: list[DecisionRow] = []
    effects: list[EffectRow] = []
    outcomes: list[OutcomeRow] = []
    frames: list[FrameRow] = []
    snapshots: list[SnapshotRow] = []
    boundaries: list[BoundaryRow] = []
    mends: list[MendRow] = []
    touches: list[TouchRow] = []
    prunings: list[Pruning] = []
    shrink: int = 0
    """Unused pages to give back to the file system."""
    durable: bool = False

    def add_fact(self, recorded: Recorded, body: Redacted) -> None:
        kind = type(recorded.fact).__name__
        self.facts.append((recorded.seq, recorded.at, recorded.thread, kind, body.decode()))
        if isinstance(recorded.fact, Submitted):
            # A person's words are not in Codex's history yet when rawr records them.
            self.durable = True

    def add_decision(self, decision: Decision, evidence: Redacted) -> None:
        self.decisions.append(
            (
                decision.id,
                decision.seq,
                decision.at,
                decision.thread,
                decision.record.reason.value,
                decision.policy,
                decision.logic,
                evidence.decode(),
            )
        )

    def add_boundary(self, event: BoundaryEvent, *, seq: int) -> None:
        """A boundary event; ``seq`` is the fact that showed it. What it is about comes from a redacted fact."""
        detail = payloads.written(event.payload) or event.detail
        self.boundaries.append((event.id, seq, event.at, event.thread, event.turn, event.kind, event.source, detail))

    def add_effect(self, intended: Intended, body: Redacted, *, seq: int) -> None:
        """An intention; ``seq`` is the fact that led to it. It must be durable before rawr carries it out, unless it
        only looks: if a power cut takes the record of that away, nothing was done that nobody knows of."""
        kind = type(intended.effect).__name__
        self.effects.append((intended.id, seq, intended.thread, kind, body.decode()))
        self.durable = self.durable or not isinstance(intended.effect, Look)

    def add_outcome(self, effect: str, state: OutcomeState, *, seq: int, detail: str = "") -> None:
        """How an effect ended; ``seq`` is the fact that says so. A later outcome replaces an earlier one."""
        self.outcomes.append((state, seq, detail, effect))

    def add_frame(
        self,
        direction: Direction,
        body: Redacted,
        *,
        at: int,
        thread: str = "",
        method: str = "",
        size: int | None = None,
    ) -> None:
        """A raw frame; ``size`` is its size on the wire, if redaction has changed it."""
        self.frames.append((at, direction, thread, method, len(body) if size is None else size, body))

    def add_snapshot(self, thread: str, body: Redacted, *, seq: int, at: int, shape: str) -> None:
        self.snapshots.append((thread, seq, at, shape, body.decode()))

    def add_mend(self, thread: str, *, seq: int, at: int) -> None:
        """A person's word that a thread may go on although some of its facts up to ``seq`` are damaged."""
        self.mends.append((thread, seq, at))
        self.durable = True

    def add_touch(self, thread: str, *, touched: bool) -> None:
        """From here on, a start concerns the thread, or no longer does."""
        self.touches.append((thread, touched))

    @property
    def rows(self) -> int:
        return (
            len(self.facts)
            + len(self.decisions)
            + len(self.effects)
            + len(self.outcomes)
            + len(self.frames)
            + len(self.snapshots)
            + len(self.boundaries)
            + len(self.mends)
            + len(self.touches)
            + len(self.prunings)
            + self.shrink
        )


class Memory(Protocol):
    """Where facts, decisions and intentions go before rawr acts on them."""

    def append(self, batch: Batch) -> "Future[None]":
        """Resolves when the batch is committed and, if durable, on disk."""
        ...
