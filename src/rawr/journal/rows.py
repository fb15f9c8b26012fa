"""What the journal returns, besides the core's own types.

Plain values that know nothing of the database.
"""

from typing import Literal

from msgspec import Struct

from rawr.core.vocabulary.effects import AnyEffect
from rawr.ports.memory import Direction, EffectState

Table = Literal["facts", "decisions", "effects", "boundaries", "frames", "snapshots"]


class Unreadable(Struct, frozen=True):
    """A row whose content this rawr cannot understand: written by another version, or damaged.

    It is yielded in its place, never skipped: a fold that leaves out a fact would silently reach another state. The
    code that folds decides, and can name the row.
    """

    table: Table
    key: str
    seq: int
    thread: str
    kind: str
    body: str
    problem: str
    damaged: bool = False
    """The row is not as it was written, or not where it was; otherwise another version of rawr may understand it."""


class StoredEffect(Struct, frozen=True):
    """An effect with its outcome, if it has one. ``seq`` is the fact that led to it."""

    id: str
    seq: int
    thread: str
    effect: AnyEffect
    state: EffectState
    outcome_seq: int | None
    detail: str


class Frame(Struct, frozen=True):
    """A raw frame. ``size`` is its size on the wire, in bytes; ``body`` may be only its beginning."""

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
    """A thread in the journal: its first and last fact, and the number of facts. ``""`` is rawr as a whole."""

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
