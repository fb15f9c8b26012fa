"""What rawr asks for before a compaction: one queue, in one order, each request with its own time limit (B5).

A judgment comes first, because it can still say no; then the agent's notes; the packet comes last, because it may refer
to them. The requests are fixed when the sequence begins, and are part of the decision's record.
"""

from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.tiers import Tier
from rawr.core.state.sequence import PreCompact

ORDER: tuple[PreCompact, ...] = ("judgment", "scratch", "packet")


def selected(policy: AutoCompaction, tier: Tier) -> tuple[PreCompact, ...]:
    """The requests of this tier. An emergency has time only for the packet."""
    calm, rules = tier != "emergency", policy.tier(tier)
    wanted: dict[PreCompact, bool] = {
        "judgment": calm and rules is not None and bool(rules.decision_prompt.strip()),
        "scratch": policy.scratch_write_enabled and calm,
        "packet": True,
    }
    return tuple(request for request in ORDER if wanted[request])


def seconds(policy: AutoCompaction, request: PreCompact) -> int:
    """How long the agent may take. A judgment has the same time limit as every question to a model."""
    return policy.scratch_seconds if request == "scratch" else policy.packet_seconds
