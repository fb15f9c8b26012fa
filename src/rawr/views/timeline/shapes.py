"""The shapes of a timeline. Names of fields and tags are stable; times are in ms since the epoch.

``turn`` is the number of a turn on this timeline, from 1; 0 is before the first.
"""

from typing import Literal

from msgspec import Struct

from rawr.core.policy.tiers import Tier
from rawr.core.vocabulary.facts import PlanStep
from rawr.core.vocabulary.records import Evidence

By = Literal["rawr", "codex", "person"]


class ContextPoint(Struct, frozen=True, gc=False):
    at: int
    turn: int
    tokens: int
    window: int | None
    percent_left: int | None
    """None: the window is not known."""


class TurnSpan(Struct, frozen=True, gc=False):
    number: int
    id: str
    began: int
    ended: int | None
    """None: its end is not on record."""
    status: str
    """completed, failed, interrupted; running if its end is not on record."""
    purpose: str
    """Why rawr spoke in it; ``compaction`` for a compaction's own turn; empty if a person or another client spoke."""
    synthetic: bool
    """It belongs to rawr's own affairs, and the agent did not work in it."""
    items: int = 0
    problem: str = ""


class BoundaryPoint(Struct, frozen=True, gc=False):
    at: int
    turn: int
    kind: str
    source: str
    detail: str
    gating: bool
    """A compaction may follow from it."""


class CompactionPoint(Struct, frozen=True, gc=False):
    at: int
    turn: int
    ok: bool
    by: By
    """Who wanted it. ``codex``: Codex compacted by itself."""
    tokens_before: int | None
    tokens_after: int | None
    """None until Codex counts again."""
    percent_left: int | None
    """Before it."""
    tier: str
    packet: str
    """Who wrote what survives it: ``agent``, ``rawr``, or nobody."""
    duration_ms: int | None
    in_work: bool
    """It came in the middle of a turn in which the agent worked, after ``items_before`` items of it."""
    items_before: int


class PlanPoint(Struct, frozen=True, gc=False):
    at: int
    turn: int
    done: int
    total: int


class DecisionPoint(Struct, frozen=True, gc=False):
    at: int
    turn: int
    id: str
    area: str
    """What it is about, in a word or two."""
    reason: str
    meaning: str
    evidence: dict[str, Evidence]
    against: tuple[str, ...]
    """What spoke against it, in words."""


class RequestPoint(Struct, frozen=True, gc=False):
    """Something that Codex asked for, and the answer."""

    at: int
    turn: int
    asked: str
    verdict: str
    """approved, declined, answered; or a person's answer in words."""
    by: str
    """rule, person, model, policy; deadline or crowd if it was declined for lack of an answer."""
    approval: bool
    grounds: tuple[str, ...] = ()
    came: str = ""
    """By way of which surface and process a person's answer came."""


class CheckPoint(Struct, frozen=True, gc=False):
    at: int
    turn: int
    passed: bool
    exit_code: int | None
    timed_out: bool
    output: str
    duration_ms: int | None


class CommitPoint(Struct, frozen=True, gc=False):
    at: int
    turn: int
    sha: str
    subject: str
    root: str


class FileTouched(Struct, frozen=True, gc=False):
    path: str
    kind: str
    """add, update or delete."""


class PacketPoint(Struct, frozen=True, gc=False):
    """What the check of a packet against the record came to."""

    at: int
    turn: int
    came_to: Literal["returned", "taken", "written"]
    """Sent back to the agent; accepted; or rawr wrote it from its record."""
    found: tuple[str, ...]
    """What it lacks or gets wrong. In one that was accepted, the record adds these."""


class WouldCompact(Struct, frozen=True, gc=False):
    """A compaction that did not happen, and would have."""

    at: int
    turn: int
    tokens: int | None
    percent_left: int | None
    tier: str
    why: str


class Counterfactual(Struct, frozen=True):
    """The same session otherwise: the context as it would have been, and the compactions on the way."""

    name: str
    """Such as ``with rawr``."""
    points: tuple[ContextPoint, ...] = ()
    compactions: tuple[WouldCompact, ...] = ()


class SessionRead(Struct, frozen=True):
    """The session file of Codex's own that was read, and how much of it says nothing to rawr."""

    file: str
    lines: int
    not_understood: int
    """Lines."""
    kinds: dict[str, int] = {}
    """The most frequent of those, by kind."""
    problem: str = ""
    """Why the file could not be read to its end; empty if it was."""


class Timeline(Struct, frozen=True, kw_only=True, tag_field="type", tag="timeline"):
    thread: str
    folder: str = ""
    model: str = ""
    goal: str = ""
    """The first message of a person, or the goal of the run."""
    began: int = 0
    ended: int = 0
    """The last fact."""
    work_ms: int = 0
    """In turns, one after the other."""
    tokens: int = 0
    """Spent on this timeline: the context of every model call, and what it answered."""
    cost: float | None = None
    """None: no prices are set."""
    bands: dict[Tier, int] = {}
    """Below which percent of the context left each tier begins."""
    points: tuple[ContextPoint, ...] = ()
    turns: tuple[TurnSpan, ...] = ()
    boundaries: tuple[BoundaryPoint, ...] = ()
    compactions: tuple[CompactionPoint, ...] = ()
    progress: tuple[PlanPoint, ...] = ()
    plan: tuple[PlanStep, ...] = ()
    """The current plan."""
    decisions: tuple[DecisionPoint, ...] = ()
    reasons: dict[str, int] = {}
    """How often each reason was given, over all decisions."""
    packets: tuple[PacketPoint, ...] = ()
    requests: tuple[RequestPoint, ...] = ()
    checks: tuple[CheckPoint, ...] = ()
    commits: tuple[CommitPoint, ...] = ()
    files: tuple[FileTouched, ...] = ()
    """The newest last."""
    counts: dict[str, int] = {}
    """How many there were for each list, in it or not; ``turns of work``; how requests were settled, such as
    ``approved by rule``."""
    left_out: dict[str, int] = {}
    """How many entries of each list are missing, so that it stays bounded."""
    whole: bool = True
    """False: its beginning is no longer on record."""
    session: SessionRead | None = None
    """Set if it was told from a session file: no rawr was there, so it has nothing that rawr decides or does."""

    @property
    def window(self) -> int | None:
        """The newest that is known."""
        return next((one.window for one in reversed(self.points) if one.window is not None), None)
