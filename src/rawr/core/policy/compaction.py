"""What may be configured about auto-compaction (A1, A2, A4, A5, A7, A22), as frozen values.

The types carry their ranges; the reader of the settings and the reference are made from them.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.policy.markers import Markers
from rawr.core.policy.tiers import TIERS, Tier

Percent = Annotated[int, Meta(ge=0, le=100)]
Share = Annotated[int, Meta(ge=1, le=50)]
Count = Annotated[int, Meta(ge=0, le=1000)]
Seconds = Annotated[int, Meta(ge=0, le=7 * 24 * 3600)]
Notices = Literal["quiet", "normal", "all"]
CompactionMode = Literal["tag", "suggest", "auto"]
Patience = Annotated[int, Meta(ge=10, le=3600)]
Chars = Annotated[int, Meta(ge=0, le=100_000)]
Tokens = Annotated[int, Meta(ge=0, le=1_000_000)]

EARLY: tuple[BoundaryKind, ...] = ("plan_checkpoint", "plan_update", "pr_checkpoint", "topic_shift", "phase_boundary")
READY: tuple[BoundaryKind, ...] = (*EARLY, "commit")
ASAP: tuple[BoundaryKind, ...] = (*READY, "agent_done", "concluding", "idle")


class TierPolicy(Struct, frozen=True):
    """When a tier begins, and what must have happened for a compaction in it."""

    percent_remaining_lt: Percent
    """The tier begins strictly below this percent of context remaining."""
    requires_any_boundary: tuple[BoundaryKind, ...] = ()
    """One of these must have happened. If empty, the tier never acts; emergency needs none."""
    plan_boundaries_require_semantic_break: bool = False
    """Plan signals alone are not enough: there must also be a semantic break, a commit or a PR."""
    decision_prompt_path: str = ""
    """Ask for a judgment with this prompt file of ``RAWR_HOME/auto-compact`` before compacting; empty: do not ask."""
    decision_prompt: str = ""
    """The text in that file. It is not set by hand."""
    last_resort: bool = False
    """The end of any turn of work counts where the next one would soon reach Codex's own limit. Off wherever the
    tier's boundaries are set, unless it is set as well."""


class AutoCompaction(Struct, frozen=True):
    enabled: bool = True
    """``[features] rawr_auto_compaction``. Off: observe and record, never act."""
    mode: CompactionMode = "auto"
    """Mark the moment, recommend it, or act on it."""
    early: TierPolicy = TierPolicy(85, EARLY, plan_boundaries_require_semantic_break=True)
    ready: TierPolicy = TierPolicy(75, READY, plan_boundaries_require_semantic_break=True)
    asap: TierPolicy = TierPolicy(65, ASAP, last_resort=True)
    emergency: TierPolicy = TierPolicy(15)
    markers: Markers = Markers()
    cooldown_turns: Count = 2
    """A new sequence may begin once this many turns of real work have ended since the last compaction; 0: turns do not
    count."""
    cooldown_seconds: Seconds = 120
    """Or once this many seconds have passed since then, whichever comes first; 0: seconds do not count."""
    idle_seconds: Seconds = 300
    """Seconds without a word from the user after a finished turn that make the boundary ``idle``; 0: never."""
    need_turns: Count = 0
    """Compact at a boundary only if so many turns like the largest of the newest five no longer fit; 0: the tiers alone
    decide."""
    packet_author: Literal["agent", "watcher"] = "agent"
    """Who writes the packet; the watcher is rawr itself."""
    packet_turn: Literal["same", "own"] = "same"
    """Ask for the packet in the same turn as the heads-up, or in a separate turn after it."""
    packet_seconds: Patience = 240
    """How long the agent may take for the packet, in seconds."""
    packet_corrections: Annotated[int, Meta(ge=0, le=3)] = 1
    """How often to return a packet that contradicts the record."""
    packet_max_tail_chars: Chars = 1200
    """How much of the agent's last message goes into a packet that rawr writes, in characters."""
    packet_room_tokens: Tokens = 6000
    """With fewer tokens left, rawr writes the packet instead of asking the agent."""
    scratch_write_enabled: bool = False
    """First ask the agent to append its notes to the scratch file."""
    scratch_seconds: Patience = 180
    """How long the agent may take for its notes, in seconds."""
    scratch_file: str = ".scratch/agent-{name}.scratch.md"
    """The scratch file, a path inside the workspace; ``{name}`` is the agent's."""
    handoff_share_percent: Share = 15
    """The largest share of the window that a handoff may fill, in percent."""
    min_gain_percent: Annotated[int, Meta(ge=0, le=90)] = 10
    """A compaction that frees less than this share of the window opens the breaker; none begins that cannot free it."""
    breaker_seconds: Seconds = 900
    """How long the breaker stays open after one compaction without gain; after two in a row it stays open."""
    soft_landing: bool = True
    """Steer the agent to a clean stop before a running turn hits Codex's own compaction."""
    native_emergency_only: bool = True
    """On threads that rawr starts, move Codex's own compaction to the very end of the window."""
    notices: Notices = "normal"
    """What ``rawr watch`` shows: only trouble; what rawr does; or everything, including the thread itself."""

    @property
    def thresholds(self) -> Mapping[Tier, int]:
        return {
            "early": self.early.percent_remaining_lt,
            "ready": self.ready.percent_remaining_lt,
            "asap": self.asap.percent_remaining_lt,
            "emergency": self.emergency.percent_remaining_lt,
        }

    def acting(self, tier: Tier) -> TierPolicy:
        """The rules of one of ``TIERS``: each has a setting by its name."""
        rules: TierPolicy = getattr(self, tier)
        return rules

    def tier(self, tier: Tier) -> TierPolicy | None:
        """The rules of a tier; None if there is room enough."""
        return self.acting(tier) if tier in TIERS else None
