"""What comes back from the journal, besides the core's own types.

Plain values; they know nothing of the database that they were read from.
"""

from typing import Literal

from msgspec import Struct

from rawr.core.vocabulary.effects import AnyEffect
from rawr.ports.memory import Direction, EffectState

Table = Literal["facts", "decisions", "effects", "boundaries", "frames", "snapshots"]


class Unreadable(Struct, frozen=True):
    """A row whose content this rawr cannot understand: of a kind that another version wrote, or damaged.

    It is yielded in its place, never skipped: a fold that leaves a fact out would reach another state without knowing
    it. The code that folds decides, and can name the row.
    """

    table: Table
    key: str
    seq: int
    thread: str
    kind: str
    body: str
    problem: str
    damaged: bool = False
    """It is not as it was written, or does not stand where it was; otherwise some other rawr may understand it."""


class StoredEffect(Struct, frozen=True):
    """An effect with how it ended, if it has. ``seq`` is the fact that led to it."""

    id: str
    seq: int
    thread: str
    effect: AnyEffect
    state: EffectState
    outcome_seq: int | None
    detail: str


class Frame(Struct, frozen=True):
    """A raw frame. ``size`` is what it was on the wire, in bytes; ``body`` may be its beginning only."""

    n: int
    at: int
    direction: Direction
    thread: str
    method: str
    size: int
    body: str


class Snapshot(Struct, frozen=True):
    """A thread's state after the fact ``seq``, as JSON."""

    thread: str
    seq: int
    at: int
    shape: str
    body: str


class ThreadSpan(Struct, frozen=True):
    """A thread in the journal: its first and its last fact, and how many there are. ``""`` is rawr as a whole."""

    thread: str
    first_seq: int
    first_at: int
    last_seq: int
    last_at: int
    facts: int


class Counts(Struct, frozen=True):
    facts: int
    decisions: int
    effects: int
    unfinished_effects: int
    frames: int
    snapshots: int
