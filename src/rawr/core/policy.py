"""What may be configured, as one frozen value. Its hash stands in every decision, so a replay knows the rules."""

from hashlib import sha256

import msgspec
from msgspec import Struct

from rawr.core.tiers import Thresholds


class Limits(Struct, frozen=True):
    """How long rawr waits, in seconds. Every wait has a deadline, and every deadline is one of these."""

    person: int = 900
    """For a person to answer an approval or a question."""
    compaction: int = 600
    """For a compaction to end, from its start."""
    compaction_item: int = 30
    """For the second of a compaction's two signals, after the first."""


class Policy(Struct, frozen=True):
    tiers: Thresholds = Thresholds()
    limits: Limits = Limits()

    @property
    def hash(self) -> str:
        return policy_hash(self)


def policy_hash(policy: Policy) -> str:
    return sha256(msgspec.json.encode(policy, order="deterministic")).hexdigest()[:12]
