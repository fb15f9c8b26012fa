"""What may be configured, as one frozen value. Every decision has its hash, so a replay knows the rules."""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from rawr.core.policy.compaction import AutoCompaction, CompactionMode
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.models import Models
from rawr.core.policy.prompts import Prompts
from rawr.core.policy.tiers import Tier

Wait = Annotated[int, Meta(ge=1, le=7 * 24 * 3600)]


class Limits(Struct, frozen=True):
    """How long rawr waits, in seconds. Every wait has a deadline, and every deadline is one of these."""

    person: Wait = 900
    """For a person to answer an approval or a question."""
    compaction: Wait = 600
    """For a compaction to end, from its start."""
    interrupt: Wait = 10
    """For an interrupted turn to end. rawr asks twice; then it restarts Codex."""
    compaction_item: Wait = 30
    """For the second of a compaction's two signals, after the first."""


class Policy(Struct, frozen=True):
    """The rules in force. The defaults are rawr's own."""

    compaction: AutoCompaction = AutoCompaction()
    full_auto: FullAuto = FullAuto()
    models: Models = Models()
    prompts: Prompts = Prompts()
    limits: Limits = Limits()
    join: Literal["none", "all"] = "none"
    """Join threads that other clients run: ``rawr watch`` does that (D1)."""
    join_only: str = ""
    """Join this one thread and no other."""
    join_on: str = ""
    """The connection on which other clients' threads are joined, where rawr has several."""
    watch_mode: CompactionMode | Literal[""] = ""
    """What rawr does on the threads of others, if not the same as on its own."""
    watch_repositories: bool = True
    """Look at the repository after commands, to learn of commits and branches."""
    watch_files: bool = False
    """Look at the files before and after turns, to learn what was written by whatever means. It is on in all settings;
    the rules of older journals do not have it, and are followed as they were."""
    pace_runs: bool = False
    """Let a run wait before its next turn if its last ones ended at once and did nothing (C12). The same holds here."""

    tell_phases: bool = False
    """Pass on what was said of a phase when it was marked: in the heads-up, the check of the packet and the handoff.
    The same holds here."""

    hear_tools: bool = False
    """Take what the agent says through the MCP server that rawr offers (D10): phases that are over, and holds. The same
    holds here."""

    look_up_claims: bool = False
    """Look up what a packet claims, correct it in the handoff, and pass on the agent's open words and the invariants
    (B3, D2). The same holds here."""

    @property
    def thresholds(self) -> Mapping[Tier, int]:
        return self.compaction.thresholds

    @property
    def hash(self) -> str:
        return policy_hash(self)

    def joins(self, link: str) -> bool:
        """Return True if threads of other clients are joined on this connection."""
        return self.join == "all" and link == self.join_on

    @property
    def for_others(self) -> "Policy":
        """The rules for threads that other clients run."""
        if not self.watch_mode:
            return self
        return replace(self, compaction=replace(self.compaction, mode=self.watch_mode))


@lru_cache(maxsize=64)
def policy_hash(policy: Policy) -> str:
    rules = msgspec.json.encode(policy, order="deterministic")
    # Without one, they are the rules from before there was such a setting, and keep their name.
    for name in (b"watch_files", b"pace_runs", b"tell_phases", b"hear_tools", b"look_up_claims"):
        rules = rules.replace(b',"%s":false' % name, b"")
    for silent in (
        b',"idle_seconds":300',
        b',"need_turns":2',
        b',"join_on":""',
        b',"watch_mode":""',
    ):
        rules = rules.replace(silent, b"")
    return sha256(rules).hexdigest()[:12]
