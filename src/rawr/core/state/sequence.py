"""A compaction under way, the golden path around it, and the breaker against useless ones."""

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from rawr.core.policy.tiers import Tier
from rawr.core.vocabulary.boundaries import BoundaryEvent
from rawr.core.vocabulary.effects import Carried

MAX_COMPACTIONS = 16

MAX_GUARDS = 16
MAX_WORDS = 8
"""The most messages that a user may say into the turns of one sequence before the oldest are left to the record."""

Compactor = Literal["rawr", "other", "upstream"]
"""Who started it: rawr, another client (a person's ``/compact``), or Codex in the middle of a turn."""


class CutOff(Struct, frozen=True, gc=False, omit_defaults=True):
    """Somebody's turn that a compaction of rawr's replaced."""

    turn: str
    text: str = ""
    what: Literal["message", "review", "command", "unseen"] = "unseen"


class CompactionRun(Struct, frozen=True, gc=False, omit_defaults=True):
    """A compaction under way. Done means both signals, in either order (A13)."""

    by: Compactor
    since: int
    turn: str = ""
    effect: str = ""
    """If it is ours: the effect that requested it."""
    tokens_before: int | None = None
    item_done: bool = False
    turn_done: bool = False
    doubted: bool = False
    """The connection was lost, or rawr stopped, while it was under way."""
    again: bool = False
    """An earlier attempt was cut off before it was done."""
    native: bool = False
    """It was asked for by rawr, but Codex did it by itself, in a user's turn that came first."""
    begun: bool = False
    """Its item has begun."""
    spoke: str = ""
    """A user's turn that runs, or ran, where ours was to begin."""
    said: str = ""
    """The user's words in it."""
    replaced: bool = False
    """A turn was interrupted as it was to begin. If it does not follow soon, a person did that."""
    cut: tuple[CutOff, ...] = ()
    """Whose turns it replaced."""


class CompactionPast(Struct, frozen=True, gc=False):
    by: Compactor
    turn: str
    at: int
    ok: bool
    tokens_before: int | None
    tokens_after: int | None
    duration_ms: int


class Phase(StrEnum):
    IDLE = "Idle"
    ASSESSING = "Assessing"
    AWAITING_JUDGMENT = "AwaitingJudgment"
    HEADS_UP_INJECTED = "HeadsUpInjected"
    AWAITING_SCRATCH = "AwaitingScratch"
    AWAITING_PACKET = "AwaitingPacket"
    COMPACTING = "Compacting"
    HANDOFF_PENDING = "HandoffPending"


PreCompact = Literal["judgment", "scratch", "packet"]
"""What rawr may request before a compaction."""
Verdict = Literal["", "approve", "veto", "none"]
"""The verdict of a model on compacting now; ``none`` if it gave no usable answer, empty until it answers."""


class Seen(Struct, frozen=True, gc=False, omit_defaults=True):
    """What there is of what a packet names."""

    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    branch: str = ""


class Sequence(Struct, frozen=True, gc=False, omit_defaults=True):
    """The golden path under way: why it began, its phase, and its results so far."""

    id: str
    phase: Phase
    since: int
    tier: Tier
    percent: int
    boundaries: tuple[BoundaryEvent, ...] = ()
    ended: str = ""
    """What ended, in a few words, for the heads-up."""
    reason: str = ""
    requests: tuple[PreCompact, ...] = ()
    """What rawr still has to request before the compaction."""
    packet: str = ""
    packet_author: Literal["agent", "rawr", ""] = ""
    corrections: int = 0
    tokens_before: int | None = None
    injecting: str = ""
    """The effect that puts rawr's own packet into the history."""
    landing: bool = False
    """It began with a steer into a running turn, whose end brings the packet."""
    after: str = ""
    """The last turn that had ended when it began: no part of it, even if that one is judged later."""
    settled: bool = False
    """It has waited for the user's queued messages. Not used since LOGIC 10: the pause follows each turn's end."""
    late: bool = False
    """The agent's time for a request is over, and its turn is being ended."""
    verdict: Verdict = ""
    judgment: str = ""
    """The verdict in words: whose it is, and why; or why there is none. Empty: no model was asked."""
    noted: bool = False
    """The agent has written its notes, as far as can be seen."""
    joined: str = ""
    """The turn of a request that the user's words came into."""
    words: tuple[str, ...] = ()
    """Those words, for the handoff."""
    drafted: str = ""
    """What the agent had said in that turn before them: perhaps the packet."""
    asked_again: bool = False
    """The packet was asked for once more, because of them."""
    held: bool = False
    """A user's message waits for the judgment, because the sequence had to run before it."""
    carries: tuple[Carried, ...] = ()
    """Users' messages that the compaction cut off, for the handoff."""
    looking: str = ""
    """The effect that looks up what the packet names, or whether the notes are there."""
    written: str = ""
    """The packet that is looked up."""
    seen: Seen | None = None
    """What was found."""
    offered: str = ""
    """The agent's last words to the user as the sequence began: what they offer or ask is open."""
    overtaken: int = 0
    """How often in a row Codex's connection knew of a turn that is not on record, where the compaction was to begin."""


class Recovery(Struct, frozen=True, gc=False, omit_defaults=True):
    """A handoff that is due because somebody else compacted. It starts no turn: it goes into the one that is running,
    or into the next one that somebody else begins."""

    id: str
    noted: bool = False
    """The agent has written its notes for a sequence that was overtaken."""
    offered: str = ""
    """The agent's last words to the user."""
    sent: str = ""
    """The effect that carries it into a turn, while that is under way."""
    waits: bool = False
    """No turn could read it when it was due."""


class Breaker(Struct, frozen=True, gc=False, omit_defaults=True):
    """Prevents compactions that gain nothing from being repeated (A20)."""

    failures: int = 0
    open_until: int = 0
    stopped: bool = False


class Idling(Struct, frozen=True, gc=False, omit_defaults=True):
    """Compactions without work in between (A20a)."""

    compactions: int = 0
    """How many, since the last work."""
    tried: tuple[int, ...] = ()
    """The newest commands that have run, each as a number of its own. Running one of them again is no work."""


class Guard(Struct, frozen=True, gc=False, omit_defaults=True):
    """A hold: "do not compact until …"."""

    until: str
    turns_left: int | None = None
    by: Literal["user", "agent"] = "user"


class AgentHeld(Struct, frozen=True, gc=False, omit_defaults=True):
    """The turns for which the agent has held compactions off since the last one."""

    compactions: int = 0
    """How many there had been."""
    turns: int = 0


class LastCompaction(Struct, frozen=True, gc=False):
    at: int
    work_turns: int
    sequence: str
    tier: str
    reason: str
    judgment: str = ""
