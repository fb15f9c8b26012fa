"""What is asked for before a compaction: one queue, in one order, each request with its own time (B5).

A judgment comes first, because it can still say no; then the agent's notes; the packet comes last, because it may refer
to them. What is to be asked is fixed when the sequence begins, and is part of the decision's record.
"""

from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.tiers import Tier
from rawr.core.state.sequence import PreCompact

ORDER: tuple[PreCompact, ...] = ("judgment", "scratch", "packet")


def selected(policy: AutoCompaction, tier: Tier) -> tuple[PreCompact, ...]:
    """What is asked for in this tier. An emergency has no time for anything but the packet."""
    calm, rules = tier != "emergency", policy.tier(tier)
    wanted: dict[PreCompact, bool] = {
        "judgment": calm and rules is not None and bool(rules.decision_prompt.strip()),
        "scratch": policy.scratch_write_enabled and calm,
        "packet": True,
    }
    return tuple(request for request in ORDER if wanted[request])


def seconds(policy: AutoCompaction, request: PreCompact) -> int:
    """How long the agent may take. A model that is asked for a judgment has the time of every question to one."""
    return policy.scratch_seconds if request == "scratch" else policy.packet_seconds
