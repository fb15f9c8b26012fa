"""The context: how full it is, and the golden path from a decision to the handoff."""

from typing import Literal

from rawr.views.events.base import Decided, Event
from rawr.views.events.turns import Purpose


class ContextUsed(Event, frozen=True, kw_only=True):
    tokens: int
    window: int | None
    percent_left: int | None


class CompactionDeferred(Decided, frozen=True, kw_only=True):
    """A compaction is possible, but waits."""

    by: Literal["rules", "model"]
    judgment: str = ""
    """What a model said to it; empty if none was asked."""


class CompactionDecided(Decided, frozen=True, kw_only=True):
    """It is time. ``only_suggested``: rawr says so, and leaves it to the person."""

    only_suggested: bool
    judgment: str = ""
    """What a model said to it; empty if none was asked."""


class CompactionMarked(Decided, frozen=True, kw_only=True):
    """It is a moment for it, and rawr was told only to mark those."""

    percent_left: int | None
    boundary: str = ""
    """What makes it one. Not known of those from before rawr recorded it."""
    judgment: str = ""


class CompactionHeld(Decided, frozen=True, kw_only=True):
    """It comes before the person's next message."""

    percent_left: int | None


class AgentAsked(Decided, frozen=True, kw_only=True):
    """rawr begins a turn of its own: a step of the golden path."""

    purpose: Purpose


class CompactionBegan(Event, frozen=True, kw_only=True):
    pass


class ContextCompacted(Event, frozen=True, kw_only=True):
    """Codex reports that the context is compacted. ``CompactionEnded`` follows when its turn is over too."""


class CompactionEnded(Decided, frozen=True, kw_only=True):
    ok: bool
    by_codex: bool
    """Codex compacted by itself, in the middle of a turn."""
    tokens_before: int | None
    tokens_after: int | None


class CompactionAudited(Decided, frozen=True, kw_only=True):
    """The whole of it is over: what it brought, and what it took."""

    ok: bool
    tokens_before: int | None
    tokens_after: int | None
    packet: Literal["", "agent", "rawr"]
    """Who wrote what the agent continues from; empty if Codex compacted by itself."""
    duration_ms: int | None
    by: Literal["rawr", "person", "codex"] = "rawr"
    """Who wanted it: rawr, a person, or Codex by itself."""
    tier: str = ""
    """How urgent it was by the rules in force; empty if that is not known."""
    percent_left: int | None = None
    """Of the context, before it."""


class CompactionCancelled(Decided, frozen=True, kw_only=True):
    pass


class PacketReady(Decided, frozen=True, kw_only=True):
    """The packet, which survives the compaction, is written."""

    author: Literal["agent", "rawr"]
    complete: bool


class HandoffSent(Decided, frozen=True, kw_only=True):
    """The packet goes back to the agent."""
